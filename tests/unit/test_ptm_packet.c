/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "ptm/ptm_packet.h"

enum { MOST = 12 };

/* With a config, what the first len bytes say. Every shorter prefix is to be no packet yet. */
static struct ptm_packet read_all(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
				  size_t len)
{
	struct ptm_packet packet;

	for (size_t n = 1; n < len; n++)
		assert_int_equal(ptm_read(config, before, bytes, n, &packet), 0);
	assert_int_equal(ptm_read(config, before, bytes, len, &packet), len);
	return packet;
}

void test_ptm_packet__atoms(void **state)
{
	static const struct {
		uint8_t header, count, atoms;
	} rows[] = {
		{ 0x80, 1, 1 },	 { 0x82, 1, 0 },  { 0x88, 2, 3 }, { 0x8a, 2, 1 }, { 0x8c, 2, 2 },
		{ 0x90, 3, 7 },	 { 0x98, 3, 6 },  { 0xa0, 4, 15 }, { 0xa2, 4, 7 }, { 0xb0, 4, 14 },
		{ 0xc0, 5, 31 }, { 0xe0, 5, 30 }, { 0xc2, 5, 15 },
	};
	const struct ptm_config config = { 0 };
	const struct ptm_before before = { .isa = SL_ISA_A32 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ptm_packet packet = read_all(&config, &before, &rows[i].header, 1);

		assert_int_equal(packet.type, PTM_ATOM);
		assert_int_equal(packet.atom_count, rows[i].count);
		assert_int_equal(packet.atoms, rows[i].atoms);
	}
}

void test_ptm_packet__cycles_of_an_atom(void **state)
{
	const struct ptm_config config = { .cycle_accurate = true };
	const struct ptm_before before = { .isa = SL_ISA_A32 };
	struct ptm_packet packet = read_all(&config, &before, (const uint8_t[]){ 0x8e }, 1);

	assert_int_equal(packet.cycles, 3);
	assert_int_equal(packet.atoms, 0);
	packet = read_all(&config, &before, (const uint8_t[]){ 0xc4, 0x81, 0x02 }, 3);
	assert_int_equal(packet.cycles, 1 | 1 << 4 | 2 << 11);
	packet = read_all(&config, &before, (const uint8_t[]){ 0xfc, 0xff, 0xff, 0xff, 0xff }, 5);
	assert_int_equal(packet.cycles, UINT32_MAX);
}

/* 4.5: how many low bits an address replaces, and which. */
void test_ptm_packet__branches(void **state)
{
	static const struct {
		uint8_t isa, len, bytes[MOST];
		uint8_t ret_isa, bits;
		uint32_t address;
		bool excepts;
		uint16_t exception;
	} rows[] = {
		{ SL_ISA_A32, 1, { 0x7f }, SL_ISA_A32, 8, 0xfc, false, 0 },
		{ SL_ISA_T32, 1, { 0x7f }, SL_ISA_T32, 7, 0x7e, false, 0 },
		{ SL_ISA_T32, 2, { 0x81, 0x3f }, SL_ISA_T32, 13, 0x1f80, false, 0 },
		{ SL_ISA_A32, 5, { 0x83, 0x80, 0x80, 0x80, 0x18 }, SL_ISA_T32, 32, 0x80000002, false, 0 },
		{ SL_ISA_T32, 5, { 0x83, 0x80, 0x80, 0x80, 0x0c }, SL_ISA_A32, 32, 0x80000004, false, 0 },
		{ SL_ISA_T32, 5, { 0x83, 0x80, 0x80, 0x80, 0x30 }, SL_ISA_JAZELLE, 32, 0x80000001, false, 0 },
		{ SL_ISA_A32, 3, { 0x81, 0x40, 0x1d }, SL_ISA_A32, 14, 0, true, 14 },
		{ SL_ISA_A32, 4, { 0x81, 0x40, 0x9d, 0x01 }, SL_ISA_A32, 14, 0, true, 30 },
		{ SL_ISA_T32, 3, { 0x81, 0x40, 0x40 }, PTM_ISA_THUMBEE, 13, 0, true, 0 },
	};
	const struct ptm_config config = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ptm_before before = { .isa = rows[i].isa };
		struct ptm_packet packet = read_all(&config, &before, rows[i].bytes, rows[i].len);

		assert_int_equal(packet.type, PTM_BRANCH_ADDRESS);
		assert_int_equal(packet.isa, rows[i].ret_isa);
		assert_int_equal(packet.address_bits, rows[i].bits);
		assert_int_equal(packet.address, rows[i].address);
		assert_int_equal(!!(packet.has & PTM_HAS_EXCEPTION), rows[i].excepts);
		assert_int_equal(packet.exception, rows[i].exception);
	}
}

void test_ptm_packet__isync(void **state)
{
	const struct ptm_config config = { .cycle_accurate = true, .context_id_bytes = 2 };
	const struct ptm_before before = { 0 };
	struct ptm_packet packet = read_all(
		&config, &before, (const uint8_t[]){ 0x08, 0x01, 0x80, 0x00, 0xc0, 0x28, 0x40, 0x01, 0x34, 0x12 }, 10);

	assert_int_equal(packet.address, 0xc0008000);
	assert_int_equal(packet.isa, SL_ISA_T32);
	assert_int_equal(packet.reason, PTM_REASON_TRACE_ON);
	assert_true(packet.nonsecure);
	assert_int_equal(packet.cycles, 16);
	assert_int_equal(packet.context_id, 0x1234);
	packet = read_all(&config, &before, (const uint8_t[]){ 0x08, 0, 0, 0, 0, 0, 0x34, 0x12 }, 8);
	assert_int_equal(packet.has & PTM_HAS_CYCLES, 0);
	assert_int_equal(packet.isa, SL_ISA_A32);
}

void test_ptm_packet__timestamps(void **state)
{
	const struct ptm_config old = { 0 }, wide = { .long_timestamps = true };
	const struct ptm_before before = { 0 };
	const uint8_t bytes[] = { 0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct ptm_packet packet = read_all(&old, &before, bytes, 8);

	assert_int_equal(packet.time_bits, 48);
	assert_int_equal(packet.time, UINT64_C(0xffffffffffff));
	packet = read_all(&wide, &before, bytes, 10);
	assert_int_equal(packet.time_bits, 64);
	assert_true(packet.time == UINT64_MAX);
	packet = read_all(&wide, &before, (const uint8_t[]){ 0x46, 0x81, 0x01 }, 3);
	assert_int_equal(packet.time_bits, 14);
	assert_int_equal(packet.time, 0x81);
}

void test_ptm_packet__async(void **state)
{
	static const uint8_t good[] = { 0, 0, 0, 0, 0, 0, 0, 0x80 }, bad[] = { 0, 0, 0, 0, 0x80 }, zeros[16] = { 0 };
	const struct ptm_config config = { 0 };
	const struct ptm_before before = { 0 };

	assert_int_equal(read_all(&config, &before, good, sizeof(good)).type, PTM_ASYNC);
	assert_int_equal(read_all(&config, &before, bad, sizeof(bad)).type, PTM_BAD_SEQUENCE);
	assert_int_equal(read_all(&config, &before, zeros, sizeof(zeros)).type, PTM_BAD_SEQUENCE);
	assert_int_equal(read_all(&config, &before, (const uint8_t[]){ 0x10 }, 1).type, PTM_RESERVED);
}

void test_ptm_packet__every_header_has_a_name(void **state)
{
	for (unsigned type = 0; type < PTM_TYPES; type++)
		assert_string_not_equal(ptm_name(type), "UNKNOWN");
}
