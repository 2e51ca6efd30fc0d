/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a run: they fold as it grows, and tell what comes evenly from what comes together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sinks/profile_slices.h"

void test_profile_slices__grow_with_the_run(void **state)
{
	struct slicing slicing = { 0 };
	struct slices slices = { .calls = { 1, 2, 3 }, .complete = { 1, 1, 1 }, .own = { { { 5 } }, { { 6 } } } };
	unsigned folds;

	(void)state;
	assert_int_equal(slicing_at(&slicing, 0, &folds), 0);
	assert_int_equal(slicing_at(&slicing, 64 * SLICES - 1, &folds), SLICES - 1);
	assert_int_equal(folds, 0);
	assert_int_equal(slicing_at(&slicing, 64 * SLICES * 4 - 1, &folds), SLICES - 1);
	assert_int_equal(folds, 2);
	assert_int_equal(slicing_at(&slicing, 300, &folds), 1);
	assert_int_equal(slicing.last, SLICES - 1);
	slices_fold(&slices);
	assert_int_equal(slices.calls[0], 3);
	assert_int_equal(slices.calls[1], 3);
	assert_int_equal(slices.calls[2], 0);
	assert_int_equal(slices.complete[0], 2);
	assert_int_equal(slices.own[0].v[0], 11);
	assert_int_equal(slicing_at(&slicing, UINT64_MAX, &folds), SLICES - 1);
}

/* Ten a slice, or twenty in every other one: a variance of 100 * 16 / 15, by 10. */
void test_profile_slices__of_calls(void **state)
{
	const struct slicing slicing = { 64, 16 };
	struct slices even = { .calls = { 0 } }, together = { .calls = { 0 } };

	(void)state;
	for (unsigned i = 0; i <= 16; i++) {
		even.calls[i] = 10;
		together.calls[i] = i % 2 ? 20 : 0;
	}
	assert_int_equal(slices_of_calls(&even, &slicing), 1);
	assert_int_equal(slices_of_calls(&together, &slicing), 10667);
	assert_int_equal(slices_of_calls(&together, &(struct slicing){ 64, 7 }), 0);
	memset(together.calls, 0, sizeof(together.calls));
	assert_int_equal(slices_of_calls(&together, &slicing), 0);
}

/* Half of the calls take 1, half 3: a deviation of 1. In slices of their own each one's ten are 10 off; mixed none is. */
void test_profile_slices__of_means(void **state)
{
	const struct slicing slicing = { 64, 16 };
	struct slices s = { .calls = { 0 } };
	struct sl_spread spread = { 0 };

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		s.complete[i] = 10;
		s.sums[i].v[SL_AXIS_CYCLES] = i % 2 ? 30 : 10;
		s.own[i].v[SL_AXIS_CYCLES] = 20;
		for (int k = 0; k < 10; k++)
			sl_spread_add(&spread, i % 2 ? 3 : 1);
	}
	assert_int_equal(slices_of_means(&s, &slicing, s.sums, SL_AXIS_CYCLES, &spread), 10667);
	assert_int_equal(slices_of_means(&s, &slicing, s.own, SL_AXIS_CYCLES, &spread), 1);
	assert_int_equal(slices_of_means(&s, &slicing, s.sums, SL_AXIS_TICKS, &spread), 1);
}
