/* SPDX-License-Identifier: Apache-2.0 */
/* The collected tree as paths in one unit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "axis.h"
#include "graph.h"
#include "sl_array.h"
#include "sl_export.h"

struct amounts {
	uint64_t self, beyond, total;
	uint32_t name_id;
};

struct walk {
	const struct sl_graph *graph;
	const struct sl_paths *out;
	enum sl_axis axis;
	uint64_t timestamp_hz;
	struct amounts *nodes;
	struct sl_map name_ids; /* by kind << 32 | id: name id + 1 */
	uint32_t name_count;
	uint64_t *sums;		/* by name id: what was given to it so far, on the axis */
	size_t sum_len, sum_cap;
};

/* Made where it is new. UINT32_MAX when out of memory. */
static uint32_t name_id_of(struct walk *walk, unsigned kind, uint32_t id)
{
	uint64_t *number = sl_map_put(&walk->name_ids, (uint64_t)kind << 32 | id);

	if (!number)
		return UINT32_MAX;
	if (!*number) {
		if (SL_ARRAY_PUSH(&walk->sums, &walk->sum_len, &walk->sum_cap, 0) < 0)
			return UINT32_MAX;
		*number = ++walk->name_count;
	}
	return (uint32_t)*number - 1;
}

/* What is lost of one amount in rounding is carried to the next of the same name. */
static uint64_t carried(struct walk *walk, uint32_t name_id, uint64_t value)
{
	return axis_carried(walk->axis, &walk->sums[name_id], value, walk->timestamp_hz);
}

/* Children come behind their parents. */
static int find_amounts(struct walk *walk)
{
	const struct graph_tree *tree = &walk->graph->tree;
	uint32_t beyond = name_id_of(walk, GRAPH_KINDS, 0);

	if (beyond == UINT32_MAX)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < tree->len; i++) {
		const struct graph_node *node = &tree->nodes[i];
		struct amounts *amounts = &walk->nodes[i];

		amounts->name_id = name_id_of(walk, node->kind, node->id);
		if (amounts->name_id == UINT32_MAX)
			return SL_ERR_NOMEM;
		amounts->self = carried(walk, amounts->name_id, node->self.v[walk->axis]);
		amounts->beyond = carried(walk, beyond, node->beyond.v[walk->axis]);
	}
	for (size_t i = tree->len; i-- > 0;) {
		walk->nodes[i].total += walk->nodes[i].self + walk->nodes[i].beyond;
		if (i)
			walk->nodes[tree->nodes[i].parent].total += walk->nodes[i].total;
	}
	return SL_OK;
}

static void write_beyond(struct walk *walk, uint32_t node, uint32_t depth)
{
	uint64_t beyond = walk->nodes[node].beyond;
	const struct sl_path path = { .kind = SL_PATH_BEYOND, .depth = depth, .name_id = name_id_of(walk, GRAPH_KINDS, 0),
				      .name = "(paths not kept)", .total = beyond, .self = beyond };

	if (beyond)
		walk->out->ops->path(walk->out->out, &path);
}

static void write_node(struct walk *walk, uint32_t number, uint32_t depth)
{
	static const enum sl_path_kind kinds[] = { [GRAPH_TASK] = SL_PATH_TASK, [GRAPH_LEVEL] = SL_PATH_LEVEL,
						   [GRAPH_FUNCTION] = SL_PATH_FUNCTION };
	const struct graph_node *node = &walk->graph->tree.nodes[number];
	const struct amounts *amounts = &walk->nodes[number];
	struct sl_path path = { .kind = kinds[node->kind], .depth = depth, .name_id = amounts->name_id,
				.module = graph_module(walk->graph, node), .calls = graph_calls(node), .total = amounts->total,
				.self = amounts->self };
	char name[160];

	if (!path.calls && !path.total)
		return;
	path.name = graph_name(walk->graph, node, name, sizeof(name));
	walk->out->ops->path(walk->out->out, &path);
	for (uint32_t child = node->child; child; child = walk->graph->tree.nodes[child].next)
		write_node(walk, child, depth + 1);
	write_beyond(walk, number, depth + 1);
}

static uint32_t depth_of(const struct graph_tree *tree)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < tree->len; i++) {
		if (tree->nodes[i].depth > depth)
			depth = tree->nodes[i].depth;
	}
	return depth + 1; /* and one for what is beyond */
}

static int write_all(struct walk *walk, uint64_t gap)
{
	struct sl_path path = { .kind = SL_PATH_GAP, .name = "[trace missing]", .total = gap, .self = gap };
	const struct graph_node *root = walk->graph->tree.nodes;

	for (uint32_t child = root->child; child; child = walk->graph->tree.nodes[child].next)
		write_node(walk, child, 0);
	write_beyond(walk, 0, 0);
	path.name_id = name_id_of(walk, GRAPH_KINDS + 1, 0);
	if (path.name_id == UINT32_MAX)
		return SL_ERR_NOMEM;
	if (gap)
		walk->out->ops->path(walk->out->out, &path);
	return SL_OK;
}

int sl_graph_paths(const struct sl_graph *graph, const struct sl_calls *calls, enum sl_axis axis, uint64_t timestamp_hz,
		   const struct sl_paths *out)
{
	struct walk walk = { .graph = graph, .out = out, .axis = axis, .timestamp_hz = timestamp_hz };
	struct sl_paths_head head = { .unit = axis_unit(axis), .depth = depth_of(&graph->tree) };
	uint64_t gap = axis_value(axis, graph_gaps(graph, calls).v[axis], timestamp_hz);
	int result;

	walk.nodes = calloc(graph->tree.len, sizeof(*walk.nodes));
	result = walk.nodes ? find_amounts(&walk) : SL_ERR_NOMEM;
	if (result == SL_OK) {
		head.whole = walk.nodes[0].total + gap;
		out->ops->begin(out->out, &head);
		result = write_all(&walk, gap);
	}
	free(walk.sums);
	free(walk.nodes);
	sl_map_release(&walk.name_ids);
	return result;
}
