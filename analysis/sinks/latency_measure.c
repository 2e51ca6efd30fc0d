/* SPDX-License-Identifier: Apache-2.0 */
/* Values: how they spread, and where the greatest were. */
#include "latency.h"

enum { FINEST = 64 }; /* classes to a power of two that a histogram tells apart */

static void keep_worst(struct measure *measure, const struct worst *worst)
{
	size_t at = measure->worst_len;

	if (at == WORST_MAX && worst->value <= measure->worst[at - 1].value)
		return;
	if (at == WORST_MAX)
		at--;
	else
		measure->worst_len++;
	for (; at && measure->worst[at - 1].value < worst->value; at--)
		measure->worst[at] = measure->worst[at - 1];
	measure->worst[at] = *worst;
}

int measure_add(struct measure *measure, uint64_t value, const struct happened *from, const struct happened *to)
{
	const struct worst worst = { value, *from, *to };

	if (sl_histogram_add(&measure->histogram, value) < 0)
		return SL_ERR_NOMEM;
	if (!measure->spread.count || value < measure->min)
		measure->min = value;
	if (value > measure->max)
		measure->max = value;
	sl_spread_add(&measure->spread, value);
	keep_worst(measure, &worst);
	return SL_OK;
}

void measure_release(struct measure *measure)
{
	sl_histogram_release(&measure->histogram);
}

/*
 * Classes of which each power of two has as many (a power of two itself): 0 is one, and then they are numbered from 1 on, with
 * room for all of each power. Where a power of two has fewer values than classes, some classes are of no value: they begin where
 * the next one begins.
 */
static unsigned exponent_of(uint64_t value)
{
	return 63u - (unsigned)__builtin_clzll(value);
}

static uint64_t class_of(uint64_t value, unsigned to_a_power)
{
	unsigned exponent, parts = exponent_of(to_a_power);
	uint64_t above;

	if (!value)
		return 0;
	exponent = exponent_of(value);
	above = value - (UINT64_C(1) << exponent);
	above = exponent >= parts ? above >> (exponent - parts) : above << (parts - exponent);
	return 1 + (uint64_t)exponent * to_a_power + above;
}

static uint64_t least_of(uint64_t class, unsigned to_a_power)
{
	unsigned exponent, parts = exponent_of(to_a_power);
	uint64_t part;

	if (!class)
		return 0;
	exponent = (unsigned)((class - 1) / to_a_power);
	part = (class - 1) % to_a_power;
	if (exponent >= 64)
		return 0; /* behind the last one: its greatest value is the greatest of all */
	if (exponent >= parts)
		return (UINT64_C(1) << exponent) + (part << (exponent - parts));
	/* Rounded up. */
	return (UINT64_C(1) << exponent) + ((part + (UINT64_C(1) << (parts - exponent)) - 1) >> (parts - exponent));
}

struct builder {
	struct measure_class *classes;
	size_t len, cap;
};

static bool push(struct builder *b, uint64_t least, uint64_t greatest)
{
	if (b->len == b->cap)
		return false;
	b->classes[b->len++] = (struct measure_class){ .least = least, .greatest = greatest };
	return true;
}

/* False where there would be more than cap. */
static bool build(const struct measure *measure, unsigned to_a_power, struct builder *b)
{
	uint64_t cursor = 0, least, greatest, count;

	b->len = 0;
	while (sl_histogram_next(&measure->histogram, &cursor, &least, &greatest, &count)) {
		uint64_t class = class_of(least, to_a_power), from = least_of(class, to_a_power);
		const struct measure_class *last = b->len ? &b->classes[b->len - 1] : NULL;

		if (!last || least > last->greatest) {
			if (last && from > last->greatest + 1 && !push(b, last->greatest + 1, from - 1))
				return false;
			if (!push(b, from, least_of(class + 1, to_a_power) - 1))
				return false;
		}
		b->classes[b->len - 1].count += count;
	}
	return true;
}

size_t measure_classes(const struct measure *measure, size_t wanted, struct measure_class ret[CLASSES_MAX])
{
	struct builder b = { .classes = ret, .cap = wanted };
	unsigned to_a_power = FINEST;

	while (to_a_power > 1 && !build(measure, to_a_power, &b))
		to_a_power /= 2;
	b.cap = CLASSES_MAX;
	if (to_a_power == 1)
		build(measure, to_a_power, &b);
	return b.len;
}
