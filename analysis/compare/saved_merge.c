/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs as one profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "saved.h"
#include "sl_array.h"

struct merge {
	struct sl_saved *into;
	const struct sl_saved *from;
	uint32_t *functions, *nodes; /* of from: where they are in into */
};

static int translate(const struct merge *m, uint32_t string, uint32_t *ret)
{
	if (string == SL_SAVED_NONE) {
		*ret = string;
		return SL_OK;
	}
	return saved_string(m->into, m->from->strings[string], ret);
}

/* Of several functions with one name in one module the first goes to the first: seen counts them. */
static int find_functions(const struct merge *m, const struct sl_saved *saved, bool translated, struct sl_map *at, bool make)
{
	struct sl_map seen = SL_MAP_INIT;
	int result = SL_OK;

	for (size_t i = 0; i < saved->function_count && result == SL_OK; i++) {
		uint32_t name = saved->functions[i].name, module = saved->functions[i].module, index = (uint32_t)i;
		uint64_t key, *count, *place;

		if (!translated && (translate(m, name, &name) < 0 || translate(m, module, &module) < 0))
			result = SL_ERR_NOMEM;
		key = (uint64_t)name << 32 | module;
		count = sl_map_put(&seen, key);
		key = count ? sl_hash(sl_hash(SL_HASH_SEED, &key, sizeof(key)), count, sizeof(*count)) : 0;
		place = count ? sl_map_put(at, key) : NULL;
		if (!place || result < 0) {
			result = SL_ERR_NOMEM;
			break;
		}
		++*count;
		if (make && !*place) {
			result = saved_add_function(m->into, m->into->strings[name], m->into->strings[module], &index);
			*place = index + UINT64_C(1);
		} else if (!make) {
			*place = i + 1;
		}
		if (make)
			m->functions[i] = (uint32_t)(*place - 1);
	}
	sl_map_release(&seen);
	return result;
}

static int match_functions(const struct merge *m)
{
	struct sl_map at = SL_MAP_INIT;
	int result = find_functions(m, m->into, true, &at, false);

	if (result == SL_OK)
		result = find_functions(m, m->from, false, &at, true);
	sl_map_release(&at);
	return result;
}

/* As much as each is worth. */
static void merge_unevenness(uint64_t *into, uint64_t from, uint64_t count, uint64_t more)
{
	double all = (double)(*into ? count : 0) + (double)(from ? more : 0);

	if (all > 0)
		*into = (uint64_t)(((double)*into * (double)count + (double)from * (double)more) / all);
}

static int merge_measure(struct sl_saved_measure *into, const struct sl_saved_measure *from)
{
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
	into->bounds += from->bounds;
	merge_unevenness(&into->unevenness, from->unevenness, into->spread.count, from->spread.count);
	merge_unevenness(&into->own_unevenness, from->own_unevenness, into->own.count, from->own.count);
	into->resolution = from->resolution > into->resolution ? from->resolution : into->resolution;
	sl_spread_merge(&into->spread, &from->spread);
	sl_spread_merge(&into->own, &from->own);
	sl_products_merge(&into->own_work, &from->own_work);
	return sl_histogram_merge(&into->histogram, &from->histogram);
}

static int merge_function(struct sl_saved_function *into, const struct sl_saved_function *from)
{
	int result = SL_OK;

	merge_unevenness(&into->unevenness, from->unevenness, sl_saved_calls(into->calls), sl_saved_calls(from->calls));
	for (int i = 0; i < SL_SAVED_LACKS; i++)
		into->calls[i] += from->calls[i];
	sl_axes_add(&into->total, from->total);
	sl_axes_add(&into->self, from->self);
	for (int axis = 0; axis < SL_AXIS_COUNT && result == SL_OK; axis++)
		result = merge_measure(&into->measures[axis], &from->measures[axis]);
	return result;
}

/* What names a child of a node; of two with one key the second would be lost, so it is compared. */
static uint64_t node_key(uint32_t parent, uint8_t kind, uint32_t what)
{
	const uint64_t parts[] = { (uint64_t)parent << 32 | what, kind };

	return sl_hash(SL_HASH_SEED, parts, sizeof(parts));
}

static uint64_t *place_of(const struct merge *m, struct sl_map *at, const struct sl_saved_node *node)
{
	uint64_t key = node_key(node->parent, node->kind, node->what), *place;

	while ((place = sl_map_put(at, key)) && *place) {
		const struct sl_saved_node *there = &m->into->nodes[*place - 1];

		if (there->parent == node->parent && there->kind == node->kind && there->what == node->what)
			break;
		key++;
	}
	return place;
}

static int merge_node(const struct merge *m, struct sl_map *at, uint32_t i)
{
	struct sl_saved_node node = m->from->nodes[i], *there;
	uint64_t *place;

	node.parent = m->nodes[node.parent];
	node.total = (struct sl_axes){ { 0 } };
	if (node.kind == SL_SAVED_FUNCTION)
		node.what = m->functions[node.what];
	else if (translate(m, node.what, &node.what) < 0)
		return SL_ERR_NOMEM;
	place = i ? place_of(m, at, &node) : NULL;
	if (i && !place)
		return SL_ERR_NOMEM;
	if (place && !*place) {
		*place = m->into->node_count + 1;
		m->nodes[i] = (uint32_t)m->into->node_count;
		return SL_ARRAY_PUSH(&m->into->nodes, &m->into->node_count, &m->into->node_cap, node);
	}
	m->nodes[i] = place ? (uint32_t)(*place - 1) : 0;
	there = &m->into->nodes[m->nodes[i]];
	for (int lacks = 0; lacks < SL_SAVED_LACKS; lacks++)
		there->calls[lacks] += node.calls[lacks];
	sl_axes_add(&there->self, node.self);
	sl_axes_add(&there->beyond, node.beyond);
	return SL_OK;
}

static int merge_nodes(const struct merge *m)
{
	struct sl_map at = SL_MAP_INIT;
	int result = SL_OK;

	for (size_t i = 0; i < m->into->node_count && result == SL_OK; i++) {
		uint64_t *place = i ? place_of(m, &at, &m->into->nodes[i]) : NULL;

		m->into->nodes[i].total = (struct sl_axes){ { 0 } };
		if (place)
			*place = i + 1;
		else if (i)
			result = SL_ERR_NOMEM;
	}
	for (size_t i = 0; i < m->from->node_count && result == SL_OK; i++)
		result = merge_node(m, &at, (uint32_t)i);
	sl_map_release(&at);
	if (result == SL_OK)
		result = saved_order_nodes(m->into);
	saved_sum_up(m->into);
	return result;
}

static struct sl_saved_event *find_event(struct sl_saved *saved, const struct sl_saved_event *like)
{
	for (size_t i = 0; i < saved->event_count; i++) {
		struct sl_saved_event *event = &saved->events[i];

		if (event->lens == like->lens && event->event == like->event && event->module == like->module)
			return event;
	}
	return NULL;
}

static int merge_events(const struct merge *m)
{
	for (size_t i = 0; i < m->from->event_count; i++) {
		struct sl_saved_event event = m->from->events[i], *there;

		if (translate(m, event.lens, &event.lens) < 0 || translate(m, event.event, &event.event) < 0 ||
		    translate(m, event.module, &event.module) < 0)
			return SL_ERR_NOMEM;
		there = find_event(m->into, &event);
		if (!there) {
			if (SL_ARRAY_PUSH(&m->into->events, &m->into->event_count, &m->into->event_cap, event) < 0)
				return SL_ERR_NOMEM;
			continue;
		}
		there->count += event.count;
		there->no_entry += event.no_entry;
		there->no_exit += event.no_exit;
		there->complete += event.complete;
		sl_axes_add(&there->total, event.total);
		sl_axes_add(&there->self, event.self);
	}
	return SL_OK;
}

static int merge_lanes(const struct merge *m)
{
	for (size_t i = 0; i < m->from->lane_count; i++) {
		struct sl_saved_lane lane = m->from->lanes[i];

		if (translate(m, lane.buffer, &lane.buffer) < 0 || translate(m, lane.source, &lane.source) < 0 ||
		    SL_ARRAY_PUSH(&m->into->lanes, &m->into->lane_count, &m->into->lane_cap, lane) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static int check(const struct sl_saved *into, const struct sl_saved *from, struct sl_diag *diag)
{
	if (strcmp(into->strings[into->options], from->strings[from->options]) != 0)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "was made with other options (%s) than what it is merged with (%s): make both alike",
			       from->strings[from->options], into->strings[into->options]);
	if (into->timestamp_hz != from->timestamp_hz)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "its timestamps count %" PRIu64 " Hz, and those of what it is merged with %" PRIu64,
			       from->timestamp_hz, into->timestamp_hz);
	return SL_OK;
}

int sl_saved_merge(struct sl_saved *into, const struct sl_saved *from, struct sl_diag *diag)
{
	struct merge m = { .into = into, .from = from };
	int result = check(into, from, diag);

	if (result < 0)
		return result;
	m.functions = calloc(from->function_count + 1, sizeof(*m.functions));
	m.nodes = calloc(from->node_count + 1, sizeof(*m.nodes));
	result = m.functions && m.nodes ? match_functions(&m) : SL_ERR_NOMEM;
	for (size_t i = 0; i < from->function_count && result == SL_OK; i++)
		result = merge_function(&into->functions[m.functions[i]], &from->functions[i]);
	if (result == SL_OK)
		result = merge_nodes(&m);
	if (result == SL_OK)
		result = merge_events(&m);
	if (result == SL_OK)
		result = merge_lanes(&m);
	into->axes &= from->axes;
	if (!(into->axes & 1u << into->axis))
		into->axis = SL_AXIS_INSNS;
	saved_drop_axes(into);
	into->trace_bytes += from->trace_bytes;
	into->runs += from->runs;
	free(m.functions);
	free(m.nodes);
	return result;
}

/* What is of no run: facts, and the root. */
static int begin_sum(const struct sl_saved *like, struct sl_saved *ret)
{
	struct sl_saved_node root = { .kind = SL_SAVED_ROOT };

	*ret = (struct sl_saved){ .axis = like->axis, .axes = like->axes, .timestamp_hz = like->timestamp_hz };
	if (saved_string(ret, sl_saved_string(like, like->name), &ret->name) < 0 ||
	    saved_string(ret, sl_saved_string(like, like->options), &ret->options) < 0 ||
	    saved_string(ret, sl_saved_string(like, like->nodes[0].what), &root.what) < 0)
		return SL_ERR_NOMEM;
	return SL_ARRAY_PUSH(&ret->nodes, &ret->node_count, &ret->node_cap, root);
}

int sl_saved_sum(const struct sl_saved *profiles, size_t count, struct sl_saved *ret, struct sl_diag *diag)
{
	int result = begin_sum(&profiles[0], ret);

	for (size_t i = 0; i < count && result == SL_OK; i++)
		result = sl_saved_merge(ret, &profiles[i], diag);
	if (result < 0)
		sl_saved_release(ret);
	return result;
}
