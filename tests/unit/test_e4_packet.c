/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etm4/e4_packet.h"

static const struct e4_config etm4 = { .version = 0x44, .context_id_bytes = 4, .vmid_bytes = 1, .commit_option_1 = true,
				       .cycle_mask = 0xfff, .q_elements = true };
static const struct e4_config ete = { .version = 0x53, .context_id_bytes = 4, .vmid_bytes = 4, .cycle_mask = 0xfff,
				      .max_speculation = 20 };

static size_t read_with(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	struct e4_headers headers;

	e4_headers_init(config, &headers);
	return e4_read(&headers, config, bytes, len, ret);
}

#define READ(config, packet, ...) \
	read_with(&(config), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), (packet))

void test_e4_packet__names(void **state)
{
	static const struct { uint8_t bytes[12]; size_t len; const char *name; } rows[] = {
		{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, 12, "I_ASYNC" },
		{ { 0, 3 }, 2, "I_DISCARD" },	       { { 0, 5 }, 2, "I_OVERFLOW" },
		{ { 0, 1 }, 2, "I_BAD_SEQUENCE" },     { { 0x08 }, 1, "I_RESERVED" },
		{ { 0x20 }, 1, "I_RESERVED_CFG" },     { { 0x43 }, 1, "I_RESERVED_CFG" },
		{ { 0x70 }, 1, "I_IGNORE" },	       { { 0x7a }, 1, "I_EVENT" },
		{ { 0xd5 }, 1, "I_ATOM_F5" },	       { { 0xd7 }, 1, "I_ATOM_F5" },
		{ { 0xf5 }, 1, "I_ATOM_F5" },	       { { 0xd4 }, 1, "I_ATOM_F6" },
		{ { 0xe0 }, 1, "I_ATOM_F6" },	       { { 0xdb }, 1, "I_ATOM_F2" },
		{ { 0xdc }, 1, "I_ATOM_F4" },	       { { 0xf7 }, 1, "I_ATOM_F1" },
		{ { 0xf8 }, 1, "I_ATOM_F3" },	       { { 0x93 }, 1, "I_RESERVED" },
		{ { 0x92 }, 1, "I_ADDR_MATCH" },       { { 0xa3 }, 1, "I_RESERVED" },
		{ { 0xb0 }, 1, "I_RESERVED" },	       { { 0x88 }, 1, "I_RESERVED" },
		{ { 0x95, 0x84, 0x81 }, 3, "I_ADDR_S_IS0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct e4_packet p;

		assert_int_equal(read_with(&etm4, rows[i].bytes, rows[i].len, &p), rows[i].len);
		assert_string_equal(e4_name(p.type), rows[i].name);
	}
}

void test_e4_packet__atoms(void **state)
{
	static const struct { uint8_t header, count; uint32_t atoms; } rows[] = {
		{ 0xf7, 1, 1 }, { 0xf6, 1, 0 }, { 0xd9, 2, 1 }, { 0xfb, 3, 3 }, { 0xdc, 4, 0xe }, { 0xdd, 4, 0 },
		{ 0xde, 4, 0xa }, { 0xdf, 4, 5 }, { 0xd5, 5, 0 }, { 0xd6, 5, 0xa }, { 0xd7, 5, 0x15 }, { 0xf5, 5, 0x1e },
		{ 0xc0, 4, 0xf }, { 0xe0, 4, 7 }, { 0xd4, 24, 0xffffff }, { 0xf4, 24, 0x7fffff },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct e4_packet p;

		assert_int_equal(read_with(&etm4, &rows[i].header, 1, &p), 1);
		assert_int_equal(p.atom_count, rows[i].count);
		assert_int_equal(p.atoms, rows[i].atoms);
	}
}

void test_e4_packet__addresses(void **state)
{
	struct e4_packet p;

	(void)state;
	assert_int_equal(READ(etm4, &p, 0x9d, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88), 9);
	assert_int_equal(p.value, 0x8807060504030404);
	assert_int_equal(READ(etm4, &p, 0x9b, 0x01, 0x82, 0x03, 0x04), 5);
	assert_int_equal(p.value, 0x04038202);
	assert_int_equal(p.is, 1);
	assert_int_equal(READ(etm4, &p, 0x96, 0x05), 2);
	assert_int_equal(p.value, 0x0a);
	assert_int_equal(p.address_bits, 8);
	assert_int_equal(READ(etm4, &p, 0x82, 1, 0, 0, 0, 0xf2, 0x77, 0x44, 0x33, 0x22, 0x11), 11);
	assert_int_equal(p.vmid, 0x77);
	assert_int_equal(p.context_id, 0x11223344);
	assert_int_equal(p.info, 0xf2);
}

void test_e4_packet__counts(void **state)
{
	struct e4_packet p;

	(void)state;
	assert_int_equal(READ(etm4, &p, 0x0f), 1); /* an unknown count, and nothing to commit */
	assert_int_equal(p.has, 0);
	assert_int_equal(READ(etm4, &p, 0x0e, 0x85, 0x01), 3);
	assert_int_equal(p.count, 0x85);
	assert_int_equal(READ(ete, &p, 0x0e, 0x03, 0x07), 3); /* commits 3 */
	assert_int_equal(p.elements, 3);
	assert_int_equal(p.count, 7);
	assert_int_equal(READ(ete, &p, 0x0d, 0x25), 2); /* 20 - 15 + 2 */
	assert_int_equal(p.elements, 7);
	assert_int_equal(READ(etm4, &p, 0x03, 0xff, 0x01, 0x05), 4);
	assert_int_equal(p.value, 0xff);
	assert_int_equal(p.time_bits, 14);
	assert_int_equal(p.count, 5);
}

void test_e4_packet__exceptions(void **state)
{
	struct e4_packet p;

	(void)state;
	assert_int_equal(READ(etm4, &p, 0x06, 0x1d), 2);
	assert_int_equal(p.count, 14);
	assert_false(p.same_address);
	assert_int_equal(READ(etm4, &p, 0x06, 0xc2, 0x01), 3);
	assert_int_equal(p.count, 0x21);
	assert_true(p.same_address);
	assert_int_equal(READ(ete, &p, 0x06, 0x01, 0x00), 3);
	assert_string_equal(e4_name(p.type), "I_PE_RESET");
}

/* A packet that is cut is incomplete at each length, and what follows one does not change it. */
void test_e4_packet__is_the_same_however_much_is_there(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		const struct e4_config *config = i % 2 ? &ete : &etm4;
		struct e4_packet whole, cut;
		uint8_t bytes[40];
		size_t len;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
		bytes[0] = (uint8_t)i;
		bytes[sizeof(bytes) - 1] = bytes[sizeof(bytes) - 2] = 0;
		len = read_with(config, bytes, sizeof(bytes), &whole);
		for (size_t k = 1; k < len; k++)
			assert_int_equal(read_with(config, bytes, k, &cut), 0);
		if (len)
			assert_int_equal(read_with(config, bytes, len, &cut), len);
		if (len)
			assert_memory_equal(&cut, &whole, sizeof(cut));
	}
}
