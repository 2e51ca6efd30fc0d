/* SPDX-License-Identifier: Apache-2.0 */
/* report: one row a function, and the account that says whether all was counted. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "sl_array.h"
#include "sl_calls.h"
#include "sl_sinks.h"
#include "sl_span.h"

enum { LACKS = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT };

struct function {
	uint32_t symbol;
	uint64_t calls[LACKS + 1];	/* by what of them was not seen */
	struct sl_axes totals[2][2];	/* of calls inside of a call of the same function; of those that lack something */
	struct sl_axes self;
	struct sl_axes min, max;	/* of calls seen from entry to exit; min is the largest number where there are none */
};

/* Functions that ran, in the order in which they were first left. */
struct functions {
	struct function *items;
	size_t len, cap;
	uint32_t *by_symbol;  /* index + 1; 0: did not run */
};

struct sl_profile {
	const struct sl_image *image;
	struct sl_filter filter;
	struct functions functions;
	struct sl_call_sink sink;
	struct sl_calls *calls;	   /* where it hears of calls */
	struct sl_axes levels;	   /* self of exception levels: what ran outside of any function */
	bool no_memory;
};

static int functions_init(struct functions *functions, const struct sl_image *image)
{
	*functions = (struct functions){ 0 };
	functions->by_symbol = calloc((size_t)sl_image_symbol_count(image) + 1, sizeof(*functions->by_symbol));
	return functions->by_symbol ? SL_OK : SL_ERR_NOMEM;
}

static void functions_release(struct functions *functions)
{
	free(functions->items);
	free(functions->by_symbol);
}

static struct function *add_function(struct functions *functions, uint32_t symbol)
{
	struct function fresh = { .symbol = symbol, .min = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } } };

	if (SL_ARRAY_PUSH(&functions->items, &functions->len, &functions->cap, fresh) < 0)
		return NULL;
	functions->by_symbol[symbol] = (uint32_t)functions->len;
	return &functions->items[functions->len - 1];
}

static struct function *function_of(struct functions *functions, uint32_t symbol)
{
	uint32_t index = functions->by_symbol[symbol];

	return index ? &functions->items[index - 1] : add_function(functions, symbol);
}

static void take_bounds(struct function *f, const struct sl_axes *min, const struct sl_axes *max)
{
	for (int i = 0; i < SL_AXIS_COUNT; i++) {
		f->min.v[i] = min->v[i] < f->min.v[i] ? min->v[i] : f->min.v[i];
		f->max.v[i] = max->v[i] > f->max.v[i] ? max->v[i] : f->max.v[i];
	}
}

static void count_call(struct function *f, const struct sl_call *call)
{
	unsigned lacks = call->flags & LACKS;

	f->calls[lacks]++;
	sl_axes_add(&f->totals[call->recursive][lacks != 0], *call->total);
	if (!lacks)
		take_bounds(f, call->total, call->total);
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_profile *profile = self;
	struct function *f;

	if (call->kind == SL_CALL_RESUME) {
		sl_axes_add(&profile->levels, *call->self);
		return;
	}
	f = function_of(&profile->functions, call->symbol);
	if (!f) {
		profile->no_memory = true;
		return;
	}
	sl_axes_add(&f->self, *call->self);
	if (!profile->filter.depth || call->depth < profile->filter.depth)
		count_call(f, call);
}

static int end(void *self, const struct sl_lane *lane)
{
	const struct sl_profile *profile = self;

	(void)lane;
	return profile->no_memory ? SL_ERR_NOMEM : SL_OK;
}

int sl_profile_new(const struct sl_image *image, const struct sl_filter *filter, struct sl_profile **ret)
{
	static const struct sl_call_sink_ops ops = {
		.name = "profile", .untold = ~(1u << SL_CALL_LEAVE | 1u << SL_CALL_RESUME), .call = on_call, .end = end,
	};
	struct sl_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return SL_ERR_NOMEM;
	profile->image = image;
	profile->sink = (struct sl_call_sink){ &ops, profile };
	if (functions_init(&profile->functions, image) < 0 || sl_calls_new(image, &profile->sink, 1, &profile->calls) < 0) {
		sl_profile_free(profile);
		return SL_ERR_NOMEM;
	}
	if (filter)
		profile->filter = *filter;
	*ret = profile;
	return SL_OK;
}

void sl_profile_free(struct sl_profile *profile)
{
	if (!profile)
		return;
	functions_release(&profile->functions);
	sl_calls_free(profile->calls);
	free(profile);
}

void sl_profile_sink(struct sl_profile *profile, struct sl_sink *ret)
{
	sl_calls_sink(profile->calls, ret);
}

/* What every lane that executed something has. */
static void common_axes(const struct sl_profile *profile, bool *ret_timed, bool *ret_counted)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	bool any = false;

	*ret_timed = *ret_counted = true;
	for (size_t i = 0; i < count; i++) {
		if (!lanes[i].clock.now.v[SL_AXIS_INSNS])
			continue;
		any = true;
		*ret_timed &= lanes[i].clock.timestamps > 1;
		*ret_counted &= lanes[i].clock.cycle_counts > 0;
	}
	*ret_timed &= any;
	*ret_counted &= any;
}

int sl_profile_axis(const struct sl_profile *profile, enum sl_axis_choice choice, uint64_t timestamp_hz,
		    enum sl_axis *ret, struct sl_diag *diag)
{
	bool timed, counted;

	common_axes(profile, &timed, &counted);
	if (choice == SL_CHOOSE_TIME && !timestamp_hz)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock time: the timestamp counter's frequency is not known; give it with --freq HZ");
	if (choice == SL_CHOOSE_TIME && !timed)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock time: a lane that ran has no timestamps; use --clock cycles or insns, or --id to "
			       "leave it out");
	if (choice == SL_CHOOSE_CYCLES && !counted)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock cycles: a lane that ran has no cycle counts; use --clock time or insns, or --id to "
			       "leave it out");
	/* Cycle counts come every few branches, timestamps every few thousand: the finer one is the default. */
	if (choice == SL_CHOOSE_CYCLES || (choice == SL_CHOOSE_AUTO && counted))
		*ret = SL_AXIS_CYCLES;
	else if (choice == SL_CHOOSE_TIME || (choice == SL_CHOOSE_AUTO && timed && timestamp_hz))
		*ret = SL_AXIS_TICKS;
	else
		*ret = SL_AXIS_INSNS;
	return SL_OK;
}

#define FUNCTION_COLUMNS(unit)                                                                                     \
	{ "function", "function", "name of the function, demangled", SL_TYPE_STRING, 0 },                          \
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },                                           \
	{ "calls", "calls", "entries seen", SL_TYPE_COUNT, 0 },                                                    \
	{ "missing_entry", "no entry", "found running: the entry was not traced", SL_TYPE_COUNT, 0 },              \
	{ "missing_exit", "no exit", "still running where the trace ends or has a gap", SL_TYPE_COUNT, 0 },        \
	{ "total_" unit, "total " unit, "with callees; recursion once; without exceptions on top", SL_TYPE_COUNT, 0 }, \
	{ "self_" unit, "self " unit, "without callees", SL_TYPE_COUNT, 0 },                                       \
	{ "min_" unit, "min", "shortest complete call, with callees", SL_TYPE_COUNT, 0 },                          \
	{ "avg_" unit, "avg", "mean of the complete calls, with callees", SL_TYPE_REAL, 0 },                       \
	{ "max_" unit, "max", "longest complete call, with callees", SL_TYPE_COUNT, 0 }
#define FUNCTION_SHARE                                                                                             \
	{ "self_percent", "self %", "share of self in the whole", SL_TYPE_PERCENT, 0 }

static const struct sl_column insn_columns[] = {
	FUNCTION_COLUMNS("insns"),
	{ "insns", "insns", "instructions executed, with callees; recursion once", SL_TYPE_COUNT, 0 },
	FUNCTION_SHARE,
};
static const struct sl_column cycle_columns[] = {
	FUNCTION_COLUMNS("cycles"),
	{ "insns", "insns", "instructions executed, with callees; recursion once", SL_TYPE_COUNT, 0 },
	{ "self_insns", "self insns", "instructions executed, without callees", SL_TYPE_COUNT, 0 },
	FUNCTION_SHARE,
};
static const struct sl_column time_columns[] = {
	FUNCTION_COLUMNS("ns"),
	{ "insns", "insns", "instructions executed, with callees; recursion once", SL_TYPE_COUNT, 0 },
	{ "self_insns", "self insns", "instructions executed, without callees", SL_TYPE_COUNT, 0 },
	FUNCTION_SHARE,
};

size_t sl_profile_columns(enum sl_axis axis, const struct sl_column **ret)
{
	switch (axis) {
	case SL_AXIS_CYCLES:
		*ret = cycle_columns;
		return sizeof(cycle_columns) / sizeof(cycle_columns[0]);
	case SL_AXIS_TICKS:
		*ret = time_columns;
		return sizeof(time_columns) / sizeof(time_columns[0]);
	default:
		*ret = insn_columns;
		return sizeof(insn_columns) / sizeof(insn_columns[0]);
	}
}

static bool matches(const char *glob, const char *name)
{
	return !glob || fnmatch(glob, name, 0) == 0;
}

static const char *module_name(const struct sl_profile *profile, uint32_t symbol)
{
	return symbol ? sl_image_module(profile->image, sl_image_symbol(profile->image, symbol)->module)->name : "";
}

struct scale {
	enum sl_axis axis;
	uint64_t timestamp_hz, whole_self;
};

static struct sl_cell scaled(const struct scale *scale, uint64_t value)
{
	return sl_cell_u64(axis_value(scale->axis, value, scale->timestamp_hz));
}

static void function_row(const struct sl_profile *profile, const struct function *f, const struct scale *scale,
			 const struct sl_table *out)
{
	const uint64_t *calls = f->calls, complete = calls[0];
	struct sl_axes total = f->totals[0][0], complete_total = f->totals[0][0]; /* recursion counts once in the first */
	enum sl_axis axis = scale->axis;
	struct sl_cell cells[16];
	size_t n = 0;

	sl_axes_add(&total, f->totals[0][1]);
	sl_axes_add(&complete_total, f->totals[1][0]);

	cells[n++] = sl_cell_str(sl_image_symbol(profile->image, f->symbol)->name);
	cells[n++] = sl_cell_str(module_name(profile, f->symbol));
	cells[n++] = sl_cell_u64(calls[0] + calls[SL_SPAN_NO_EXIT]);
	cells[n++] = sl_cell_u64(calls[SL_SPAN_NO_ENTRY] + calls[LACKS]);
	cells[n++] = sl_cell_u64(calls[SL_SPAN_NO_EXIT] + calls[LACKS]);
	cells[n++] = scaled(scale, total.v[axis]);
	cells[n++] = scaled(scale, f->self.v[axis]);
	cells[n++] = complete ? scaled(scale, f->min.v[axis]) : sl_cell_none();
	cells[n++] = complete ? sl_cell_real((double)scaled(scale, complete_total.v[axis]).u / (double)complete)
				 : sl_cell_none();
	cells[n++] = complete ? scaled(scale, f->max.v[axis]) : sl_cell_none();
	cells[n++] = sl_cell_u64(total.v[SL_AXIS_INSNS]);
	if (axis != SL_AXIS_INSNS)
		cells[n++] = sl_cell_u64(f->self.v[SL_AXIS_INSNS]);
	cells[n++] = scale->whole_self ? sl_cell_real(100.0 * (double)f->self.v[axis] / (double)scale->whole_self)
				       : sl_cell_none();
	out->ops->row(out->out, cells);
}

static void write_functions(const struct sl_profile *profile, const struct scale *scale, const struct sl_table *out)
{
	const struct sl_meta meta[] = { { "unit", axis_unit(scale->axis) } };
	struct sl_table_head head = { .schema = "sightline.report/1", .name = "functions", .meta = meta, .meta_count = 1 };

	head.column_count = sl_profile_columns(scale->axis, &head.columns);
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < profile->functions.len; i++) {
		const struct function *f = &profile->functions.items[i];

		if (matches(profile->filter.function, sl_image_symbol(profile->image, f->symbol)->name) &&
		    matches(profile->filter.module, module_name(profile, f->symbol)))
			function_row(profile, f, scale, out);
	}
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

static const struct sl_column account_columns[SL_AXIS_COUNT][8] = {
	[SL_AXIS_INSNS] = { ACCOUNT_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { ACCOUNT_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { ACCOUNT_COLUMNS("ns") },
};

static uint64_t repairs_of(const struct sl_calls_lane *lane)
{
	uint64_t sum = 0;

	for (int i = 0; i < SL_REPAIRS; i++)
		sum += lane->account.repairs[i];
	return sum;
}

static void write_account(const struct sl_profile *profile, const struct scale *scale, const struct sl_table *out)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	struct sl_table_head head = { .schema = "sightline.report/1", .name = "account",
				      .title = "Account per lane: whole = self + gaps",
				      .columns = account_columns[scale->axis], .column_count = 8 };

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_calls_lane *lane = &lanes[i];
		struct sl_cell cells[8] = {
			sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(lane->source),
			scaled(scale, lane->account.whole.v[scale->axis]), scaled(scale, lane->account.self.v[scale->axis]),
			scaled(scale, lane->account.gap.v[scale->axis]), sl_cell_u64(closes(lane)),
			sl_cell_u64(repairs_of(lane)),
		};

		out->ops->row(out->out, cells);
	}
	out->ops->end(out->out);
}

static void write_repairs(const struct sl_profile *profile, const struct sl_table *out)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	static const struct sl_column columns[] = {
		{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },
		{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
		{ "repair", "repair", "what was corrected", SL_TYPE_STRING, 0 },
		{ "count", "count", "how often", SL_TYPE_COUNT, 0 },
		{ "meaning", "meaning", "what it means", SL_TYPE_STRING, 0 },
	};
	struct sl_table_head head = { .schema = "sightline.report/1", .name = "repairs", .title = "Repairs of the call stack",
				      .columns = columns, .column_count = 5 };

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_calls_lane *lane = &lanes[i];

		for (unsigned r = 0; r < SL_REPAIRS; r++) {
			struct sl_cell cells[5] = {
				sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(sl_repair_name(r)),
				sl_cell_u64(lane->account.repairs[r]), sl_cell_str(sl_repair_help(r)),
			};

			if (lane->account.repairs[r])
				out->ops->row(out->out, cells);
		}
	}
	out->ops->end(out->out);
}

int sl_profile_report(const struct sl_profile *profile, enum sl_axis axis, uint64_t timestamp_hz, bool repairs,
		      const struct sl_table *out)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	struct scale scale = { axis, timestamp_hz, 0 };

	for (size_t i = 0; i < count; i++)
		scale.whole_self += lanes[i].account.self.v[axis];
	write_functions(profile, &scale, out);
	write_account(profile, &scale, out);
	if (repairs)
		write_repairs(profile, out);
	return SL_OK;
}

/* All that the functions and levels ran is what the lanes ran. */
static bool adds_up(const struct sl_profile *profile)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	struct sl_axes functions = profile->levels, sum = { { 0 } };

	for (size_t i = 0; i < profile->functions.len; i++)
		sl_axes_add(&functions, profile->functions.items[i].self);
	for (size_t i = 0; i < count; i++)
		sl_axes_add(&sum, lanes[i].account.self);
	return memcmp(&functions, &sum, sizeof(sum)) == 0;
}

bool sl_profile_closes(const struct sl_profile *profile)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(profile->calls, &lanes);
	for (size_t i = 0; i < count; i++) {
		if (!closes(&lanes[i]))
			return false;
	}
	return adds_up(profile);
}

bool sl_profile_empty(const struct sl_profile *profile)
{
	return profile->functions.len == 0;
}
