/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sl_align.h"

static size_t align(struct sl_align_lane *lanes, size_t len)
{
	size_t apart = 99;

	assert_int_equal(sl_align(lanes, len, &apart), SL_OK);
	return apart;
}

void test_align__lanes_that_overlap(void **state)
{
	struct sl_align_lane lanes[] = {
		{ .timed = true, .first = 500, .last = 900 }, { .timed = true, .first = 100, .last = 600 }, { .first = 5, .last = 9 },
		{ .timed = true, .first = 950, .last = 960 }, /* it paused for less than a lane is long */
	};

	assert_int_equal(align(lanes, 4), 0);
	assert_false(lanes[0].apart || lanes[1].apart || lanes[2].apart || lanes[3].apart);
}

/* Another clock, or one that was set to another time. */
void test_align__one_apart(void **state)
{
	struct sl_align_lane lanes[] = {
		{ .timed = true, .first = 1000500, .last = 1000900 },
		{ .timed = true, .first = 100, .last = 600 },
		{ .timed = true, .first = 1000400, .last = 1000800 },
	};

	assert_int_equal(align(lanes, 3), 1);
	assert_true(lanes[1].apart);
	assert_int_equal(lanes[1].away, 600 - 1000400);
	assert_int_equal(lanes[1].shift, 1000300);
	lanes[1].offset = lanes[1].shift;
	assert_int_equal(align(lanes, 3), 0);
	assert_false(lanes[1].apart);
	assert_int_equal(lanes[1].shift, 0);
}

/* Of two that have nothing in common the first counts. */
void test_align__two(void **state)
{
	struct sl_align_lane lanes[] = {
		{ .timed = true, .first = 5000, .last = 5100 },
		{ .timed = true, .first = 100, .last = 200 },
	};

	assert_int_equal(align(lanes, 2), 1);
	assert_true(lanes[0].apart);
	assert_int_equal(lanes[0].away, 4800);
	assert_int_equal(lanes[0].shift, -4900);
}

void test_align__nothing_to_compare(void **state)
{
	struct sl_align_lane lanes[] = { { .first = 5000, .last = 5100 }, { .timed = true, .first = 0, .last = UINT64_MAX } };

	assert_int_equal(align(lanes, 0), 0);
	assert_int_equal(align(lanes, 1), 0);
	assert_int_equal(align(lanes, 2), 0);
}

/* Offsets and distances beyond what numbers hold end there. */
void test_align__extremes(void **state)
{
	struct sl_align_lane lanes[] = {
		{ .timed = true, .first = UINT64_MAX - 5, .last = UINT64_MAX, .offset = INT64_MAX },
		{ .timed = true, .first = 3, .last = 9, .offset = INT64_MIN },
	};

	assert_int_equal(align(lanes, 2), 1);
	assert_int_equal(lanes[0].away, INT64_MAX);
	assert_int_equal(lanes[0].shift, -INT64_MAX);
}
