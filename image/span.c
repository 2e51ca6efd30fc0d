/* SPDX-License-Identifier: Apache-2.0 */
#include "span.h"

#include <stdlib.h>

#include "sl_array.h"

int spans_add(struct spans *list, struct span span)
{
	return SL_ARRAY_PUSH(&list->items, &list->len, &list->cap, span);
}

void spans_release(struct spans *list)
{
	free(list->items);
	*list = (struct spans){ 0 };
}

/* A range by its place in the order of priority, and a heap of those that are open: the first in order on
 * top. */
struct by_start {
	uint64_t start;
	size_t rank;
};
struct heap {
	size_t *ranks;
	size_t len;
};

static int compare_start(const void *a, const void *b)
{
	const struct by_start *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void heap_push(struct heap *heap, size_t rank)
{
	size_t at = heap->len++;

	while (at && heap->ranks[(at - 1) / 2] > rank) {
		heap->ranks[at] = heap->ranks[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->ranks[at] = rank;
}

static void heap_pop(struct heap *heap)
{
	size_t last = heap->ranks[--heap->len];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->len) {
		if (child + 1 < heap->len && heap->ranks[child + 1] < heap->ranks[child])
			child++;
		if (heap->ranks[child] >= last)
			break;
		heap->ranks[at] = heap->ranks[child];
		at = child;
	}
	heap->ranks[at] = last;
}

static int emit(struct spans *ret, const struct span *whole, uint64_t start, uint64_t end)
{
	struct span *last = ret->len ? &ret->items[ret->len - 1] : NULL;

	if (last && last->end == start && last->what == whole->what && last->bias == whole->bias) {
		last->end = end;
		return SL_OK;
	}
	return spans_add(ret, (struct span){ start, end, whole->bias, whole->what });
}

static int sweep(const struct span *in, const struct by_start *order, size_t len, struct heap *open,
		 struct spans *ret)
{
	uint64_t at = 0;
	size_t next = 0;

	while (next < len || open->len) {
		uint64_t end;

		if (!open->len)
			at = order[next].start;
		while (next < len && order[next].start <= at)
			heap_push(open, order[next++].rank);
		while (open->len && in[open->ranks[0]].end <= at)
			heap_pop(open);
		if (!open->len)
			continue;
		end = in[open->ranks[0]].end;
		if (next < len && order[next].start < end)
			end = order[next].start;
		if (emit(ret, &in[open->ranks[0]], at, end) < 0)
			return SL_ERR_NOMEM;
		at = end;
	}
	return SL_OK;
}

int spans_cut(const struct span *in, size_t len, struct spans *ret)
{
	struct by_start *order = calloc(len + 1, sizeof(*order));
	struct heap open = { .ranks = calloc(len + 1, sizeof(*open.ranks)) };
	int result = SL_ERR_NOMEM;

	if (order && open.ranks) {
		for (size_t i = 0; i < len; i++)
			order[i] = (struct by_start){ in[i].start, i };
		qsort(order, len, sizeof(*order), compare_start);
		result = sweep(in, order, len, &open, ret);
	}
	free(open.ranks);
	free(order);
	return result;
}

const struct span *spans_find(const struct spans *list, uint64_t address, struct window *window)
{
	const struct span *span = list->items, *end;

	if (!list->len)
		return NULL;
	end = span + list->len;
	/* The last one that starts at or before address, else the first; without branches that depend on
	 * data. */
	for (size_t len = list->len; len > 1;) {
		size_t half = len / 2;

		span += span[half].start <= address ? half : 0;
		len -= half;
	}
	if (address < span->start) {
		if (span->start < window->end)
			window->end = span->start;
		return NULL;
	}
	if (span + 1 < end && span[1].start < window->end)
		window->end = span[1].start;
	if (address >= span->end) {
		if (span->end > window->start)
			window->start = span->end;
		return NULL;
	}
	if (span->start > window->start)
		window->start = span->start;
	if (span->end < window->end)
		window->end = span->end;
	return span;
}
