/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "etm3/etm3_packet.h"

enum { MOST = 12 };

/* With a config, what the first len bytes say. Every shorter prefix is to be no packet yet. */
static struct etm3_packet read_all(const struct etm3_config *config, const struct etm3_before *before,
				   const uint8_t *bytes, size_t len)
{
	struct etm3_packet packet;

	for (size_t n = 1; n < len; n++)
		assert_int_equal(etm3_read(config, before, bytes, n, &packet), 0);
	assert_int_equal(etm3_read(config, before, bytes, len, &packet), len);
	return packet;
}

struct atoms_row {
	uint8_t header, format, count;
	uint16_t atoms;
	uint32_t cycles;
};

static void check_atoms(bool cycle_accurate, const struct atoms_row *rows, size_t count)
{
	const struct etm3_config config = { .cycle_accurate = cycle_accurate };
	const struct etm3_before before = { .isa = SL_ISA_A32 };

	for (size_t i = 0; i < count; i++) {
		struct etm3_packet packet = read_all(&config, &before, &rows[i].header, 1);

		assert_int_equal(packet.type, ETM3_P_HDR);
		assert_int_equal(packet.format, rows[i].format);
		assert_int_equal(packet.atom_count, rows[i].count);
		assert_int_equal(packet.atoms, rows[i].atoms);
		assert_int_equal(packet.cycles, rows[i].cycles);
	}
}

void test_etm3_packet__p_headers(void **state)
{
	static const struct atoms_row rows[] = {
		{ 0x80, 1, 0, 0, 0 },	    { 0x84, 1, 1, 1, 0 }, { 0xbc, 1, 15, 0x7fff, 0 }, { 0xc8, 1, 3, 3, 0 },
		{ 0xfc, 1, 16, 0x7fff, 0 }, { 0x82, 2, 2, 3, 0 }, { 0x86, 2, 2, 1, 0 },	      { 0x8a, 2, 2, 2, 0 },
	};

	check_atoms(false, rows, sizeof(rows) / sizeof(rows[0]));
}

void test_etm3_packet__p_headers_with_cycles(void **state)
{
	static const struct atoms_row rows[] = {
		{ 0x84, 1, 1, 1, 1 }, { 0xdc, 1, 8, 0x7f, 8 }, { 0x82, 2, 2, 3, 1 }, { 0x86, 2, 2, 1, 1 },
		{ 0xa0, 3, 0, 0, 1 }, { 0xfc, 3, 1, 1, 8 },    { 0x92, 4, 1, 1, 0 }, { 0x96, 4, 1, 0, 0 },
		{ 0xa2, 0, 0, 0, 0 }, /* reserved */
	};

	check_atoms(true, rows, sizeof(rows) / sizeof(rows[0]));
}

/* 7.4: how many low bits an address replaces, and which; both encodings. */
void test_etm3_packet__branches(void **state)
{
	static const struct {
		bool alternative;
		uint8_t isa, len, bytes[MOST];
		uint8_t ret_isa, bits;
		uint32_t address;
		uint8_t has;
		uint16_t exception;
	} rows[] = {
		{ false, SL_ISA_A32, 1, { 0x7f }, SL_ISA_A32, 8, 0xfc, 0, 0 },
		{ false, SL_ISA_T32, 2, { 0x81, 0x7f }, SL_ISA_T32, 14, 0x3f80, 0, 0 },
		{ true, SL_ISA_T32, 2, { 0x81, 0x3f }, SL_ISA_T32, 13, 0x1f80, 0, 0 },
		{ true, SL_ISA_A32, 3, { 0x81, 0x40, 0x3d }, SL_ISA_A32, 14, 0,
		  ETM3_HAS_EXCEPTION | ETM3_HAS_STATE | ETM3_HAS_ALTERNATIVE | ETM3_CANCELS, 14 },
		{ false, SL_ISA_A32, 5, { 0x83, 0x80, 0x80, 0x80, 0x18 }, SL_ISA_T32, 32, 0x80000002, ETM3_HAS_ISA, 0 },
		{ false, SL_ISA_A32, 5, { 0x83, 0x80, 0x80, 0x80, 0x30 }, SL_ISA_JAZELLE, 32, 0x80000001, ETM3_HAS_ISA, 0 },
		{ false, SL_ISA_T32, 6, { 0x83, 0x80, 0x80, 0x80, 0x48, 0x1c }, SL_ISA_A32, 32, 4,
		  ETM3_HAS_ISA | ETM3_HAS_EXCEPTION | ETM3_HAS_STATE | ETM3_HAS_ALTERNATIVE, 14 },
		{ false, SL_ISA_T32, 5, { 0x83, 0x80, 0x80, 0x80, 0xe8 }, SL_ISA_A32, 32, 4,
		  ETM3_HAS_ISA | ETM3_HAS_EXCEPTION | ETM3_CANCELS, 5 }, /* of the first ETMs */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct etm3_config config = { .alternative_branches = rows[i].alternative };
		const struct etm3_before before = { .isa = rows[i].isa };
		struct etm3_packet packet = read_all(&config, &before, rows[i].bytes, rows[i].len);

		assert_int_equal(packet.type, ETM3_BRANCH_ADDRESS);
		assert_int_equal(packet.isa, rows[i].ret_isa);
		assert_int_equal(packet.address_bits, rows[i].bits);
		assert_int_equal(packet.address, rows[i].address);
		assert_int_equal(packet.has, rows[i].has);
		assert_int_equal(packet.exception, rows[i].exception);
	}
}

void test_etm3_packet__an_address_without_an_instruction_set_is_none(void **state)
{
	const struct etm3_config config = { 0 };
	const struct etm3_before before = { .isa = SL_ISA_A32 };
	struct etm3_packet packet = read_all(&config, &before, (const uint8_t[]){ 0x81, 0x80, 0x80, 0x80, 0 }, 5);

	assert_int_equal(packet.address_bits, 0);
	assert_int_equal(packet.isa, SL_ISA_UNKNOWN);
}

void test_etm3_packet__isync(void **state)
{
	const struct etm3_config config = { .context_id_bytes = 1, .has_alternative = true };
	const struct etm3_before before = { .isa = SL_ISA_A32 };
	struct etm3_packet packet =
		read_all(&config, &before, (const uint8_t[]){ 0x08, 0x12, 0x48, 0x01, 0x80, 0x00, 0x40 }, 7);

	assert_int_equal(packet.context_id, 0x12);
	assert_int_equal(packet.reason, ETM3_REASON_OVERFLOW);
	assert_true(packet.nonsecure);
	assert_int_equal(packet.address, 0x40008000);
	assert_int_equal(packet.isa, SL_ISA_T32);
	assert_int_equal(packet.second_bits, 0);
}

void test_etm3_packet__isync_with_cycles_and_a_load_in_progress(void **state)
{
	const struct etm3_config config = { 0 };
	const struct etm3_before before = { .isa = SL_ISA_T32 };
	struct etm3_packet packet = read_all(
		&config, &before, (const uint8_t[]){ 0x70, 0x81, 0x01, 0xa0, 0x00, 0x80, 0x00, 0xc0, 0x85, 0x02 }, 10);

	assert_int_equal(packet.cycles, 0x81);
	assert_int_equal(packet.address, 0xc0008000);
	assert_int_equal(packet.second_bits, 15);
	assert_int_equal(packet.second, 0x208);
}

void test_etm3_packet__async(void **state)
{
	static const uint8_t good[] = { 0, 0, 0, 0, 0, 0x80 }, early[] = { 0, 0, 0, 0x80 }, late[] = { 0, 0, 0, 0, 0, 0 };
	const struct etm3_config config = { 0 };
	const struct etm3_before before = { 0 };
	struct etm3_packet packet = read_all(&config, &before, good, sizeof(good));

	assert_int_equal(packet.type, ETM3_ASYNC);
	assert_int_equal(etm3_read(&config, &before, early, sizeof(early), &packet), 3);
	assert_int_equal(packet.type, ETM3_BAD_SEQUENCE);
	assert_int_equal(etm3_read(&config, &before, late, sizeof(late), &packet), 1);
	assert_int_equal(packet.type, ETM3_BAD_SEQUENCE);
}

void test_etm3_packet__headers_of_data_trace(void **state)
{
	static const uint8_t headers[] = { 0x24, 0x50, 0x54, 0x5c, 0x02, 0x0e, 0x2a, 0x62, 0x6a, 0x7a };
	const struct etm3_config config = { 0 };
	const struct etm3_before before = { 0 };

	for (size_t i = 0; i < sizeof(headers); i++)
		assert_int_equal(read_all(&config, &before, &headers[i], 1).type, ETM3_BAD_TRACEMODE);
}

void test_etm3_packet__every_type_has_a_name(void **state)
{
	for (unsigned type = 0; type < ETM3_TYPES; type++)
		assert_true(type == ETM3_RESERVED || strcmp(etm3_name(type), "I_RESERVED") != 0);
}
