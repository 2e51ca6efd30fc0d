/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_spread.h"

#include <math.h>

/* 128 bits, for machines that have none. All arithmetic is modulo 2^128. */
struct wide {
	uint64_t low, high;
};

static struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;

	return (struct wide){ other << 32 | (uint32_t)low, a1 * b1 + (middle >> 32) + (other >> 32) };
}

static struct wide add(struct wide a, struct wide b)
{
	uint64_t low = a.low + b.low;

	return (struct wide){ low, a.high + b.high + (low < b.low) };
}

static struct wide subtract(struct wide a, struct wide b)
{
	return (struct wide){ a.low - b.low, a.high - b.high - (a.low < b.low) };
}

static struct wide twice(struct wide a)
{
	return add(a, a);
}

void sl_spread_add_square(struct sl_spread *spread, uint64_t value)
{
	struct wide sum = add((struct wide){ spread->squares_low, spread->squares_high }, multiply(value, value));

	spread->squares_low = sum.low;
	spread->squares_high = sum.high;
}

void sl_spread_merge(struct sl_spread *into, const struct sl_spread *from)
{
	struct wide sum = add((struct wide){ into->squares_low, into->squares_high },
			      (struct wide){ from->squares_low, from->squares_high });

	into->count += from->count;
	into->sum += from->sum;
	into->squares_low = sum.low;
	into->squares_high = sum.high;
}

double sl_spread_mean(const struct sl_spread *spread)
{
	return spread->count ? (double)spread->sum / (double)spread->count : 0;
}

/* With m the mean, rounded down, and r what that leaves of the sum: the squares of (x - m) add up to a small number, exactly. */
double sl_spread_deviation(const struct sl_spread *spread)
{
	uint64_t n = spread->count, m = n ? spread->sum / n : 0, r = n ? spread->sum % n : 0;
	struct wide square = multiply(m, m), times = multiply(square.low, n);
	struct wide rest = { spread->squares_low, spread->squares_high };
	double part, sum;

	if (!n)
		return 0;
	times.high += square.high * n;
	rest = add(subtract(rest, twice(multiply(m, spread->sum))), times);
	sum = ldexp((double)rest.high, 64) + (double)rest.low;
	part = (double)r / (double)n;
	sum = sum / (double)n - part * part;
	return sum > 0 ? sqrt(sum) : 0;
}
