/* SPDX-License-Identifier: Apache-2.0 */
/* Views: other trees of the collected one. */
#include "graph.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct view {
	const struct sl_graph *graph;
	const struct graph_node *nodes;
	const bool *matches; /* by symbol; NULL: all */
	struct graph_tree *tree;
};

static bool wanted(const struct view *view, const struct graph_node *node)
{
	if (!graph_counted(node))
		return false;
	if (node->kind == GRAPH_LEVEL)
		return !view->matches;
	return node->kind == GRAPH_FUNCTION && (!view->matches || view->matches[node->id]);
}

/* Whether the same function is further up: then that one's total has this one's. */
static bool is_inner(const struct view *view, const struct graph_node *node)
{
	for (uint32_t up = node->parent; up; up = view->nodes[up].parent) {
		if (view->nodes[up].kind == node->kind && view->nodes[up].id == node->id)
			return true;
	}
	return false;
}

/* A node's numbers, with its total where that is not in another one already. */
static void add(const struct view *view, uint32_t into, const struct graph_node *from, bool with_total)
{
	struct graph_node *node = &view->tree->nodes[into];

	graph_node_add(view->tree, node, from);
	if (with_total)
		sl_axes_add(&node->total, from->total);
}

/* There is room for a node of a view wherever there was for the collected one, save for callers: what does not fit ends the path. */
static void add_below(const struct view *view, uint32_t into, const struct graph_node *from)
{
	add(view, into, from, true);
	for (uint32_t i = from->child; i; i = view->nodes[i].next) {
		uint32_t child = graph_child(view->tree, into, view->nodes[i].kind, view->nodes[i].id);

		if (child != GRAPH_NONE)
			add_below(view, child, &view->nodes[i]);
	}
}

static void add_callees(const struct view *view, const struct graph_node *node)
{
	uint32_t root;

	if (is_inner(view, node))
		return;
	root = graph_child(view->tree, 0, node->kind, node->id);
	if (root != GRAPH_NONE)
		add_below(view, root, node);
}

static void add_callers(const struct view *view, const struct graph_node *node)
{
	bool outer = !is_inner(view, node);
	const struct graph_node *up = node;
	uint32_t at = graph_child(view->tree, 0, node->kind, node->id), below = 0;

	/* A path that is folded ends here: a node counts a call once. */
	while (at != GRAPH_NONE && at > below) {
		add(view, at, node, outer);
		if (!up->parent)
			break;
		up = &view->nodes[up->parent];
		below = at;
		at = graph_child(view->tree, at, up->kind, up->id);
	}
}

/* A function with its direct callers, by which its calls are divided, and direct callees. */
static void add_linkage(const struct view *view, const struct graph_node *node)
{
	bool outer = !is_inner(view, node);
	uint32_t root = graph_child(view->tree, 0, node->kind, node->id);
	uint32_t callers = root == GRAPH_NONE ? root : graph_child(view->tree, root, GRAPH_CALLERS, 0);
	uint32_t callees = root == GRAPH_NONE ? root : graph_child(view->tree, root, GRAPH_CALLEES, 0);
	const struct graph_node *up = &view->nodes[node->parent];

	if (callers == GRAPH_NONE || callees == GRAPH_NONE)
		return;
	add(view, root, node, outer);
	if (node->parent) {
		uint32_t caller = graph_child(view->tree, callers, up->kind, up->id);

		if (caller != GRAPH_NONE)
			add(view, caller, node, outer);
	}
	for (uint32_t i = node->child; i; i = view->nodes[i].next) {
		uint32_t callee = graph_child(view->tree, callees, view->nodes[i].kind, view->nodes[i].id);

		if (callee != GRAPH_NONE)
			add(view, callee, &view->nodes[i], true);
	}
}

/* Names may hold what a glob takes for its own: operator*, [no image]. */
bool graph_names(const char *glob, const char *name)
{
	return strcmp(glob, name) == 0 || fnmatch(glob, name, 0) == 0;
}

bool *graph_matches(const struct sl_image *image, const char *glob)
{
	uint32_t count = sl_image_symbol_count(image);
	bool *ret = calloc((size_t)count + 1, sizeof(*ret));

	for (uint32_t i = 0; ret && i <= count; i++)
		ret[i] = graph_names(glob, sl_image_symbol(image, i)->name);
	return ret;
}

static int make(struct view *view, enum sl_graph_view kind)
{
	const struct graph_tree *from = &view->graph->tree;

	for (size_t i = 1; i < from->len; i++) {
		const struct graph_node *node = &from->nodes[i];

		if (!wanted(view, node))
			continue;
		if (kind == SL_GRAPH_CALLEES)
			add_callees(view, node);
		else if (kind == SL_GRAPH_LINKAGE)
			add_linkage(view, node);
		else
			add_callers(view, node);
	}
	if (view->tree->no_memory)
		return SL_ERR_NOMEM;
	return view->tree->len > 1 ? SL_OK : SL_END;
}

int graph_view(const struct sl_graph *graph, enum sl_graph_view kind, const char *function, struct graph_tree *ret)
{
	struct view view = { .graph = graph, .nodes = graph->tree.nodes, .tree = ret };
	bool *matches = function ? graph_matches(graph->options.image, function) : NULL;
	int result = SL_ERR_NOMEM;

	/* Callers of one function are at most as many as paths; those of all are more. */
	if (graph_tree_init(ret, 2 * graph->tree.max, graph->tree.axes) < 0 || (function && !matches)) {
		free(matches);
		return result;
	}
	view.matches = matches;
	result = make(&view, kind);
	free(matches);
	return result;
}
