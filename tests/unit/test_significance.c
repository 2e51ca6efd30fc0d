/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of statistics against numbers that are known: by hand, and from tables of distributions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/significance.h"

static void near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.9g and not %.9g", got, want);
}

void test_significance__counts(void **state)
{
	(void)state;
	/* P(X <= 2) of 12 throws of a coin is 79 / 4096 */
	near(count_test(2, 10, 1, 1, 1), 2 * 79.0 / 4096, 1e-9);
	near(count_test(10, 2, 1, 1, 1), 2 * 79.0 / 4096, 1e-9);
	near(count_test(0, 5, 1, 1, 1), 2.0 / 32, 1e-9);
	/* a third of the amount on the first side: (2/3)^4 is chance enough */
	near(count_test(0, 4, 1, 2, 1), 2 * pow(2.0 / 3, 4), 1e-9);
	near(count_test(450, 450, 50, 50, 1), 1, 1e-12);
	near(count_test(0, 0, 1, 1, 1), 1, 0);
	near(count_test(7, 7, 0, 1, 1), 1, 0);
	assert_true(count_test(133997, 13641, 1, 1, 1) < 1e-100);
}

static struct sl_spread spread_of(const uint64_t *values, size_t count)
{
	struct sl_spread s = { 0 };

	for (size_t i = 0; i < count; i++)
		sl_spread_add(&s, values[i]);
	return s;
}

void test_significance__means(void **state)
{
	/* Means 45 and 50, variances 60 / 7 each: t = 5 / sqrt(15 / 7), 14 degrees of freedom, of which 2.145 is the limit. */
	static const uint64_t a[] = { 40, 42, 44, 45, 45, 46, 48, 50 }, b[] = { 45, 47, 49, 50, 50, 51, 53, 55 };
	static const uint64_t equal[] = { 7, 7, 7, 7, 7, 7, 7, 7 }, other[] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	struct sl_spread of_a = spread_of(a, 8), of_b = spread_of(b, 8), of_equal = spread_of(equal, 8), of_other = spread_of(other, 8);
	struct mean_test test = mean_test(&of_a, &of_b, 1);

	(void)state;
	assert_true(test.known);
	near(test.difference, 5, 1e-12);
	near(test.high - test.low, 2 * 2.14479 * sqrt(2 * 70.0 / 7 / 8), 0.02);
	assert_true(test.p > 0.005 && test.p < 0.05);
	near(mean_test(&of_a, &of_a, 1).p, 1, 1e-12);
	near(mean_test(&of_equal, &of_other, 1).p, 0, 0);
	near(mean_test(&of_equal, &of_equal, 1).p, 1, 0);
	of_a.count = 7;
	assert_false(mean_test(&of_a, &of_b, 1).known);
}

static struct sl_histogram histogram_of(const uint64_t *values, size_t count)
{
	struct sl_histogram h = { 0 };

	for (size_t i = 0; i < count; i++)
		assert_int_equal(sl_histogram_add(&h, values[i]), SL_OK);
	return h;
}

void test_significance__ranks(void **state)
{
	static const uint64_t low[] = { 1, 2, 3, 4, 5, 6 }, high[] = { 11, 12, 13, 14, 15, 16 }, mixed[] = { 1, 12, 3, 14, 5, 16 };
	struct sl_histogram a = histogram_of(low, 6), b = histogram_of(high, 6), m = histogram_of(mixed, 6), many = { 0 };
	struct rank_test test = rank_test(&a, &b, 1);

	(void)state;
	/* All 36 pairs: z = 17.5 / sqrt(39) */
	near(test.effect, 1, 1e-12);
	near(test.p, erfc(17.5 / sqrt(39) / sqrt(2)), 1e-9);
	near(rank_test(&b, &a, 1).effect, -1, 1e-12);
	near(rank_test(&a, &a, 1).effect, 0, 1e-12);
	near(rank_test(&a, &a, 1).p, 1, 0);
	/* 1, 3 and 5 tie with themselves: 3 + (0 + 2 + 4) pairs of 36 are half or less */
	near(rank_test(&a, &m, 1).effect, 2 * (3 * 6 + 0.5 + 2.5 + 4.5) / 36 - 1, 1e-12);
	/* single values and a class that holds them are equal */
	assert_int_equal(sl_histogram_add_many(&many, 1003, 100), SL_OK);
	sl_histogram_release(&a);
	assert_int_equal(sl_histogram_add_many(&a, 1005, 6), SL_OK);
	near(rank_test(&a, &many, 1).p, 1, 0);
	sl_histogram_release(&a);
	sl_histogram_release(&b);
	sl_histogram_release(&m);
	sl_histogram_release(&many);
}

void test_significance__many_tests(void **state)
{
	double p[] = { 0.04, 0.01, 0.5, 0.02 };
	size_t order[4];

	(void)state;
	adjust_for_many(p, order, 4);
	near(p[1], 0.04, 1e-12);
	near(p[3], 0.04, 1e-12);
	near(p[0], 0.16 / 3, 1e-12);
	near(p[2], 0.5, 1e-12);
}

void test_significance__what_varies_more(void **state)
{
	static const uint64_t a[] = { 40, 42, 44, 45, 45, 46, 48, 50 }, b[] = { 45, 47, 49, 50, 50, 51, 53, 55 };
	struct sl_spread of_a = spread_of(a, 8), of_b = spread_of(b, 8);
	struct sl_histogram h_a = histogram_of(a, 8), h_b = histogram_of(b, 8);

	(void)state;
	/* 71 and 30 of 101: 20.5 off, of a variance of 25.25, twice: 2.042 is the limit of 30 degrees of freedom */
	assert_true(count_test(71, 30, 1, 1, 4) < 0.06 && count_test(71, 30, 1, 1, 4) > 0.04);
	assert_true(count_test(71, 30, 1, 1, 1) < 1e-4);
	/* few: the exact test is the less sure one */
	near(count_test(0, 5, 1, 1, 1.01), 2.0 / 32, 1e-9);
	near(mean_test(&of_a, &of_b, 4).high - 5, 2 * (mean_test(&of_a, &of_b, 1).high - 5), 1e-6);
	assert_true(mean_test(&of_a, &of_b, 4).p > 3 * mean_test(&of_a, &of_b, 1).p);
	assert_true(rank_test(&h_a, &h_b, 4).p > 3 * rank_test(&h_a, &h_b, 1).p);
	near(rank_test(&h_a, &h_b, 4).effect, rank_test(&h_a, &h_b, 1).effect, 0);
	sl_histogram_release(&h_a);
	sl_histogram_release(&h_b);
}

static void add_pair(struct sl_spread *values, struct sl_spread *beside, struct sl_products *products, uint64_t value, uint64_t other)
{
	sl_spread_add(values, value);
	sl_spread_add(beside, other);
	sl_products_add(products, value, other);
}

/* Cycles are ten and two for each instruction, of which there are from 10 to 200: one more is lost in that, and not beside it. */
void test_significance__beside_others(void **state)
{
	struct sl_spread values[3] = { 0 }, beside[3] = { 0 };
	struct sl_products products[3] = { 0 };
	struct paired pairs[3];
	struct mean_test test;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		uint64_t insns = 10 + 190 * (i * 7 % 40) / 39, noise = i % 2;

		for (unsigned side = 0; side < 3; side++)
			add_pair(&values[side], &beside[side], &products[side], 1000 + 2 * insns + noise + side % 2, insns + (side == 2 ? 5 : 0));
	}
	for (unsigned side = 0; side < 3; side++)
		pairs[side] = (struct paired){ &values[side], &beside[side], &products[side] };
	assert_true(mean_test(&values[0], &values[1], 1).p > 0.9);
	test = beside_test(&pairs[0], &pairs[1], 1);
	assert_true(test.known && test.p < 1e-6);
	near(test.difference, 1, 1e-6);
	assert_true(test.low < 1 && test.high > 1);
	assert_true(beside_test(&pairs[0], &pairs[1], 100).p > 0.3);
	/* as many cycles for five instructions more each are faster work, by ten cycles */
	near(beside_test(&pairs[0], &pairs[2], 1).difference, -10, 0.05);
	near(beside_test(&pairs[0], &pairs[0], 1).p, 1, 1e-9);
	values[0].count = 7;
	assert_false(beside_test(&pairs[0], &pairs[1], 1).known);
}
