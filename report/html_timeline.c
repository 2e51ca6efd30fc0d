/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in columns. A row is what lies beside each other without an overlap: the calls of a track at one depth, the tasks that ran on a
 * lane, the losses of a lane. docs/formats/html-data.md has the columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "sl_array.h"
#include "sl_map.h"
#include "spool.h"
#include "utf8.h"

enum { GAP, DURATION, NAME, KIDS, PAUSE, REST, COLUMNS };
enum row_kind { ROW_CALLS, ROW_RUNS, ROW_LOSSES };
enum { DEPTH_MAX = 400 }; /* rows of one track: more cannot be looked at */

struct row {
	enum row_kind kind;
	uint32_t owner, depth; /* a track or a lane */
	uint64_t count, last;
};

/* A depth of a track: when the call that is open there began, and what it called, which ended one deeper since the last one here did. */
struct level {
	uint64_t start, callee_total;
	uint32_t callees;
};

struct track {
	char *name;
	uint32_t *rows; /* by depth: index + 1 */
	struct level *levels; /* by depth */
	size_t row_cap, level_cap;
};

struct lane {
	uint32_t runs, losses; /* rows: index + 1 */
	int64_t cpu;
	uint64_t from, end;
	uint32_t track; /* that runs: + 1 */
};

struct name {
	uint32_t id; /* the timeline's */
	bool level;
};

struct html_timeline {
	const struct sl_timeline_head *head;
	struct spool *spool;
	struct row *rows;
	struct track *tracks;
	struct lane *lanes;
	struct name *names;
	char **reasons; /* of losses */
	size_t row_count, row_cap, track_count, track_cap, lane_count, lane_cap, name_count, name_cap, reason_count, reason_cap;
	struct sl_map by_name;
	uint32_t depth_limit;
	bool apart; /* rows that are not told of at first are there too */
	uint64_t calls, deep, left_out, end;
	bool no_memory;
};

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static void put(struct html_timeline *t, uint32_t row, unsigned column, uint64_t value)
{
	spool_put_number(t->spool, row * COLUMNS + column, value);
}

/* Makes room for index in an array of zeros. */
static bool reach(struct html_timeline *t, void **data, size_t *cap, size_t size, size_t index)
{
	size_t before = *cap;

	if (index < before)
		return true;
	if (sl_array_reserve(data, cap, size, index + 1) < 0) {
		t->no_memory = true;
		return false;
	}
	memset((char *)*data + before * size, 0, (*cap - before) * size);
	return true;
}

/* The row that *index names, made where it is none. */
static struct row *row_of(struct html_timeline *t, uint32_t *index, enum row_kind kind, uint32_t owner, uint32_t depth)
{
	const struct row fresh = { .kind = kind, .owner = owner, .depth = depth };

	if (!*index) {
		if (SL_ARRAY_PUSH(&t->rows, &t->row_count, &t->row_cap, fresh) < 0) {
			t->no_memory = true;
			return NULL;
		}
		*index = (uint32_t)t->row_count;
	}
	return &t->rows[*index - 1];
}

/* from: when it begins, since is what that is told from. */
static void put_span(struct html_timeline *t, struct row *row, uint64_t since, uint64_t from, uint64_t to, uint64_t name)
{
	uint32_t number = (uint32_t)(row - t->rows);

	put(t, number, GAP, from - since);
	put(t, number, DURATION, to - from);
	put(t, number, NAME, name);
	row->last = to;
	row->count++;
	t->end = to > t->end ? to : t->end;
}

static struct track *track_of(struct html_timeline *t, const struct sl_timeline_track *pub)
{
	struct track *track;

	if (!reach(t, (void **)&t->tracks, &t->track_cap, sizeof(*t->tracks), pub->id))
		return NULL;
	if (pub->id >= t->track_count)
		t->track_count = (size_t)pub->id + 1;
	track = &t->tracks[pub->id];
	if (!track->name)
		track->name = strdup(pub->name);
	t->no_memory |= !track->name;
	return track;
}

static struct lane *lane_of(struct html_timeline *t, const struct sl_timeline_event *e)
{
	if (!reach(t, (void **)&t->lanes, &t->lane_cap, sizeof(*t->lanes), e->lane))
		return NULL;
	if (e->lane >= t->lane_count)
		t->lane_count = (size_t)e->lane + 1;
	t->lanes[e->lane].cpu = e->cpu;
	return &t->lanes[e->lane];
}

static uint32_t name_of(struct html_timeline *t, const struct sl_timeline_event *e)
{
	const struct name fresh = { .id = e->name_id, .level = e->flags & SL_TIMELINE_LEVEL };
	uint64_t *number = sl_map_put(&t->by_name, e->name_id);

	if (number && !*number && SL_ARRAY_PUSH(&t->names, &t->name_count, &t->name_cap, fresh) == SL_OK)
		*number = t->name_count;
	if (number && *number)
		return (uint32_t)*number - 1;
	t->no_memory = true;
	return 0;
}

/* What has no costs of its own is told by a flag that no call has. */
static uint64_t flags_of(const struct sl_timeline_event *e)
{
	enum { OPEN = 1 << 11 };
	unsigned kept = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT | SL_SPAN_TAIL | SL_SPAN_REPAIRED | SL_TIMELINE_RECURSIVE | SL_TIMELINE_MOVED;

	return (e->flags & kept) | (e->costs ? 0 : OPEN);
}

/* The costs, as what they differ by from what is likely: nothing came in between, and what callees did not take is self. */
static void put_costs(struct html_timeline *t, const struct level *level, uint32_t row, const struct sl_timeline_event *e)
{
	put(t, row, KIDS, level->callees);
	put(t, row, PAUSE, e->costs ? zigzag(e->at - e->start - e->total) : 0);
	put(t, row, REST, e->costs ? zigzag(e->self - (e->total - level->callee_total)) : 0);
}

/* The level of an event's depth, which has those below it before it; NULL where it is too deep, or without memory. */
static struct level *level_of(struct html_timeline *t, struct track *track, uint32_t depth)
{
	if (!track || depth >= DEPTH_MAX || !reach(t, (void **)&track->levels, &track->level_cap, sizeof(*track->levels), depth))
		return NULL;
	return &track->levels[depth];
}

static void call_begins(struct html_timeline *t, const struct sl_timeline_event *e)
{
	struct level *level = level_of(t, track_of(t, e->track), e->depth);

	if (level)
		*level = (struct level){ .start = e->at };
}

/* What its caller is told of a call. The first one is told from where its caller began, others from where the one before ended. */
static uint64_t tell_caller(struct level *caller, const struct row *row, const struct sl_timeline_event *e)
{
	if (!caller)
		return row->last;
	if (e->costs && !(e->flags & SL_TIMELINE_LEVEL))
		caller->callee_total += e->total;
	return caller->callees++ ? row->last : caller->start;
}

static void call_ends(struct html_timeline *t, const struct sl_timeline_event *e)
{
	struct track *track = track_of(t, e->track);
	struct level *level = level_of(t, track, e->depth);
	uint64_t flags = flags_of(e), since;
	uint32_t name = name_of(t, e);
	struct row *row;

	t->deep += e->depth >= DEPTH_MAX;
	if (!level || !reach(t, (void **)&track->rows, &track->row_cap, sizeof(*track->rows), e->depth))
		return;
	row = row_of(t, &track->rows[e->depth], ROW_CALLS, e->track->id, e->depth);
	if (!row)
		return;
	since = tell_caller(e->depth ? level - 1 : NULL, row, e);
	put_span(t, row, since, e->start, e->at, (uint64_t)name << 1 | (flags != 0));
	if (flags)
		put(t, (uint32_t)(row - t->rows), NAME, flags);
	put_costs(t, level, (uint32_t)(row - t->rows), e);
	t->calls++;
}

static void run_begins(struct html_timeline *t, const struct sl_timeline_event *e)
{
	struct lane *lane = lane_of(t, e);
	struct row *row = lane ? row_of(t, &lane->runs, ROW_RUNS, e->lane, 0) : NULL;

	if (!row)
		return;
	if (lane->track)
		put_span(t, row, row->last, lane->from, e->at, lane->track - 1);
	lane->from = e->at;
	lane->track = e->track ? e->track->id + 1 : 0;
	if (e->track)
		track_of(t, e->track);
}

static uint32_t reason_of(struct html_timeline *t, const char *name)
{
	char *copy;

	for (size_t i = 0; i < t->reason_count; i++) {
		if (strcmp(t->reasons[i], name) == 0)
			return (uint32_t)i;
	}
	copy = strdup(name);
	if (!copy || SL_ARRAY_PUSH(&t->reasons, &t->reason_count, &t->reason_cap, copy) < 0) {
		free(copy);
		t->no_memory = true;
		return 0;
	}
	return (uint32_t)t->reason_count - 1;
}

static void loss(struct html_timeline *t, const struct sl_timeline_event *e)
{
	struct lane *lane = lane_of(t, e);
	struct row *row = lane ? row_of(t, &lane->losses, ROW_LOSSES, e->lane, 0) : NULL;

	if (row)
		put_span(t, row, row->last, e->at, e->at, reason_of(t, e->name));
}

static void timeline_begin(void *self, const struct sl_timeline_head *head)
{
	struct html_timeline *t = self;

	t->head = head;
}

static void timeline_event(void *self, const struct sl_timeline_event *e)
{
	struct html_timeline *t = self;

	if (t->no_memory)
		return;
	if (e->kind == SL_TIMELINE_BEGIN)
		call_begins(t, e);
	else if (e->kind == SL_TIMELINE_END)
		call_ends(t, e);
	else if (e->kind == SL_TIMELINE_RUN)
		run_begins(t, e);
	else if (e->kind == SL_TIMELINE_MARK)
		loss(t, e);
}

static int timeline_no_close(void *self)
{
	(void)self;
	return SL_OK;
}

void html_timeline_ops(struct html_timeline *timeline, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { timeline_begin, timeline_event, timeline_no_close };

	*ret = (struct sl_timeline){ &ops, timeline };
}

int html_timeline_new(struct html_timeline **ret)
{
	struct html_timeline *t = calloc(1, sizeof(*t));
	int result = t ? spool_new(&t->spool) : SL_ERR_NOMEM;

	if (result < 0) {
		free(t);
		return result;
	}
	t->depth_limit = DEPTH_MAX;
	*ret = t;
	return SL_OK;
}

/* The depth whose levels, and all below, still fit. */
static void choose_depth(struct html_timeline *t, uint64_t calls_max)
{
	uint64_t by_depth[DEPTH_MAX] = { 0 }, sum = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].kind == ROW_CALLS)
			by_depth[t->rows[i].depth] += t->rows[i].count;
	}
	while (depth < DEPTH_MAX && (depth == 0 || sum + by_depth[depth] <= calls_max))
		sum += by_depth[depth++];
	t->depth_limit = depth;
	t->left_out = t->calls - sum + t->deep;
	t->calls = sum;
}

static bool is_told(const struct html_timeline *t, const struct row *row)
{
	return row->kind != ROW_CALLS || row->depth < t->depth_limit || t->apart;
}

static uint64_t column_length(const struct html_timeline *t, size_t row, unsigned column)
{
	uint32_t stream = (uint32_t)row * COLUMNS + column;

	return stream < spool_streams(t->spool) ? spool_length(t->spool, stream) : 0;
}

static void write_row(const struct html_timeline *t, size_t number, FILE *facts)
{
	static const char *const kinds[] = { [ROW_CALLS] = "calls", [ROW_RUNS] = "runs", [ROW_LOSSES] = "losses" };
	const struct row *row = &t->rows[number];

	fprintf(facts, "[\"%s\",%" PRIu32 ",%" PRIu32 ",%" PRIu64, kinds[row->kind], row->owner, row->depth, row->count);
	for (unsigned column = 0; column < COLUMNS; column++)
		fprintf(facts, ",%" PRIu64, column_length(t, number, column));
	fputs("]\n", facts);
}

static void write_names(const struct html_timeline *t, FILE *facts)
{
	for (size_t i = 0; i < t->name_count; i++) {
		const char *module, *name = t->head->name(t->head->ctx, t->names[i].id, &module);

		fputs("[\"name\",", facts);
		sl_json_string(facts, name);
		putc(',', facts);
		sl_json_string(facts, module ? module : "");
		fprintf(facts, ",%d]\n", t->names[i].level);
	}
}

static void write_owners(const struct html_timeline *t, FILE *facts)
{
	for (size_t i = 0; i < t->track_count; i++) {
		fputs("[\"track\",", facts);
		sl_json_string(facts, t->tracks[i].name ? t->tracks[i].name : "");
		fputs("]\n", facts);
	}
	for (size_t i = 0; i < t->lane_count; i++)
		fprintf(facts, "[\"lane\",%" PRId64 "]\n", t->lanes[i].cpu);
	for (size_t i = 0; i < t->reason_count; i++) {
		fputs("[\"reason\",", facts);
		sl_json_string(facts, t->reasons[i]);
		fputs("]\n", facts);
	}
}

void html_timeline_facts(struct html_timeline *t, FILE *facts, uint64_t calls_max, bool apart)
{
	if (!t->head)
		return;
	t->apart = apart;
	choose_depth(t, calls_max);
	fprintf(facts, "{\"timeline\":{\"unit\":\"%s\",\"end\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"depth\":%" PRIu32 ",\"left_out\":%" PRIu64
		",\"about\":", t->head->unit, t->end, t->calls, t->depth_limit, t->left_out);
	sl_json_string(facts, t->head->about);
	fputs("}}\n", facts);
	write_names(t, facts);
	write_owners(t, facts);
	for (size_t i = 0; i < t->row_count; i++) {
		if (is_told(t, &t->rows[i]))
			write_row(t, i, facts);
	}
}

/* Where columns go: one of the two. */
struct columns {
	struct html_block *block;
	FILE *out;
	struct spool_reader reader;
};

static void write_column(const struct html_timeline *t, size_t row, unsigned column, struct columns *to)
{
	const uint8_t *bytes;
	size_t len;

	if (!column_length(t, row, column))
		return;
	spool_read(t->spool, (uint32_t)row * COLUMNS + column, &to->reader);
	while ((len = spool_next(&to->reader, &bytes)) > 0) {
		if (to->block)
			html_block_put(to->block, bytes, len);
		else
			fwrite(bytes, 1, len, to->out);
	}
}

void html_timeline_columns(struct html_timeline *t, struct html_block *block)
{
	struct columns to = { .block = block };

	for (unsigned column = 0; column < COLUMNS; column++) {
		for (size_t i = 0; i < t->row_count; i++) {
			if (is_told(t, &t->rows[i]))
				write_column(t, i, column, &to);
		}
	}
}

void html_timeline_rows(struct html_timeline *t, FILE *out)
{
	struct columns to = { .out = out };

	for (size_t i = 0; i < t->row_count; i++) {
		for (unsigned column = 0; column < COLUMNS; column++)
			write_column(t, i, column, &to);
	}
}

int html_timeline_close(struct html_timeline *t)
{
	int result = t->no_memory ? SL_ERR_NOMEM : spool_result(t->spool);

	for (size_t i = 0; i < t->track_count; i++) {
		free(t->tracks[i].name);
		free(t->tracks[i].rows);
		free(t->tracks[i].levels);
	}
	for (size_t i = 0; i < t->reason_count; i++)
		free(t->reasons[i]);
	free(t->reasons);
	free(t->names);
	free(t->lanes);
	free(t->tracks);
	free(t->rows);
	sl_map_release(&t->by_name);
	spool_free(t->spool);
	free(t);
	return result;
}
