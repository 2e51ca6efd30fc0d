/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SPREAD_H
#define SL_SPREAD_H
/*
 * Sum and sum of squares of values, exact as long as they fit in 64 and 128 bits: mean and standard deviation do not depend on
 * the order, and a deviation of one in a thousand million is still seen.
 */
#include "sl_base.h"

struct sl_spread {
	uint64_t count, sum;
	uint64_t squares_low, squares_high;
};

void sl_spread_add_square(struct sl_spread *spread, uint64_t value);
static inline void sl_spread_add(struct sl_spread *spread, uint64_t value)
{
	spread->count++;
	spread->sum += value;
	if (value >> 32) {
		sl_spread_add_square(spread, value);
	} else {
		spread->squares_low += value * value;
		spread->squares_high += spread->squares_low < value * value;
	}
}
void sl_spread_merge(struct sl_spread *into, const struct sl_spread *from);

/* A sum of products of pairs of values, as exact. */
struct sl_products {
	uint64_t low, high;
};
void sl_products_add(struct sl_products *products, uint64_t a, uint64_t b);
void sl_products_merge(struct sl_products *into, const struct sl_products *from);
/* What pairs vary together: the sum of products of what each value is off its mean. a and b are of the same pairs. */
double sl_products_together(const struct sl_products *products, const struct sl_spread *a, const struct sl_spread *b);
/* 0 where there are no values. */
double sl_spread_mean(const struct sl_spread *spread);
/* Of the values themselves (divided by count, not by one less): they are all that there are. 0 where there are none. */
double sl_spread_deviation(const struct sl_spread *spread);
#endif
