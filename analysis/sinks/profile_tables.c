/* SPDX-License-Identifier: Apache-2.0 */
/* report: what is written of the rows, and the account that says whether all was counted. */
#include "profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "axis.h"

static const struct {
	const char *name, *table, *title;
} kinds[SL_PROFILE_KINDS] = {
	[SL_BY_FUNCTION] = { "function", "functions", "Functions" },
	[SL_BY_MODULE] = { "module", "modules", "Modules: a call is a stay in it" },
	[SL_BY_TASK] = { "task", "tasks", "Tasks: a call is a stay on a CPU" },
	[SL_BY_CPU] = { "cpu", "cpus", "CPUs" },
	[SL_BY_LEVEL] = { "level", "levels", "Exception levels: a call is an exception" },
	[SL_BY_LINE] = { "line", "lines", "" },
	[SL_BY_FILE] = { "file", "files", "" },
};

const char *sl_profile_by_name(unsigned by)
{
	return by < SL_PROFILE_KINDS ? kinds[by].name : NULL;
}

const char *sl_profile_table_name(enum sl_profile_by by)
{
	return kinds[by].table;
}

/* Those that say what a row is of. */
static const struct sl_column function_column = { "function", "function", "name of the function, demangled", SL_TYPE_STRING, 0 },
			      module_column = { "module", "module", "file that holds it", SL_TYPE_STRING, 0 },
			      task_column = { "task", "task", "name of the task", SL_TYPE_STRING, 0 },
			      task_id_column = { "task_id", "id", "its thread id, or its context id", SL_TYPE_COUNT, 0 },
			      cpu_column = { "cpu", "cpu", "its number, or its trace source", SL_TYPE_STRING, 0 },
			      level_column = { "level", "level", "what was interrupted by: task is nothing", SL_TYPE_STRING, 0 };

#define RARE SL_COLUMN_RARE
#define COMMON_COLUMNS(unit)                                                                                                       \
	{ "calls", "calls", "entries seen", SL_TYPE_COUNT, 0 },                                                                    \
	{ "missing_entry", "no entry", "found running: the entry was not traced", SL_TYPE_COUNT, RARE },                        \
	{ "missing_exit", "no exit", "still running where the trace ends or has a gap", SL_TYPE_COUNT, RARE },                  \
	{ "missing", "(a/b)", "missing_entry/missing_exit, where there are any", SL_TYPE_STRING, 0 },                             \
	{ "total_" unit, "total " unit, "with callees; recursion once; see --durations", SL_TYPE_COUNT, 0 },                       \
	{ "self_" unit, "self " unit, "without callees", SL_TYPE_COUNT, 0 },                                                       \
	{ "self_percent", "self %", "share of self in the whole, of " unit, SL_TYPE_PERCENT, 0 },                                  \
	{ "min_" unit, "min", "shortest complete call", SL_TYPE_COUNT, 0 },                                                        \
	{ "avg_" unit, "avg", "mean of the complete calls", SL_TYPE_REAL, 0 },                                                     \
	{ "p99_" unit, "p99", "99 % of the complete calls are not longer (within 0.8 %)", SL_TYPE_COUNT, 0 },                      \
	{ "max_" unit, "max", "longest complete call", SL_TYPE_COUNT, 0 },                                                         \
	{ "stdev_" unit, "stdev", "standard deviation of the complete calls", SL_TYPE_REAL, RARE },                             \
	{ "p50_" unit, "p50", "median of the complete calls", SL_TYPE_COUNT, RARE },                                            \
	{ "p90_" unit, "p90", "90 % of the complete calls are not longer", SL_TYPE_COUNT, RARE },                               \
	{ "p999_" unit, "p99.9", "99.9 % of the complete calls are not longer", SL_TYPE_COUNT, RARE },                          \
	{ "total_percent", "total %", "share of total in the whole, of " unit, SL_TYPE_PERCENT, RARE }
#define WORK_COLUMNS                                                                                                               \
	{ "insns", "insns", "instructions executed, with callees; recursion once", SL_TYPE_COUNT, RARE },                       \
	{ "self_insns", "self insns", "instructions executed, without callees", SL_TYPE_COUNT, RARE }
#define MORE_COLUMNS(unit)                                                                                                         \
	{ "ipc", "ipc", "instructions a cycle, without callees", SL_TYPE_REAL, RARE },                                          \
	{ "bounds", "bounds", "complete calls shorter than the clock can tell: in no min and percentile", SL_TYPE_COUNT, RARE }, \
	{ "resolution_" unit, "+- " unit, "complete calls but bounds are right within so much", SL_TYPE_COUNT, RARE },                                \
	{ "cut_calls", "cut", "calls without exit that a gap ended", SL_TYPE_COUNT, RARE },                                     \
	{ "interrupted_" unit, "interrupted", "in interrupts, system calls and faults on top; no part of net", SL_TYPE_COUNT, RARE }, \
	{ "longest_interrupted_" unit, "longest int", "most of it in one call", SL_TYPE_COUNT, RARE },                          \
	{ "suspended_" unit, "suspended", "while the task did not run; part of wall only", SL_TYPE_COUNT, RARE },               \
	{ "longest_suspended_" unit, "longest susp", "most of it in one call", SL_TYPE_COUNT, RARE },                           \
	{ "first_at_" unit, "first at", "when it began to run first", SL_TYPE_COUNT, RARE },                                    \
	{ "first_offset_bytes", "first byte", "... and where that is in the buffer", SL_TYPE_COUNT, RARE },                     \
	{ "last_at_" unit, "last at", "when it began to run last", SL_TYPE_COUNT, RARE },                                       \
	{ "last_offset_bytes", "last byte", "... and where that is in the buffer", SL_TYPE_COUNT, RARE },                       \
	{ "min_at_" unit, "min at", "when the shortest call began", SL_TYPE_COUNT, RARE },                                      \
	{ "min_offset_bytes", "min byte", "... and where that is in the buffer", SL_TYPE_COUNT, RARE },                         \
	{ "max_at_" unit, "max at", "when the longest call began", SL_TYPE_COUNT, RARE },                                       \
	{ "max_offset_bytes", "max byte", "... and where that is in the buffer", SL_TYPE_COUNT, RARE },                         \
	{ "intervals", "intervals", "from start to start on a CPU, without a loss in between", SL_TYPE_COUNT, RARE },           \
	{ "interval_min_" unit, "int min", "shortest of them", SL_TYPE_COUNT, RARE },                                           \
	{ "interval_avg_" unit, "int avg", "their mean: the period", SL_TYPE_REAL, RARE },                                      \
	{ "interval_max_" unit, "int max", "longest of them", SL_TYPE_COUNT, RARE },                                            \
	{ "interval_stdev_" unit, "jitter", "their standard deviation", SL_TYPE_REAL, RARE },                                   \
	{ "per_root_calls", "per root", "calls inside of one call of --root", SL_TYPE_REAL, RARE },                             \
	{ "per_root_self_" unit, "self/root", "self inside of one call of --root", SL_TYPE_REAL, RARE }
#define ROOT_WORK_COLUMNS                                                                                                          \
	{ "per_root_self_insns", "insns/root", "instructions by itself inside of one call of --root", SL_TYPE_REAL, RARE }

static const struct sl_column insn_columns[] = {
	COMMON_COLUMNS("insns"),
	{ "insns", "insns", "instructions executed, with callees; recursion once", SL_TYPE_COUNT, RARE },
	MORE_COLUMNS("insns"),
};
static const struct sl_column cycle_columns[] = { COMMON_COLUMNS("cycles"), WORK_COLUMNS, MORE_COLUMNS("cycles"),
							  ROOT_WORK_COLUMNS };
static const struct sl_column time_columns[] = { COMMON_COLUMNS("ns"), WORK_COLUMNS, MORE_COLUMNS("ns"), ROOT_WORK_COLUMNS };

static const struct {
	const struct sl_column *columns;
	size_t count;
} common[SL_AXIS_COUNT] = {
	[SL_AXIS_INSNS] = { insn_columns, sizeof(insn_columns) / sizeof(insn_columns[0]) },
	[SL_AXIS_CYCLES] = { cycle_columns, sizeof(cycle_columns) / sizeof(cycle_columns[0]) },
	[SL_AXIS_TICKS] = { time_columns, sizeof(time_columns) / sizeof(time_columns[0]) },
};

static size_t head_columns(enum sl_profile_by by, struct sl_column *ret)
{
	size_t n = 0;

	if (by == SL_BY_FUNCTION)
		ret[n++] = function_column;
	if (by == SL_BY_FUNCTION || by == SL_BY_MODULE)
		ret[n++] = module_column;
	if (by == SL_BY_TASK) {
		ret[n++] = task_column;
		ret[n++] = task_id_column;
	}
	if (by == SL_BY_CPU)
		ret[n++] = cpu_column;
	if (by == SL_BY_LEVEL)
		ret[n++] = level_column;
	return n;
}

size_t sl_profile_columns(enum sl_profile_by by, enum sl_axis axis, struct sl_column *ret)
{
	const struct sl_column *columns = common[axis].columns;
	size_t n = 0, count = common[axis].count;

	if (by == SL_BY_LINE || by == SL_BY_FILE)
		count = profile_lines_columns(by, &columns);
	else
		n = head_columns(by, ret);
	memcpy(ret + n, columns, count * sizeof(*columns));
	return n + count;
}

size_t sl_profile_brief_columns(enum sl_profile_by by, enum sl_axis axis, struct sl_column *ret)
{
	size_t n = sl_profile_columns(by, axis, ret), i = 0;

	if (by == SL_BY_LINE || by == SL_BY_FILE)
		return n;
	while (i < n && strncmp(ret[i].name, "interrupted_", strlen("interrupted_")) != 0)
		i++;
	return i;
}

struct sl_cell profile_scaled(const struct sl_profile *p, enum sl_axis axis, uint64_t value)
{
	return sl_cell_u64(axis_value(axis, value, p->options.timestamp_hz));
}

/* What is wanted of all rows of a table. */
struct writing {
	const struct sl_profile *p;
	enum sl_axis axis;
	double unit;	 /* one step of the axis as it is shown */
	uint64_t whole;	 /* self of all lanes */
	uint64_t roots;	 /* calls of the filter's root */
	struct sl_cell *cells;
	size_t len;
};

static void put(struct writing *w, struct sl_cell cell)
{
	w->cells[w->len++] = cell;
}

static void put_value(struct writing *w, bool known, uint64_t value)
{
	put(w, known ? profile_scaled(w->p, w->axis, value) : sl_cell_none());
}

static void put_real(struct writing *w, bool known, double value)
{
	put(w, known ? sl_cell_real(value) : sl_cell_none());
}

static void put_count(struct writing *w, uint64_t value)
{
	put(w, sl_cell_u64(value));
}

static const char *task_name(const struct sl_profile *p, uint64_t key)
{
	return key > UINT32_MAX ? "unknown" : task_name_of(p->options.capture, key);
}

static const char *cpu_name(const struct sl_profile *p, uint64_t key, char *ret, size_t cap)
{
	if (key > UINT32_MAX)
		return p->lanes[(uint32_t)key].source;
	snprintf(ret, cap, "%" PRIu64, key);
	return ret;
}

static void put_head(struct writing *w, const struct row *row, char *text, size_t cap)
{
	const struct sl_image *image = w->p->options.image;
	uint32_t symbol = (uint32_t)row->key;

	switch (w->p->options.by) {
	case SL_BY_FUNCTION:
		put(w, sl_cell_str(sl_image_symbol(image, symbol)->name));
		put(w, sl_cell_str(symbol ? sl_image_module(image, sl_image_symbol(image, symbol)->module)->name : ""));
		break;
	case SL_BY_MODULE:
		put(w, sl_cell_str(row->key ? sl_image_module(image, (uint32_t)row->key - 1)->name : "[no image]"));
		break;
	case SL_BY_TASK:
		put(w, sl_cell_str(task_name(w->p, row->key)));
		put(w, row->key > UINT32_MAX ? sl_cell_none() : sl_cell_u64(row->key));
		break;
	case SL_BY_CPU:
		put(w, sl_cell_str(cpu_name(w->p, row->key, text, cap)));
		break;
	default:
		put(w, sl_cell_str(sl_level_name((unsigned)row->key)));
	}
}

/* A percentile: bounds come before all values that are known, and have none themselves. */
static void put_percentile(struct writing *w, const struct measure *m, unsigned per_mille)
{
	uint64_t bounds = m->spread.count - m->histogram.count;
	uint64_t rank = m->histogram.count ? sl_histogram_rank(m->spread.count, per_mille) : 0;
	bool known = rank > bounds;

	put_value(w, known, known ? sl_histogram_at_rank_within(&m->histogram, rank - bounds, m->min, m->max) : 0);
}

static void put_missing(struct writing *w, const struct row *row, char *text, size_t cap)
{
	uint64_t entry = row->calls[SL_SPAN_NO_ENTRY] + row->calls[LACKS], exit = row->calls[SL_SPAN_NO_EXIT] + row->calls[LACKS];

	put_count(w, entry);
	put_count(w, exit);
	text[0] = '\0';
	if (entry || exit)
		snprintf(text, cap, "(%" PRIu64 "/%" PRIu64 ")", entry, exit);
	put(w, sl_cell_str(text));
}

static void put_durations(struct writing *w, const struct row *row)
{
	const struct measure *m = &row->measures[w->axis];
	bool totals = w->p->options.by != SL_BY_CPU; /* calls end on one of several */
	uint64_t n = m->spread.count, whole = w->whole, self = row->self.v[w->axis], total = row->total.v[w->axis];

	put_value(w, totals, total);
	put_value(w, true, self);
	put_real(w, whole, 100.0 * (double)self / (double)(whole ? whole : 1));
	put_value(w, m->min != UINT64_MAX, m->min);
	put_real(w, n, sl_spread_mean(&m->spread) * w->unit);
	put_percentile(w, m, 990);
	put_value(w, m->min != UINT64_MAX || m->max, m->max);
	put_real(w, n, sl_spread_deviation(&m->spread) * w->unit);
	put_percentile(w, m, 500);
	put_percentile(w, m, 900);
	put_percentile(w, m, 999);
	put_real(w, totals && whole, 100.0 * (double)total / (double)(whole ? whole : 1));
}

static void put_work(struct writing *w, const struct row *row)
{
	const struct measure *m = &row->measures[w->axis];
	uint64_t cycles = row->self.v[SL_AXIS_CYCLES];

	put_count(w, row->total.v[SL_AXIS_INSNS]);
	if (w->axis != SL_AXIS_INSNS)
		put_count(w, row->self.v[SL_AXIS_INSNS]);
	put_real(w, cycles, (double)row->self.v[SL_AXIS_INSNS] / (double)(cycles ? cycles : 1));
	put_count(w, m->bounds);
	put_value(w, w->axis != SL_AXIS_INSNS && m->min != UINT64_MAX, m->resolution);
	put_count(w, row->cut);
	put_value(w, !w->p->brief, row->interrupted.v[w->axis]);
	put_value(w, !w->p->brief, row->circumstances[w->axis].longest_interrupted);
	put_value(w, !w->p->brief, row->suspended.v[w->axis]);
	put_value(w, !w->p->brief, row->circumstances[w->axis].longest_suspended);
}

static void put_places(struct writing *w, const struct row *row)
{
	const struct circumstances *c = &row->circumstances[w->axis];
	bool any = row->measures[w->axis].min != UINT64_MAX && !w->p->brief;
	const struct {
		bool known;
		uint64_t at, offset;
	} places[] = {
		{ row->starts, row->first.v[w->axis], row->first_offset },
		{ row->starts, row->last.v[w->axis], row->last_offset },
		{ any, c->min_at, c->min_offset },
		{ c->max_at != UINT64_MAX && !w->p->brief, c->max_at, c->max_offset },
	};

	for (int i = 0; i < 4; i++) {
		put_value(w, places[i].known, places[i].at);
		put(w, places[i].known ? sl_cell_u64(places[i].offset) : sl_cell_none());
	}
}

static void put_intervals(struct writing *w, const struct row *row)
{
	const struct circumstances *c = &row->circumstances[w->axis];
	bool any = c->intervals.count;

	put(w, w->p->brief ? sl_cell_none() : sl_cell_u64(c->intervals.count));
	put_value(w, any, c->shortest_interval);
	put_real(w, any, sl_spread_mean(&c->intervals) * w->unit);
	put_value(w, any, c->longest_interval);
	put_real(w, any, sl_spread_deviation(&c->intervals) * w->unit);
}

static uint64_t calls_of(const struct row *row)
{
	return row->calls[0] + row->calls[SL_SPAN_NO_EXIT];
}

static void put_root(struct writing *w, const struct row *row)
{
	double roots = w->roots ? (double)w->roots : 1;

	put_real(w, w->roots, (double)calls_of(row) / roots);
	put_real(w, w->roots, (double)row->self.v[w->axis] * w->unit / roots);
	if (w->axis != SL_AXIS_INSNS)
		put_real(w, w->roots, (double)row->self.v[SL_AXIS_INSNS] / roots);
}

static void write_row(struct writing *w, const struct row *row, const struct sl_table *out)
{
	char text[48], missing[48];

	w->len = 0;
	put_head(w, row, text, sizeof(text));
	put_count(w, calls_of(row));
	put_missing(w, row, missing, sizeof(missing));
	put_durations(w, row);
	put_work(w, row);
	put_places(w, row);
	put_intervals(w, row);
	put_root(w, row);
	out->ops->row(out->out, w->cells);
}

/* Rows of what began to run, and of which in the end nothing counts. */
static bool is_empty(const struct row *row)
{
	static const struct sl_axes none;

	return !(row->calls[0] | row->calls[1] | row->calls[2] | row->calls[3]) && memcmp(&row->self, &none, sizeof(none)) == 0 &&
	       memcmp(&row->interrupted, &none, sizeof(none)) == 0;
}

static void write_rows(struct writing *w, const struct sl_table *out)
{
	const struct sl_meta meta[] = { { "unit", axis_unit(w->axis) } };
	struct sl_column columns[SL_PROFILE_COLUMNS];
	struct sl_cell cells[SL_PROFILE_COLUMNS];
	enum sl_profile_by by = w->p->options.by;
	char title[80];
	struct sl_table_head head = { .schema = "sightline.report/1", .name = kinds[by].table, .title = title, .columns = columns,
				      .meta = meta, .meta_count = 1 };

	snprintf(title, sizeof(title), "%s, in %s", kinds[by].title, w->axis == SL_AXIS_INSNS ? "instructions" : axis_unit(w->axis));
	head.column_count = sl_profile_columns(by, w->axis, columns);
	w->cells = cells;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < w->p->row_count; i++) {
		if (!is_empty(&w->p->rows[i]))
			write_row(w, &w->p->rows[i], out);
	}
	out->ops->end(out->out);
}

#define ROOT_COLUMNS(unit)                                                                                          \
	{ "root", "root", "what --root names", SL_TYPE_STRING, 0 },                                                 \
	{ "calls", "calls", "of it, ended", SL_TYPE_COUNT, 0 },                                                     \
	{ "self_" unit, "self " unit, "of all that counts inside of them, them included", SL_TYPE_COUNT, 0 },       \
	{ "per_call_" unit, unit "/call", "the same for one call", SL_TYPE_REAL, 0 }
#define ROOT_INSN_COLUMNS                                                                                           \
	{ "self_insns", "self insns", "the same in instructions", SL_TYPE_COUNT, 0 },                               \
	{ "per_call_insns", "insns/call", "the same for one call, in instructions", SL_TYPE_REAL, 0 }

enum { ROOT_COLUMN_COUNT = 6 };
static const struct sl_column root_columns[SL_AXIS_COUNT][ROOT_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { ROOT_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { ROOT_COLUMNS("cycles"), ROOT_INSN_COLUMNS },
	[SL_AXIS_TICKS] = { ROOT_COLUMNS("ns"), ROOT_INSN_COLUMNS },
};

/* What is inside of one call of the root, all together. */
static void write_root(const struct writing *w, const struct sl_table *out)
{
	const struct sl_table_head head = { .schema = "sightline.report/1", .name = "root", .title = "All that is inside of --root",
					    .columns = root_columns[w->axis],
					    .column_count = w->axis == SL_AXIS_INSNS ? 4 : ROOT_COLUMN_COUNT };
	struct sl_axes self = { { 0 } };
	double roots = w->roots ? (double)w->roots : 1;
	struct sl_cell cells[ROOT_COLUMN_COUNT];

	for (size_t i = 0; i < w->p->row_count; i++) {
		sl_axes_add(&self, w->p->rows[i].self);
		if (w->p->options.by != SL_BY_FUNCTION && w->p->options.by != SL_BY_MODULE)
			sl_axes_add(&self, w->p->rows[i].interrupted);
	}
	cells[0] = sl_cell_str(w->p->options.filter->root);
	cells[1] = sl_cell_u64(w->roots);
	cells[2] = profile_scaled(w->p, w->axis, self.v[w->axis]);
	cells[3] = w->roots ? sl_cell_real((double)self.v[w->axis] * w->unit / roots) : sl_cell_none();
	cells[4] = sl_cell_u64(self.v[SL_AXIS_INSNS]);
	cells[5] = w->roots ? sl_cell_real((double)self.v[SL_AXIS_INSNS] / roots) : sl_cell_none();
	out->ops->begin(out->out, &head);
	out->ops->row(out->out, cells);
	out->ops->end(out->out);
}

static bool closes(const struct sl_calls_lane *lane)
{
	struct sl_axes sum = lane->account.self;

	sl_axes_add(&sum, lane->account.gap);
	return memcmp(&sum, &lane->account.whole, sizeof(sum)) == 0;
}

#define ACCOUNT_COLUMNS(unit)                                                                                      \
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },                                                 \
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },                                                                \
	{ "source", "source", "trace source", SL_TYPE_STRING, 0 },                                                 \
	{ "whole_" unit, "whole " unit, "from the first to the last of the lane", SL_TYPE_COUNT, 0 },              \
	{ "self_" unit, "= self " unit, "sum of self over all functions and levels", SL_TYPE_COUNT, 0 },           \
	{ "gap_" unit, "+ gaps " unit, "while trace was missing", SL_TYPE_COUNT, 0 },                              \
	{ "closed", "closed", "whether the two make the whole", SL_TYPE_BOOL, 0 },                                 \
	{ "repairs", "repairs", "times that the call stack had to be corrected", SL_TYPE_COUNT, 0 }

enum { ACCOUNT_SHARED = 8, ACCOUNT_ALL = 10 };
static const struct sl_column account_columns[SL_AXIS_COUNT][ACCOUNT_ALL] = {
	[SL_AXIS_INSNS] = { ACCOUNT_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { ACCOUNT_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = {
		ACCOUNT_COLUMNS("ns"),
		{ "idle_ns", "idle ns", "of self: asleep in WFI or WFE, while no cycles were counted", SL_TYPE_COUNT, 0 },
		{ "idle_resolution_ns", "+- ns", "idle is right within so much, either way", SL_TYPE_COUNT, 0 },
	},
};

static uint64_t repairs_of(const struct sl_calls_lane *lane)
{
	uint64_t sum = 0;

	for (int i = 0; i < SL_REPAIRS; i++)
		sum += lane->account.repairs[i];
	return sum;
}

/* How long a lane slept is known between two timestamps, of cycles that are counted apart from them. */
static struct sl_cell idle_cell(const struct writing *w, const struct sl_calls_lane *lane, uint64_t value)
{
	bool known = lane->clock.timestamps > 1 && lane->clock.cycle_counts && !lane->cycles_are_time;

	return known ? profile_scaled(w->p, SL_AXIS_TICKS, value) : sl_cell_none();
}

static void write_account(const struct writing *w, const struct sl_table *out)
{
	bool timed = w->axis == SL_AXIS_TICKS;
	const struct sl_table_head head = { .schema = "sightline.report/1", .name = "account",
					    .title = "Account per lane: whole = self + gaps",
					    .columns = account_columns[w->axis],
					    .column_count = timed ? ACCOUNT_ALL : ACCOUNT_SHARED };
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(w->p->calls, &lanes);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_account *account = &lanes[i].account;
		const struct sl_cell cells[ACCOUNT_ALL] = {
			sl_cell_str(lanes[i].buffer), sl_cell_u64(lanes[i].trace_id), sl_cell_str(lanes[i].source),
			profile_scaled(w->p, w->axis, account->whole.v[w->axis]),
			profile_scaled(w->p, w->axis, account->self.v[w->axis]),
			profile_scaled(w->p, w->axis, account->gap.v[w->axis]), sl_cell_u64(closes(&lanes[i])),
			sl_cell_u64(repairs_of(&lanes[i])), idle_cell(w, &lanes[i], lanes[i].clock.slept),
			idle_cell(w, &lanes[i], lanes[i].clock.slept_off),
		};

		out->ops->row(out->out, cells);
	}
	out->ops->end(out->out);
}

/* Of what all lanes ran, by the account. */
static struct sl_axes account_self(const struct sl_profile *p)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(p->calls, &lanes);
	struct sl_axes self = { { 0 } };

	for (size_t i = 0; i < count; i++)
		sl_axes_add(&self, lanes[i].account.self);
	return self;
}

int sl_profile_report(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out)
{
	struct writing w = { .p = p, .axis = axis, .whole = account_self(p).v[axis], .roots = sl_sieve_roots(p->sieve) };
	int result = SL_OK;

	/* of a large number, since it is rounded */
	w.unit = ldexp((double)axis_value(axis, UINT64_C(1) << 40, p->options.timestamp_hz), -40);
	if (p->lines)
		result = profile_lines_write(p->lines, out);
	else
		write_rows(&w, out);
	if (p->options.filter && p->options.filter->root && !p->lines)
		write_root(&w, out);
	write_account(&w, out);
	if (axis == SL_AXIS_TICKS)
		profile_clocks_write(p, out);
	profile_gaps_write(p, axis, out);
	if (p->options.repairs)
		profile_repairs_write(p, axis, out);
	return result;
}

uint64_t sl_profile_bounds(const struct sl_profile *p, enum sl_axis axis, uint64_t *ret_complete)
{
	uint64_t bounds = 0;

	*ret_complete = 0;
	for (size_t i = 0; i < p->row_count; i++) {
		bounds += p->rows[i].measures[axis].bounds;
		*ret_complete += p->rows[i].measures[axis].spread.count;
	}
	return bounds;
}

bool sl_profile_closes(const struct sl_profile *p)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(p->calls, &lanes);
	struct sl_axes self = account_self(p), told = p->told;

	for (size_t i = 0; i < count; i++) {
		if (!closes(&lanes[i]))
			return false;
	}
	for (size_t i = 0; p->brief && i < p->row_count; i++)
		sl_axes_add(&told, p->rows[i].self);
	return memcmp(&self, &told, sizeof(self)) == 0;
}
