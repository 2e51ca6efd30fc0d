/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>

#include "sl_array.h"

static const struct graph_spread no_spread = { .min = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } } };

int graph_tree_init(struct graph_tree *tree, uint32_t max, unsigned axes)
{
	struct graph_node root = { .kind = GRAPH_ALL, .entry = UINT64_MAX, .spread = no_spread };

	*tree = (struct graph_tree){ .max = max ? max : GRAPH_NODES, .axes = axes };
	return SL_ARRAY_PUSH(&tree->nodes, &tree->len, &tree->cap, root);
}

void graph_tree_release(struct graph_tree *tree)
{
	for (size_t i = 0; i < tree->len; i++) {
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			sl_histogram_release(&tree->nodes[i].spread.histogram[axis]);
	}
	free(tree->nodes);
	sl_map_release(&tree->by_path);
}

/* Of the nodes above, the nearest that is the same; not beyond a level, which is other code. GRAPH_NONE: there is none. */
static uint32_t same_above(const struct graph_tree *tree, uint32_t at, enum graph_kind kind, uint32_t id)
{
	while (tree->nodes[at].kind == GRAPH_FUNCTION) {
		if (kind == GRAPH_FUNCTION && tree->nodes[at].id == id)
			return at;
		at = tree->nodes[at].parent;
	}
	return GRAPH_NONE;
}

static uint32_t add_child(struct graph_tree *tree, uint32_t parent, enum graph_kind kind, uint32_t id)
{
	struct graph_node node = { .kind = (uint8_t)kind, .id = id, .parent = parent, .entry = UINT64_MAX,
				   .spread = no_spread };
	uint32_t index = (uint32_t)tree->len, last = tree->nodes[parent].last_child;

	if (tree->len >= tree->max || tree->nodes[parent].depth >= GRAPH_MAX_DEPTH)
		return GRAPH_NONE;
	node.depth = tree->nodes[parent].depth + 1;
	if (SL_ARRAY_PUSH(&tree->nodes, &tree->len, &tree->cap, node) < 0) {
		tree->no_memory = true;
		return GRAPH_NONE;
	}
	if (last)
		tree->nodes[last].next = index;
	else
		tree->nodes[parent].child = index;
	tree->nodes[parent].last_child = index;
	return index;
}

static uint32_t new_child(struct graph_tree *tree, uint32_t parent, enum graph_kind kind, uint32_t id)
{
	uint32_t same = GRAPH_NONE;

	if (tree->nodes[parent].depth >= GRAPH_FOLD_DEPTH)
		same = same_above(tree, parent, kind, id);
	return same != GRAPH_NONE ? same : add_child(tree, parent, kind, id);
}

uint32_t graph_child(struct graph_tree *tree, uint32_t parent, enum graph_kind kind, uint32_t id)
{
	/* Nodes are far fewer than 2^28, and kinds than 16. */
	uint64_t key = (uint64_t)parent << 36 | (uint64_t)kind << 32 | id;
	uint64_t *index = sl_map_get(&tree->by_path, key);
	uint32_t child;

	if (index) {
		child = (uint32_t)*index;
	} else {
		child = new_child(tree, parent, kind, id);
		if (child == GRAPH_NONE)
			return child;
		index = sl_map_put(&tree->by_path, key);
		if (!index) {
			tree->no_memory = true;
			return GRAPH_NONE;
		}
		*index = child;
	}
	tree->folded += child <= parent;
	return child;
}

static void take_longest(struct graph_spread *spread, int axis, uint64_t value, uint64_t offset)
{
	if (value < spread->max.v[axis] || (value == spread->max.v[axis] && spread->max_offset[axis]))
		return;
	spread->max.v[axis] = value;
	spread->max_offset[axis] = offset;
}

/* Slots of a histogram, in bytes. */
static size_t bytes_of(const struct sl_histogram *h)
{
	return h->len ? h->len * sizeof(*h->slots) : h->count ? SL_HISTOGRAM_EXACT * sizeof(*h->slots) : 0;
}

/* All nodes together must not take more than they may: then those whose histogram would grow have none. */
static void add_to_histogram(struct graph_tree *tree, struct graph_spread *spread, int axis, uint64_t value)
{
	struct sl_histogram *h = &spread->histogram[axis];
	bool grows = sl_histogram_class(value) - h->first >= h->len;
	size_t before;

	spread->cut |= grows && tree->histogram_bytes > GRAPH_HISTOGRAM_BYTES;
	if (spread->cut)
		return;
	before = bytes_of(h);
	tree->no_memory |= sl_histogram_add(h, value) < 0;
	if (grows)
		tree->histogram_bytes += bytes_of(h) - before;
}

void graph_spread_add(struct graph_tree *tree, struct graph_spread *spread, const struct sl_axes *value, uint64_t offset)
{
	sl_axes_add(&spread->sum, *value);
	for (int i = 0; i < SL_AXIS_COUNT; i++) {
		if (value->v[i] < spread->min.v[i])
			spread->min.v[i] = value->v[i];
		take_longest(spread, i, value->v[i], offset);
		if (tree->axes & 1u << i)
			add_to_histogram(tree, spread, i, value->v[i]);
	}
}

static void merge_histogram(struct graph_tree *tree, struct graph_spread *into, const struct graph_spread *from, int axis)
{
	size_t before = bytes_of(&into->histogram[axis]);

	into->cut |= from->cut || tree->histogram_bytes > GRAPH_HISTOGRAM_BYTES;
	if (into->cut)
		return;
	tree->no_memory |= sl_histogram_merge(&into->histogram[axis], &from->histogram[axis]) < 0;
	tree->histogram_bytes += bytes_of(&into->histogram[axis]) - before;
}

static void merge_spread(struct graph_tree *tree, struct graph_spread *into, const struct graph_spread *from)
{
	sl_axes_add(&into->sum, from->sum);
	for (int i = 0; i < SL_AXIS_COUNT; i++) {
		if (from->min.v[i] < into->min.v[i])
			into->min.v[i] = from->min.v[i];
		take_longest(into, i, from->max.v[i], from->max_offset[i]);
		if (tree->axes & 1u << i)
			merge_histogram(tree, into, from, i);
	}
}

void graph_node_add(struct graph_tree *tree, struct graph_node *into, const struct graph_node *from)
{
	if (from->entry < into->entry) {
		into->entry = from->entry;
		into->first_offset = from->first_offset;
	}
	for (int lacks = 0; lacks <= GRAPH_LACKS; lacks++)
		into->calls[lacks] += from->calls[lacks];
	sl_axes_add(&into->self, from->self);
	sl_axes_add(&into->beyond, from->beyond);
	if (from->calls[0])
		merge_spread(tree, &into->spread, &from->spread);
}

size_t graph_children(const struct graph_tree *tree, const struct graph_node *node,
		      int (*compare)(const void *left, const void *right, void *ctx), void *ctx, uint32_t **ret)
{
	const struct graph_node *nodes = tree->nodes;
	size_t count = 0, n = 0;

	for (uint32_t i = node->child; i; i = nodes[i].next)
		count++;
	*ret = calloc(count + 1, sizeof(**ret));
	if (!*ret)
		return 0;
	for (uint32_t i = node->child; i; i = nodes[i].next)
		(*ret)[n++] = i;
	qsort_r(*ret, n, sizeof(**ret), compare, ctx);
	return n;
}

void graph_sum_up(struct graph_tree *tree)
{
	for (size_t i = tree->len; i-- > 0;) {
		struct graph_node *node = &tree->nodes[i];

		sl_axes_add(&node->total, node->self);
		sl_axes_add(&node->total, node->beyond);
		if (i)
			sl_axes_add(&tree->nodes[node->parent].total, node->total);
	}
}
