/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "etm4_encode.h"

static const struct etm4_config plain = { .context_id = true };
static const struct etm4_config timed = { .cycle_counts = true, .cycle_threshold = 16 };
static const struct etm4_config speculative = {
	.commit_mode_0 = true, .max_speculation = 40, .cycle_counts = true, .cycle_threshold = 16
};
static const struct etm4_address kernel = { 0xffffffc008010000, ETM4_IS0 };

/* Compares what was written since the last call, and forgets it. */
#define CHECK(w, ...) check(w, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void check(struct etm4_writer *w, const uint8_t *expected, size_t len)
{
	assert_int_equal(w->len, len);
	assert_memory_equal(w->data, expected, len);
	w->len = 0;
}

static struct etm4_address is0(uint64_t address)
{
	return (struct etm4_address){ address, ETM4_IS0 };
}
static struct etm4_address is1(uint64_t address)
{
	return (struct etm4_address){ address, ETM4_IS1 };
}

void test_etm4_encode__synchronisation(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_async(&w);
	CHECK(&w, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	CHECK(&w, 0x01, 0x01, 0x00);
	etm4_trace_info(&w, &(struct etm4_trace_info){ .cycle_counts = true, .cycle_threshold = 256 });
	CHECK(&w, 0x01, 0x09, 0x01, 0x80, 0x02);
	etm4_trace_info(&w, &(struct etm4_trace_info){ .key = 5, .speculation = 300, .p0_load = true });
	CHECK(&w, 0x01, 0x07, 0x10, 0x05, 0xac, 0x02);
	etm4_trace_on(&w);
	etm4_overflow(&w);
	etm4_discard(&w);
	etm4_ignore(&w);
	etm4_event(&w, 9);
	CHECK(&w, 0x04, 0x00, 0x05, 0x00, 0x03, 0x70, 0x79);
	etm4_release(&w);
}

void test_etm4_encode__timestamps_send_what_changed(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &timed);
	etm4_timestamp(&w, 0x0123456789abcdef);
	CHECK(&w, 0x02, 0xef, 0x9b, 0xaf, 0xcd, 0xf8, 0xac, 0xd1, 0x91, 0x01);
	etm4_timestamp(&w, 0x0123456789abcdf0);
	CHECK(&w, 0x02, 0x70);
	etm4_timestamp_cycles(&w, 0x0123456789abce00, 130);
	CHECK(&w, 0x03, 0x80, 0x1c, 0x82, 0x01);
	etm4_timestamp(&w, 0x8123456789abce00);
	CHECK(&w, 0x02, 0x80, 0x9c, 0xaf, 0xcd, 0xf8, 0xac, 0xd1, 0x91, 0x81);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	w.len = 0;
	etm4_timestamp(&w, 0x8123456789abce00);
	assert_int_equal(w.len, 10);
	etm4_release(&w);
}

void test_etm4_encode__cycle_counts(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &timed);
	etm4_cycles(&w, 0, 16);
	etm4_cycles(&w, 0, 19);
	CHECK(&w, 0x10, 0x13);
	etm4_cycles(&w, 0, 20);
	etm4_cycles(&w, 0, 31);
	CHECK(&w, 0x0c, 0x04, 0x0c, 0x0f);
	etm4_cycles(&w, 0, 32);
	etm4_cycles(&w, 0, 16 + 0xfffff);
	CHECK(&w, 0x0e, 0x10, 0x0e, 0xff, 0xff, 0x3f);
	etm4_cycles_f1_unknown(&w, 0);
	CHECK(&w, 0x0f);
	etm4_release(&w);
}

void test_etm4_encode__cycle_counts_with_commits(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &speculative);
	etm4_cycles(&w, 4, 17); /* format 3 */
	CHECK(&w, 0x1d);
	etm4_cycles(&w, 5, 17); /* format 2 from 1 on */
	CHECK(&w, 0x0c, 0x41);
	etm4_cycles(&w, 30, 18); /* format 2 up to the speculation depth: 40 - 15 + 5 */
	CHECK(&w, 0x0d, 0x52);
	etm4_cycles(&w, 20, 18); /* neither reaches it */
	CHECK(&w, 0x0e, 0x14, 0x02);
	etm4_cycles_f1_unknown(&w, 3);
	CHECK(&w, 0x0f, 0x03);
	etm4_release(&w);
}

void test_etm4_encode__speculation(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &speculative);
	etm4_commit(&w, 130);
	etm4_cancel_f1(&w, 2, false);
	etm4_cancel_f1(&w, 3, true);
	CHECK(&w, 0x2d, 0x82, 0x01, 0x2e, 0x02, 0x2f, 0x03);
	etm4_cancel_f2(&w, 3);
	etm4_cancel_f3(&w, 5, true);
	etm4_cancel_f3(&w, 2, false);
	etm4_mispredict(&w, 2);
	CHECK(&w, 0x37, 0x3f, 0x38, 0x32);
	etm4_release(&w);
}

void test_etm4_encode__contexts(void **state)
{
	const struct etm4_context el0 = {
		.el = 0, .security = 1, .is64 = true, .context_id = 0x11223344, .vmid = 0xabcd
	};
	const struct etm4_context realm = { .el = 2, .security = 3, .is64 = true };
	struct etm4_config with_vmid = { .context_id = true, .vmid_bytes = 2 };
	struct etm4_writer w;

	etm4_init(&w, &with_vmid);
	etm4_context(&w, &el0);
	CHECK(&w, 0x81, 0xf0, 0xcd, 0xab, 0x44, 0x33, 0x22, 0x11);
	etm4_context(&w, NULL);
	CHECK(&w, 0x80);
	w.config = (struct etm4_config){ .ete = true };
	etm4_context(&w, &realm);
	CHECK(&w, 0x81, 0x3a);
	etm4_release(&w);
}

void test_etm4_encode__addresses_take_the_shortest_form(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_address(&w, kernel);
	CHECK(&w, 0x9d, 0x00, 0x00, 0x01, 0x08, 0xc0, 0xff, 0xff, 0xff);
	etm4_address(&w, is0(0xffffffc0080101fc)); /* bits 8:2 only */
	CHECK(&w, 0x95, 0x7f);
	etm4_address(&w, is0(0xffffffc00801fe04)); /* bits 16:9 too */
	CHECK(&w, 0x95, 0x81, 0xff);
	etm4_address(&w, is0(0xffffffc00801fe04)); /* the latest */
	CHECK(&w, 0x90);
	etm4_address(&w, is0(0xffffffc0080101fc)); /* the match counted as one more */
	CHECK(&w, 0x92);
	etm4_address(&w, is0(0xffffffc0ab020004)); /* the upper half stays */
	CHECK(&w, 0x9a, 0x01, 0x00, 0x02, 0xab);
	etm4_address(&w, is0(0x400000));
	CHECK(&w, 0x9d, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00);
	etm4_release(&w);
}

void test_etm4_encode__thumb_addresses(void **state)
{
	struct etm4_config config = { .address32 = true };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_address(&w, is1(0x80001234));
	CHECK(&w, 0x9b, 0x1a, 0x12, 0x00, 0x80);
	etm4_address(&w, is1(0x800012fe));
	CHECK(&w, 0x96, 0x7f);
	etm4_address(&w, is1(0x80004302));
	CHECK(&w, 0x96, 0x81, 0x43);
	etm4_address(&w, is0(0x80004300)); /* other instruction set: no match, but compressed */
	CHECK(&w, 0x95, 0x40);
	etm4_release(&w);
}

void test_etm4_encode__trace_info_forgets_addresses(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_address(&w, kernel);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	w.len = 0;
	etm4_address(&w, kernel);
	assert_int_equal(w.len, 9);
	assert_int_equal(w.data[0], 0x9d);
	etm4_release(&w);
}

void test_etm4_encode__addresses_with_context(void **state)
{
	const struct etm4_context el1 = { .el = 1, .security = 1, .is64 = true, .context_id = 7 };
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_address_context(&w, is0(0x40080000), &el1);
	CHECK(&w, 0x85, 0x00, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0x00, 0xb1, 7, 0, 0, 0);
	etm4_address_context(&w, is0(0x40080004), &el1);
	CHECK(&w, 0x82, 0x01, 0x00, 0x08, 0x40, 0xb1, 7, 0, 0, 0);
	etm4_address_64_context(&w, is1(0x40080004), &el1);
	CHECK(&w, 0x86, 0x02, 0x00, 0x08, 0x40, 0x00, 0x00, 0x00, 0x00, 0xb1, 7, 0, 0, 0);
	etm4_release(&w);
}

void test_etm4_encode__source_addresses(void **state)
{
	struct etm4_config config = { .ete = true };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_source_address(&w, kernel);
	CHECK(&w, 0xb8, 0x00, 0x00, 0x01, 0x08, 0xc0, 0xff, 0xff, 0xff);
	etm4_source_address(&w, is0(kernel.address + 8));
	etm4_source_address(&w, kernel);
	etm4_source_address(&w, is0(0xffffffc009010000));
	CHECK(&w, 0xb4, 0x02, 0xb1, 0xb6, 0x00, 0x00, 0x01, 0x09);
	etm4_release(&w);
}

void test_etm4_encode__atom_formats(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_atom_f1(&w, 1);
	etm4_atom_f2(&w, 2);
	etm4_atom_f3(&w, 5);
	etm4_atom_f4(&w, 0);
	etm4_atom_f4(&w, 3);
	etm4_atom_f5(&w, 0);
	etm4_atom_f5(&w, 1);
	etm4_atom_f5(&w, 3);
	etm4_atom_f6(&w, 3, 1);
	etm4_atom_f6(&w, 23, 0);
	CHECK(&w, 0xf7, 0xda, 0xfd, 0xdc, 0xdf, 0xf5, 0xd5, 0xd7, 0xc0, 0xf4);
	etm4_release(&w);
}

void test_etm4_encode__atoms_are_packed(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_atoms(&w, 0, 0);
	assert_int_equal(w.len, 0);
	etm4_atoms(&w, 1, 1);
	etm4_atoms(&w, 2, 2);
	etm4_atoms(&w, 3, 3);
	CHECK(&w, 0xf7, 0xda, 0xfb);
	etm4_atoms(&w, 0xffffff, 24); /* 24 E */
	etm4_atoms(&w, 0x7fffff, 24); /* 23 E, N */
	etm4_atoms(&w, 0xf, 4);
	CHECK(&w, 0xd4, 0xf4, 0xc0);
	etm4_atoms(&w, 0x1e, 5);
	etm4_atoms(&w, 0x0a, 5);
	etm4_atoms(&w, 0x0e, 4);
	CHECK(&w, 0xf5, 0xd6, 0xdc);
	etm4_atoms(&w, 0xffffffff, 32); /* 24 E, then 8 */
	CHECK(&w, 0xd4, 0xc4);
	etm4_release(&w);
}

/* Reads atom packets back, from the tables of the specification alone. */
static unsigned read_atoms(const uint8_t *data, size_t len, uint32_t *ret)
{
	static const uint8_t four[4] = { 0xe, 0x0, 0xa, 0x5 };
	uint64_t atoms = 0;
	unsigned n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned b = data[i], count = (b & 0x1f) + 3;

		if (b >= 0xf8)
			atoms |= (uint64_t)(b & 7) << n, n += 3;
		else if (b >= 0xf6)
			atoms |= (uint64_t)(b & 1) << n, n += 1;
		else if (b == 0xf5)
			atoms |= (uint64_t)0x1e << n, n += 5;
		else if (b >= 0xdc && b <= 0xdf)
			atoms |= (uint64_t)four[b & 3] << n, n += 4;
		else if (b >= 0xd8 && b <= 0xdb)
			atoms |= (uint64_t)(b & 3) << n, n += 2;
		else if (b >= 0xd5 && b <= 0xd7)
			atoms |= (uint64_t)(b == 0xd5 ? 0 : b == 0xd6 ? 0xa : 0x15) << n, n += 5;
		else
			atoms |= ((UINT64_C(1) << (count + !(b & 0x20))) - 1) << n, n += count + 1;
	}
	*ret = (uint32_t)atoms;
	return n;
}

void test_etm4_encode__every_short_run_of_atoms_reads_back(void **state)
{
	struct etm4_writer w;
	uint32_t got;

	etm4_init(&w, &plain);
	for (unsigned count = 1; count <= 12; count++) {
		for (uint32_t atoms = 0; atoms < 1u << count; atoms++) {
			etm4_atoms(&w, atoms, count);
			assert_int_equal(read_atoms(w.data, w.len, &got), count);
			assert_int_equal(got, atoms);
			w.len = 0;
		}
	}
	etm4_release(&w);
}

void test_etm4_encode__q(void **state)
{
	struct etm4_config config = { .q_elements = true };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_address(&w, kernel);
	w.len = 0;
	etm4_q(&w);
	etm4_q_count(&w, 200);
	etm4_q_match(&w, 0, 3);
	CHECK(&w, 0xaf, 0xac, 0xc8, 0x01, 0xa0, 0x03);
	etm4_q_short(&w, is0(kernel.address + 4), 3);
	etm4_q_32(&w, is0(kernel.address), 3);
	CHECK(&w, 0xa5, 0x01, 0x03, 0xaa, 0x00, 0x00, 0x01, 0x08, 0x03);
	etm4_release(&w);
}

void test_etm4_encode__exceptions(void **state)
{
	struct etm4_writer w;

	etm4_init(&w, &plain);
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_exception(&w, ETM4_DATA_FAULT, ETM4_BRANCH_TARGET);
	etm4_exception_return(&w);
	etm4_function_return(&w);
	CHECK(&w, 0x06, 0x1d, 0x06, 0x58, 0x07, 0x05);
	etm4_exception_wide(&w, 0x20f, ETM4_RETURN_ADDRESS, true);
	CHECK(&w, 0x06, 0x9f, 0x30);
	etm4_release(&w);
}

void test_etm4_encode__ete(void **state)
{
	struct etm4_config config = { .ete = true };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_timestamp_marker(&w);
	etm4_transaction_start(&w);
	etm4_transaction_commit(&w);
	etm4_transaction_fail(&w);
	etm4_pe_reset(&w);
	CHECK(&w, 0x88, 0x0a, 0x0b, 0x06, 0x31, 0x70, 0x06, 0x01, 0x70);
	etm4_instrumentation(&w, 1, 0x1122334455667788);
	CHECK(&w, 0x09, 0x01, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11);
	etm4_release(&w);
}

static uint32_t reg_value(const struct etm4_config *config, const char *name)
{
	struct etm4_reg regs[ETM4_REGS];
	size_t n = etm4_registers(config, 0x10, regs);

	for (size_t i = 0; i < n; i++)
		if (strcmp(regs[i].name, name) == 0)
			return regs[i].value;
	return UINT32_MAX;
}

void test_etm4_encode__registers(void **state)
{
	struct etm4_config config = { .context_id = true,
				      .cycle_counts = true,
				      .cycle_threshold = 16,
				      .timestamps = true,
				      .return_stack = true,
				      .vmid_bytes = 4 };

	assert_int_equal(reg_value(&config, "TRCCONFIGR"), 0x18d1);
	assert_int_equal(reg_value(&config, "TRCTRACEIDR"), 0x10);
	assert_int_equal(reg_value(&config, "TRCIDR0"), 0x28000ea1);
	assert_int_equal(reg_value(&config, "TRCIDR1"), 0x4100f403);
	assert_int_equal(reg_value(&config, "TRCIDR2"), 0x10001088);
	assert_int_equal(reg_value(&config, "TRCCCCTLR"), 16);
	assert_int_equal(reg_value(&config, "TRCDEVARCH"), UINT32_MAX);
	assert_int_equal(reg_value(&speculative, "TRCIDR0"), 0x08000ea1);
	assert_int_equal(reg_value(&speculative, "TRCIDR8"), 40);
	config.ete = true;
	assert_int_equal(reg_value(&config, "TRCDEVARCH"), 0x47705a13);
}
