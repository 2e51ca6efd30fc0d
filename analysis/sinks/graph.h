/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GRAPH_H
#define GRAPH_H
/* The tree of paths that graph collects, and that its views are made of. Inside of analysis/sinks only. */
#include "sl_graph.h"
#include "sl_histogram.h"
#include "sl_map.h"
#include "tasks.h"

enum graph_kind {
	GRAPH_ALL,	/* the root */
	GRAPH_TASK,	/* id: the stack's number */
	GRAPH_LEVEL,	/* id: GRAPH_LEVEL_ID */
	GRAPH_FUNCTION, /* id: symbol */
	GRAPH_CALLERS,	/* linkage: its children are callers of the node above */
	GRAPH_CALLEES,
	GRAPH_KINDS,
};
#define GRAPH_LEVEL_ID(level, number) ((uint32_t)(level) << 16 | ((number) & 0xffffu))

enum {
	GRAPH_NODES = 100000,
	GRAPH_HISTOGRAM_BYTES = 48 << 20, /* of all nodes together */
	GRAPH_FOLD_DEPTH = 128, /* below it a function that is in the path already is counted there */
	GRAPH_MAX_DEPTH = 512,	/* no path is longer */
	GRAPH_LACKS = 3,	/* SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT */
};
#define GRAPH_NONE UINT32_MAX

/* Calls that were seen from entry to exit: how long they took, with callees. */
struct graph_spread {
	struct sl_axes sum, min, max;
	uint64_t max_offset[SL_AXIS_COUNT]; /* where the longest one began */
	struct sl_histogram histogram[SL_AXIS_COUNT]; /* of the axes that the tree has */
	bool cut;			    /* the histograms have not all */
};

struct graph_node {
	uint8_t kind;
	uint32_t id, parent, depth;
	uint32_t child, last_child, next; /* in the order in which they were made; 0: none */
	uint64_t calls[GRAPH_LACKS + 1];
	struct sl_axes self, total;
	struct sl_axes beyond;	    /* of paths below it that are not kept: part of total */
	uint64_t entry, first_offset; /* number of its first entry among those of all nodes, and where that was */
	struct graph_spread spread;
};

struct graph_tree {
	struct graph_node *nodes; /* the first is the root; parents come before their children */
	size_t len, cap;
	uint32_t max;
	struct sl_map by_path;
	unsigned axes;		  /* on which histograms are kept: bits */
	size_t histogram_bytes;
	uint64_t folded;
	bool no_memory;
};
int graph_tree_init(struct graph_tree *tree, uint32_t max, unsigned axes);
void graph_tree_release(struct graph_tree *tree);
/*
 * The child of a node, made where it is new. GRAPH_NONE where there is no room for it, or no memory. Where the path is long and holds
 * the same function already, that node.
 */
uint32_t graph_child(struct graph_tree *tree, uint32_t parent, enum graph_kind kind, uint32_t id);
/* Adds what from counted by itself: calls, self, spread. */
void graph_node_add(struct graph_tree *tree, struct graph_node *into, const struct graph_node *from);
void graph_spread_add(struct graph_tree *tree, struct graph_spread *spread, const struct sl_axes *value, uint64_t offset);
/* A node's children, ordered by what qsort_r calls with pointers to two of them; *ret is freed by the caller, NULL when out of memory. */
size_t graph_children(const struct graph_tree *tree, const struct graph_node *node,
		      int (*compare)(const void *left, const void *right, void *ctx), void *ctx, uint32_t **ret);
/* Sums up totals from the leaves on. */
void graph_sum_up(struct graph_tree *tree);
static inline uint64_t graph_calls(const struct graph_node *node)
{
	return node->calls[0] + node->calls[1] + node->calls[2] + node->calls[3];
}

/* Whether anything was counted at a node or below it. */
static inline bool graph_counted(const struct graph_node *node)
{
	return graph_calls(node) || node->total.v[SL_AXIS_INSNS] || node->total.v[SL_AXIS_CYCLES] || node->total.v[SL_AXIS_TICKS];
}

struct graph_frame {
	uint8_t kind;
	bool beyond;		/* there is no node for it: node is that of a frame below */
	uint32_t id, node;
	struct sl_axes inside;	/* what its callees ran, and what it asked for */
};
struct graph_stack {
	struct graph_frame *frames;
	size_t len, cap;
	uint32_t base;		/* node */
};
struct sl_graph {
	struct sl_graph_options options;
	struct graph_tree tree;
	struct graph_stack *stacks;
	size_t stack_count, stack_cap;
	struct tasks tasks;
	uint64_t entries, beyond;
	bool summed;
	bool no_memory;
};

/* graph.c: a call, as the sink is told it; whether it counts has been decided. */
void graph_call(struct sl_graph *graph, const struct sl_call *call, bool counts);
/* Whether a level's node is at the root, and not below what it interrupted. */
bool graph_is_apart(enum sl_graph_levels levels, enum sl_level level);
/* graph_views.c: whether a glob, or the name itself, names a function; and by symbol, which it names: NULL when out of memory. */
bool graph_names(const char *glob, const char *name);
bool *graph_matches(const struct sl_image *image, const char *glob);
/* graph_views.c: another tree of the collected one. SL_OK, SL_END where nothing matches, SL_ERR_NOMEM. */
int graph_view(const struct sl_graph *graph, enum sl_graph_view view, const char *function, struct graph_tree *ret);
/* Its name: of a function, a level, a task; ret has the room for those that are made. */
const char *graph_name(const struct sl_graph *graph, const struct graph_node *node, char *ret, size_t cap);
/* The file that holds it; NULL of what is no function, and where that is not known. */
const char *graph_module(const struct sl_graph *graph, const struct graph_node *node);
/* What was missing in all lanes; zero where that and what was counted are not the whole. */
struct sl_axes graph_gaps(const struct sl_graph *graph, const struct sl_calls *calls);
#endif
