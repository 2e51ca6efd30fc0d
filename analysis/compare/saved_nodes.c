/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of calls as the file of a kept profile has them: in preorder, and what a path ran without what the
 * rows before let expect. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "saved_tables.h"

__extension__ typedef unsigned __int128 wide;

/* Sums over the rows before: how much of something ran, by how much of something else. */
struct ratio {
	uint64_t sum, by;
};

static uint64_t expected_of(const struct ratio *own, const struct ratio *all, uint64_t by)
{
	const struct ratio *r = own->by ? own : all;

	return r->by ? (uint64_t)((wide)by * r->sum / r->by) : 0;
}

static void add_to(struct ratio *own, struct ratio *all, uint64_t value, uint64_t by)
{
	own->sum += value;
	own->by += by;
	all->sum += value;
	all->by += by;
}

/* own: of the row's function, a ratio an axis. Instructions go by calls, cycles by instructions, time by the
 * axis before it. */
static void code_row(struct packed_node *row, struct ratio *own, struct ratio *all, unsigned axes,
		     bool take_away)
{
	uint64_t by = row->calls[0] + row->calls[1] + row->calls[2] + row->calls[3];

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		uint64_t *value = &row->self.v[axis], expected, whole;

		if (!(axes & 1u << axis))
			continue;
		expected = expected_of(&own[axis], &all[axis], by);
		whole = take_away ? *value : *value + expected;
		*value = take_away ? *value - expected : whole;
		add_to(&own[axis], &all[axis], whole, by);
		by = whole;
	}
}

int packed_code_nodes(struct packed_node *rows, size_t count, size_t functions, unsigned axes, bool take_away)
{
	struct ratio(*own)[SL_AXIS_COUNT] = calloc(functions + 1, sizeof(*own));
	struct ratio all[SL_AXIS_COUNT] = { { 0, 0 } };

	if (!own)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		code_row(&rows[i], own[rows[i].kind == SL_SAVED_FUNCTION ? rows[i].what + (size_t)1 : 0], all,
			 axes, take_away);
	free(own);
	return SL_OK;
}

/* The nodes in preorder, children as they come; NULL: no memory. */
static uint32_t *preorder(const struct sl_saved_node *nodes, size_t count)
{
	uint32_t *ret = calloc(3 * count + 1, sizeof(*ret)), *child, *next, at = 0;
	size_t len = 0;

	if (!ret || !count)
		return ret;
	child = ret + count;
	next = child + count;
	for (size_t i = count; i-- > 1;) {
		next[i] = child[nodes[i].parent];
		child[nodes[i].parent] = (uint32_t)i;
	}
	for (;;) {
		ret[len++] = at;
		if (child[at]) {
			at = child[at];
			continue;
		}
		while (at && !next[at])
			at = nodes[at].parent;
		if (!at)
			return ret;
		at = next[at];
	}
}

int saved_order_nodes(struct sl_saved *saved)
{
	size_t count = saved->node_count;
	uint32_t *order = preorder(saved->nodes, count), *place = calloc(count + 1, sizeof(*place));
	struct sl_saved_node *nodes = calloc(count + 1, sizeof(*nodes));
	int result = order && place && nodes ? SL_OK : SL_ERR_NOMEM;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		nodes[i] = saved->nodes[order[i]];
		place[order[i]] = (uint32_t)i;
		nodes[i].parent = place[nodes[i].parent];
	}
	if (result == SL_OK) {
		free(saved->nodes);
		saved->nodes = nodes;
		saved->node_cap = count + 1;
		nodes = NULL;
	}
	free(nodes);
	free(order);
	free(place);
	return result;
}

/* How many levels above the node before its parent is. */
static uint32_t levels_up(const struct sl_saved_node *nodes, size_t i)
{
	uint32_t at = (uint32_t)i - 1, up = 0;

	for (; i && at != nodes[i].parent; at = nodes[at].parent) {
		assert(at); /* in preorder, a parent is above the row before */
		up++;
	}
	return i ? up : 0;
}

int packed_make_nodes(const struct sl_saved *saved, struct packed_node *ret)
{
	for (size_t i = 0; i < saved->node_count; i++) {
		const struct sl_saved_node *from = &saved->nodes[i];

		ret[i] = (struct packed_node){ .kind = from->kind,
					       .up = levels_up(saved->nodes, i),
					       .what = from->what,
					       .self = from->self,
					       .beyond = from->beyond };
		memcpy(ret[i].calls, from->calls, sizeof(ret[i].calls));
	}
	return packed_code_nodes(ret, saved->node_count, saved->function_count, saved->axes, true);
}
