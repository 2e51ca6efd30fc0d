/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of graph's views. */
#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"

#define COLUMNS(unit)                                                                                                      \
	{ "id", "id", "number of the row", SL_TYPE_COUNT, 0 },                                                             \
	{ "parent", "parent", "id of the row that it is a child of", SL_TYPE_COUNT, 0 },                                   \
	{ "depth", "depth", "rows above it in the tree", SL_TYPE_COUNT, 0 },                                               \
	{ "kind", "kind", "all, task, level, function; gap: trace was missing; rest: rows that are not shown; beyond: paths " \
			  "that were not kept", SL_TYPE_STRING, 0 },                                                       \
	{ "percent", "%", "share of the total: in the whole, or in the function that was asked for; inverted: of self in the " \
			  "whole", SL_TYPE_PERCENT, 0 },                                                                   \
	{ "total_" unit, "total " unit, "with callees, and with system calls and faults", SL_TYPE_COUNT, 0 },              \
	{ "self_" unit, "self " unit, "without callees", SL_TYPE_COUNT, 0 },                                               \
	{ "calls", "calls", "entries seen", SL_TYPE_COUNT, 0 },                                                            \
	{ "per_call", "per call", "calls for each call of the function at the root", SL_TYPE_REAL, 0 },                    \
	{ "missing_entry", "no entry", "found running: the entry was not traced", SL_TYPE_COUNT, 0 },                      \
	{ "missing_exit", "no exit", "still running where the trace ends or has a gap", SL_TYPE_COUNT, 0 },                \
	{ "min_" unit, "min", "shortest complete call, with callees", SL_TYPE_COUNT, 0 },                                  \
	{ "avg_" unit, "avg", "mean of the complete calls, with callees", SL_TYPE_REAL, 0 },                               \
	{ "max_" unit, "max", "longest complete call, with callees", SL_TYPE_COUNT, 0 },                                   \
	{ "p50_" unit, "p50", "half of the complete calls took no longer (within 0.8 %)", SL_TYPE_COUNT, 0 },              \
	{ "p99_" unit, "p99", "99 % of the complete calls took no longer (within 0.8 %)", SL_TYPE_COUNT, 0 },              \
	{ "max_offset", "max at", "offset in the buffer where the longest call began", SL_TYPE_ADDR, 0 },                  \
	{ "first_offset", "first at", "offset in the buffer where the first call began", SL_TYPE_ADDR, 0 }
#define NAMES                                                                                                              \
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },                                                   \
	{ "function", "function", "the function, level or task; in text drawn as a tree", SL_TYPE_TREE, 0 }

static const struct sl_column insn_columns[] = { COLUMNS("insns"), NAMES };
#define INSNS { "insns", "insns", "instructions executed, with callees", SL_TYPE_COUNT, 0 }
static const struct sl_column cycle_columns[] = { COLUMNS("cycles"), INSNS, NAMES };
static const struct sl_column time_columns[] = { COLUMNS("ns"), INSNS, NAMES };

size_t sl_graph_columns(enum sl_axis axis, const struct sl_column **ret)
{
	*ret = axis == SL_AXIS_CYCLES ? cycle_columns : axis == SL_AXIS_TICKS ? time_columns : insn_columns;
	if (axis == SL_AXIS_INSNS)
		return sizeof(insn_columns) / sizeof(insn_columns[0]);
	return sizeof(time_columns) / sizeof(time_columns[0]);
}

struct rows {
	const struct sl_graph *graph;
	const struct graph_tree *tree;
	const struct sl_graph_shown *shown;
	const struct sl_table *out;
	struct sl_axes gap;
	const struct graph_node *root; /* of the rows at work: what shares and calls are measured by */
	uint64_t base;		       /* 100 % */
	uint64_t count;		       /* rows so far */
	bool no_memory;
};

/* A row to be. */
struct row {
	const char *kind, *name, *module;
	const struct graph_node *node;
	uint32_t depth;
	uint64_t parent;
	bool several; /* nodes are summed up in it */
};

static const char *const kind_names[GRAPH_KINDS] = { "all", "task", "level", "function" };

static uint64_t scaled(const struct rows *rows, uint64_t value)
{
	return axis_value(rows->shown->axis, value, rows->shown->timestamp_hz);
}

static uint64_t weight(const struct rows *rows, const struct graph_node *node)
{
	const struct sl_axes *axes = rows->shown->view == SL_GRAPH_INVERTED ? &node->self : &node->total;

	return axes->v[rows->shown->axis];
}

static double percent(const struct rows *rows, const struct graph_node *node)
{
	return rows->base ? 100.0 * (double)weight(rows, node) / (double)rows->base : 0;
}

static double average(const struct graph_node *node, enum sl_axis axis)
{
	return node->calls[0] ? (double)node->spread.sum.v[axis] / (double)node->calls[0] : 0;
}

static struct sl_cell task_name(const struct sl_graph *graph, uint32_t stack, char *ret, size_t cap)
{
	uint64_t task = tasks_of(&graph->tasks, stack);
	const char *name = task_name_of(graph->options.capture, task);

	if (task == NO_TASK)
		snprintf(ret, cap, "[stack %" PRIu32 "]", stack);
	else if (name)
		snprintf(ret, cap, "[%s, task %" PRIu64 "]", name, task);
	else
		snprintf(ret, cap, "[task %" PRIu64 "]", task);
	return sl_cell_str(ret);
}

const char *graph_name(const struct sl_graph *graph, const struct graph_node *node, char *ret, size_t cap)
{
	switch (node->kind) {
	case GRAPH_FUNCTION:
		return sl_image_symbol(graph->options.image, node->id)->name;
	case GRAPH_LEVEL:
		snprintf(ret, cap, "[exception %u: %s]", (unsigned)node->id & 0xffffu, sl_level_name(node->id >> 16));
		return ret;
	case GRAPH_TASK:
		return task_name(graph, node->id, ret, cap).s;
	default:
		return "[all]";
	}
}

const char *graph_module(const struct sl_graph *graph, const struct graph_node *node)
{
	const struct sl_image *image = graph->options.image;

	if (node->kind != GRAPH_FUNCTION || !node->id)
		return NULL;
	return sl_image_module(image, sl_image_symbol(image, node->id)->module)->name;
}

static struct sl_cell percentile(const struct rows *rows, const struct row *row, unsigned per_mille)
{
	const struct graph_spread *spread = &row->node->spread;
	enum sl_axis axis = rows->shown->axis;
	const struct sl_histogram *h = &spread->histogram[axis];
	uint64_t rank;

	if (row->several || spread->cut || !h->count)
		return sl_cell_none();
	rank = sl_histogram_rank(h->count, per_mille);
	return sl_cell_u64(scaled(rows, sl_histogram_at_rank_within(h, rank, spread->min.v[axis], spread->max.v[axis])));
}

/* Returns the row's id. */
static uint64_t write(struct rows *rows, const struct row *row)
{
	const struct graph_node *node = row->node;
	enum sl_axis axis = rows->shown->axis;
	bool complete = node->calls[0] > 0 && !row->several;
	bool function = node->kind == GRAPH_FUNCTION || node->kind == GRAPH_LEVEL || graph_calls(node);
	uint64_t calls = node->calls[0] + node->calls[SL_SPAN_NO_EXIT], root = rows->root ? graph_calls(rows->root) : 0;
	struct sl_cell cells[24];
	size_t n = 0;

	cells[n++] = sl_cell_u64(++rows->count);
	cells[n++] = row->parent ? sl_cell_u64(row->parent) : sl_cell_none();
	cells[n++] = sl_cell_u64(row->depth);
	cells[n++] = sl_cell_str(row->kind);
	cells[n++] = sl_cell_real(percent(rows, node));
	cells[n++] = sl_cell_u64(scaled(rows, node->total.v[axis]));
	cells[n++] = sl_cell_u64(scaled(rows, node->self.v[axis]));
	cells[n++] = function ? sl_cell_u64(calls) : sl_cell_none();
	cells[n++] = function && root ? sl_cell_real((double)graph_calls(node) / (double)root) : sl_cell_none();
	cells[n++] = function ? sl_cell_u64(graph_calls(node) - calls) : sl_cell_none();
	cells[n++] = function ? sl_cell_u64(graph_calls(node) - node->calls[0] - node->calls[SL_SPAN_NO_ENTRY])
			      : sl_cell_none();
	cells[n++] = complete ? sl_cell_u64(scaled(rows, node->spread.min.v[axis])) : sl_cell_none();
	cells[n++] = complete ? sl_cell_real((double)scaled(rows, node->spread.sum.v[axis]) / (double)node->calls[0])
			      : sl_cell_none();
	cells[n++] = complete ? sl_cell_u64(scaled(rows, node->spread.max.v[axis])) : sl_cell_none();
	cells[n++] = percentile(rows, row, 500);
	cells[n++] = percentile(rows, row, 990);
	cells[n++] = complete ? sl_cell_u64(node->spread.max_offset[axis]) : sl_cell_none();
	cells[n++] = function ? sl_cell_u64(node->first_offset) : sl_cell_none();
	if (axis != SL_AXIS_INSNS)
		cells[n++] = sl_cell_u64(node->total.v[SL_AXIS_INSNS]);
	cells[n++] = sl_cell_str(row->module);
	cells[n++] = sl_cell_tree(row->depth, row->name);
	rows->out->ops->row(rows->out->out, cells);
	return rows->count;
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_name(const struct rows *rows, const struct graph_node *a, const struct graph_node *b)
{
	char left[96], right[96];

	return strcmp(graph_name(rows->graph, a, left, sizeof(left)), graph_name(rows->graph, b, right, sizeof(right)));
}

static int by_average(double a, double b)
{
	return (a < b) - (a > b);
}

/* Great ones first; equal ones as they were first entered. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct rows *rows = ctx;
	const struct graph_node *a = &rows->tree->nodes[*(const uint32_t *)left], *b = &rows->tree->nodes[*(const uint32_t *)right];
	enum sl_axis axis = rows->shown->axis;
	int order = 0;

	switch (rows->shown->order) {
	case SL_GRAPH_BY_TOTAL:
		order = by_number(weight(rows, a), weight(rows, b));
		break;
	case SL_GRAPH_BY_SELF:
		order = by_number(a->self.v[axis], b->self.v[axis]);
		break;
	case SL_GRAPH_BY_CALLS:
		order = by_number(graph_calls(a), graph_calls(b));
		break;
	case SL_GRAPH_BY_AVG:
		order = by_average(average(a, axis), average(b, axis));
		break;
	case SL_GRAPH_BY_MAX:
		order = by_number(a->spread.max.v[axis], b->spread.max.v[axis]);
		break;
	case SL_GRAPH_BY_NAME:
		order = by_name(rows, a, b);
		break;
	case SL_GRAPH_BY_TIME:
		break;
	}
	if (!order)
		order = -by_number(a->entry, b->entry);
	return order ? order : *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1;
}

/* A node's children in order; *ret is freed by the caller. */
static size_t sorted_children(struct rows *rows, const struct graph_node *node, uint32_t **ret)
{
	size_t count = graph_children(rows->tree, node, compare, rows, ret);

	rows->no_memory |= !*ret;
	return count;
}

/* Children that are too small for a row of their own. */
struct rest {
	struct graph_node sum;
	size_t count;
};

static void add_to_rest(struct rest *rest, const struct graph_node *node)
{
	rest->count++;
	rest->sum.kind = GRAPH_FUNCTION;
	for (int lacks = 0; lacks <= GRAPH_LACKS; lacks++)
		rest->sum.calls[lacks] += node->calls[lacks];
	sl_axes_add(&rest->sum.total, node->total);
	sl_axes_add(&rest->sum.self, node->self);
}

/* Where they are something together they are one row: what is missing from a sum is less than a row would have. */
static void write_rest(struct rows *rows, const struct rest *rest, uint32_t depth, uint64_t parent)
{
	char name[48];
	struct row row = { .kind = "rest", .name = name, .node = &rest->sum, .depth = depth, .parent = parent,
			   .several = true };

	snprintf(name, sizeof(name), "(%zu more)", rest->count);
	if (rest->count && percent(rows, &rest->sum) >= rows->shown->percent)
		write(rows, &row);
}

static void write_beyond(struct rows *rows, const struct graph_node *node, uint32_t depth, uint64_t parent)
{
	const struct graph_node beyond = { .total = node->beyond, .self = node->beyond };
	const struct row row = { .kind = "beyond", .name = "(paths not kept)", .node = &beyond, .depth = depth, .parent = parent };

	if (beyond.total.v[SL_AXIS_INSNS])
		write(rows, &row);
}

static void write_node(struct rows *rows, const struct graph_node *node, uint32_t depth, uint64_t parent);

static void write_children(struct rows *rows, const struct graph_node *node, uint32_t depth, uint64_t parent)
{
	struct rest rest = { .count = 0 };
	uint32_t *order;
	size_t count;

	if (rows->shown->depth && depth >= rows->shown->depth)
		return;
	count = sorted_children(rows, node, &order);
	for (size_t i = 0; i < count; i++) {
		const struct graph_node *child = &rows->tree->nodes[order[i]];

		if (!graph_counted(child))
			continue;
		if (percent(rows, child) >= rows->shown->percent) {
			write_node(rows, child, depth, parent);
			continue;
		}
		add_to_rest(&rest, child);
	}
	free(order);
	write_rest(rows, &rest, depth, parent);
	write_beyond(rows, node, depth, parent);
}

static void write_node(struct rows *rows, const struct graph_node *node, uint32_t depth, uint64_t parent)
{
	char name[160];
	const struct row row = { .kind = kind_names[node->kind], .name = graph_name(rows->graph, node, name, sizeof(name)),
				 .module = graph_module(rows->graph, node), .node = node, .depth = depth, .parent = parent };
	uint64_t id = write(rows, &row);

	write_children(rows, node, depth + 1, id);
}

/* The whole: what ran, and gaps. */
static void write_all(struct rows *rows)
{
	struct graph_node all = rows->tree->nodes[0];
	const struct graph_node gap = { .total = rows->gap, .self = rows->gap };
	struct row row = { .kind = "all", .name = "[all]", .node = &all };
	uint64_t id;

	sl_axes_add(&all.total, rows->gap);
	rows->base = all.total.v[rows->shown->axis];
	id = write(rows, &row);
	write_children(rows, &rows->tree->nodes[0], 1, id);
	row = (struct row){ .kind = "gap", .name = "[trace missing]", .node = &gap, .depth = 1, .parent = id };
	if (gap.total.v[SL_AXIS_INSNS] || gap.total.v[rows->shown->axis])
		write(rows, &row);
}

static void write_functions(struct rows *rows, uint64_t whole)
{
	const struct graph_node *root = &rows->tree->nodes[0];
	uint32_t *order;
	size_t count = sorted_children(rows, root, &order);

	for (size_t i = 0; i < count; i++) {
		const struct graph_node *node = &rows->tree->nodes[order[i]];

		rows->root = node;
		rows->base = rows->shown->view == SL_GRAPH_INVERTED ? whole : node->total.v[rows->shown->axis];
		if (graph_counted(node) && percent(rows, node) >= rows->shown->percent)
			write_node(rows, node, 0, 0);
	}
	free(order);
}

/* The children of a group, flat. */
static void write_group(struct rows *rows, const struct graph_node *group, const char *kind)
{
	struct rest rest = { .count = 0 };
	uint32_t *order;
	size_t count;

	count = sorted_children(rows, group, &order);
	for (size_t i = 0; i < count; i++) {
		const struct graph_node *node = &rows->tree->nodes[order[i]];
		char name[160];
		const struct row row = { .kind = kind, .name = graph_name(rows->graph, node, name, sizeof(name)),
					 .module = graph_module(rows->graph, node), .node = node };

		if (percent(rows, node) >= rows->shown->percent) {
			write(rows, &row);
			continue;
		}
		add_to_rest(&rest, node);
	}
	free(order);
	write_rest(rows, &rest, 0, 0);
}

static void write_linkages(struct rows *rows)
{
	const struct graph_node *nodes = rows->tree->nodes;
	uint32_t *order;
	size_t count = sorted_children(rows, nodes, &order);

	for (size_t i = 0; i < count; i++) {
		const struct graph_node *node = &nodes[order[i]], *callers = &nodes[node->child];
		const struct row row = { .kind = "function", .name = sl_image_symbol(rows->graph->options.image, node->id)->name,
					 .module = graph_module(rows->graph, node), .node = node };

		if (!graph_counted(node))
			continue;
		rows->root = node;
		rows->base = node->total.v[rows->shown->axis];
		write_group(rows, callers, "caller");
		write(rows, &row);
		write_group(rows, &nodes[callers->next], "callee");
	}
	free(order);
}

static struct sl_axes gaps_of(const struct sl_calls *calls)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);
	struct sl_axes sum = { { 0 } };

	for (size_t i = 0; i < count; i++)
		sl_axes_add(&sum, lanes[i].account.gap);
	return sum;
}

bool sl_graph_closes(const struct sl_graph *graph, const struct sl_calls *calls)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);
	struct sl_axes whole = { { 0 } }, sum = gaps_of(calls);

	for (size_t i = 0; i < count; i++)
		sl_axes_add(&whole, lanes[i].account.whole);
	for (size_t i = 0; i < graph->tree.len; i++) {
		sl_axes_add(&sum, graph->tree.nodes[i].self);
		sl_axes_add(&sum, graph->tree.nodes[i].beyond);
	}
	return memcmp(&sum, &whole, sizeof(sum)) == 0;
}

struct sl_axes graph_gaps(const struct sl_graph *graph, const struct sl_calls *calls)
{
	return sl_graph_closes(graph, calls) ? gaps_of(calls) : (struct sl_axes){ { 0 } };
}

bool sl_graph_empty(const struct sl_graph *graph)
{
	for (size_t i = 0; i < graph->tree.len; i++) {
		if (graph_counted(&graph->tree.nodes[i]))
			return false;
	}
	return true;
}

static const char *title_of(const struct sl_graph_shown *shown, char *ret, size_t cap)
{
	const char *unit = axis_unit(shown->axis);

	switch (shown->view) {
	case SL_GRAPH_CALLEES:
		snprintf(ret, cap, "What %s calls; %% of its total", shown->function);
		break;
	case SL_GRAPH_CALLERS:
		snprintf(ret, cap, "Who calls %s; numbers are its own, by caller", shown->function);
		break;
	case SL_GRAPH_INVERTED:
		snprintf(ret, cap, "Functions by self %s, and below each its callers", unit);
		break;
	case SL_GRAPH_LINKAGE:
		snprintf(ret, cap, "Callers of %s, itself, and callees; %% of its total", shown->function);
		break;
	default:
		if (shown->percent > 0)
			snprintf(ret, cap, "Calls by path; paths with less than %g %% are left out", shown->percent);
		else
			snprintf(ret, cap, "Calls by path");
	}
	return ret;
}

static void write_tree(struct rows *rows)
{
	const struct sl_graph_shown *shown = rows->shown;
	const struct sl_meta meta[] = { { "unit", axis_unit(shown->axis) } };
	char title[200];
	struct sl_table_head head = { .schema = "sightline.graph/1", .name = "graph", .meta = meta, .meta_count = 1,
				      .title = title_of(shown, title, sizeof(title)) };

	head.column_count = sl_graph_columns(shown->axis, &head.columns);
	rows->out->ops->begin(rows->out->out, &head);
	if (shown->view == SL_GRAPH_TREE)
		write_all(rows);
	else if (shown->view == SL_GRAPH_LINKAGE)
		write_linkages(rows);
	else
		write_functions(rows, rows->graph->tree.nodes[0].total.v[shown->axis]);
	rows->out->ops->end(rows->out->out);
}

int sl_graph_report(struct sl_graph *graph, const struct sl_calls *calls, const struct sl_graph_shown *shown,
		    const struct sl_table *out)
{
	struct rows rows = { .graph = graph, .tree = &graph->tree, .shown = shown, .out = out, .gap = graph_gaps(graph, calls) };
	struct graph_tree view = { 0 };
	int result = SL_OK;

	if (!graph->summed)
		graph_sum_up(&graph->tree);
	graph->summed = true;
	if (shown->view != SL_GRAPH_TREE) {
		result = graph_view(graph, shown->view, shown->view == SL_GRAPH_INVERTED ? NULL : shown->function, &view);
		rows.tree = &view;
	}
	if (result == SL_OK)
		write_tree(&rows);
	graph_tree_release(&view);
	return rows.no_memory ? SL_ERR_NOMEM : result;
}
