/* SPDX-License-Identifier: Apache-2.0 */
/* Who was recorded, in tables: CPUs with their trace units, and processes. */
#include "cs_etm_rings.h"
#include "perf_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_text.h"

/* A CPU's pieces. In formatter frames they are what was read out there, whoever's trace it is. */
struct cpu_pieces {
	uint64_t bytes, pieces, truncated, overwritten, partial, collided;
};

static void count_piece(struct cpu_pieces *sum, const struct cs_etm_piece *piece)
{
	sum->bytes += piece->len;
	sum->pieces++;
	sum->truncated += (piece->flags & AUX_TRUNCATED) != 0;
	sum->overwritten += (piece->flags & AUX_OVERWRITE) != 0;
	sum->partial += (piece->flags & AUX_PARTIAL) != 0;
	sum->collided += (piece->flags & AUX_COLLISION) != 0;
}

static const char *id_from(const struct cs_etm_cpu *cpu)
{
	if (cpu->config.protocol == SL_PROTOCOL_IPT)
		return "Intel PT has none";
	if (!cpu->trace_id)
		return "none: not traced";
	return cpu->has_hw_id ? "HW_ID record" : "metadata";
}

static void cpu_row(const struct cs_etm_cpu *cpu, const struct cpu_pieces *sum, const struct sl_table *out)
{
	char sink[24] = "";
	const struct sl_cell cells[] = {
		sl_cell_u64(cpu->cpu), sl_cell_str(sl_protocol_name(cpu->config.protocol)),
		cpu->trace_id ? sl_cell_u64(cpu->trace_id) : sl_cell_none(), sl_cell_str(id_from(cpu)),
		cpu->has_sink ? sl_cell_str(sink) : sl_cell_none(), sl_cell_u64(sum->bytes), sl_cell_u64(sum->pieces),
		sl_cell_u64(cpu->bytes_lost), sl_cell_u64(sum->truncated), sl_cell_u64(sum->overwritten),
		sl_cell_u64(sum->partial), sl_cell_u64(sum->collided),
	};

	snprintf(sink, sizeof(sink), "0x%" PRIx32, cpu->sink_id);
	out->ops->row(out->out, cells);
}

/* Bytes of pieces whose CPU no record tells, in per-thread buffers for one. */
static void other_row(const struct cpu_pieces *sum, const struct sl_table *out)
{
	const struct sl_cell cells[] = {
		sl_cell_none(), sl_cell_none(), sl_cell_none(), sl_cell_str("no record tells the CPU of these pieces"),
		sl_cell_none(), sl_cell_u64(sum->bytes), sl_cell_u64(sum->pieces), sl_cell_none(), sl_cell_u64(sum->truncated),
		sl_cell_u64(sum->overwritten), sl_cell_u64(sum->partial), sl_cell_u64(sum->collided),
	};

	if (sum->pieces)
		out->ops->row(out->out, cells);
}

static void write_rows(const struct cs_etm *etm, struct cpu_pieces *sums, const struct sl_table *out)
{
	for (size_t i = 0; i < etm->piece_count; i++) {
		const struct cs_etm_piece *piece = &etm->pieces[i];
		const struct cs_etm_cpu *cpu = piece->cpu < 0 ? NULL : cs_etm_cpu_find(etm, (uint32_t)piece->cpu);

		count_piece(&sums[cpu ? (size_t)(cpu - etm->cpus) : etm->cpu_count], piece);
	}
	for (size_t i = 0; i < etm->cpu_count; i++)
		cpu_row(&etm->cpus[i], &sums[i], out);
	other_row(&sums[etm->cpu_count], out);
}

void perf_tables_write(const struct perf_capture *perf, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "cpu", "CPU", "its number", SL_TYPE_COUNT, 0 },
		{ "protocol", "protocol", "of its trace unit", SL_TYPE_STRING, 0 },
		{ "id", "id", "its trace id", SL_TYPE_HEX, 0 },
		{ "id_from", "id from", "who tells the id", SL_TYPE_STRING, 0 },
		{ "sink", "sink", "where its trace went, where the kernel tells", SL_TYPE_STRING, 0 },
		{ "aux_bytes", "bytes", "of trace that were read out on it; with formatter frames those of other CPUs too",
		  SL_TYPE_COUNT, 0 },
		{ "pieces", "pieces", "of trace between a start and a stop, or copies of it", SL_TYPE_COUNT, 0 },
		{ "lost_bytes", "lost", "bytes that AUX records tell of and the file has not", SL_TYPE_COUNT, 0 },
		{ "truncated", "truncated", "pieces behind which trace is missing, as the buffer was full", SL_TYPE_COUNT, 0 },
		{ "overwritten", "overwritten", "pieces of snapshots, whose older trace was overwritten", SL_TYPE_COUNT, 0 },
		{ "partial", "partial", "pieces with gaps", SL_TYPE_COUNT, 0 },
		{ "collided", "collided", "pieces that lost trace while the buffer was switched", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = { .schema = "sightline.info/1", .name = "cpus", .title = "CPUs", .columns = columns,
					    .column_count = sizeof(columns) / sizeof(*columns) };
	struct cpu_pieces *sums = calloc(perf->etm.cpu_count + 1, sizeof(*sums));

	out->ops->begin(out->out, &head);
	if (sums)
		write_rows(&perf->etm, sums, out);
	out->ops->end(out->out);
	free(sums);
}

/* The traced threads of a process, in words. */
struct traced {
	char *text;
	size_t len, more;
};

enum { TRACED_CAP = 160, NAME_CAP = 64 };

static int name_thread(struct traced *traced, const struct perf_thread *thread, const char *process)
{
	char comm[NAME_CAP], word[NAME_CAP + 16];

	if (!traced->text && !(traced->text = calloc(1, TRACED_CAP)))
		return SL_ERR_NOMEM;
	snprintf(word, sizeof(word), "%s%" PRIu32, traced->len ? ", " : "", thread->tid);
	if (thread->comm && (!process || strcmp(thread->comm, process) != 0))
		snprintf(word + strlen(word), sizeof(word) - strlen(word), " %s", sl_printable(thread->comm, comm, sizeof(comm)));
	if (traced->more || traced->len + strlen(word) + 32 > TRACED_CAP) {
		traced->more++;
		return SL_OK;
	}
	traced->len += (size_t)snprintf(traced->text + traced->len, TRACED_CAP - traced->len, "%s", word);
	return SL_OK;
}

static int count_threads(struct sl_capture *cap, struct traced *traced)
{
	const struct perf_processes *all = &cap->perf->processes;

	for (size_t i = 0; i < all->thread_len; i++) {
		const struct perf_thread *thread = &all->threads[i];
		const struct perf_process *process = perf_process_find(all, thread->pid);

		if (!process)
			continue;
		cap->processes[process - all->items].threads++;
		if (thread->traced && name_thread(&traced[process - all->items], thread, process->comm) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static int describe(struct sl_capture *cap, size_t i, struct traced *traced)
{
	const struct perf_process *process = &cap->perf->processes.items[i];
	struct sl_process *ret = &cap->processes[i];
	char name[NAME_CAP];

	ret->core = (uint32_t)i;
	ret->pid = process->pid;
	for (size_t m = 0; m < process->map_count; m++)
		ret->maps += process->maps[m].executable;
	if (process->comm && !(ret->name = sl_capture_keep(cap, sl_printable(process->comm, name, sizeof(name)))))
		return SL_ERR_NOMEM;
	if (process->pid == UINT32_MAX)
		ret->name = "kernel";
	if (traced->more)
		snprintf(traced->text + traced->len, TRACED_CAP - traced->len, " and %zu more", traced->more);
	if (traced->text && !(ret->traced = sl_capture_keep(cap, traced->text)))
		return SL_ERR_NOMEM;
	return SL_OK;
}

int perf_processes_describe(struct sl_capture *cap)
{
	size_t count = cap->perf->processes.len;
	struct traced *traced = calloc(count + 1, sizeof(*traced));
	int result = SL_ERR_NOMEM;

	cap->processes = calloc(count + 1, sizeof(*cap->processes));
	if (traced && cap->processes)
		result = count_threads(cap, traced);
	for (size_t i = 0; i < count && result == SL_OK; i++)
		result = describe(cap, i, &traced[i]);
	if (result == SL_OK)
		cap->process_len = count;
	for (size_t i = 0; traced && i < count; i++)
		free(traced[i].text);
	free(traced);
	return result;
}
