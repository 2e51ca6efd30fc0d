/* SPDX-License-Identifier: Apache-2.0 */
/* Where trace was missing and how long, and where the call stack had to be corrected. */
#include "profile.h"

#include <inttypes.h>
#include <stdio.h>

#include "sl_array.h"

/* Whether calls may be missing: the program may have run on as if traced. */
static bool is_loss(enum sl_gap gap)
{
	return gap != SL_GAP_FILTER && gap != SL_GAP_DEBUG && gap != SL_GAP_NO_IMAGE;
}

/* What passed since the gap began, or since its cause changed, is booked to the cause. */
static void close_gap(struct lane_state *lane, const struct sl_axes *until)
{
	struct gap_sum *sum = &lane->gaps[lane->gap];
	struct sl_axes passed = sl_axes_sub(*until, lane->gap_from);

	sl_axes_add(&sum->sum, passed);
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		if (passed.v[axis] > sum->longest.v[axis])
			sum->longest.v[axis] = passed.v[axis];
	}
	lane->in_gap = false;
}

/* Whether flow was decoded there that is not believed: other gaps in it are no more believed, and what passes in them is its. */
static bool is_doubt(enum sl_gap gap)
{
	return gap == SL_GAP_UNTRUSTED || gap == SL_GAP_IMAGE;
}

/* In code without an image time goes on: it is a function of its own. */
static void on_gap(struct lane_state *lane, const struct sl_call *call)
{
	struct gap_sum *sum = &lane->gaps[call->number];

	if (!sum->count++)
		sum->first_offset = call->offset;
	if (call->number == SL_GAP_NO_IMAGE || (lane->in_gap && is_doubt(lane->gap) && !is_doubt((enum sl_gap)call->number)))
		return;
	if (lane->in_gap)
		close_gap(lane, call->enter);
	lane->in_gap = true;
	lane->gap = (enum sl_gap)call->number;
	lane->gap_from = *call->enter;
	lane->losses += is_loss(lane->gap);
}

void profile_gaps_leave(struct lane_state *lane, const struct sl_axes *leave, unsigned flags)
{
	if (flags & SL_SPAN_NO_EXIT)
		lane->gaps[lane->gap].cut++;
	else
		close_gap(lane, leave);
}

/* A gap ends where something is seen to run again. What ends without exit is what the gap has ended. */
void profile_gaps_call(struct sl_profile *p, const struct sl_call *call)
{
	struct lane_state *lane = p->lane;

	if (call->kind == SL_CALL_GAP && call->number < SL_GAPS)
		on_gap(lane, call);
	else if (!lane->in_gap)
		return;
	else if (call->kind == SL_CALL_LEAVE)
		profile_gaps_leave(lane, call->leave, call->flags);
	else if (call->kind == SL_CALL_ENTER)
		close_gap(lane, call->enter);
	else if (call->kind == SL_CALL_RESUME && !(call->flags & SL_SPAN_NO_EXIT))
		close_gap(lane, call->leave);
}

void profile_repair(struct sl_profile *p, const struct sl_call *call)
{
	const struct repair repair = { (uint32_t)call->lane->index, call->number, call->symbol, call->offset, *call->enter };

	p->repairs_told++;
	if (p->repair_count == REPAIRS_KEPT)
		return;
	if (SL_ARRAY_PUSH(&p->repairs, &p->repair_count, &p->repair_cap, repair) < 0)
		p->no_memory = true;
}

#define GAP_COLUMNS(unit)                                                                                               \
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },                                                      \
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },                                                                     \
	{ "gap", "gap", "cause", SL_TYPE_STRING, 0 },                                                                   \
	{ "count", "count", "how many", SL_TYPE_COUNT, 0 },                                                             \
	{ "time_" unit, unit, "that passed in them: no function's", SL_TYPE_COUNT, 0 },                                 \
	{ "longest_" unit, "longest", "of them", SL_TYPE_COUNT, 0 },                                                    \
	{ "insns", "insns", "instructions in them of which only the number is known", SL_TYPE_COUNT, 0 },               \
	{ "cut_calls", "cut", "calls that they ended: these have no exit, and are in no duration", SL_TYPE_COUNT, 0 },   \
	{ "first_offset_bytes", "first at", "offset of the first one in the buffer", SL_TYPE_COUNT, 0 }

enum { GAP_COLUMN_COUNT = 9 };
static const struct sl_column gap_columns[SL_AXIS_COUNT][GAP_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { GAP_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { GAP_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { GAP_COLUMNS("ns") },
};

/* Every lane begins with a gap up to its first sync point, and with tracing being switched on. */
static bool is_news(const struct gap_sum *sum, unsigned gap, enum sl_axis axis)
{
	bool first = (gap == SL_GAP_START || gap == SL_GAP_FILTER) && sum->count == 1;

	return sum->count && !(first && !sum->sum.v[axis] && !sum->cut);
}

static void gap_row(const struct sl_profile *p, const struct lane_state *lane, unsigned gap, enum sl_axis axis,
		    const struct sl_table *out)
{
	const struct gap_sum *sum = &lane->gaps[gap];
	bool passes = gap != SL_GAP_NO_IMAGE;
	const struct sl_cell cells[GAP_COLUMN_COUNT] = {
		sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(sl_gap_name(gap)), sl_cell_u64(sum->count),
		passes ? profile_scaled(p, axis, sum->sum.v[axis]) : sl_cell_none(),
		passes ? profile_scaled(p, axis, sum->longest.v[axis]) : sl_cell_none(),
		sl_cell_u64(sum->sum.v[SL_AXIS_INSNS]), sl_cell_u64(sum->cut), sl_cell_u64(sum->first_offset),
	};

	out->ops->row(out->out, cells);
}

static bool has_news(const struct sl_profile *p, enum sl_axis axis)
{
	for (size_t i = 0; i < p->lane_count; i++) {
		for (unsigned gap = 0; gap < SL_GAPS; gap++) {
			if (is_news(&p->lanes[i].gaps[gap], gap, axis))
				return true;
		}
	}
	return false;
}

void profile_gaps_write(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out)
{
	const struct sl_table_head head = { .schema = "sightline.report/1", .name = "gaps",
					    .title = "Gaps: where trace was missing (info says what to do)",
					    .columns = gap_columns[axis], .column_count = GAP_COLUMN_COUNT };

	if (!has_news(p, axis))
		return;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < p->lane_count; i++) {
		for (unsigned gap = 0; gap < SL_GAPS; gap++) {
			if (is_news(&p->lanes[i].gaps[gap], gap, axis))
				gap_row(p, &p->lanes[i], gap, axis, out);
		}
	}
	out->ops->end(out->out);
}

static void write_counts(const struct sl_profile *p, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },
		{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
		{ "repair", "repair", "what was corrected", SL_TYPE_STRING, 0 },
		{ "count", "count", "how often", SL_TYPE_COUNT, 0 },
		{ "meaning", "meaning", "what it means", SL_TYPE_STRING, 0 },
	};
	struct sl_table_head head = { .schema = "sightline.report/1", .name = "repairs", .title = "Repairs of the call stack",
				      .columns = columns, .column_count = 5 };
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(p->calls, &lanes);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		for (unsigned r = 0; r < SL_REPAIRS; r++) {
			const struct sl_cell cells[5] = {
				sl_cell_str(lanes[i].buffer), sl_cell_u64(lanes[i].trace_id), sl_cell_str(sl_repair_name(r)),
				sl_cell_u64(lanes[i].account.repairs[r]), sl_cell_str(sl_repair_help(r)),
			};

			if (lanes[i].account.repairs[r])
				out->ops->row(out->out, cells);
		}
	}
	out->ops->end(out->out);
}

#define LEDGER_COLUMNS(unit)                                                                                     \
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },                                               \
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },                                                              \
	{ "offset_bytes", "offset", "of the trace byte, in the buffer", SL_TYPE_COUNT, 0 },                      \
	{ "at_" unit, "at " unit, "when", SL_TYPE_COUNT, 0 },                                                    \
	{ "repair", "repair", "what was corrected", SL_TYPE_STRING, 0 },                                         \
	{ "function", "function", "that was on top of the stack before", SL_TYPE_STRING, 0 }

enum { LEDGER_COLUMN_COUNT = 6 };
static const struct sl_column ledger_columns[SL_AXIS_COUNT][LEDGER_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { LEDGER_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { LEDGER_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { LEDGER_COLUMNS("ns") },
};

static void ledger_row(const struct sl_profile *p, const struct repair *repair, enum sl_axis axis, const struct sl_table *out)
{
	const struct lane_state *lane = &p->lanes[repair->lane];
	bool named = repair->symbol != UINT32_MAX;
	const struct sl_cell cells[LEDGER_COLUMN_COUNT] = {
		sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_u64(repair->offset),
		profile_scaled(p, axis, repair->at.v[axis]), sl_cell_str(sl_repair_name(repair->kind)),
		sl_cell_str(named ? sl_image_symbol(p->options.image, repair->symbol)->name : NULL),
	};

	out->ops->row(out->out, cells);
}

static void write_ledger(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out)
{
	char title[120], told[24], kept[24];
	const struct sl_meta meta[] = { { "repairs", told }, { "repairs_shown", kept } };
	struct sl_table_head head = { .schema = "sightline.report/1", .name = "ledger", .title = "Each repair",
				      .columns = ledger_columns[axis], .column_count = LEDGER_COLUMN_COUNT, .meta = meta,
				      .meta_count = 2 };

	snprintf(told, sizeof(told), "%" PRIu64, p->repairs_told);
	snprintf(kept, sizeof(kept), "%zu", p->repair_count);
	snprintf(title, sizeof(title), "Each repair (the first %s of %s)", kept, told);
	if (p->repair_count < p->repairs_told)
		head.title = title;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < p->repair_count; i++)
		ledger_row(p, &p->repairs[i], axis, out);
	out->ops->end(out->out);
}

void profile_repairs_write(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out)
{
	write_counts(p, out);
	write_ledger(p, axis, out);
}
