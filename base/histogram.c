/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_histogram.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 16 /* slots are made so many at a time */ };

/* Of a class: by how much its values were shifted, and what was left of them. */
static unsigned shift_of(uint32_t class)
{
	return class < 128 ? 0 : (class >> 6) - 1;
}

uint64_t sl_histogram_class_least(uint32_t class)
{
	unsigned shift = shift_of(class);

	return (uint64_t)(class - (shift << 6)) << shift;
}

uint64_t sl_histogram_class_greatest(uint32_t class)
{
	return sl_histogram_class_least(class) + ((UINT64_C(1) << shift_of(class)) - 1);
}

/* Makes slots for the classes from first to before end, of which some may be there. */
static int reserve(struct sl_histogram *h, uint32_t first, uint32_t end)
{
	uint64_t *slots;

	if (h->len) {
		first = first < h->first ? first : h->first;
		end = end > h->first + h->len ? end : h->first + h->len;
	}
	first -= first % GRAIN;
	end += (GRAIN - end % GRAIN) % GRAIN;
	slots = calloc(end - first, sizeof(*slots));
	if (!slots)
		return SL_ERR_NOMEM;
	if (h->len)
		memcpy(slots + (h->first - first), h->slots, h->len * sizeof(*slots));
	free(h->slots);
	h->slots = slots;
	h->first = first;
	h->len = end - first;
	return SL_OK;
}

static int keep_exact(struct sl_histogram *h, uint64_t value)
{
	/* room for 2, 4, 8 and 16 */
	bool full = h->count == 0 || (h->count >= 2 && (h->count & (h->count - 1)) == 0);
	uint64_t *slots = full ? realloc(h->slots, (h->count ? 2 * h->count : 2) * sizeof(*slots)) : h->slots;

	if (!slots)
		return SL_ERR_NOMEM;
	h->slots = slots;
	h->slots[h->count++] = value;
	return SL_OK;
}

/* From values to classes, with room for one more value. */
static int classify(struct sl_histogram *h, uint64_t value)
{
	struct sl_histogram classes = { .count = h->count };
	uint64_t least = value, greatest = value;

	for (uint64_t i = 0; i < h->count; i++) {
		least = h->slots[i] < least ? h->slots[i] : least;
		greatest = h->slots[i] > greatest ? h->slots[i] : greatest;
	}
	if (reserve(&classes, sl_histogram_class(least), sl_histogram_class(greatest) + 1) < 0)
		return SL_ERR_NOMEM;
	for (uint64_t i = 0; i < h->count; i++)
		classes.slots[sl_histogram_class(h->slots[i]) - classes.first]++;
	free(h->slots);
	*h = classes;
	return SL_OK;
}

int sl_histogram_add_rare(struct sl_histogram *h, uint64_t value)
{
	return h->len || h->count == SL_HISTOGRAM_EXACT ? sl_histogram_add_many(h, value, 1) : keep_exact(h, value);
}

int sl_histogram_add_many(struct sl_histogram *h, uint64_t value, uint64_t count)
{
	uint32_t class = sl_histogram_class(value);

	while (count && !h->len && h->count < SL_HISTOGRAM_EXACT) {
		if (keep_exact(h, value) < 0)
			return SL_ERR_NOMEM;
		count--;
	}
	if (!count)
		return SL_OK;
	if (!h->len && classify(h, value) < 0)
		return SL_ERR_NOMEM;
	if (class - h->first >= h->len && reserve(h, class, class + 1) < 0)
		return SL_ERR_NOMEM;
	h->slots[class - h->first] += count;
	h->count += count;
	return SL_OK;
}

static uint64_t middle(uint32_t class)
{
	uint64_t least = sl_histogram_class_least(class);

	return least + (sl_histogram_class_greatest(class) - least) / 2;
}

int sl_histogram_merge(struct sl_histogram *into, const struct sl_histogram *from)
{
	int result = SL_OK;

	for (uint64_t i = 0; !from->len && i < from->count && result == SL_OK; i++)
		result = sl_histogram_add(into, from->slots[i]);
	for (uint32_t i = 0; i < from->len && result == SL_OK; i++) {
		if (from->slots[i])
			result = sl_histogram_add_many(into, middle(from->first + i), from->slots[i]);
	}
	return result;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Of up to SL_HISTOGRAM_EXACT values. */
static void sorted(const struct sl_histogram *h, uint64_t *ret)
{
	memcpy(ret, h->slots, h->count * sizeof(*ret));
	qsort(ret, h->count, sizeof(*ret), by_value);
}

uint64_t sl_histogram_at_rank(const struct sl_histogram *h, uint64_t rank)
{
	uint64_t values[SL_HISTOGRAM_EXACT], seen = 0;
	uint32_t i = 0;

	if (!h->len) {
		sorted(h, values);
		return values[rank - 1];
	}
	while (i + 1 < h->len && seen + h->slots[i] < rank)
		seen += h->slots[i++];
	return middle(h->first + i);
}

uint64_t sl_histogram_at_rank_within(const struct sl_histogram *h, uint64_t rank, uint64_t min, uint64_t max)
{
	uint64_t value = sl_histogram_at_rank(h, rank);

	/* The middle of a class may lie outside of what came. */
	if (value > max || rank == h->count)
		return max;
	return value < min ? min : value;
}

uint64_t sl_histogram_rank(uint64_t count, unsigned per_mille)
{
	/* count * per_mille / 1000, rounded up, without overflow */
	uint64_t rank = count / 1000 * per_mille + (count % 1000 * per_mille + 999) / 1000;

	return rank ? rank : 1;
}

bool sl_histogram_next(const struct sl_histogram *h, uint64_t *cursor, uint64_t *least, uint64_t *greatest, uint64_t *count)
{
	uint64_t values[SL_HISTOGRAM_EXACT];

	if (!h->len) {
		if (*cursor >= h->count)
			return false;
		sorted(h, values);
		*least = *greatest = values[*cursor];
		for (*count = 0; *cursor < h->count && values[*cursor] == *least; (*cursor)++)
			(*count)++;
		return true;
	}
	while (*cursor < h->len && !h->slots[*cursor])
		(*cursor)++;
	if (*cursor >= h->len)
		return false;
	*least = sl_histogram_class_least(h->first + (uint32_t)*cursor);
	*greatest = sl_histogram_class_greatest(h->first + (uint32_t)*cursor);
	*count = h->slots[(*cursor)++];
	return true;
}

void sl_histogram_release(struct sl_histogram *h)
{
	free(h->slots);
	*h = (struct sl_histogram){ 0 };
}
