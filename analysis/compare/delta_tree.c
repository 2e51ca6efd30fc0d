/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of both sides: a node is a path that one side has, or both. What its calls ran by themselves goes to the rows. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "delta.h"
#include "sl_array.h"

static const char beyond_name[] = "(paths not kept)", gap_name[] = "[trace missing]", root_name[] = "[all]";

static uint32_t add_node(struct sl_compare *c, uint32_t parent, uint32_t row)
{
	struct delta_node node = { .parent = parent, .row = row, .same = c->rows[row].nodes };
	uint32_t index = (uint32_t)c->node_count;

	if (index) {
		node.depth = c->nodes[parent].depth + 1;
		node.next = c->nodes[parent].child;
	}
	if (SL_ARRAY_PUSH(&c->nodes, &c->node_count, &c->node_cap, node) < 0)
		return SL_SAVED_NONE;
	if (index)
		c->nodes[parent].child = index;
	c->rows[row].nodes = index;
	return index;
}

static uint32_t child_of(struct sl_compare *c, uint32_t parent, uint32_t row)
{
	uint64_t *place = sl_map_put(&c->node_at, (uint64_t)parent << 32 | row);
	uint32_t index;

	if (!place)
		return SL_SAVED_NONE;
	if (*place)
		return (uint32_t)*place;
	index = add_node(c, parent, row);
	if (index != SL_SAVED_NONE)
		*place = index;
	return index;
}

static void book(struct sl_compare *c, uint32_t node, int side, struct sl_axes self)
{
	sl_axes_add(&c->nodes[node].self[side], self);
	sl_axes_add(&c->rows[c->nodes[node].row].sides[side].self, self);
}

static uint64_t all_calls(const struct sl_saved_node *node)
{
	return node->calls[0] + node->calls[1] + node->calls[2] + node->calls[3];
}

static bool any(const struct sl_axes *axes)
{
	return axes->v[0] | axes->v[1] | axes->v[2];
}

/* Whether a saved node is a call of what is asked for, by its own name or its canonical one. */
static bool is_root(const struct sl_compare *c, int side, const struct sl_saved_node *node, const bool *matches)
{
	if (!c->options.per)
		return node->kind == SL_SAVED_ROOT;
	return node->kind == SL_SAVED_FUNCTION && matches[c->row_of[side][node->what]];
}

static int add_beyond(struct sl_compare *c, uint32_t parent, int side, struct sl_axes beyond)
{
	uint32_t row = any(&beyond) ? delta_other_row(c, beyond_name) : 0, node;

	if (!any(&beyond))
		return SL_OK;
	node = row == SL_SAVED_NONE ? row : child_of(c, parent, row);
	if (node == SL_SAVED_NONE)
		return SL_ERR_NOMEM;
	book(c, node, side, beyond);
	return SL_OK;
}

/* A saved node below one that has a place in the tree. */
static uint32_t place_below(struct sl_compare *c, int side, const struct sl_saved_node *node, uint32_t parent)
{
	const struct sl_saved *saved = c->options.sides[side];
	uint32_t row = node->kind == SL_SAVED_FUNCTION ? c->row_of[side][node->what]
						       : delta_other_row(c, delta_level_name(c, sl_saved_string(saved, node->what)));

	return row == SL_SAVED_NONE ? row : child_of(c, parent, row);
}

/* Where several functions are asked for, each is below the root. */
static uint32_t place_root(struct sl_compare *c, int side, const struct sl_saved_node *node)
{
	uint32_t row = c->options.per ? c->row_of[side][node->what] : c->nodes[0].row;

	if (row == c->nodes[0].row)
		return 0;
	c->nodes[0].calls[side] += all_calls(node);
	return child_of(c, 0, row);
}

/* Saved nodes are in preorder, callees in the order in which they first ran. */
static void note_first(struct delta_node *node, int side, uint32_t place)
{
	if (!node->first[side])
		node->first[side] = place + 1;
}

static int add_side(struct sl_compare *c, int side, const bool *matches, uint32_t *places)
{
	const struct sl_saved *saved = c->options.sides[side];
	uint64_t calls = 0;

	for (size_t i = 0; i < saved->node_count; i++) {
		const struct sl_saved_node *node = &saved->nodes[i];
		bool below = i && places[node->parent] != SL_SAVED_NONE;

		places[i] = SL_SAVED_NONE;
		if (below) {
			places[i] = place_below(c, side, node, places[node->parent]);
			if (places[i] == SL_SAVED_NONE)
				return SL_ERR_NOMEM;
		} else if (is_root(c, side, node, matches)) {
			places[i] = place_root(c, side, node);
			if (places[i] == SL_SAVED_NONE)
				return SL_ERR_NOMEM;
			calls += all_calls(node);
			sl_axes_add(&c->whole[side], node->total);
		} else {
			continue;
		}
		c->nodes[places[i]].calls[side] += all_calls(node);
		note_first(&c->nodes[places[i]], side, (uint32_t)i);
		c->rows[c->nodes[places[i]].row].sides[side].calls += sl_saved_calls(node->calls);
		book(c, places[i], side, node->self);
		if (add_beyond(c, places[i], side, node->beyond) < 0)
			return SL_ERR_NOMEM;
	}
	c->units[side] = c->options.per ? calls : saved->runs;
	return c->units[side] ? SL_OK : SL_END;
}

/* While trace was missing something ran too: of the whole it is a part. */
static int add_gap(struct sl_compare *c, int side)
{
	const struct sl_saved *saved = c->options.sides[side];
	struct sl_axes gap = { { 0 } };
	uint32_t row, node;

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
		gap.v[axis] = sl_saved_gap(saved, (enum sl_axis)axis);
	if (!any(&gap) || c->options.per)
		return SL_OK;
	row = delta_other_row(c, gap_name);
	node = row == SL_SAVED_NONE ? row : child_of(c, 0, row);
	if (node == SL_SAVED_NONE)
		return SL_ERR_NOMEM;
	book(c, node, side, gap);
	sl_axes_add(&c->whole[side], gap);
	return SL_OK;
}

/* Whether a row stands further up too: then that one's total has this one's. */
static bool is_inner(const struct sl_compare *c, uint32_t node)
{
	for (uint32_t up = node; up;) {
		up = c->nodes[up].parent;
		if (c->nodes[up].row == c->nodes[node].row)
			return true;
	}
	return false;
}

static void sum_up(struct sl_compare *c)
{
	for (size_t i = c->node_count; i-- > 0;) {
		struct delta_node *node = &c->nodes[i];
		bool inner = is_inner(c, (uint32_t)i);

		for (int side = 0; side < SIDES; side++) {
			sl_axes_add(&node->total[side], node->self[side]);
			if (i)
				sl_axes_add(&c->nodes[node->parent].total[side], node->total[side]);
			if (!inner)
				sl_axes_add(&c->rows[node->row].sides[side].total, node->total[side]);
		}
	}
}

/* Which rows are what is asked for, and how many. NULL: no memory. */
static bool *match_rows(const struct sl_compare *c, uint32_t *ret_first, size_t *ret_count)
{
	const char *per = c->options.per;
	bool *ret = calloc(c->row_count + 1, sizeof(*ret));

	*ret_first = SL_SAVED_NONE;
	*ret_count = 0;
	for (size_t i = 0; ret && per && i < c->row_count; i++) {
		const struct delta_row *row = &c->rows[i];
		char *canonical = sl_aliases_name(c->options.aliases, row->name);

		ret[i] = row->module && (strcmp(per, row->name) == 0 || fnmatch(per, row->name, 0) == 0 ||
					 (row->other && strcmp(per, row->other) == 0) ||
					 (canonical && strcmp(per, canonical) == 0));
		free(canonical);
		if (ret[i] && *ret_first == SL_SAVED_NONE)
			*ret_first = (uint32_t)i;
		*ret_count += ret[i];
	}
	return ret;
}

int delta_tree(struct sl_compare *c)
{
	size_t counts[SIDES] = { c->options.sides[A]->node_count, c->options.sides[B]->node_count };
	uint32_t *places = calloc((counts[A] > counts[B] ? counts[A] : counts[B]) + 1, sizeof(*places)), first;
	size_t match_count;
	bool *matches = match_rows(c, &first, &match_count);
	int result = places && matches ? SL_OK : SL_ERR_NOMEM;

	if (result == SL_OK && c->options.per && first == SL_SAVED_NONE)
		result = SL_END;
	if (result == SL_OK && (!c->options.per || match_count > 1))
		first = delta_other_row(c, c->options.per ? c->options.per : root_name);
	if (result == SL_OK && (first == SL_SAVED_NONE || add_node(c, 0, first) == SL_SAVED_NONE))
		result = SL_ERR_NOMEM;
	for (int side = 0; side < SIDES && result == SL_OK; side++) {
		result = add_side(c, side, matches, places);
		if (result == SL_OK)
			result = add_gap(c, side);
	}
	if (result == SL_OK)
		sum_up(c);
	free(places);
	free(matches);
	return result;
}
