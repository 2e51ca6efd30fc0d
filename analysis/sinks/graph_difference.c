/* SPDX-License-Identifier: Apache-2.0 */
/* The slowest call beside the median one, path by path. */
#include "graph_slowest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "axis.h"

#define COLUMNS(unit)                                                                                                      \
	{ "id", "id", "number of the row", SL_TYPE_COUNT, 0 },                                                             \
	{ "parent", "parent", "id of the row that it is a child of", SL_TYPE_COUNT, 0 },                                   \
	{ "depth", "depth", "rows above it in the tree", SL_TYPE_COUNT, 0 },                                               \
	{ "kind", "kind", "function, level, or rest: rows that are not shown", SL_TYPE_STRING, 0 },                        \
	{ "slowest_" unit, "slowest", "total of the path in the slowest call, in " unit, SL_TYPE_COUNT, 0 },               \
	{ "median_" unit, "median", "the same in the median call", SL_TYPE_COUNT, 0 },                                     \
	{ "difference_" unit, "difference", "slowest - median", SL_TYPE_SIGNED, 0 },                                       \
	{ "self_difference_" unit, "of it self", "difference of the self of the path", SL_TYPE_SIGNED, 0 },                \
	{ "slowest_calls", "calls", "calls in the slowest one", SL_TYPE_COUNT, 0 },                                        \
	{ "median_calls", "median's", "calls in the median one", SL_TYPE_COUNT, 0 },                                       \
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },                                                   \
	{ "function", "function", "the function or level; in text drawn as a tree", SL_TYPE_TREE, 0 }

enum { DIFFERENCE_COLUMNS = 12 };
static const struct sl_column columns[SL_AXIS_COUNT][DIFFERENCE_COLUMNS] = {
	[SL_AXIS_INSNS] = { COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { COLUMNS("ns") },
};

size_t sl_slowest_columns(enum sl_axis axis, const struct sl_column **ret)
{
	*ret = columns[axis];
	return DIFFERENCE_COLUMNS;
}

/* A path's numbers in the two calls. */
struct pair {
	uint64_t total[INSTANCES], self[INSTANCES], calls[INSTANCES];
};

struct difference {
	const struct sl_slowest *slowest;
	const struct sl_graph_shown *shown;
	const struct sl_table *out;
	struct graph_tree tree; /* paths of either call */
	struct pair *pairs;	/* by node */
	uint64_t least;		/* a smaller difference has no row */
	uint64_t count;
	bool at_root;		/* the function comes before the interrupts, which are no part of it */
	bool no_memory;
};

static uint64_t scaled(const struct difference *d, uint64_t value)
{
	return axis_value(d->shown->axis, value, d->shown->timestamp_hz);
}

static int64_t gain(const uint64_t of[INSTANCES])
{
	return (int64_t)(of[SLOWEST] - of[MEDIAN]);
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* What a path weighs: its difference, or that of a child where those cancel out. */
static uint64_t weight(const struct difference *d, uint32_t node)
{
	const struct pair *pair = &d->pairs[node];
	uint64_t most = size_of(gain(pair->total));

	for (uint32_t i = d->tree.nodes[node].child; i; i = d->tree.nodes[i].next) {
		uint64_t below = size_of(gain(d->pairs[i].total));

		most = below > most ? below : most;
	}
	return most;
}

/* Nodes of one call's tree that have been found in the common one; the common tree never has fewer. */
static int add_paths(struct difference *d, unsigned which, const struct graph_tree *from)
{
	uint32_t *common = calloc(from->len, sizeof(*common));
	int result = common ? SL_OK : SL_ERR_NOMEM;

	for (size_t i = 1; i < from->len && result == SL_OK; i++) {
		const struct graph_node *node = &from->nodes[i];
		uint32_t to = graph_child(&d->tree, common[node->parent], (enum graph_kind)node->kind, node->id);
		struct pair *pair = &d->pairs[to == GRAPH_NONE ? 0 : to];

		if (to == GRAPH_NONE)
			result = SL_ERR_NOMEM;
		common[i] = to;
		pair->total[which] = node->total.v[d->shown->axis];
		pair->self[which] = node->self.v[d->shown->axis];
		pair->calls[which] = graph_calls(node);
		if (result == SL_OK && node->entry < d->tree.nodes[to].entry)
			d->tree.nodes[to].entry = node->entry;
	}
	free(common);
	return result;
}

static uint64_t write(struct difference *d, const struct pair *pair, const struct graph_node *node, const char *name,
		      uint32_t depth, uint64_t parent)
{
	const struct sl_graph *graph = d->slowest->chosen[SLOWEST].graph;
	int64_t total = (int64_t)(scaled(d, pair->total[SLOWEST]) - scaled(d, pair->total[MEDIAN]));
	int64_t self = (int64_t)(scaled(d, pair->self[SLOWEST]) - scaled(d, pair->self[MEDIAN]));
	const struct sl_cell cells[DIFFERENCE_COLUMNS] = {
		sl_cell_u64(++d->count), parent ? sl_cell_u64(parent) : sl_cell_none(), sl_cell_u64(depth),
		sl_cell_str(!node ? "rest" : node->kind == GRAPH_LEVEL ? "level" : "function"),
		sl_cell_u64(scaled(d, pair->total[SLOWEST])), sl_cell_u64(scaled(d, pair->total[MEDIAN])),
		sl_cell_i64(total), sl_cell_i64(self),
		sl_cell_u64(pair->calls[SLOWEST]), sl_cell_u64(pair->calls[MEDIAN]),
		sl_cell_str(node ? graph_module(graph, node) : NULL),
		sl_cell_tree(depth, name),
	};

	d->out->ops->row(d->out->out, cells);
	return d->count;
}

/* What makes most of the difference first, whichever way; equal ones as they were first entered. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct difference *d = ctx;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t x = size_of(gain(d->pairs[a].total)), y = size_of(gain(d->pairs[b].total));

	if (x != y && !d->at_root)
		return x > y ? -1 : 1;
	if (d->tree.nodes[a].entry != d->tree.nodes[b].entry)
		return d->tree.nodes[a].entry < d->tree.nodes[b].entry ? -1 : 1;
	return a < b ? -1 : 1;
}

static size_t sorted_children(struct difference *d, uint32_t node, uint32_t **ret)
{
	size_t count = graph_children(&d->tree, &d->tree.nodes[node], compare, d, ret);

	d->no_memory |= !*ret;
	return count;
}

static void add_pair(struct pair *into, const struct pair *from)
{
	for (unsigned i = 0; i < INSTANCES; i++) {
		into->total[i] += from->total[i];
		into->self[i] += from->self[i];
		into->calls[i] += from->calls[i];
	}
}

static void write_node(struct difference *d, uint32_t node, uint32_t depth, uint64_t parent)
{
	struct pair rest = { .total = { 0 } };
	size_t resting = 0, count;
	uint32_t *order;
	char name[160];
	uint64_t id = write(d, &d->pairs[node], &d->tree.nodes[node],
			    graph_name(d->slowest->chosen[SLOWEST].graph, &d->tree.nodes[node], name, sizeof(name)), depth, parent);

	if (d->shown->depth && depth + 1 >= d->shown->depth)
		return;
	count = sorted_children(d, node, &order);
	for (size_t i = 0; i < count; i++) {
		if (weight(d, order[i]) >= d->least) {
			write_node(d, order[i], depth + 1, id);
		} else {
			resting++;
			add_pair(&rest, &d->pairs[order[i]]);
		}
	}
	free(order);
	snprintf(name, sizeof(name), "(%zu more)", resting);
	if (resting && size_of(gain(rest.total)) >= d->least)
		write(d, &rest, NULL, name, depth + 1, id);
}

static void write_difference(struct difference *d)
{
	const struct sl_meta meta[] = { { "unit", axis_unit(d->shown->axis) } };
	struct sl_table_head head = { .schema = "sightline.slowest/1", .name = "difference", .meta = meta, .meta_count = 1,
				      .title = "What makes the difference: the slowest call beside the median one" };
	uint32_t *order;
	size_t count;

	head.column_count = sl_slowest_columns(d->shown->axis, &head.columns);
	d->out->ops->begin(d->out->out, &head);
	d->at_root = true;
	count = sorted_children(d, 0, &order);
	d->at_root = false;
	for (size_t i = 0; i < count; i++)
		write_node(d, order[i], 0, 0);
	free(order);
	d->out->ops->end(d->out->out);
}

#define INSTANCE_COLUMNS(unit)                                                                                             \
	{ "call", "call", "which one", SL_TYPE_STRING, 0 },                                                                \
	{ "function", "function", "its name", SL_TYPE_STRING, 0 },                                                         \
	{ "number", "number", "which of the calls, counted from 1 as they were entered", SL_TYPE_COUNT, 0 },               \
	{ "of", "of", "calls that were seen from entry to exit", SL_TYPE_COUNT, 0 },                                       \
	{ "total_" unit, "total " unit, "with callees, and with system calls and faults", SL_TYPE_COUNT, 0 },              \
	{ "interrupted_" unit, "+ interrupted", "by interrupts on top of it", SL_TYPE_COUNT, 0 },                          \
	{ "apart_" unit, "+ not running", "the rest of the time from entry to exit", SL_TYPE_COUNT, 0 },                   \
	{ "at_" unit, "at " unit, "when it was entered, from the beginning of the trace of its CPU", SL_TYPE_COUNT, 0 },   \
	{ "insns", "insns", "instructions executed, as total", SL_TYPE_COUNT, 0 },                                         \
	{ "buffer", "buffer", "trace buffer where it ended", SL_TYPE_STRING, 0 },                                          \
	{ "trace_id", "id", "trace id there", SL_TYPE_HEX, 0 },                                                            \
	{ "offset", "from", "offset in the buffer where it was entered", SL_TYPE_ADDR, 0 },                                \
	{ "leave_offset", "to", "offset where it was left", SL_TYPE_ADDR, 0 }

enum { INSTANCE_COLUMN_COUNT = 13 };
static const struct sl_column instance_columns[SL_AXIS_COUNT][INSTANCE_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { INSTANCE_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { INSTANCE_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { INSTANCE_COLUMNS("ns") },
};

/* From entry to exit, what is neither its own nor an interrupt's: its task did not run. Not known where the clock is another. */
static struct sl_cell rest_of(const struct difference *d, const struct instance *call)
{
	enum sl_axis axis = d->shown->axis;
	uint64_t wall = call->leave.v[axis] - call->enter.v[axis], ran = call->total.v[axis] + call->interrupted.v[axis];

	return call->leave.v[axis] >= call->enter.v[axis] && wall >= ran ? sl_cell_u64(scaled(d, wall - ran)) : sl_cell_none();
}

static void write_instances(const struct difference *d)
{
	static const char *const names[INSTANCES] = { "slowest", "median" };
	const struct sl_slowest *slowest = d->slowest;
	enum sl_axis axis = d->shown->axis;
	const struct sl_meta meta[] = { { "unit", axis_unit(axis) } };
	const struct sl_table_head head = { .schema = "sightline.slowest/1", .name = "instances", .meta = meta, .meta_count = 1,
					    .columns = instance_columns[axis], .column_count = INSTANCE_COLUMN_COUNT };

	d->out->ops->begin(d->out->out, &head);
	for (unsigned i = 0; i < INSTANCES; i++) {
		const struct instance *call = &slowest->chosen[i];
		const struct sl_cell cells[INSTANCE_COLUMN_COUNT] = {
			sl_cell_str(names[i]), sl_cell_str(sl_image_symbol(slowest->options.image, call->symbol)->name),
			sl_cell_u64(call->number + 1), sl_cell_u64(slowest->seen_len + slowest->dropped),
			sl_cell_u64(scaled(d, call->total.v[axis])), sl_cell_u64(scaled(d, call->interrupted.v[axis])),
			rest_of(d, call), sl_cell_u64(scaled(d, call->enter.v[axis])),
			sl_cell_u64(call->total.v[SL_AXIS_INSNS]), sl_cell_str(call->buffer), sl_cell_u64(call->trace_id),
			sl_cell_u64(call->offset), sl_cell_u64(call->leave_offset),
		};

		d->out->ops->row(d->out->out, cells);
	}
	d->out->ops->end(d->out->out);
}

static int add_calls(struct difference *d, struct sl_slowest *slowest)
{
	size_t nodes = slowest->chosen[SLOWEST].graph->tree.len + slowest->chosen[MEDIAN].graph->tree.len;
	int result = graph_tree_init(&d->tree, (uint32_t)nodes, 0);

	d->pairs = calloc(nodes, sizeof(*d->pairs));
	if (!d->pairs)
		return SL_ERR_NOMEM;
	for (unsigned i = 0; i < INSTANCES && result == SL_OK; i++) {
		struct sl_graph *graph = slowest->chosen[i].graph;

		if (!graph->summed)
			graph_sum_up(&graph->tree);
		graph->summed = true;
		result = add_paths(d, i, &graph->tree);
	}
	return result;
}

int sl_slowest_report(struct sl_slowest *slowest, const struct sl_graph_shown *shown, const struct sl_table *out)
{
	struct difference d = { .slowest = slowest, .shown = shown, .out = out };
	int result = add_calls(&d, slowest);

	if (result == SL_OK) {
		d.least = (uint64_t)(shown->percent / 100 * (double)slowest->chosen[SLOWEST].total.v[shown->axis]);
		write_instances(&d);
		write_difference(&d);
	}
	free(d.pairs);
	graph_tree_release(&d.tree);
	return d.no_memory ? SL_ERR_NOMEM : result;
}
