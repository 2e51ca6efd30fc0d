/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_spread.h"

#include <math.h>

/* All arithmetic is modulo 2^128. */
__extension__ typedef unsigned __int128 wide;

static wide squares_of(const struct sl_spread *spread)
{
	return (wide)spread->squares_high << 64 | spread->squares_low;
}

static void set_squares(struct sl_spread *spread, wide squares)
{
	spread->squares_low = (uint64_t)squares;
	spread->squares_high = (uint64_t)(squares >> 64);
}

void sl_spread_add_square(struct sl_spread *spread, uint64_t value)
{
	set_squares(spread, squares_of(spread) + (wide)value * value);
}

void sl_spread_merge(struct sl_spread *into, const struct sl_spread *from)
{
	into->count += from->count;
	into->sum += from->sum;
	set_squares(into, squares_of(into) + squares_of(from));
}

void sl_products_add(struct sl_products *products, uint64_t a, uint64_t b)
{
	wide sum = ((wide)products->high << 64 | products->low) + (wide)a * b;

	products->low = (uint64_t)sum;
	products->high = (uint64_t)(sum >> 64);
}

void sl_products_merge(struct sl_products *into, const struct sl_products *from)
{
	wide sum = ((wide)into->high << 64 | into->low) + ((wide)from->high << 64 | from->low);

	into->low = (uint64_t)sum;
	into->high = (uint64_t)(sum >> 64);
}

double sl_products_together(const struct sl_products *products, const struct sl_spread *a, const struct sl_spread *b)
{
	long double sum = ldexpl((long double)products->high, 64) + (long double)products->low;

	return a->count ? (double)(sum - (long double)a->sum * (long double)b->sum / (long double)a->count) : 0;
}

double sl_spread_mean(const struct sl_spread *spread)
{
	return spread->count ? (double)spread->sum / (double)spread->count : 0;
}

/* With m the mean, rounded down, and r what that leaves of the sum: the squares of (x - m) add up to a small number, exactly. */
double sl_spread_deviation(const struct sl_spread *spread)
{
	uint64_t n = spread->count, m = n ? spread->sum / n : 0, r = n ? spread->sum % n : 0;
	wide rest = squares_of(spread) - 2 * ((wide)m * spread->sum) + (wide)m * m * n;
	double part, sum;

	if (!n)
		return 0;
	sum = ldexp((double)(uint64_t)(rest >> 64), 64) + (double)(uint64_t)rest;
	part = (double)r / (double)n;
	sum = sum / (double)n - part * part;
	return sum > 0 ? sqrt(sum) : 0;
}
