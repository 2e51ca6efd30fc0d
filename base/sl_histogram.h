/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_HISTOGRAM_H
#define SL_HISTOGRAM_H
/*
 * How often which value came, in one pass and in memory that grows with what comes: up to SL_HISTOGRAM_EXACT values as they are,
 * more of them in classes of which each power of two has 64. A class is narrower than 1/64 of its values, and stands for
 * them with its middle: no value is told with an error above 0.8 %. Below 128 a class is one value.
 */
#include "sl_base.h"

enum { SL_HISTOGRAM_EXACT = 16 };

struct sl_histogram {
	uint64_t count;	 /* of values */
	uint64_t *slots; /* up to SL_HISTOGRAM_EXACT values in the order in which they came; then the classes' counts */
	uint32_t first, len; /* the first class that has a slot, and how many in a row; len 0: no classes yet */
};

/* The class of a value, and the least and the greatest value of a class. */
static inline uint32_t sl_histogram_class(uint64_t value)
{
	unsigned shift = value < 128 ? 0 : 57 - (unsigned)__builtin_clzll(value);

	return (uint32_t)(shift << 6) + (uint32_t)(value >> shift);
}
uint64_t sl_histogram_class_least(uint32_t class);
uint64_t sl_histogram_class_greatest(uint32_t class);

/* sl_histogram_add where the value's class has no slot yet. */
int sl_histogram_add_rare(struct sl_histogram *h, uint64_t value);
/* SL_OK, or SL_ERR_NOMEM with the histogram as it was. */
static inline int sl_histogram_add(struct sl_histogram *h, uint64_t value)
{
	uint32_t slot = sl_histogram_class(value) - h->first;

	if (slot >= h->len)
		return sl_histogram_add_rare(h, value);
	h->count++;
	h->slots[slot]++;
	return SL_OK;
}
/* Adds all of from, which keeps its own. SL_OK; SL_ERR_NOMEM, after which into holds some of it. */
int sl_histogram_merge(struct sl_histogram *into, const struct sl_histogram *from);
/* The value that has the rank in ascending order, counted from 1 to count; within 0.8 % (exact while there are few). */
uint64_t sl_histogram_at_rank(const struct sl_histogram *h, uint64_t rank);
/* The same where the least and the greatest value are known: never outside of them, and the last one as it is. */
uint64_t sl_histogram_at_rank_within(const struct sl_histogram *h, uint64_t rank, uint64_t min, uint64_t max);
/* The rank of a percentile by nearest rank: ceil(per_mille / 1000 * count), at least 1. count is above 0. */
uint64_t sl_histogram_rank(uint64_t count, unsigned per_mille);
/*
 * The next values behind *cursor, from 0 on, ascending: count of them from least to greatest. False at the end. For drawing,
 * and for writing it down: sl_histogram_add_many of each makes it anew.
 */
bool sl_histogram_next(const struct sl_histogram *h, uint64_t *cursor, uint64_t *least, uint64_t *greatest, uint64_t *count);
/* The same value count times. SL_OK or SL_ERR_NOMEM. */
int sl_histogram_add_many(struct sl_histogram *h, uint64_t value, uint64_t count);
void sl_histogram_release(struct sl_histogram *h);
#endif
