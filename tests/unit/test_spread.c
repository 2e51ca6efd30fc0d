/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sl_spread.h"

static struct sl_spread spread_of(const uint64_t *values, size_t len)
{
	struct sl_spread spread = { 0 };

	for (size_t i = 0; i < len; i++)
		sl_spread_add(&spread, values[i]);
	return spread;
}

void test_spread__nothing(void **state)
{
	const struct sl_spread none = { 0 };

	(void)state;
	assert_true(sl_spread_mean(&none) == 0);
	assert_true(sl_spread_deviation(&none) == 0);
}

void test_spread__by_hand(void **state)
{
	const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct sl_spread spread = spread_of(values, 8);

	(void)state;
	assert_true(sl_spread_mean(&spread) == 5);
	assert_true(sl_spread_deviation(&spread) == 2);
}

/* A sum of squares in floating point has lost these. */
void test_spread__small_deviation_of_large_values(void **state)
{
	const uint64_t values[] = { 5000000000000, 5000000000001, 5000000000002, 5000000000003 };
	struct sl_spread spread = { 0 };

	(void)state;
	for (unsigned i = 0; i < 400000; i++)
		sl_spread_add(&spread, values[i % 4]);
	assert_true(fabs(sl_spread_mean(&spread) - 5000000000001.5) < 1e-3);
	assert_true(fabs(sl_spread_deviation(&spread) - sqrt(1.25)) < 1e-9);
}

void test_spread__one_value_far_off(void **state)
{
	struct sl_spread spread = { 0 };

	(void)state;
	sl_spread_add(&spread, 1000000000000);
	for (unsigned i = 0; i < 999999; i++)
		sl_spread_add(&spread, 100);
	/* 1e12 * sqrt(p * (1 - p)) with p one in a million, and 100 less */
	assert_true(fabs(sl_spread_deviation(&spread) / 999999499.775 - 1) < 1e-9);
}

void test_spread__merge_is_as_if_in_one(void **state)
{
	const uint64_t values[] = { 3, 1u << 20, UINT64_C(1) << 40, 17, UINT64_C(1) << 33, 5 };
	struct sl_spread whole = spread_of(values, 6), part = spread_of(values, 2), rest = spread_of(values + 2, 4);

	(void)state;
	sl_spread_merge(&part, &rest);
	assert_memory_equal(&part, &whole, sizeof(whole));
}

void test_spread__products(void **state)
{
	/* off their means by -2 0 2 and -1 -1 2: 2 + 0 + 4 */
	const uint64_t a[] = { 1, 3, 5 }, b[] = { 2, 2, 5 };
	struct sl_spread of_a = spread_of(a, 3), of_b = spread_of(b, 3);
	struct sl_products products = { 0 }, twice = { 0 }, large = { 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		sl_products_add(&products, a[i], b[i]);
	assert_int_equal(products.low, 2 + 6 + 25);
	assert_true(fabs(sl_products_together(&products, &of_a, &of_b) - 6) < 1e-9);
	sl_products_merge(&twice, &products);
	sl_products_merge(&twice, &products);
	assert_int_equal(twice.low, 66);
	sl_products_add(&large, UINT64_MAX, UINT64_MAX);
	sl_products_merge(&large, &large);
	assert_true(large.high == UINT64_MAX - 3);
	assert_int_equal(large.low, 2);
}
