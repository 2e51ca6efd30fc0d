/* SPDX-License-Identifier: Apache-2.0 */
/* The collected tree as a kept profile has it. */
#include <stdlib.h>

#include "compare/saved.h"
#include "graph.h"
#include "sl_array.h"

static int save_node(const struct sl_graph *graph, const struct graph_node *from, struct sl_saved_node *into,
		     struct sl_saved *saved)
{
	char name[160];

	for (int i = 0; i < SL_SAVED_LACKS; i++)
		into->calls[i] = from->calls[i];
	into->self = from->self;
	into->beyond = from->beyond;
	if (from->kind == GRAPH_FUNCTION) {
		into->kind = SL_SAVED_FUNCTION;
		return saved_function_of(saved, graph->options.image, from->id, &into->what);
	}
	into->kind = from->kind == GRAPH_ALL ? SL_SAVED_ROOT : SL_SAVED_LEVEL;
	return saved_string(saved, graph_name(graph, from, name, sizeof(name)), &into->what);
}

/* places: of the nodes in what is kept. Those at which nothing counted are left out, with all below. */
static int save_nodes(const struct sl_graph *graph, const bool *counts, uint32_t *places, struct sl_saved *into)
{
	const struct graph_tree *tree = &graph->tree;

	for (size_t i = 0; i < tree->len; i++) {
		struct sl_saved_node node = { .parent = places[tree->nodes[i].parent] };

		if (!counts[i])
			continue;
		places[i] = (uint32_t)into->node_count;
		if (save_node(graph, &tree->nodes[i], &node, into) < 0 ||
		    SL_ARRAY_PUSH(&into->nodes, &into->node_count, &into->node_cap, node) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static bool has_own(const struct graph_node *node)
{
	uint64_t any = graph_calls(node);

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
		any |= node->self.v[axis] | node->beyond.v[axis];
	return any;
}

int sl_graph_save(const struct sl_graph *graph, struct sl_saved *into)
{
	const struct graph_tree *tree = &graph->tree;
	uint32_t *places = calloc(tree->len, sizeof(*places));
	bool *counts = calloc(tree->len, sizeof(*counts));
	int result = places && counts ? SL_OK : SL_ERR_NOMEM;

	for (size_t i = tree->len; result == SL_OK && i-- > 0;) {
		counts[i] |= i == 0 || has_own(&tree->nodes[i]);
		counts[tree->nodes[i].parent] |= counts[i];
	}
	if (result == SL_OK)
		result = save_nodes(graph, counts, places, into);
	if (result == SL_OK)
		result = saved_order_nodes(into);
	if (result == SL_OK)
		saved_sum_up(into);
	free(places);
	free(counts);
	return result;
}
