/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records by time. A merge sort of their numbers, which does nothing where they are in order already:
 * recordings are so for long stretches.
 */
#include "perf_data.h"

#include <stdlib.h>
#include <string.h>

struct order {
	const struct perf_record *records;
	uint32_t *from, *to;
};

/* Records without time take that of the one before in their file, so that they stay behind it. */
static bool spread_times(struct perf_file *file)
{
	uint64_t time = 0, before = 0;
	bool ordered = true;
	size_t part = 0;

	for (size_t i = 0; i < file->record_len; i++) {
		struct perf_record *record = &file->records[i];

		for (; part + 1 < file->part_len && record->offset >= file->parts[part + 1].base; part++)
			time = 0;
		if (record->who.has_time)
			time = record->who.time;
		record->who.time = time;
		ordered &= time >= before;
		before = time;
	}
	return ordered;
}

static bool goes_first(const struct order *order, uint32_t left, uint32_t right)
{
	return order->records[left].who.time <= order->records[right].who.time;
}

static void merge(const struct order *order, size_t low, size_t middle, size_t high)
{
	const uint32_t *from = order->from;
	size_t left = low, right = middle, out = low;

	if (middle >= high || goes_first(order, from[middle - 1], from[middle])) {
		memcpy(order->to + low, from + low, (high - low) * sizeof(*from));
		return;
	}
	while (left < middle && right < high)
		order->to[out++] = goes_first(order, from[left], from[right]) ? from[left++] : from[right++];
	while (left < middle)
		order->to[out++] = from[left++];
	while (right < high)
		order->to[out++] = from[right++];
}

static void sort(struct order *order, size_t len)
{
	for (size_t width = 1; width < len; width *= 2) {
		uint32_t *from = order->from;

		for (size_t low = 0; low < len; low += 2 * width) {
			size_t middle = low + width < len ? low + width : len;
			size_t high = middle + width < len ? middle + width : len;

			merge(order, low, middle, high);
		}
		order->from = order->to;
		order->to = from;
	}
}

/* Brings records[from[i]] to place i, in their own memory; from is used up. */
static void permute(struct perf_record *records, uint32_t *from, size_t len)
{
	for (size_t start = 0; start < len; start++) {
		struct perf_record first = records[start];
		size_t hole = start;

		while (from[hole] != start) {
			size_t next = from[hole];

			records[hole] = records[next];
			from[hole] = (uint32_t)hole;
			hole = next;
		}
		records[hole] = first;
		from[hole] = (uint32_t)hole;
	}
}

int perf_records_sort(struct perf_file *file)
{
	size_t len = file->record_len;
	struct order order = { .records = file->records };
	uint32_t *numbers;

	if (spread_times(file) || len < 2)
		return SL_OK;
	numbers = malloc(len * 2 * sizeof(*numbers));
	if (!numbers)
		return SL_ERR_NOMEM;
	order.from = numbers;
	order.to = numbers + len;
	for (size_t i = 0; i < len; i++)
		order.from[i] = (uint32_t)i;
	sort(&order, len);
	permute(file->records, order.from, len);
	free(numbers);
	return SL_OK;
}
