/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says of itself, what ran in it, and what the next one should do otherwise. */
#include "stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROCESSES_SHOWN = 32 }; /* of more only those that ran */

void stats_recording(const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "fact", "fact", "what is told", SL_TYPE_STRING, 0 },
		{ "value", "value", "what the recording says", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("recording", "Recording", columns);
	const struct sl_fact *facts;
	size_t count = sl_capture_facts(capture, &facts);

	if (!count)
		return;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_cell cells[] = { sl_cell_str(facts[i].name), sl_cell_str(facts[i].value) };

		out->ops->row(out->out, cells);
	}
	out->ops->end(out->out);
}

struct process_sum {
	const struct sl_process *process;  /* NULL: of no process that is known */
	uint64_t found, missing, refused;  /* maps */
	uint64_t insns, bytes;
};

/* The sum of a core; the last one is for what is of no process. */
static struct process_sum *sum_of(struct process_sum *sums, size_t count, const struct sl_capture *capture, uint32_t core)
{
	core = sl_capture_core_of(capture, core);
	return &sums[core < count ? core : count];
}

static void count_maps(const struct sl_stats *stats, const struct sl_capture *capture, struct process_sum *sums, size_t count)
{
	const struct sl_mapping *maps;
	const struct sl_missing *missing;
	size_t map_count = sl_image_mappings(stats->image, &maps);
	size_t missing_count = sl_image_missing(stats->image, &missing);

	for (size_t i = 0; i < map_count; i++)
		sum_of(sums, count, capture, maps[i].core)->found += stats->first_map[i] == i;
	for (size_t i = 0; i < missing_count; i++) {
		struct process_sum *sum = sum_of(sums, count, capture, missing[i].core);

		if (stats->first_missing[i] != i)
			continue;
		if (missing[i].refused)
			sum->refused++;
		else
			sum->missing++;
	}
}

static void count_flow(const struct sl_stats *stats, const struct sl_capture *capture, struct process_sum *sums, size_t count)
{
	for (size_t l = 0; l < stats->lane_count; l++) {
		const struct lane_stats *lane = stats->lanes[l];

		for (size_t i = 0; i < lane->space_len; i++) {
			struct process_sum *sum = sum_of(sums, count, capture, lane->spaces[i].core);

			sum->insns += lane->spaces[i].insns;
			sum->bytes += lane->spaces[i].bytes;
		}
	}
}

static int by_share(const void *left, const void *right)
{
	const struct process_sum *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (!a->process || !b->process)
		return a->process ? -1 : 1;
	return a->process->pid < b->process->pid ? -1 : a->process->pid > b->process->pid;
}

static bool pid_known(const struct sl_process *process)
{
	return process && process->pid != UINT32_MAX;
}

static void process_row(const struct process_sum *sum, const struct sl_table *out)
{
	const struct sl_process *p = sum->process;
	char pid[16] = "";
	const struct sl_cell cells[] = {
		pid_known(p) ? sl_cell_str(pid) : sl_cell_none(), sl_cell_str(p ? p->name : "(not known)"),
		p ? sl_cell_u64(p->threads) : sl_cell_none(), p ? sl_cell_u64(p->maps) : sl_cell_none(),
		sl_cell_u64(sum->found), sl_cell_u64(sum->missing), sl_cell_u64(sum->refused), sl_cell_u64(sum->bytes),
		sl_cell_u64(sum->insns), p ? sl_cell_str(p->traced) : sl_cell_none(),
	};

	if (pid_known(p))
		snprintf(pid, sizeof(pid), "%" PRIu32, p->pid);
	out->ops->row(out->out, cells);
}

static bool is_kernel(const struct process_sum *sum)
{
	return sum->process && sum->process->pid == UINT32_MAX;
}

/* Maps of no core are the kernel's. */
static void join_kernel(struct process_sum *sums, size_t count)
{
	struct process_sum *others = &sums[count];

	for (size_t i = 0; i < count; i++) {
		if (!is_kernel(&sums[i]))
			continue;
		sums[i].found += others->found;
		sums[i].missing += others->missing;
		sums[i].refused += others->refused;
		others->found = others->missing = others->refused = 0;
	}
}

static void write_processes(const struct process_sum *sums, size_t count, const struct sl_table *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct process_sum *sum = &sums[i];
		bool ran = sum->bytes || sum->insns;

		if (ran || (sum->process && (count <= PROCESSES_SHOWN || sum->process->traced || is_kernel(sum))))
			process_row(sum, out);
	}
}

int stats_processes(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "pid", "pid", "process id", SL_TYPE_STRING, 0 },
		{ "process", "process", "its name", SL_TYPE_STRING, 0 },
		{ "threads", "threads", "that the recording tells of", SL_TYPE_COUNT, 0 },
		{ "maps", "maps", "of code, at any time", SL_TYPE_COUNT, 0 },
		{ "found", "found", "runs of addresses whose code was read", SL_TYPE_COUNT, 0 },
		{ "missing", "missing", "maps whose file is not here", SL_TYPE_COUNT, 0 },
		{ "refused", "refused", "maps whose file here is another build", SL_TYPE_COUNT, 0 },
		{ "lane_bytes", "bytes", "of trace while it ran, the kernel's for it too", SL_TYPE_COUNT, 0 },
		{ "instructions", "insns", "decoded of them", SL_TYPE_COUNT, 0 },
		{ "traced", "traced threads", "their ids, and names that differ from the process's", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("processes", "Processes", columns);
	const struct sl_process *processes;
	size_t count = sl_capture_processes(capture, &processes);
	struct process_sum *sums = calloc(count + 1, sizeof(*sums));

	if (!sums)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		sums[i].process = &processes[i];
	if (count) {
		count_maps(stats, capture, sums, count);
		count_flow(stats, capture, sums, count);
		join_kernel(sums, count);
		qsort(sums, count + 1, sizeof(*sums), by_share);
		out->ops->begin(out->out, &head);
		write_processes(sums, count + 1, out);
		out->ops->end(out->out);
	}
	free(sums);
	return SL_OK;
}

/* What the trace shows, of which some wishes depend. */
struct lacks {
	bool trace, time, cycles, kernel;
};

/* Its code is not here, or is not what ran. */
static bool lacks_kernel(const struct lane_stats *lane)
{
	for (size_t i = 0; i < lane->site_len; i++) {
		if (lane->sites[i].address >> 63)
			return true;
	}
	for (size_t i = 0; i < lane->wanted_len; i++) {
		if (lane->wanted[i].page >> 63)
			return true;
	}
	return false;
}

static struct lacks look(const struct sl_stats *stats)
{
	struct lacks lacks = { .time = true, .cycles = true };

	for (size_t i = 0; i < stats->lane_count; i++) {
		const struct lane_stats *lane = stats->lanes[i];

		lacks.trace |= lane->bytes != 0;
		lacks.time &= !lane->elems[SL_ELEM_TIME];
		lacks.cycles &= !lane->elems[SL_ELEM_CYCLES];
		lacks.kernel |= lacks_kernel(lane);
	}
	return lacks;
}

static bool applies(enum sl_wish_when when, const struct lacks *lacks)
{
	switch (when) {
	case SL_WISH_NO_TIME:
		return lacks->trace && lacks->time;
	case SL_WISH_TIME:
		return !lacks->time;
	case SL_WISH_NO_CYCLES:
		return lacks->trace && lacks->cycles;
	case SL_WISH_NO_KERNEL:
		return lacks->kernel;
	default:
		return true;
	}
}

void stats_next_recording(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "topic", "topic", "what it is about", SL_TYPE_STRING, 0 },
		{ "advice", "advice", "what this recording lacks, and how the next one has it", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("next_recording", "Next recording", columns);
	const struct sl_wish *wishes;
	const struct sl_fact *facts;
	size_t count = sl_capture_wishes(capture, &wishes);
	struct lacks lacks = look(stats);

	if (!sl_capture_facts(capture, &facts))
		return;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_cell cells[] = { sl_cell_str(wishes[i].topic), sl_cell_str(wishes[i].text) };

		if (applies(wishes[i].when, &lacks))
			out->ops->row(out->out, cells);
	}
	out->ops->end(out->out);
}
