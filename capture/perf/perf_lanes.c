/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From AUX pieces to buffers, streams and stretches. A buffer is what shares a name space of trace ids: a sink with
 * formatter frames, or one CPU's bytes without frames.
 */
#include "perf_capture.h"

#include "sl_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Which buffer a piece belongs to. */
struct group {
	bool raw;
	int32_t cpu;   /* raw: -1 where it is not told */
	int64_t sink;  /* not raw: -1 where the kernel told none; Intel PT per thread: the thread */
};

struct entry {
	const struct cs_etm_piece *piece;
	struct group group;
	uint64_t time;
	struct sl_window window;
	size_t order;
	bool per_thread, whole;
};

struct entries {
	struct entry *items;
	size_t len, cap;
};

static int64_t sink_of(const struct cs_etm_cpu *cpu)
{
	return cpu && cpu->has_sink ? (int64_t)cpu->sink_id : -1;
}

/* A piece of no known CPU goes to the first sink; there is but one in most machines. */
static int64_t default_sink(const struct cs_etm *etm)
{
	for (size_t i = 0; i < etm->cpu_count; i++) {
		if (etm->cpus[i].has_sink)
			return etm->cpus[i].sink_id;
	}
	return -1;
}

/* Intel PT of a thread goes on from CPU to CPU, in one buffer. */
static struct group group_of(const struct cs_etm *etm, const struct cs_etm_buffer *buffer, const struct cs_etm_piece *piece)
{
	const struct cs_etm_cpu *cpu = piece->cpu < 0 ? NULL : cs_etm_cpu_find(etm, (uint32_t)piece->cpu);

	if (etm->intel_pt)
		return (struct group){ true, buffer->cpu, buffer->cpu < 0 ? buffer->tid : -1 };
	if (piece->raw && piece->cpu < 0 && etm->cpu_count == 1)
		return (struct group){ true, (int32_t)etm->cpus[0].cpu, -1 };
	if (piece->raw)
		return (struct group){ true, piece->cpu, -1 };
	return (struct group){ false, -1, cpu && cpu->has_sink ? sink_of(cpu) : default_sink(etm) };
}

static int compare_groups(const struct group *a, const struct group *b)
{
	if (a->raw != b->raw)
		return a->raw ? 1 : -1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->sink < b->sink ? -1 : a->sink > b->sink;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int groups = compare_groups(&a->group, &b->group);

	if (groups)
		return groups;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Whether anything tells of a loss in the session that a piece is of. */
static bool has_loss(const struct cs_etm_piece *piece)
{
	enum { TRUNCATED = 1, OVERWRITE = 2, PARTIAL = 4, COLLISION = 8 };

	return piece->uncovered || piece->flags & (TRUNCATED | OVERWRITE | PARTIAL | COLLISION);
}

/* Whether nothing was lost between a piece and the one before of its ring. A thread's first piece has all of it. */
static bool is_whole(const struct cs_etm_buffer *buffer, size_t i)
{
	const struct cs_etm_piece *piece = &buffer->pieces[i], *before = piece - 1;

	if (has_loss(piece))
		return false;
	if (!i)
		return buffer->tid >= 0;
	return !has_loss(before) && before->aux_offset + before->len == piece->aux_offset;
}

/* When the last of the pieces was over that are decoded in one go from piece i on; 0 where one does not tell. */
static uint64_t chain_end(const struct cs_etm_buffer *buffer, size_t i)
{
	uint64_t end = buffer->pieces[i].time;

	while (++i < buffer->piece_count && (buffer->pieces[i].continues || buffer->pieces[i].joined)) {
		if (!buffer->pieces[i].time)
			return 0;
		end = buffer->pieces[i].time > end ? buffer->pieces[i].time : end;
	}
	return end;
}

/*
 * The pieces of a buffer stay in its order: one without a time, or that continues another, has that one's. An AUX record
 * is written when its session is over, and a session begins behind the one before.
 */
static int add_pieces(struct entries *entries, const struct perf_capture *perf, const struct cs_etm_buffer *buffer)
{
	const struct cs_etm *etm = &perf->etm;
	struct sl_window window = { perf->start, UINT64_MAX };
	uint64_t time = 0;

	for (size_t i = 0; i < buffer->piece_count; i++) {
		const struct cs_etm_piece *piece = &buffer->pieces[i];
		struct entry entry = { .piece = piece, .group = group_of(etm, buffer, piece), .order = entries->len,
				       .per_thread = buffer->tid >= 0 };

		if (!piece->continues && !piece->joined) {
			uint64_t end = chain_end(buffer, i);

			window.from_ns = time > perf->start ? time : perf->start;
			window.to_ns = end >= window.from_ns && end ? end : UINT64_MAX;
		}
		if (!piece->continues)
			time = piece->time > time ? piece->time : time;
		entry.whole = is_whole(buffer, i);
		entry.time = time;
		entry.window = window;
		if (SL_ARRAY_PUSH(&entries->items, &entries->len, &entries->cap, entry) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static int collect(const struct perf_capture *perf, struct entries *ret)
{
	const struct cs_etm *etm = &perf->etm;
	int result = SL_OK;

	for (size_t i = 0; i < etm->buffer_count && result == SL_OK; i++)
		result = add_pieces(ret, perf, &etm->buffers[i]);
	if (result == SL_OK && ret->len)
		qsort(ret->items, ret->len, sizeof(*ret->items), compare_entries);
	return result;
}

static bool starts_group(const struct entries *entries, size_t i)
{
	return i == 0 || compare_groups(&entries->items[i - 1].group, &entries->items[i].group) != 0;
}

static const char *name_of(struct sl_capture *cap, const struct group *group)
{
	char name[32] = "AUX";

	if (group->raw && group->cpu >= 0)
		snprintf(name, sizeof(name), "cpu%d", group->cpu);
	else if (group->raw && group->sink >= 0)
		snprintf(name, sizeof(name), "thread %" PRId64, group->sink);
	else if (group->raw)
		snprintf(name, sizeof(name), "unknown cpu");
	else if (group->sink >= 0)
		snprintf(name, sizeof(name), "sink 0x%" PRIx64, (uint64_t)group->sink);
	return sl_capture_keep(cap, name);
}

/* What of a context is the thread id: VMID where the kernel runs at EL2 (VMIDOPT), else the context id. */
static enum sl_task_from task_from(const struct sl_trace_config *config)
{
	enum { VMID_AND_VMIDOPT = 1 << 7 | 1 << 15, CID = 1 << 6, CONTEXT_ID_SIZE = 3 << 14 };
	uint32_t configr = config->regs[SL_REG_TRCCONFIGR];

	if (config->protocol == SL_PROTOCOL_IPT) /* CR3, and not which task's it is */
		return SL_TASK_UNKNOWN;
	if (config->protocol == SL_PROTOCOL_ETMV3 || config->protocol == SL_PROTOCOL_PTM)
		return config->regs[SL_REG_ETMCR] & CONTEXT_ID_SIZE ? SL_TASK_CONTEXT_ID : SL_TASK_UNKNOWN;
	if ((configr & VMID_AND_VMIDOPT) == VMID_AND_VMIDOPT)
		return SL_TASK_VMID;
	return configr & CID ? SL_TASK_CONTEXT_ID : SL_TASK_UNKNOWN;
}

static int add_stream(struct sl_capture *cap, size_t buffer, const struct cs_etm_cpu *cpu)
{
	struct sl_stream stream = { .buffer = buffer, .core = cap->perf->home, .cpu = (int32_t)cpu->cpu,
				    .config = cpu->config };
	char name[16];
	int result;

	snprintf(name, sizeof(name), "cpu%u", cpu->cpu);
	stream.name = stream.core_name = sl_capture_keep(cap, name);
	if (!stream.name)
		return SL_ERR_NOMEM;
	stream.config.task_from = task_from(&cpu->config);
	result = sl_stream_check(cap, &stream);
	return result < 0 ? result : SL_ARRAY_PUSH(&cap->streams, &cap->stream_len, &cap->stream_cap, stream);
}

/* The CPUs whose bytes may be in a buffer. One without an id was not traced. */
static bool feeds(const struct cs_etm_cpu *cpu, const struct group *group)
{
	if (group->raw)
		return (int64_t)cpu->cpu == group->cpu;
	return cpu->trace_id >= CS_ETM_ID_FIRST && cpu->trace_id <= CS_ETM_ID_LAST && sink_of(cpu) == group->sink;
}

/* Of Intel PT per thread no CPU's unit is the one; all are alike. */
static int add_thread_stream(struct sl_capture *cap, size_t buffer)
{
	const struct cs_etm *etm = &cap->perf->etm;
	struct sl_stream stream = { .buffer = buffer, .core = cap->perf->home, .cpu = -1,
				    .name = cap->buffers[buffer].name, .core_name = cap->buffers[buffer].name };
	int result;

	if (!etm->cpu_count)
		return SL_OK;
	stream.config = etm->cpus[0].config;
	result = sl_stream_check(cap, &stream);
	return result < 0 ? result : SL_ARRAY_PUSH(&cap->streams, &cap->stream_len, &cap->stream_cap, stream);
}

static int open_buffer(struct sl_capture *cap, size_t i, const struct group *group)
{
	const struct cs_etm *etm = &cap->perf->etm;

	cap->buffers[i] = (struct sl_buffer){ .name = name_of(cap, group), .path = "perf.data",
					      .framing = group->raw ? SL_FRAMING_NONE : SL_FRAMING_CORESIGHT };
	cap->files[i].first_stretch = cap->stretch_len;
	if (!cap->buffers[i].name)
		return SL_ERR_NOMEM;
	if (etm->intel_pt && group->cpu < 0)
		return add_thread_stream(cap, i);
	for (size_t k = 0; k < etm->cpu_count; k++) {
		if (feeds(&etm->cpus[k], group) && add_stream(cap, i, &etm->cpus[k]) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

/* before: the entry before, of this buffer or of another one; NULL: none. Rings of CPUs that share a sink share its losses. */
static int add_stretch(struct sl_capture *cap, size_t buffer, const struct entry *entry, const struct entry *before)
{
	const struct cs_etm_piece *piece = entry->piece;
	struct buffer_file *file = &cap->files[buffer];
	struct sl_stretch stretch = {
		.offset = piece->file_offset,
		.len = piece->len,
		.framing = cap->buffers[buffer].framing,
		.trace_id = -1,
		.restart = file->stretch_count && !piece->continues && !piece->joined,
		.whole = entry->whole && (entry->per_thread || (before && !has_loss(before->piece))),
		.task_known = entry->per_thread && piece->tid >= 0,
		.task = piece->tid >= 0 ? (uint32_t)piece->tid : 0,
		.window = entry->window,
	};

	cap->buffers[buffer].size += piece->len;
	file->stretch_count++;
	return SL_ARRAY_PUSH(&cap->stretches, &cap->stretch_len, &cap->stretch_cap, stretch);
}

static int build_buffers(struct sl_capture *cap, const struct entries *entries)
{
	size_t count = 0, buffer = 0;
	int result;

	for (size_t i = 0; i < entries->len; i++)
		count += starts_group(entries, i);
	result = sl_capture_make_buffers(cap, count);
	for (size_t i = 0; i < entries->len && result == SL_OK; i++) {
		bool starts = starts_group(entries, i);

		buffer += starts && i;
		if (starts)
			result = open_buffer(cap, buffer, &entries->items[i].group);
		if (result == SL_OK)
			result = add_stretch(cap, buffer, &entries->items[i], i ? &entries->items[i - 1] : NULL);
	}
	return result;
}

static void note_orphans(const struct sl_capture *cap, struct sl_notes *notes)
{
	for (size_t i = 0, at = 0; i < cap->buffer_len; i++) {
		size_t first = at;

		while (at < cap->stream_len && cap->streams[at].buffer == i)
			at++;
		if (at > first)
			continue;
		sl_notes_add(notes,
			     "buffer %s: no CPU's registers are known for its %" PRIu64
			     " bytes, which are not decoded: record with --sample-cpu, or without --per-thread",
			     cap->buffers[i].name, cap->buffers[i].size);
	}
}

/* What tells the tasks of a stream without context ids: records of switches, as closely as its timestamps can be dated. */
enum told_by { BY_NOTHING, BY_SWITCHES, BY_SWITCHES_AND_TIME, BY_TRACE };

static enum told_by tasks_told(const struct perf_capture *perf, const struct sl_stream *stream)
{
	uint64_t ns;

	if (stream->config.task_from != SL_TASK_UNKNOWN)
		return BY_TRACE;
	if (!perf_switches_known(&perf->switches, stream->cpu))
		return BY_NOTHING;
	return perf_time_ns(perf, stream->cpu, 0, &ns) ? BY_SWITCHES_AND_TIME : BY_SWITCHES;
}

size_t perf_unknown_pieces(const struct sl_capture *cap)
{
	size_t unknown = 0;

	for (size_t i = 0; i < cap->stretch_len; i++)
		unknown += !cap->stretches[i].task_known;
	return unknown;
}

/* Where several processes ran and nothing tells which: their code cannot be told apart, and none is guessed. */
static void note_unknown_tasks(const struct sl_capture *cap, struct sl_notes *notes)
{
	size_t unknown = cap->perf->several ? perf_unknown_pieces(cap) : 0;
	enum told_by least = BY_TRACE;

	for (size_t i = 0; i < cap->stream_len; i++) {
		enum told_by told = tasks_told(cap->perf, &cap->streams[i]);

		least = told < least ? told : least;
	}
	if (unknown && least <= BY_SWITCHES && cap->perf->etm.intel_pt)
		sl_notes_add(notes,
			     "the trace does not tell tasks, and there are no records of switches that it could be dated by: of %zu pieces, "
			     "code in user space is decoded only where one task ran all the time; record with --switch-events",
			     unknown);
	else if (unknown && least == BY_NOTHING)
		sl_notes_add(notes,
			     "the trace has no context ids, and %zu pieces of it are of no known thread: code in user space "
			     "is not decoded; record with contextid (and CONFIG_PID_IN_CONTEXTIDR), or with --per-thread",
			     unknown);
	else if (unknown && least == BY_SWITCHES)
		sl_notes_add(notes,
			     "the trace has no context ids, and its timestamps cannot be dated: of %zu pieces, code in user space is "
			     "decoded only where one task ran all the time; record with contextid (and CONFIG_PID_IN_CONTEXTIDR), or "
			     "with --per-thread",
			     unknown);
}

int perf_lanes_build(struct sl_capture *cap, struct sl_notes *notes)
{
	struct entries entries = { 0 };
	int result = collect(cap->perf, &entries);

	if (result == SL_OK)
		result = build_buffers(cap, &entries);
	free(entries.items);
	if (result == SL_OK)
		result = sl_streams_settle(cap);
	if (result == SL_OK)
		note_orphans(cap, notes);
	if (result == SL_OK)
		note_unknown_tasks(cap, notes);
	return result;
}
