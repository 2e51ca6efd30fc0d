/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_flow_check.h"

static struct sl_elem not_taken(uint64_t start, uint32_t count, bool conditional)
{
	struct sl_elem e = elem_jumps(start, count);

	e.flags = conditional ? SL_FLAG_CONDITIONAL : 0;
	return e;
}

static uint64_t breaks(const struct sl_elem *elems, size_t len)
{
	struct sl_flow_check check = { 0 };

	for (size_t i = 0; i < len; i++)
		sl_flow_check_elem(&check, &elems[i]);
	return check.breaks;
}

void test_flow_check__flow_that_follows(void **state)
{
	const struct sl_elem elems[] = {
		elem_stops(0x100, 4), not_taken(0x110, 4, true), elem_jumps(0x120, 2), elem_stops(0x900, 1),
		elem_exception(1, 0x904), elem_stops(0x40, 1), elem_gap(SL_GAP_FILTER, 0), elem_stops(0x80, 1), elem_time(3),
		elem_stops(0x84, 1),
	};

	(void)state;
	assert_int_equal(breaks(elems, sizeof(elems) / sizeof(elems[0])), 0);
}

/* POPEQ {PC}: OpenCSD does not know that the IT block before it makes it conditional. */
void test_flow_check__it_blocks(void **state)
{
	struct sl_elem elems[] = { not_taken(0x100, 1, false), elem_stops(0x104, 1) };

	(void)state;
	elems[0].isa = elems[1].isa = SL_ISA_T32;
	assert_int_equal(breaks(elems, 2), 0);
	elems[1].range.start = 0x108;
	assert_int_equal(breaks(elems, 2), 1);
}

void test_flow_check__flow_that_does_not(void **state)
{
	const struct sl_elem skips[] = { elem_stops(0x100, 4), elem_stops(0x114, 1) };
	const struct sl_elem after_not_taken[] = { not_taken(0x100, 1, true), elem_stops(0x108, 1) };
	const struct sl_elem must_be_taken[] = { not_taken(0x100, 1, false), elem_stops(0x104, 1) };

	(void)state;
	assert_int_equal(breaks(skips, 2), 1);
	assert_int_equal(breaks(after_not_taken, 2), 1);
	assert_int_equal(breaks(must_be_taken, 2), 1);
}

void test_flow_check__run_stops_where_a_second_look_is_needed(void **state)
{
	const struct sl_elem elems[] = {
		elem_stops(0x100, 4), elem_time(3), not_taken(0x110, 4, true), elem_stops(0x300, 2), elem_stops(0x308, 1),
		elem_gap(SL_GAP_FILTER, 0), elem_stops(0x80, 7),
	};
	struct sl_flow_check check = { 0 };
	uint64_t insns = 0;

	(void)state;
	assert_int_equal(sl_flow_check_run(&check, elems, 7, &insns), 3);
	assert_int_equal(insns, 8);
	sl_flow_check_stop(&check, &elems[3]);
	assert_int_equal(check.break_address, 0x120);
	assert_int_equal(sl_flow_check_run(&check, elems + 4, 3, &insns), 1);
	sl_flow_check_stop(&check, &elems[5]);
	assert_int_equal(sl_flow_check_run(&check, elems + 6, 1, &insns), 1);
	assert_int_equal(insns, 16);
	assert_int_equal(check.ranges, 5);
	assert_int_equal(check.breaks, 1);
}

void test_flow_check__few_breaks_are_damage(void **state)
{
	struct sl_flow_check damaged = { .ranges = 1000, .breaks = 5 }, wrong = { .ranges = 1000, .breaks = 6,
		.break_address = 0x1234, .break_offset = 77 };
	char why[200];

	(void)state;
	assert_false(sl_flow_check_mismatch(&damaged, why, sizeof(why)));
	assert_true(sl_flow_check_mismatch(&wrong, why, sizeof(why)));
	assert_string_equal(why, "6 of 1000 ranges do not go on as the image says, first before 0x1234 (offset 77)");
}

void test_flow_check__merge_keeps_the_first(void **state)
{
	struct sl_flow_check a = { .ranges = 1 }, b = { .ranges = 1, .breaks = 1, .break_offset = 5 },
			     c = { .ranges = 1, .breaks = 1, .break_offset = 9, .runaways = 2, .runaway_offset = 4 };

	(void)state;
	sl_flow_check_merge(&a, &b);
	sl_flow_check_merge(&a, &c);
	assert_int_equal(a.ranges, 3);
	assert_int_equal(a.breaks, 2);
	assert_int_equal(a.break_offset, 5);
	assert_int_equal(a.runaways, 2);
	assert_int_equal(a.runaway_offset, 4);
}
