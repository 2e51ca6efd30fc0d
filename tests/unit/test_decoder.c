/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded ETMv4 and ETE packets, decoded over a small image: each packet type becomes the element it stands
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder_fixture.h"

int group_setup(void **state)
{
	return fixture_setup();
}

int group_teardown(void **state)
{
	return fixture_teardown();
}

void test_decoder__branches(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_atoms(&w, 6, 3); /* not taken, bl, ret */
	etm4_address(&w, at(BASE + 0xc));
	etm4_atoms(&w, 7, 3); /* b, taken, blr */
	etm4_address(&w, at(BASE + 0x14));
	etm4_atoms(&w, 3, 2); /* isb, br */
	etm4_address(&w, at(BASE + 0x24));
	etm4_atoms(&w, 1, 1);
	etm4_exception_return(&w);
	etm4_address(&w, at(BASE + 0x20));
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 range 10000-10008 2 branch N cond\n"
			 "26 range 10008-1000c 1 branch/call E\n"
			 "26 range 10020-10024 1 indirect/return E\n"
			 "29 range 1000c-10010 1 branch E\n"
			 "29 range 10000-10008 2 branch E cond\n"
			 "29 range 10010-10014 1 indirect/call E\n"
			 "32 range 10014-10018 1 isb E\n"
			 "32 range 10018-10020 2 indirect E\n"
			 "35 range 10024-10028 1 indirect/eret E\n"
			 "36 exception return\n"
			 "39 range 10020-10024 1 indirect/return E\n"
			 "40 end\n");
}

static void put_atoms(struct etm4_writer *w, unsigned format, unsigned a, unsigned b)
{
	static void (*const put[])(struct etm4_writer *, unsigned) = {
		etm4_atom_f1, etm4_atom_f2, etm4_atom_f3, etm4_atom_f4, etm4_atom_f5,
	};

	if (format == 6)
		etm4_atom_f6(w, a, b);
	else
		put[format - 1](w, a);
}

void test_decoder__every_atom_format(void **state)
{
	static const struct {
		unsigned format, a, b;
		const char *atoms;
	} rows[] = {
		{ 1, 0, 0, "N" },
		{ 1, 1, 0, "E" },
		{ 2, 0, 0, "NN" },
		{ 2, 2, 0, "NE" },
		{ 3, 5, 0, "ENE" },
		{ 3, 6, 0, "NEE" },
		{ 4, 0, 0, "NEEE" },
		{ 4, 1, 0, "NNNN" },
		{ 4, 2, 0, "NENE" },
		{ 4, 3, 0, "ENEN" },
		{ 5, 0, 0, "NEEEE" },
		{ 5, 1, 0, "NNNNN" },
		{ 5, 2, 0, "NENEN" },
		{ 5, 3, 0, "ENENE" },
		{ 6, 3, 1, "EEEE" },
		{ 6, 3, 0, "EEEN" },
		{ 6, 20, 0, "EEEEEEEEEEEEEEEEEEEEN" },
		{ 6, 23, 1, "EEEEEEEEEEEEEEEEEEEEEEEE" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct etm4_config config = { 0 };
		struct etm4_writer w;
		char expected[2048];
		int n = snprintf(expected, sizeof(expected), "%s", BEGUN);

		begin(&w, &config);
		etm4_address_32(&w, at(RING));
		put_atoms(&w, rows[i].format, rows[i].a, rows[i].b);
		for (unsigned j = 0; rows[i].atoms[j]; j++)
			n += snprintf(expected + n, sizeof(expected) - (size_t)n,
				      "31 range %x-%x 1 branch %c cond\n", RING + 4 * j, RING + 4 * j + 4,
				      rows[i].atoms[j]);
		snprintf(expected + n, sizeof(expected) - (size_t)n, "32 end\n");
		expect(&w, expected);
	}
}

/* Code that is nowhere: the gap tells the address as the decoder understood it. */
void test_decoder__every_address_format(void **state)
{
	static const struct {
		uint64_t address;
		size_t len;
	} rows[] = {
		{ 0xffffffc008010000, 9 }, { 0xffffffc0080101fc, 2 }, { 0xffffffc00801fe04, 3 },
		{ 0xffffffc0080101fc, 1 }, { 0xffffffc0080101fc, 1 }, { 0xffffffc0ab020004, 5 },
		{ 0x00000000ab020008, 9 }, { 0x00000000ab020008, 1 }, { 0xffffffc0ab020004, 1 },
		{ 0xffffffc0ab040000, 5 },
	};
	struct etm4_config config = { 0 };
	struct etm4_writer w;
	char expected[2048];
	int n = snprintf(expected, sizeof(expected), "%s", BEGUN);

	begin(&w, &config);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t before = w.len;

		etm4_address(&w, at(rows[i].address));
		assert_int_equal(w.len - before, rows[i].len);
		n += snprintf(expected + n, sizeof(expected) - (size_t)n, "%zu gap no image %llx\n", w.len,
			      (unsigned long long)rows[i].address);
		etm4_atom_f1(&w, 1);
	}
	snprintf(expected + n, sizeof(expected) - (size_t)n, "%zu end\n", w.len);
	expect(&w, expected);
}

void test_decoder__contexts(void **state)
{
	const struct etm4_context el2 = {
		.el = 2, .security = SL_SECURE, .is64 = true, .context_id = 0xabcd, .vmid = 0x1234
	};
	const struct etm4_context el0 = { .el = 0, .security = SL_NONSECURE, .is64 = true, .context_id = 7 };
	struct etm4_config config = { .minor = 1, .context_id = true, .vmid_bytes = 4 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_context(&w, &el2);
	etm4_context(&w, NULL);
	etm4_address_64_context(&w, at(RING), &el0);
	etm4_address_32_context(&w, at(RING + 4), &el2);
	etm4_atom_f1(&w, 1);
	expect(&w, "0 gap start\n"
		   "15 gap filter\n"
		   "16 context el1 nonsecure 64-bit id 0 vmid 0\n"
		   "34 context el2 secure 64-bit id abcd vmid 1234\n"
		   "45 context el0 nonsecure 64-bit id 7 vmid 0\n"
		   "63 context el2 secure 64-bit id abcd vmid 1234\n"
		   "77 range 10104-10108 1 branch E cond\n"
		   "78 end\n");
}

void test_decoder__time_and_cycles(void **state)
{
	struct etm4_config config = { .cycle_counts = true, .cycle_threshold = 16, .timestamps = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_timestamp_cycles(&w, 0x123456789abcdef0, 100000);
	etm4_timestamp_cycles(&w, 0x123456789abcdf00, 0);
	etm4_address_32(&w, at(RING));
	etm4_atom_f1(&w, 1);
	etm4_cycles_f3(&w, 0, 19);
	etm4_atom_f1(&w, 1);
	etm4_cycles_f2(&w, 0, 31);
	etm4_atom_f1(&w, 1);
	etm4_cycles_f1(&w, 0, 1000000);
	etm4_atom_f1(&w, 1);
	etm4_cycles_f1_unknown(&w, 0);
	expect(&w, "0 gap start\n"
		   "16 gap filter\n"
		   "17 context el1 nonsecure 64-bit\n"
		   "27 timestamp 123456789abcdef0\n"
		   "27 cycle count 100000 attached\n"
		   "40 timestamp 123456789abcdf00\n"
		   "40 cycle count 0 attached\n"
		   "49 range 10100-10104 1 branch E cond\n"
		   "50 cycle count 19\n"
		   "51 range 10104-10108 1 branch E cond\n"
		   "52 cycle count 31\n"
		   "54 range 10108-1010c 1 branch E cond\n"
		   "55 cycle count 1000000\n"
		   "59 range 1010c-10110 1 branch E cond\n"
		   "60 cycle count 0\n"
		   "61 end\n");
}

void test_decoder__exceptions(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1); /* 10004 to 10010 */
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address(&w, at(BASE + 0x10)); /* nothing was executed there */
	etm4_address(&w, at(BASE + 0x14));
	etm4_atoms(&w, 1, 1);
	etm4_exception(&w, ETM4_CALL, ETM4_RETURN_ADDRESS);
	etm4_address(&w, at(BASE + 0x1c)); /* behind the svc */
	etm4_address(&w, at(BASE + 0x1c));
	etm4_atoms(&w, 1, 1);
	etm4_exception(&w, ETM4_INST_FAULT, ETM4_BRANCH_TARGET);
	etm4_address(&w, at(0xdead0000)); /* where br went */
	etm4_address(&w, at(BASE + 0x24));
	etm4_atoms(&w, 1, 1);
	etm4_exception_return(&w);
	etm4_address(&w, at(RING));
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 range 10000-10008 2 branch E cond\n"
			 "27 exception 14 at 10010\n"
			 "33 range 10014-10018 1 isb E\n"
			 "34 range 10018-1001c 1 other E\n"
			 "34 exception 2 at 1001c\n"
			 "39 range 1001c-10020 1 indirect E\n"
			 "40 exception 11 at dead0000 target\n"
			 "52 range 10024-10028 1 indirect/eret E\n"
			 "53 exception return\n"
			 "56 range 10100-10104 1 branch E cond\n"
			 "57 end\n");
}

void test_decoder__events_and_nothing(void **state)
{
	struct etm4_config config = { .minor = 3 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_event(&w, 5);
	etm4_ignore(&w);
	etm4_event(&w, 8);
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 event 5\n"
			 "28 event 8\n"
			 "29 range 10000-10008 2 branch E cond\n"
			 "30 end\n");
}

void test_decoder__loss(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	etm4_trace_on(&w); /* filtered */
	etm4_address(&w, at(RING));
	etm4_atoms(&w, 1, 1);
	etm4_overflow(&w);
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_trace_on(&w);
	etm4_address_context(&w, at(RING), &el1);
	etm4_atoms(&w, 1, 1);
	etm4_discard(&w);
	expect(&w, BEGUN "26 range 10000-10008 2 branch E cond\n"
			 "27 gap filter\n"
			 "30 range 10100-10104 1 branch E cond\n"
			 "31 gap lost sync\n"
			 "48 gap overflow\n"
			 "49 context el1 nonsecure 64-bit\n"
			 "59 range 10100-10104 1 branch E cond\n"
			 "60 gap lost sync\n"
			 "62 end\n");
}

void test_decoder__q(void **state)
{
	struct etm4_config config = { .q_elements = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_q_32(&w, at(RING), 5);
	etm4_atoms(&w, 1, 1);
	etm4_q_short(&w, at(RING + 0x20), 3);
	etm4_atoms(&w, 1, 1);
	etm4_q_match(&w, 0, 8);
	etm4_q_count(&w, 2);
	etm4_address(&w, at(RING + 0x10));
	etm4_atoms(&w, 1, 1);
	etm4_q(&w);
	etm4_address(&w, at(RING));
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 no-path 10000-10100 5\n"
			 "32 range 10100-10104 1 branch E cond\n"
			 "33 no-path 10104-10120 3\n"
			 "36 range 10120-10124 1 branch E cond\n"
			 "37 no-path 10124-10120 8\n"
			 "39 no-path 10120-10110 2\n"
			 "43 range 10110-10114 1 branch E cond\n"
			 "44 no-path 10114-10100 0\n"
			 "47 range 10100-10104 1 branch E cond\n"
			 "48 end\n");
}

void test_decoder__speculation(void **state)
{
	struct etm4_config config = { .commit_mode_0 = true, .max_speculation = 16 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_address_32(&w, at(RING));
	etm4_atoms(&w, 7, 3); /* E E E */
	etm4_commit(&w, 1);
	etm4_cancel_f1(&w, 1, false); /* takes the third back */
	etm4_mispredict(&w, 0);	      /* and the second is N */
	etm4_commit(&w, 1);
	etm4_atoms(&w, 7, 3);
	etm4_cancel_f2(&w, 0);
	etm4_commit(&w, 2);
	etm4_atoms(&w, 15, 4);
	etm4_cancel_f3(&w, 2, false);
	etm4_commit(&w, 2);
	expect(&w, BEGUN "31 range 10100-10104 1 branch E cond\n"
			 "31 range 10104-10108 1 branch N cond\n"
			 "39 range 10108-1010c 1 branch E cond\n"
			 "39 range 1010c-10110 1 branch N cond\n"
			 "43 range 10110-10114 1 branch E cond\n"
			 "43 range 10114-10118 1 branch N cond\n"
			 "47 end\n");
}

void test_decoder__ete(void **state)
{
	struct etm4_config config = { .ete = true, .timestamps = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_timestamp_marker(&w);
	etm4_timestamp(&w, 0x77);
	etm4_address_32(&w, at(RING));
	etm4_atoms(&w, 1, 1);
	etm4_transaction_start(&w);
	etm4_atoms(&w, 1, 1);
	etm4_transaction_commit(&w);
	etm4_transaction_start(&w);
	etm4_atoms(&w, 1, 1);
	etm4_transaction_fail(&w);
	etm4_address(&w, at(RING + 0xc));
	etm4_source_address(&w, at(RING + 0x14));
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 marker 0\n"
			 "27 timestamp 77\n"
			 "42 range 10100-10104 1 branch E cond\n"
			 "43 transaction 1\n"
			 "44 range 10104-10108 1 branch E cond\n"
			 "45 transaction 2\n"
			 "46 transaction 1\n"
			 "47 range 10108-1010c 1 branch E cond\n"
			 "48 transaction 3\n"
			 "60 range 1010c-10118 3 branch E cond\n"
			 "62 range 10118-1011c 1 branch E cond\n"
			 "63 end\n");
}

/* OpenCSD 1.3.3 stumbles over the address behind a PE Reset; what follows the next sync point is whole in any
 * case. */
void test_decoder__ete_reset(void **state)
{
	struct etm4_config config = { .ete = true };
	struct sl_trace_config registers;
	struct etm4_writer w;
	char *got;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	etm4_pe_reset(&w);
	etm4_address(&w, at(BASE));
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_address_context(&w, at(RING), &el1);
	etm4_atoms(&w, 1, 1);
	decode_config(&config, &registers);
	got = decode_text(&registers, image, w.data, w.len, 1);
	assert_non_null(strstr(got, BEGUN "26 range 10000-10008 2 branch E cond\n"));
	assert_non_null(strstr(got, " range 10100-10104 1 branch E cond\n"));
	free(got);
	etm4_release(&w);
}

/* Without other commits nothing else comes out. OpenCSD 1.3.3 does not do so. */
void test_decoder__commits_in_cycle_counts(void **state)
{
	struct etm4_config config = { .commit_mode_0 = true, .max_speculation = 16, .cycle_counts = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_address_32(&w, at(RING));
	etm4_atoms(&w, 3, 2);
	etm4_cycles(&w, 2, 9);
	expect(&w, BEGUN "31 range 10100-10104 1 branch E cond\n31 range 10104-10108 1 branch E cond\n"
			 "32 cycle count 9\n34 end\n");
}

/* Two programs at one address: the context packet tells which of them is walked, before the atoms behind it. */
void test_decoder__the_task_chooses_the_memory(void **state)
{
	struct etm4_config config = { .context_id = true };
	struct etm4_context context = el1;
	struct sl_trace_config registers;
	struct sl_image *programs;
	struct etm4_writer w;
	char *got;

	(void)state;
	assert_int_equal(sl_image_new(&programs), SL_OK);
	sl_image_separate(programs);
	for (uint32_t core = 0; core < 2; core++) {
		const uint32_t code[] = { core ? A64_NOP : A64_RET_X30, A64_RET_X30 };
		struct sl_place place = { .core = core, .space = SL_SPACE_ANY, .address = BASE, .address_known = true };
		const char *path = temp_write(core ? "one.bin" : "zero.bin", code, sizeof(code));

		assert_int_equal(sl_image_add_dump(programs, path, &place, NULL, NULL), SL_OK);
		assert_int_equal(sl_image_add_task(programs, 70 + core, core), SL_OK);
	}
	assert_int_equal(sl_image_seal(programs), SL_OK);
	etm4_init(&w, &config);
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_trace_on(&w);
	for (uint32_t task = 70; task < 72; task++) {
		context.context_id = task;
		etm4_address_64_context(&w, at(BASE), &context);
		etm4_atoms(&w, 1, 1);
	}
	decode_config(&config, &registers);
	registers.task_from = SL_TASK_CONTEXT_ID;
	got = decode_text(&registers, programs, w.data, w.len, 1);
	assert_non_null(strstr(got, "range 10000-10004 1 indirect/return E"));
	assert_non_null(strstr(got, "range 10000-10008 2 indirect/return E"));
	free(got);
	etm4_release(&w);
	sl_image_free(programs);
}
