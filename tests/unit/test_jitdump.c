/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jitdump_write.h"
#include "perf/jitdump.h"

static struct perf_bytes out;
static struct jitdump dump;
static struct sl_notes notes;
static struct sl_diag diag;

static int parse(void)
{
	notes = (struct sl_notes)SL_NOTES_INIT;
	return jitdump_parse("x.dump", (struct sl_bytes){ out.data, out.len, 0 }, &notes, &dump, &diag);
}

static void finish(void)
{
	jitdump_release(&dump);
	sl_notes_release(&notes);
	perf_bytes_release(&out);
}

static void check(size_t number, uint64_t time, uint64_t address, uint64_t size, uint64_t offset, const char *name)
{
	const struct jit_code *code = &dump.codes[number];

	assert_true(number < dump.count);
	assert_int_equal(code->time, time);
	assert_int_equal(code->address, address);
	assert_int_equal(code->size, size);
	assert_int_equal(code->file_offset, offset);
	assert_string_equal(code->name, name);
}

static void check_note(const char *text)
{
	assert_int_equal(notes.len, 1);
	assert_string_equal(notes.items[0].text, text);
}

/* Loads, moves, and what is skipped, in both byte orders; sorted by time. */
void test_jitdump__loads_and_moves(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		uint64_t first, second;

		jit_start(&out, big, JIT_AARCH64, big);
		jit_record(&out, 2, 24, 5); /* lines */
		perf_put64(&out, 0);
		second = jit_load(&out, 20, 0x2000, 2, "second", 2, 8);
		first = jit_load(&out, 10, 0x1000, 1, "first", 1, 16);
		jit_load(&out, 12, 0x5000, 4, "empty", 0, 0);
		jit_record(&out, 77, 16, 5); /* not known */
		jit_move(&out, 30, 0x3000, 1, 16);
		jit_load(&out, 30, 0x4000, 3, "third", 3, 4);
		jit_record(&out, 3, 16, 40); /* the end */
		jit_load(&out, 50, 0x5000, 5, "behind", 3, 4);
		assert_int_equal(parse(), SL_OK);
		assert_int_equal(dump.machine, JIT_AARCH64);
		assert_int_equal(dump.pid, 4711);
		assert_int_equal(dump.arch_time, big);
		assert_int_equal(dump.count, 4);
		check(0, 10, 0x1000, 16, first, "first");
		check(1, 20, 0x2000, 8, second, "second");
		check(2, 30, 0x3000, 16, first, "first");
		check(3, 30, 0x4000, 4, out.len - 56 - 7 - 4 - 16 - 4, "third");
		assert_int_equal(notes.len, 0);
		finish();
	}
}

void test_jitdump__a_cut_file_gives_what_is_before(void **state)
{
	size_t whole;

	(void)state;
	jit_start(&out, false, JIT_AARCH64, 0);
	jit_load(&out, 10, 0x1000, 1, "first", 1, 16);
	whole = out.len;
	jit_load(&out, 20, 0x2000, 2, "second", 2, 8);
	for (size_t len = whole + 1; len < whole + 71; len++) {
		out.len = len;
		assert_int_equal(parse(), SL_OK);
		assert_int_equal(dump.count, 1);
		check_note("x.dump: is cut or damaged at offset 0x76: the code from there on is not known");
		jitdump_release(&dump);
		sl_notes_release(&notes);
	}
	out.len = whole + 71;
	assert_int_equal(parse(), SL_OK);
	assert_int_equal(dump.count, 2);
	finish();
}

static void check_bad(uint32_t at, uint8_t value)
{
	jit_start(&out, false, JIT_AARCH64, 0);
	jit_load(&out, 10, 0x1000, 1, "first", 1, 16);
	out.data[JIT_HEADER + at] = value;
	jit_load(&out, 20, 0x2000, 2, "second", 2, 8);
	assert_int_equal(parse(), SL_OK);
	assert_int_equal(dump.count, 1);
	assert_string_equal(dump.codes[0].name, "second");
	check_note("x.dump: 1 records do not hold what they should (the first at offset 0x28): left out");
	finish();
}

/* More code than the record has, or beyond the end of all addresses. */
void test_jitdump__records_that_do_not_hold(void **state)
{
	(void)state;
	check_bad(40, 17);
	check_bad(47, 0xff);
	jit_start(&out, false, JIT_AARCH64, 0);
	jit_load(&out, 10, UINT64_MAX - 4, 1, "beyond", 1, 16);
	jit_record(&out, 0, 16, 11);
	jit_record(&out, 1, 16, 11);
	assert_int_equal(parse(), SL_OK);
	assert_int_equal(dump.count, 0);
	check_note("x.dump: 3 records do not hold what they should (the first at offset 0x28): left out");
	finish();
	jit_start(&out, false, JIT_AARCH64, 0);
	jit_record(&out, 0, 60, 11); /* a name without end */
	while (out.len < JIT_HEADER + 56)
		perf_put8(&out, 0);
	perf_put32(&out, 0x61616161);
	assert_int_equal(parse(), SL_OK);
	assert_int_equal(dump.count, 0);
	check_note("x.dump: 1 records do not hold what they should (the first at offset 0x28): left out");
	finish();
}

void test_jitdump__moves_of_nothing(void **state)
{
	(void)state;
	jit_start(&out, false, JIT_AARCH64, 0);
	jit_move(&out, 10, 0x3000, 9, 16);
	assert_int_equal(parse(), SL_OK);
	assert_int_equal(dump.count, 0);
	check_note("x.dump: 1 functions were moved that it does not have (the first at offset 0x28): left out");
	finish();
}

static void check_refused(size_t at, uint8_t value, size_t len, int result, const char *why)
{
	jit_start(&out, false, JIT_AARCH64, 0);
	out.data[at] = value;
	out.len = len;
	assert_int_equal(parse(), result);
	assert_string_equal(diag.text, why);
	sl_notes_release(&notes);
	perf_bytes_release(&out);
}

void test_jitdump__other_files_are_refused(void **state)
{
	(void)state;
	check_refused(0, 'x', 40, SL_ERR_FORMAT, "x.dump: is no jitdump: it does not begin with JiTD");
	check_refused(8, 40, 39, SL_ERR_FORMAT, "x.dump: is no jitdump: it does not begin with JiTD");
	check_refused(4, 2, 40, SL_ERR_UNSUPPORTED, "x.dump: is a jitdump of version 2, and only 1 can be read");
	check_refused(8, 39, 40, SL_ERR_FORMAT, "x.dump: its header cannot have 39 bytes");
	check_refused(8, 41, 40, SL_ERR_FORMAT, "x.dump: its header cannot have 41 bytes");
}
