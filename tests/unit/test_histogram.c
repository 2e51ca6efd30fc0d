/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles against those of sorted values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sl_histogram.h"

enum { VALUES = 20000 };

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void expect_near(uint64_t have, uint64_t want)
{
	uint64_t error = have > want ? have - want : want - have;

	/* 0.8 %, and nothing below 128 */
	if ((double)error > (double)want * 0.008 || (want < 128 && error))
		fail_msg("%llu instead of %llu", (unsigned long long)have, (unsigned long long)want);
}

/* The nearest rank as docs/formats/truth.md has it, of each percentile in steps of a thousandth. */
static void expect_percentiles(const struct sl_histogram *h, uint64_t *values, size_t len)
{
	qsort(values, len, sizeof(*values), by_value);
	assert_int_equal(h->count, len);
	for (unsigned per_mille = 0; per_mille <= 1000; per_mille++) {
		size_t rank = (len * per_mille + 999) / 1000;

		rank = rank ? rank : 1;
		assert_int_equal(sl_histogram_rank(len, per_mille), rank);
		expect_near(sl_histogram_at_rank(h, rank), values[rank - 1]);
	}
}

/* Values of any size: as many bits as kind says, or any number of bits. */
static void fill(struct sl_histogram *h, uint64_t *values, size_t len, unsigned bits)
{
	uint64_t state = 0x9e3779b97f4a7c15u + bits;

	for (size_t i = 0; i < len; i++) {
		unsigned shift = bits ? 64 - bits : (unsigned)(random_next(&state) % 64);

		values[i] = random_next(&state) >> shift;
		assert_int_equal(sl_histogram_add(h, values[i]), SL_OK);
	}
}

void test_histogram__percentiles_of_any_distribution(void **state)
{
	static const unsigned bits[] = { 0, 1, 6, 7, 8, 12, 33, 64 };
	static uint64_t values[VALUES];

	(void)state;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct sl_histogram h = { 0 };

		fill(&h, values, VALUES, bits[i]);
		expect_percentiles(&h, values, VALUES);
		sl_histogram_release(&h);
	}
}

void test_histogram__few_values_are_exact(void **state)
{
	const uint64_t in[SL_HISTOGRAM_EXACT] = { 1000003, 5, 77777, 5, 1234567890123, 0, UINT64_MAX, 129, 300, 301, 302, 303, 9, 8,
						  7, 6 };
	uint64_t values[SL_HISTOGRAM_EXACT];

	(void)state;
	for (size_t len = 1; len <= SL_HISTOGRAM_EXACT; len++) {
		struct sl_histogram h = { 0 };

		for (size_t i = 0; i < len; i++) {
			values[i] = in[i];
			assert_int_equal(sl_histogram_add(&h, in[i]), SL_OK);
		}
		qsort(values, len, sizeof(*values), by_value);
		for (size_t rank = 1; rank <= len; rank++)
			assert_int_equal(sl_histogram_at_rank(&h, rank), values[rank - 1]);
		sl_histogram_release(&h);
	}
}

/* A class of more values than came: its middle is beyond the greatest one, or short of the least. */
void test_histogram__no_rank_is_outside_of_what_came(void **state)
{
	struct sl_histogram low = { 0 }, high = { 0 };

	(void)state;
	for (int i = 0; i < 2 * SL_HISTOGRAM_EXACT; i++) {
		assert_int_equal(sl_histogram_add(&low, 1 << 20), SL_OK);
		assert_int_equal(sl_histogram_add(&high, (1 << 21) - 1), SL_OK);
	}
	assert_true(sl_histogram_at_rank(&low, 1) > 1 << 20);
	assert_int_equal(sl_histogram_at_rank_within(&low, 1, 1 << 20, 1 << 20), 1 << 20);
	assert_true(sl_histogram_at_rank(&high, 1) < (1 << 21) - 1);
	assert_int_equal(sl_histogram_at_rank_within(&high, 1, (1 << 21) - 1, UINT64_MAX), (1 << 21) - 1);
	/* the last one is known */
	assert_int_equal(sl_histogram_at_rank_within(&high, 2 * SL_HISTOGRAM_EXACT, 0, UINT64_MAX), UINT64_MAX);
	sl_histogram_release(&low);
	sl_histogram_release(&high);
}

/* Classes follow on each other without a hole, from 0 to the greatest number. */
void test_histogram__classes_join(void **state)
{
	uint32_t class = 0;

	(void)state;
	assert_int_equal(sl_histogram_class_least(0), 0);
	for (; sl_histogram_class_greatest(class) != UINT64_MAX; class++) {
		uint64_t greatest = sl_histogram_class_greatest(class);

		assert_int_equal(sl_histogram_class_least(class + 1), greatest + 1);
		assert_int_equal(sl_histogram_class(greatest), class);
		assert_int_equal(sl_histogram_class(greatest + 1), class + 1);
	}
	assert_int_equal(sl_histogram_class(UINT64_MAX), class);
}

void test_histogram__merge_is_as_if_in_one(void **state)
{
	static uint64_t values[3 * VALUES];
	static const size_t cuts[][2] = { { VALUES, VALUES }, { 3, VALUES }, { VALUES, 3 }, { 3, 4 }, { 12, 12 }, { 0, 5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct sl_histogram a = { 0 }, b = { 0 };

		fill(&a, values, cuts[i][0], 0);
		fill(&b, values + cuts[i][0], cuts[i][1], 9);
		assert_int_equal(sl_histogram_merge(&a, &b), SL_OK);
		expect_percentiles(&a, values, cuts[i][0] + cuts[i][1]);
		sl_histogram_release(&a);
		sl_histogram_release(&b);
	}
}

/* What next tells makes the histogram anew. */
void test_histogram__walk_and_rebuild(void **state)
{
	static const size_t lens[] = { 0, 1, 16, 17, VALUES };
	static uint64_t values[VALUES];

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct sl_histogram h = { 0 }, again = { 0 };
		uint64_t cursor = 0, least, greatest, count, before = 0, sum = 0;

		fill(&h, values, lens[i], 0);
		while (sl_histogram_next(&h, &cursor, &least, &greatest, &count)) {
			assert_true(least <= greatest && (!sum || least > before));
			before = greatest;
			sum += count;
			assert_int_equal(sl_histogram_add_many(&again, least + (greatest - least) / 2, count), SL_OK);
		}
		assert_int_equal(sum, lens[i]);
		if (lens[i])
			expect_percentiles(&again, values, lens[i]);
		sl_histogram_release(&h);
		sl_histogram_release(&again);
	}
}

void test_histogram__memory_is_that_of_what_occurs(void **state)
{
	struct sl_histogram h = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(sl_histogram_add(&h, 1000 + i % 20), SL_OK);
	assert_true(h.len <= 32);
	sl_histogram_release(&h);
}
