/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_switches.h"

#include "sl_array.h"

#include <stdlib.h>

enum { MISC_SWITCH_OUT = 1 << 13 };

struct reader {
	const struct perf_file *file;
	struct perf_switches *all;
	int result;
};

static void push(struct reader *r, const struct perf_record *record, uint32_t before, uint32_t task, bool lost)
{
	struct perf_switch item = { .cpu = record->who.cpu, .before = before, .task = task, .lost = lost,
				    .time = record->who.time, .order = r->all->len };

	if (r->result == SL_OK)
		r->result = SL_ARRAY_PUSH(&r->all->items, &r->all->len, &r->all->cap, item);
}

/*
 * SWITCH has no body: its trailer tells the task that goes or comes. SWITCH_CPU_WIDE (u32 pid, tid) tells the other one
 * too: the next of a task that goes, the one before of a task that comes.
 */
static void read_switch(struct reader *r, const struct perf_record *record)
{
	bool wide = record->type == PERF_SWITCH_CPU_WIDE;
	uint32_t other = wide && record->body_len >= 8 ? perf_u32(r->file, record, 4) : PERF_NO_TASK;

	if (record->misc & MISC_SWITCH_OUT)
		push(r, record, record->who.tid, other, false);
	else
		push(r, record, other, record->who.tid, false);
}

static void read_record(struct reader *r, const struct perf_record *record)
{
	if (!record->who.has_time || !record->who.has_cpu)
		return;
	if (record->type == PERF_LOST)
		push(r, record, PERF_NO_TASK, PERF_NO_TASK, true);
	else if (record->who.has_tid)
		read_switch(r, record);
}

static int compare(const void *left, const void *right)
{
	const struct perf_switch *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* What was lost came after the record before: from that on nobody knows who ran. */
static void spread_losses(struct perf_switches *all)
{
	for (size_t i = 1; i < all->len; i++) {
		if (all->items[i].lost && all->items[i - 1].cpu == all->items[i].cpu)
			all->items[i - 1].task = PERF_NO_TASK;
	}
}

int perf_switches_read(const struct perf_file *file, struct perf_switches *ret)
{
	struct reader r = { .file = file, .all = ret, .result = SL_OK };
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);

	*ret = (struct perf_switches){ 0 };
	for (size_t i = 0; i < count; i++) {
		uint32_t type = records[i].type;

		if (type == PERF_SWITCH || type == PERF_SWITCH_CPU_WIDE || type == PERF_LOST)
			read_record(&r, &records[i]);
	}
	if (ret->len)
		qsort(ret->items, ret->len, sizeof(*ret->items), compare);
	spread_losses(ret);
	return r.result;
}

void perf_switches_release(struct perf_switches *switches)
{
	free(switches->items);
	*switches = (struct perf_switches){ 0 };
}

/* The first switch of cpu behind time. */
static size_t first_behind(const struct perf_switches *all, uint32_t cpu, uint64_t time)
{
	size_t low = 0, high = all->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct perf_switch *item = &all->items[middle];

		if (item->cpu < cpu || (item->cpu == cpu && item->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct perf_switch *switch_of(const struct perf_switches *all, size_t i, uint32_t cpu)
{
	return i < all->len && all->items[i].cpu == cpu ? &all->items[i] : NULL;
}

bool perf_switches_known(const struct perf_switches *switches, int32_t cpu)
{
	const struct perf_switch *item;

	for (size_t i = cpu < 0 ? switches->len : first_behind(switches, (uint32_t)cpu, 0);
	     (item = switch_of(switches, i, (uint32_t)cpu)) != NULL; i++) {
		if (!item->lost)
			return true;
	}
	return false;
}

bool perf_switches_within(const struct perf_switches *switches, int32_t cpu, struct sl_window window, uint32_t *ret_task)
{
	uint32_t number = (uint32_t)cpu, task = PERF_NO_TASK;
	const struct perf_switch *item;
	size_t i;

	if (cpu < 0 || !switches->len)
		return false;
	i = first_behind(switches, number, window.from_ns);
	if (i && (item = switch_of(switches, i - 1, number)))
		task = item->task;
	else if ((item = switch_of(switches, i, number)))
		task = item->before;
	for (; (item = switch_of(switches, i, number)) && item->time <= window.to_ns; i++) {
		if (item->task != task)
			return false;
	}
	*ret_task = task;
	return task != PERF_NO_TASK;
}
