/* SPDX-License-Identifier: Apache-2.0 */
/* What compare writes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "delta.h"

#define SCHEMA DELTA_SCHEMA
#define RARE SL_COLUMN_RARE

struct tables {
	const struct sl_compare *c;
	const struct sl_compare_shown *shown;
	const struct sl_table *out;
	struct sl_cell cells[64];
	size_t len;
};

static void put(struct tables *t, struct sl_cell cell)
{
	t->cells[t->len++] = cell;
}

static void put_real(struct tables *t, bool known, double value)
{
	put(t, known ? sl_cell_real(value) : sl_cell_none());
}

static void row_done(struct tables *t)
{
	t->out->ops->row(t->out->out, t->cells);
	t->len = 0;
}

static double self_of(const struct tables *t, const struct delta_row *row, int side, enum sl_axis axis)
{
	return delta_per_unit(t->c, side, axis, (double)row->sides[side].self.v[axis]);
}

static bool has_axis(const struct tables *t, int side, enum sl_axis axis)
{
	return t->c->options.sides[side]->axes & 1u << axis;
}

/* ---- sides ---- */

static const struct sl_column side_columns[] = {
	{ "side", "side", "A is what was, B what is", SL_TYPE_STRING, 0 },
	{ "name", "name", "of the capture", SL_TYPE_STRING, 0 },
	{ "runs", "runs", "that were merged in it", SL_TYPE_COUNT, 0 },
	{ "options", "options", "that chose and formed its calls", SL_TYPE_STRING, 0 },
	{ "units", "per", "calls of --per that numbers are divided by; without it, runs", SL_TYPE_COUNT, 0 },
	{ "insns", "insns", "instructions per unit: work", SL_TYPE_REAL, 0 },
	{ "cycles", "cycles", "the same in cycles", SL_TYPE_REAL, 0 },
	{ "ns", "ns", "the same in nanoseconds", SL_TYPE_REAL, 0 },
};

static void write_sides(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "sides", .title = "What is compared", .columns = side_columns,
					    .column_count = sizeof(side_columns) / sizeof(side_columns[0]) };

	t->out->ops->begin(t->out->out, &head);
	for (int side = 0; side < SIDES; side++) {
		const struct sl_saved *saved = t->c->options.sides[side];

		put(t, sl_cell_str(side == A ? "A" : "B"));
		put(t, sl_cell_str(sl_saved_string(saved, saved->name)));
		put(t, sl_cell_u64(saved->runs));
		put(t, sl_cell_str(sl_saved_string(saved, saved->options)));
		put(t, sl_cell_u64(t->c->units[side]));
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			put_real(t, has_axis(t, side, (enum sl_axis)axis),
				 delta_per_unit(t->c, side, (enum sl_axis)axis, (double)t->c->whole[side].v[axis]));
		row_done(t);
	}
	t->out->ops->end(t->out->out);
}

/* ---- functions ---- */

#define FUNCTION_COLUMNS(unit)                                                                                                   \
	{ "difference_" unit, "difference", "what B runs more by itself, of " unit " per unit", SL_TYPE_REAL, 0 },                \
	{ "share_percent", "share %", "of the whole difference", SL_TYPE_REAL, 0 },                                              \
	{ "calls_a", "calls A", "entries seen, per unit", SL_TYPE_REAL, 0 },                                                     \
	{ "calls_b", "calls B", "the same of B", SL_TYPE_REAL, 0 },                                                              \
	{ "self_a_" unit, "self A", "without callees, per unit", SL_TYPE_REAL, 0 },                                              \
	{ "self_b_" unit, "self B", "the same of B", SL_TYPE_REAL, 0 },                                                          \
	{ "avg_a_" unit, "avg A", "mean of the complete calls, with callees", SL_TYPE_REAL, 0 },                                 \
	{ "avg_b_" unit, "avg B", "the same of B", SL_TYPE_REAL, 0 },                                                            \
	{ "avg_percent", "avg +%", "by how much the mean changed", SL_TYPE_REAL, 0 },                                            \
	{ "verdict", "verdict", "what is more than chance", SL_TYPE_STRING, 0 },                                                 \
	{ "function", "function", "name of the function (of A where they differ)", SL_TYPE_STRING, 0 },                          \
	{ "module", "module", "file that holds it", SL_TYPE_STRING, RARE },                                                      \
	{ "other", "in B", "its name in B where that is another one", SL_TYPE_STRING, RARE },                                    \
	{ "total_a_" unit, "total A", "with callees and what it asked for, per unit", SL_TYPE_REAL, RARE },                      \
	{ "total_b_" unit, "total B", "the same of B", SL_TYPE_REAL, RARE },                                                     \
	{ "p50_a_" unit, "p50 A", "median of the complete calls", SL_TYPE_REAL, RARE },                                          \
	{ "p50_b_" unit, "p50 B", "the same of B", SL_TYPE_REAL, RARE },                                                         \
	{ "p99_a_" unit, "p99 A", "99 % of the complete calls are not longer", SL_TYPE_REAL, RARE },                             \
	{ "p99_b_" unit, "p99 B", "the same of B", SL_TYPE_REAL, RARE },                                                         \
	{ "max_a_" unit, "max A", "longest complete call", SL_TYPE_REAL, RARE },                                                 \
	{ "max_b_" unit, "max B", "the same of B", SL_TYPE_REAL, RARE },                                                         \
	{ "avg_low_" unit, "avg low", "the mean changed at least by so much, with 95 % confidence", SL_TYPE_REAL, RARE },        \
	{ "avg_high_" unit, "avg high", "... and at most", SL_TYPE_REAL, RARE },                                                 \
	{ "effect", "effect", "Cliff's delta: 1 where each call of B is longer, -1 shorter", SL_TYPE_REAL, RARE },               \
	{ "duration_p", "p time", "chance of such durations without a difference, adjusted for many tests", SL_TYPE_REAL, RARE }, \
	{ "own_p", "p self", "the same of what calls run by themselves", SL_TYPE_REAL, RARE },                                    \
	{ "work_p", "p work", "the same for as many instructions: slower, and not more work", SL_TYPE_REAL, RARE },               \
	{ "calls_p", "p calls", "the same of the number of calls", SL_TYPE_REAL, RARE },                                         \
	{ "sure_" unit, "sure of it", "what of the difference is more than chance: calls, or how long they are by themselves", SL_TYPE_REAL, RARE }, \
	{ "significant", "sure", "more than chance", SL_TYPE_BOOL, RARE },                                                       \
	{ "self_a_insns", "insns A", "instructions by itself, per unit", SL_TYPE_REAL, RARE },                                   \
	{ "self_b_insns", "insns B", "the same of B", SL_TYPE_REAL, RARE }
#define INSN_COLUMNS 2 /* which the axis of instructions has already */

enum { FUNCTION_COLUMN_COUNT = 32 };
static const struct sl_column function_columns[SL_AXIS_COUNT][FUNCTION_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { FUNCTION_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { FUNCTION_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { FUNCTION_COLUMNS("ns") },
};

size_t sl_compare_columns(enum sl_axis axis, const struct sl_column **ret)
{
	*ret = function_columns[axis];
	return FUNCTION_COLUMN_COUNT - (axis == SL_AXIS_INSNS ? INSN_COLUMNS : 0);
}

static void put_percentile(struct tables *t, const struct delta_side *s, int side, unsigned per_mille)
{
	uint64_t value = 0;
	bool known = delta_percentile(s, per_mille, &value);

	put_real(t, known, delta_scaled(t->c, side, t->c->axis, (double)value));
}

static void put_averages(struct tables *t, const struct delta_row *row)
{
	double avg[SIDES];
	bool known[SIDES];

	for (int side = 0; side < SIDES; side++) {
		known[side] = row->sides[side].spread.count > 0;
		avg[side] = delta_scaled(t->c, side, t->c->axis, sl_spread_mean(&row->sides[side].spread));
		put_real(t, known[side], avg[side]);
	}
	put_real(t, known[A] && known[B] && avg[A] > 0, avg[A] > 0 ? 100 * (avg[B] / avg[A] - 1) : 0);
}

static void put_durations(struct tables *t, const struct delta_row *row)
{
	static const unsigned percentiles[] = { 500, 990 };

	for (size_t i = 0; i < 2; i++) {
		for (int side = 0; side < SIDES; side++)
			put_percentile(t, &row->sides[side], side, percentiles[i]);
	}
	for (int side = 0; side < SIDES; side++)
		put_real(t, row->sides[side].min != UINT64_MAX, delta_scaled(t->c, side, t->c->axis, (double)row->sides[side].max));
	put_real(t, row->mean.known, delta_scaled(t->c, B, t->c->axis, row->mean.low));
	put_real(t, row->mean.known, delta_scaled(t->c, B, t->c->axis, row->mean.high));
	put_real(t, row->rank.known, row->rank.effect);
	put_real(t, row->mean.known || row->rank.known, row->duration_p);
	put_real(t, row->own.known, row->own_p);
	put_real(t, row->at_work.known, row->work_p);
	put(t, sl_cell_real(row->calls_p));
	put(t, sl_cell_real(row->sure));
	put(t, sl_cell_u64(row->significant));
}

static double whole_difference(const struct sl_compare *c)
{
	return delta_per_unit(c, B, c->axis, (double)c->whole[B].v[c->axis]) -
	       delta_per_unit(c, A, c->axis, (double)c->whole[A].v[c->axis]);
}

static void write_function(struct tables *t, const struct delta_row *row)
{
	const struct sl_compare *c = t->c;
	double whole = whole_difference(c);

	put(t, sl_cell_real(row->contribution));
	put_real(t, whole != 0, row->contribution != 0 ? 100 * row->contribution / whole : 0); /* no minus zero */
	for (int side = 0; side < SIDES; side++)
		put_real(t, row->module, (double)row->sides[side].calls / (double)c->units[side]);
	put(t, sl_cell_real(self_of(t, row, A, c->axis)));
	put(t, sl_cell_real(self_of(t, row, B, c->axis)));
	put_averages(t, row);
	put(t, sl_cell_str(row->module ? delta_verdict_name(row->verdict) : ""));
	put(t, sl_cell_str(row->name));
	put(t, sl_cell_str(row->module));
	put(t, sl_cell_str(row->other));
	for (int side = 0; side < SIDES; side++)
		put(t, sl_cell_real(delta_per_unit(c, side, c->axis, (double)row->sides[side].total.v[c->axis])));
	put_durations(t, row);
	if (c->axis != SL_AXIS_INSNS) {
		put(t, sl_cell_real(self_of(t, row, A, SL_AXIS_INSNS)));
		put(t, sl_cell_real(self_of(t, row, B, SL_AXIS_INSNS)));
	}
	row_done(t);
}

bool delta_is_shown(const struct delta_row *row)
{
	return row->sides[A].calls || row->sides[B].calls || row->sides[A].self.v[0] || row->sides[B].self.v[0] ||
	       row->contribution != 0;
}

static void write_functions(struct tables *t)
{
	const struct sl_meta meta[] = { { "unit", axis_unit(t->c->axis) }, { "per", t->c->options.per ? t->c->options.per : "whole" } };
	char title[200];
	struct sl_table_head head = { .schema = SCHEMA, .name = "functions", .title = title, .meta = meta, .meta_count = 2 };

	snprintf(title, sizeof(title), "Functions by what they add to the difference%s%.100s, in %s",
		 t->c->options.per ? " of a call of " : "", t->c->options.per ? t->c->options.per : "",
		 t->c->axis == SL_AXIS_INSNS ? "instructions" : axis_unit(t->c->axis));
	head.column_count = sl_compare_columns(t->c->axis, &head.columns);
	t->out->ops->begin(t->out->out, &head);
	for (size_t i = 0; i < t->c->row_count; i++) {
		const struct delta_row *row = &t->c->rows[t->c->sorted[i]];

		if (delta_is_shown(row))
			write_function(t, row);
	}
	t->out->ops->end(t->out->out);
}

/* ---- call ---- */

#define CALL_COLUMNS(unit)                                                                                        \
	{ "side", "side", "A or B", SL_TYPE_STRING, 0 },                                                          \
	{ "complete", "complete", "calls whose entry and exit were seen, wherever they are", SL_TYPE_COUNT, 0 },  \
	{ "min_" unit, "min", "shortest of them", SL_TYPE_REAL, 0 },                                              \
	{ "p50_" unit, "p50", "median", SL_TYPE_REAL, 0 },                                                        \
	{ "avg_" unit, "avg", "mean", SL_TYPE_REAL, 0 },                                                          \
	{ "p90_" unit, "p90", "90 % of them are not longer", SL_TYPE_REAL, 0 },                                   \
	{ "p99_" unit, "p99", "99 % of them are not longer", SL_TYPE_REAL, 0 },                                   \
	{ "max_" unit, "max", "longest of them", SL_TYPE_REAL, 0 },                                               \
	{ "deviation_" unit, "deviation", "standard deviation", SL_TYPE_REAL, 0 }

enum { CALL_COLUMN_COUNT = 9 };
static const struct sl_column call_columns[SL_AXIS_COUNT][CALL_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { CALL_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { CALL_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { CALL_COLUMNS("ns") },
};

static void put_value(struct tables *t, int side, bool known, double value)
{
	put_real(t, known, delta_scaled(t->c, side, t->c->axis, value));
}

static void write_call_side(struct tables *t, const struct delta_side *s, int side)
{
	bool known = s->spread.count > 0;

	put(t, sl_cell_str(side == A ? "A" : "B"));
	put(t, sl_cell_u64(s->spread.count));
	put_value(t, side, s->min != UINT64_MAX, (double)s->min);
	put_percentile(t, s, side, 500);
	put_value(t, side, known, sl_spread_mean(&s->spread));
	put_percentile(t, s, side, 900);
	put_percentile(t, s, side, 990);
	put_value(t, side, s->min != UINT64_MAX, (double)s->max);
	put_value(t, side, known, sl_spread_deviation(&s->spread));
	row_done(t);
}

/* The default; a profile says where it has other durations. */
static bool is_net(const struct sl_compare *c)
{
	const struct sl_saved *a = c->options.sides[A];

	return !strstr(sl_saved_string(a, a->options), "--durations");
}

/* How long calls of --per are, where that is one function. */
static void write_call(struct tables *t)
{
	const struct delta_row *row = &t->c->rows[t->c->nodes[0].row];
	char title[200];
	const struct sl_table_head head = { .schema = SCHEMA, .name = "call", .title = title, .columns = call_columns[t->c->axis],
					    .column_count = CALL_COLUMN_COUNT };

	snprintf(title, sizeof(title), "How long calls of %.100s are%s, in %s", row->name, is_net(t->c) ? " without exceptions in them" : "",
		 t->c->axis == SL_AXIS_INSNS ? "instructions" : axis_unit(t->c->axis));
	t->out->ops->begin(t->out->out, &head);
	for (int side = 0; side < SIDES; side++)
		write_call_side(t, &row->sides[side], side);
	t->out->ops->end(t->out->out);
}

/* ---- tree ---- */

static const struct sl_column tree_columns[] = {
	{ "difference", "difference", "what B runs more, with callees, per unit", SL_TYPE_REAL, 0 },
	{ "self_difference", "self", "what of it is by itself: these add up to the whole", SL_TYPE_REAL, 0 },
	{ "total_a", "A", "with callees, per unit", SL_TYPE_REAL, 0 },
	{ "total_b", "B", "the same of B", SL_TYPE_REAL, 0 },
	{ "calls_a", "calls A", "per unit", SL_TYPE_REAL, 0 },
	{ "calls_b", "calls B", "the same of B", SL_TYPE_REAL, 0 },
	{ "first_a", "first A", "place among paths of A; callees are in the order in which they first ran", SL_TYPE_COUNT, RARE },
	{ "first_b", "first B", "the same of B", SL_TYPE_COUNT, RARE },
	{ "function", "function", "path of calls", SL_TYPE_TREE, 0 },
};

static double node_difference(const struct sl_compare *c, const struct sl_axes of[SIDES])
{
	return delta_per_unit(c, B, c->axis, (double)of[B].v[c->axis]) - delta_per_unit(c, A, c->axis, (double)of[A].v[c->axis]);
}

/* What a node and all below it differ by, whichever way: what cancels out is there too. */
static double *find_moves(const struct sl_compare *c)
{
	double *ret = calloc(c->node_count, sizeof(*ret));

	for (size_t i = c->node_count; ret && i-- > 0;) {
		ret[i] += fabs(node_difference(c, c->nodes[i].self));
		if (i)
			ret[c->nodes[i].parent] += ret[i];
	}
	return ret;
}

struct sorted_child {
	uint32_t node;
	double move;
};

static int by_move(const void *left, const void *right)
{
	const struct sorted_child *a = left, *b = right;

	return a->move != b->move ? (a->move < b->move) - (a->move > b->move) : (a->node > b->node) - (a->node < b->node);
}

static void write_node(struct tables *t, uint32_t number, double rest)
{
	const struct sl_compare *c = t->c;
	const struct delta_node *node = &c->nodes[number];

	put(t, sl_cell_real(node_difference(c, node->total)));
	put(t, sl_cell_real(node_difference(c, node->self) + rest));
	for (int side = 0; side < SIDES; side++)
		put(t, sl_cell_real(delta_per_unit(c, side, c->axis, (double)node->total[side].v[c->axis])));
	for (int side = 0; side < SIDES; side++)
		put(t, sl_cell_real((double)node->calls[side] / (double)c->units[side]));
	for (int side = 0; side < SIDES; side++)
		put(t, node->first[side] ? sl_cell_u64(node->first[side]) : sl_cell_none());
	put(t, sl_cell_tree(node->depth, c->rows[node->row].name));
	row_done(t);
}

/* What is left out of a node's children is one row, so that the column self adds up. */
static void write_rest(struct tables *t, uint32_t parent, const struct sorted_child *left, size_t count)
{
	const struct sl_compare *c = t->c;
	double difference = 0, totals[SIDES] = { 0, 0 };
	char name[48];

	for (size_t i = 0; i < count; i++) {
		difference += node_difference(c, c->nodes[left[i].node].total);
		for (int side = 0; side < SIDES; side++)
			totals[side] += delta_per_unit(c, side, c->axis, (double)c->nodes[left[i].node].total[side].v[c->axis]);
	}
	snprintf(name, sizeof(name), "(%zu more)", count);
	put(t, sl_cell_real(difference));
	put(t, sl_cell_real(difference));
	put(t, sl_cell_real(totals[A]));
	put(t, sl_cell_real(totals[B]));
	for (int i = 0; i < 2 * SIDES; i++)
		put(t, sl_cell_none());
	put(t, sl_cell_tree(c->nodes[parent].depth + 1, name));
	row_done(t);
}

static void write_below(struct tables *t, const double *moves, uint32_t number)
{
	const struct sl_compare *c = t->c;
	size_t count = 0, shown = 0, len = 0;
	struct sorted_child *children;

	write_node(t, number, 0);
	for (uint32_t i = c->nodes[number].child; i; i = c->nodes[i].next)
		count++;
	children = calloc(count + 1, sizeof(*children));
	for (uint32_t i = c->nodes[number].child; children && i; i = c->nodes[i].next)
		children[len++] = (struct sorted_child){ i, moves[i] };
	if (len)
		qsort(children, len, sizeof(*children), by_move);
	while (shown < len && (!t->shown->depth || c->nodes[number].depth + 1 < t->shown->depth) &&
	       children[shown].move >= t->shown->percent / 100 * moves[0])
		write_below(t, moves, children[shown++].node);
	if (shown < len)
		write_rest(t, number, children + shown, len - shown);
	free(children);
}

static void write_tree(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "tree", .title = "Where the difference is, by path of calls",
					    .columns = tree_columns, .column_count = sizeof(tree_columns) / sizeof(tree_columns[0]) };
	double *moves = find_moves(t->c);

	t->out->ops->begin(t->out->out, &head);
	if (moves)
		write_below(t, moves, 0);
	t->out->ops->end(t->out->out);
	free(moves);
}

/* ---- lenses ---- */

static const struct sl_column lens_columns[] = {
	{ "lens", "lens", "what is looked at", SL_TYPE_STRING, 0 },
	{ "count_a", "count A", "events", SL_TYPE_COUNT, 0 },
	{ "count_b", "count B", "the same of B", SL_TYPE_COUNT, 0 },
	{ "rate_a", "rate A", "a second; a million cycles or instructions where there is no time", SL_TYPE_REAL, 0 },
	{ "rate_b", "rate B", "the same of B", SL_TYPE_REAL, 0 },
	{ "rate_percent", "rate +%", "by how much it changed", SL_TYPE_REAL, 0 },
	{ "share_a", "share A %", "of all that ran", SL_TYPE_REAL, 0 },
	{ "share_b", "share B %", "the same of B", SL_TYPE_REAL, 0 },
};

static void write_lens(struct tables *t, const char *lens)
{
	double rates[SIDES];

	put(t, sl_cell_str(lens));
	for (int side = 0; side < SIDES; side++) {
		rates[side] = delta_rate(t->c, side, lens);
		put(t, sl_cell_u64(delta_lens(t->c, side, lens).count));
	}
	for (int side = 0; side < SIDES; side++)
		put(t, sl_cell_real(rates[side]));
	put_real(t, rates[A] > 0, rates[A] > 0 ? 100 * (rates[B] / rates[A] - 1) : 0);
	for (int side = 0; side < SIDES; side++) {
		double self = (double)sl_saved_self(t->c->options.sides[side], t->c->axis);
		struct delta_lens seen = delta_lens(t->c, side, lens);

		/* switches last no time */
		put_real(t, self > 0 && (seen.total || !seen.count), self > 0 ? 100 * (double)seen.total / self : 0);
	}
	row_done(t);
}

/* Whether an event's lens came before on either side. */
static bool is_first(const struct sl_compare *c, int at, size_t event)
{
	const char *lens = sl_saved_string(c->options.sides[at], c->options.sides[at]->events[event].lens);

	for (int side = 0; side <= at; side++) {
		const struct sl_saved *saved = c->options.sides[side];

		for (size_t i = 0; i < (side == at ? event : saved->event_count); i++) {
			if (strcmp(sl_saved_string(saved, saved->events[i].lens), lens) == 0)
				return false;
		}
	}
	return true;
}

static void write_lenses(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "lenses", .title = "What lenses see, in the whole",
					    .columns = lens_columns, .column_count = sizeof(lens_columns) / sizeof(lens_columns[0]) };

	t->out->ops->begin(t->out->out, &head);
	for (int side = 0; side < SIDES; side++) {
		const struct sl_saved *saved = t->c->options.sides[side];

		for (size_t i = 0; i < saved->event_count; i++) {
			if (is_first(t->c, side, i))
				write_lens(t, sl_saved_string(saved, saved->events[i].lens));
		}
	}
	t->out->ops->end(t->out->out);
}

/* ---- config ---- */

static const struct sl_column config_columns[] = {
	{ "option", "option", "of the kernel, that is not set alike", SL_TYPE_STRING, 0 },
	{ "value_a", "in A", "n: not set, or not there", SL_TYPE_STRING, 0 },
	{ "value_b", "in B", "the same of B", SL_TYPE_STRING, 0 },
	{ "difference", "difference", "what its functions add with all that they call, per unit; in equal parts with other options of these", SL_TYPE_REAL, 0 },
	{ "share_percent", "share %", "of the whole difference", SL_TYPE_REAL, 0 },
	{ "functions", "functions", "of it that differ in the trace", SL_TYPE_COUNT, 0 },
	{ "evidence", "which", "these functions; no map says which belong to it where there is none", SL_TYPE_STRING, 0 },
};

static void write_option(struct tables *t, const struct delta_option *option)
{
	double whole = whole_difference(t->c);
	bool known = option->patterns != NULL;
	char evidence[512];

	delta_evidence(t->c, option, evidence, sizeof(evidence));
	put(t, sl_cell_str(option->name));
	put(t, sl_cell_str(option->values[A]));
	put(t, sl_cell_str(option->values[B]));
	put_real(t, known, option->difference);
	put_real(t, known && whole != 0, whole != 0 ? 100 * option->difference / whole : 0);
	put(t, known ? sl_cell_u64(option->functions) : sl_cell_none());
	put(t, sl_cell_str(known ? evidence : "?"));
	row_done(t);
}

static void write_config(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "config", .title = "Options of the kernel that differ, by what they explain",
					    .columns = config_columns, .column_count = sizeof(config_columns) / sizeof(config_columns[0]) };

	t->out->ops->begin(t->out->out, &head);
	for (size_t i = 0; i < t->c->configured_count; i++)
		write_option(t, &t->c->configured[i]);
	t->out->ops->end(t->out->out);
}

/* ---- matches ---- */

static const struct sl_column match_columns[] = {
	{ "match", "match", "what was equal, or what is ambiguous", SL_TYPE_STRING, 0 },
	{ "functions_a", "of A", "functions, or exceptions, that are this row", SL_TYPE_COUNT, 0 },
	{ "functions_b", "of B", "the same of B", SL_TYPE_COUNT, 0 },
	{ "function", "in A", "name", SL_TYPE_STRING, 0 },
	{ "other", "in B", "name in B, where it is another one", SL_TYPE_STRING, 0 },
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },
};

static bool is_several(const struct delta_row *row)
{
	return row->sides[A].functions > 1 || row->sides[B].functions > 1;
}

static void write_match(struct tables *t, const struct delta_row *row, const char *match, const size_t counts[SIDES])
{
	put(t, sl_cell_str(match));
	for (int side = 0; side < SIDES; side++)
		put(t, sl_cell_u64(counts[side]));
	put(t, sl_cell_str(row->name));
	put(t, sl_cell_str(row->other));
	put(t, sl_cell_str(row->module));
	row_done(t);
}

static void write_matches(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "matches", .title = "Functions matched by more than their name",
					    .columns = match_columns, .column_count = sizeof(match_columns) / sizeof(match_columns[0]) };
	static const char *const names[] = { [MATCH_ALONE] = "", [MATCH_NAME] = "name", [MATCH_CANONICAL] = "canonical name",
					     [MATCH_MODULE] = "canonical name, other module" };
	size_t levels[SIDES];

	t->out->ops->begin(t->out->out, &head);
	for (size_t i = 0; i < t->c->row_count; i++) {
		const struct delta_row *row = &t->c->rows[i];

		if (row->module && (is_several(row) || row->match == MATCH_CANONICAL || row->match == MATCH_MODULE))
			write_match(t, row, is_several(row) ? "ambiguous: taken together" : names[row->match],
				    (size_t[SIDES]){ row->sides[A].functions, row->sides[B].functions });
		else if (!row->module && delta_level_matched(t->c, row->name, levels))
			write_match(t, row, "kind of exception", levels);
	}
	t->out->ops->end(t->out->out);
}

/* ---- sum, verdict ---- */

static const struct sl_column sum_columns[] = {
	{ "parts", "sum of the parts", "all that functions add to the difference", SL_TYPE_REAL, 0 },
	{ "whole", "whole difference", "of what is compared, B less A", SL_TYPE_REAL, 0 },
	{ "adds_up", "adds up", "in whole numbers, on each side", SL_TYPE_BOOL, 0 },
};

static void write_sum(struct tables *t)
{
	const struct sl_table_head head = { .schema = SCHEMA, .name = "sum", .title = "The parts and the whole", .columns = sum_columns,
					    .column_count = sizeof(sum_columns) / sizeof(sum_columns[0]) };
	double parts = 0;

	for (size_t i = 0; i < t->c->row_count; i++)
		parts += t->c->rows[i].contribution;
	t->out->ops->begin(t->out->out, &head);
	put(t, sl_cell_real(parts));
	put(t, sl_cell_real(whole_difference(t->c)));
	put(t, sl_cell_u64(sl_compare_adds_up(t->c)));
	row_done(t);
	t->out->ops->end(t->out->out);
}

static void write_verdict(struct tables *t)
{
	static const struct sl_column columns[] = {
		{ "significant", "functions that differ", "by more than chance", SL_TYPE_COUNT, 0 },
		{ "sentence", "in one sentence", "what differs, and why", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = { .schema = SCHEMA, .name = "verdict", .columns = columns, .column_count = 2 };

	t->out->ops->begin(t->out->out, &head);
	put(t, sl_cell_u64(sl_compare_significant(t->c)));
	put(t, sl_cell_str(t->c->sentence));
	row_done(t);
	t->out->ops->end(t->out->out);
}

void sl_compare_report(const struct sl_compare *c, const struct sl_compare_shown *shown, const struct sl_table *out)
{
	struct tables t = { .c = c, .shown = shown, .out = out };

	write_sides(&t);
	if (c->options.per && c->rows[c->nodes[0].row].module)
		write_call(&t);
	write_functions(&t);
	write_tree(&t);
	write_lenses(&t);
	if (c->options.configs[A] && c->options.configs[B])
		write_config(&t);
	write_matches(&t);
	write_sum(&t);
	write_verdict(&t);
}
