/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runs/runs.h"
#include "sl_elem.h"
#include "temp_files.h"

enum { BASE = 0x8000, NOP_BYTES = 0x20000, WAITS = 0x100000 };

static struct sl_image *image;

int group_setup(void **state)
{
	static uint32_t words[NOP_BYTES / 4];
	static uint32_t waits[1100] = { 0xd503201f, 0xd503207f, 0x14000001, 0x14000001, 0x14000001 }; /* nop, wfi, b .+4, ... */
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = BASE };
	struct sl_place waits_place = { .core = 0, .space = SL_SPACE_ANY, .address = WAITS };
	struct sl_notes notes = { 0 };

	(void)state;
	for (size_t i = 0; i < NOP_BYTES / 4; i++)
		words[i] = 0xd503201f;
	words[2] = 0x54000040; /* 8008: b.eq 8010 */
	words[3] = 0xd65f03c0; /* 800c: ret */
	words[5] = 0x97fffffb; /* 8014: bl 8000 */
	words[7] = 0xd5033fdf; /* 801c: isb */
	words[9] = 0xd5033f9f; /* 8024: dsb sy: no waypoint */
	words[10] = 0xd61f0000; /* 8028: br x0 */
	temp_setup();
	if (sl_image_new(&image) < 0 ||
	    sl_image_add_dump(image, temp_write("code", words, sizeof(words)), &place, &notes, NULL) < 0 ||
	    sl_image_add_dump(image, temp_write("waits", waits, sizeof(waits)), &waits_place, &notes, NULL) < 0 ||
	    sl_image_seal(image) < 0)
		return -1;
	sl_notes_release(&notes);
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	sl_image_free(image);
	temp_teardown();
	return 0;
}

static struct code code_of(uint64_t budget)
{
	return (struct code){ .image = image, .core = 0, .space = SL_SPACE_ANY, .budget = budget,
			      .isa = { .arch = SL_ARCH_AA64 } };
}

static void expect(struct runs *runs, struct code *code, uint64_t start, uint64_t end, unsigned what, uint64_t target)
{
	uint32_t id = runs_find(runs, code, SL_ISA_A64, start);

	assert_true(id >= RUN_FIRST);
	assert_int_equal(runs->hot[id].start, start);
	assert_int_equal(runs->hot[id].end, end);
	assert_int_equal(runs->hot[id].count, (end - start) / 4);
	assert_int_equal(runs->cold[id].what, what);
	assert_int_equal(runs->cold[id].target, target);
	assert_int_equal(runs_find(runs, code, SL_ISA_A64, start), id);
}

void test_runs__end_at_waypoints(void **state)
{
	struct code code = code_of(1 << 20);
	struct runs runs = { 0 };

	(void)state;
	expect(&runs, &code, 0x8000, 0x800c, RUN_DIRECT, 0x8010);
	expect(&runs, &code, 0x800c, 0x8010, RUN_INDIRECT, 0);
	expect(&runs, &code, 0x8010, 0x8018, RUN_DIRECT, 0x8000);
	expect(&runs, &code, 0x8018, 0x8020, RUN_PLAIN, 0);
	expect(&runs, &code, 0x8020, 0x802c, RUN_INDIRECT, 0);
	assert_int_equal(runs.hot[RUN_FIRST].flags, SL_FLAG_CONDITIONAL);
	assert_true(runs.cold[RUN_FIRST + 2].link);
	runs_free(&runs);
}

/* A run with a WFI says so, as long as it stays alone: what ranges are merged into has the flags of the last one only. */
void test_runs__with_a_wfi_are_not_merged(void **state)
{
	struct code code = code_of(1 << 20);
	struct runs runs = { 0 };
	uint32_t ids[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		ids[i] = runs_find(&runs, &code, SL_ISA_A64, WAITS + (i ? 8 + 4 * i : 0));
		runs.cold[ids[i]].symbol = 1;
	}
	assert_int_equal(runs.hot[ids[0]].flags, SL_FLAG_SLEEPS | SL_FLAG_WFI);
	assert_int_equal(runs.hot[ids[1]].flags, 0);
	runs_link(&runs, &code, ids[0], true, ids[1]);
	runs_link(&runs, &code, ids[1], true, ids[2]);
	assert_int_equal(runs.hot[ids[0]].next[1], ids[1]);
	assert_int_equal(runs.hot[ids[1]].next[1], ids[2] | RUN_JOINS);
	assert_int_equal(code_sleeps(&code, SL_ISA_A64, WAITS, WAITS + 4), 0);
	assert_int_equal(code_sleeps(&code, SL_ISA_A64, WAITS, WAITS + 8), SL_FLAG_SLEEPS | SL_FLAG_WFI);
	assert_int_equal(code_sleeps(&code, SL_ISA_A64, WAITS, WAITS + 4096), SL_FLAG_SLEEPS | SL_FLAG_WFI);
	assert_int_equal(code_sleeps(&code, SL_ISA_A64, WAITS, WAITS + 4100), 0); /* too long to be looked at */
	runs_free(&runs);
}

void test_runs__end_with_the_image(void **state)
{
	struct code code = code_of(1 << 20);
	struct runs runs = { 0 };

	(void)state;
	expect(&runs, &code, BASE + NOP_BYTES - 8, BASE + NOP_BYTES, RUN_NO_BYTES, 0);
	expect(&runs, &code, 0x100, 0x100, RUN_NO_BYTES, 0);
	runs_free(&runs);
}

/* Each walk over a long run is paid for, and none is kept. */
void test_runs__long_ones_are_not_kept(void **state)
{
	struct code code = code_of(2 * NOP_BYTES);
	struct runs runs = { 0 };

	(void)state;
	assert_int_equal(runs_find(&runs, &code, SL_ISA_A64, 0x802c), RUN_ASK);
	assert_int_equal(runs.cold[RUN_ASK].what, RUN_NO_BYTES);
	assert_int_equal(runs_find(&runs, &code, SL_ISA_A64, 0x802c), RUN_ASK);
	assert_int_equal(runs_find(&runs, &code, SL_ISA_A64, 0x802c), RUN_ASK);
	assert_int_equal(runs.cold[RUN_ASK].what, RUN_TOO_LONG);
	runs_free(&runs);
}

void test_runs__tables_are_apart(void **state)
{
	struct code code = code_of(1 << 20);
	struct run_tables tables = { 0 };
	struct runs *any = run_tables_of(&tables, &code);

	(void)state;
	assert_int_equal(runs_find(any, &code, SL_ISA_A64, 0x8000), RUN_FIRST);
	code_set(&code, 0, SL_SPACE_EL1N);
	assert_int_equal(run_tables_of(&tables, &code)->len, 0);
	code_set(&code, 0, SL_SPACE_ANY);
	assert_int_equal(run_tables_of(&tables, &code)->len, RUN_FIRST + 1);
	run_tables_free(&tables);
}
