/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/perf_switches.h"
#include "perf_fixture.h"

enum { OUT = 1 << 13, NONE = -1 };

static struct perf_writer writer;
static struct perf_switches switches;

int case_setup(void **state)
{
	begin(&writer, false, 0);
	return perf_fixture_setup(state);
}

int case_teardown(void **state)
{
	perf_switches_release(&switches);
	return perf_fixture_teardown(state);
}

/* SWITCH_CPU_WIDE with the other task, or SWITCH where that is NONE. */
static void put_switch(uint64_t time, uint32_t cpu, uint16_t misc, uint32_t tid, int other)
{
	perf_write_begin(&writer, other == NONE ? PERF_SWITCH : PERF_SWITCH_CPU_WIDE, misc);
	if (other != NONE) {
		perf_put32(&writer.records, (uint32_t)other);
		perf_put32(&writer.records, (uint32_t)other);
	}
	put_trailer(&writer.records, tid, time, cpu, 11);
	perf_write_end(&writer);
}

static void put_lost(uint64_t time, uint32_t cpu)
{
	perf_write_begin(&writer, PERF_LOST, 0);
	perf_put64(&writer.records, 11);
	perf_put64(&writer.records, 3);
	put_trailer(&writer.records, 1, time, cpu, 11);
	perf_write_end(&writer);
}

static void read_all(void **state)
{
	open_writer(*state, &writer, PERF_WRITE_FILE);
	assert_int_equal(perf_switches_read(((struct opened *)*state)->file, &switches), SL_OK);
}

/* The task that ran from from to to, or NONE. */
static int ran(int32_t cpu, uint64_t from, uint64_t to)
{
	uint32_t task = 0;

	return perf_switches_within(&switches, cpu, (struct sl_window){ from, to }, &task) ? (int)task : NONE;
}

void test_perf_switches__cpu_wide(void **state)
{
	put_switch(100, 0, OUT, 5, 6);
	put_switch(101, 0, 0, 6, 5);
	put_switch(120, 1, OUT, 9, 8);
	put_switch(200, 0, OUT, 6, 0);
	put_switch(201, 0, 0, 0, 6);
	read_all(state);
	assert_int_equal(ran(0, 0, 99), 5);
	assert_int_equal(ran(0, 50, 100), NONE);
	assert_int_equal(ran(0, 100, 199), 6);
	assert_int_equal(ran(0, 150, 160), 6);
	assert_int_equal(ran(0, 150, 250), NONE);
	assert_int_equal(ran(0, 201, UINT64_MAX), 0);
	assert_int_equal(ran(1, 0, 119), 9);
	assert_int_equal(ran(1, 130, 140), 8);
	assert_int_equal(ran(2, 0, 100), NONE);
	assert_int_equal(ran(-1, 0, 100), NONE);
	assert_true(perf_switches_known(&switches, 1));
	assert_false(perf_switches_known(&switches, 2));
	assert_false(perf_switches_known(&switches, -1));
}

/* Records of the traced task alone: who else ran is not known. */
void test_perf_switches__of_one_task(void **state)
{
	put_switch(100, 3, 0, 5, NONE);
	put_switch(200, 3, OUT, 5, NONE);
	put_switch(300, 3, 0, 5, NONE);
	read_all(state);
	assert_int_equal(ran(3, 0, 50), NONE);
	assert_int_equal(ran(3, 100, 199), 5);
	assert_int_equal(ran(3, 210, 220), NONE);
	assert_int_equal(ran(3, 300, 400), 5);
}

/* Between the last switch and the report of a loss anything may have run. */
void test_perf_switches__lost(void **state)
{
	put_switch(100, 3, 0, 5, 4);
	put_lost(200, 3);
	put_switch(300, 3, 0, 6, 5);
	put_lost(350, 4);
	read_all(state);
	assert_int_equal(ran(3, 110, 120), NONE);
	assert_int_equal(ran(3, 250, 260), NONE);
	assert_int_equal(ran(3, 310, 320), 6);
	assert_false(perf_switches_known(&switches, 4));
}
