/* SPDX-License-Identifier: Apache-2.0 */
/* A kept profile in memory. */
#include "saved.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_image.h"

void sl_saved_release(struct sl_saved *saved)
{
	for (size_t i = 0; i < saved->string_count; i++)
		free(saved->strings[i]);
	for (size_t i = 0; i < saved->function_count; i++) {
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			sl_histogram_release(&saved->functions[i].measures[axis].histogram);
	}
	sl_map_release(&saved->string_at);
	sl_map_release(&saved->by_symbol);
	free(saved->strings);
	free(saved->functions);
	free(saved->nodes);
	free(saved->events);
	free(saved->lanes);
	*saved = (struct sl_saved){ .string_count = 0 };
}

int saved_string(struct sl_saved *saved, const char *text, uint32_t *ret)
{
	uint64_t key = sl_hash(SL_HASH_SEED, text, strlen(text)), *index;
	char *copy;

	while ((index = sl_map_get(&saved->string_at, key)) && strcmp(saved->strings[*index], text) != 0)
		key++;
	if (index) {
		*ret = (uint32_t)*index;
		return SL_OK;
	}
	copy = strdup(text);
	if (!copy || SL_ARRAY_PUSH(&saved->strings, &saved->string_count, &saved->string_cap, copy) < 0) {
		free(copy);
		return SL_ERR_NOMEM;
	}
	index = sl_map_put(&saved->string_at, key);
	if (!index)
		return SL_ERR_NOMEM;
	*index = saved->string_count - 1;
	*ret = (uint32_t)*index;
	return SL_OK;
}

int saved_add_function(struct sl_saved *saved, const char *name, const char *module, uint32_t *ret)
{
	struct sl_saved_function fresh = { .name = 0 };

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
		fresh.measures[axis].min = UINT64_MAX;
	if (saved_string(saved, name, &fresh.name) < 0 || saved_string(saved, module, &fresh.module) < 0 ||
	    SL_ARRAY_PUSH(&saved->functions, &saved->function_count, &saved->function_cap, fresh) < 0)
		return SL_ERR_NOMEM;
	*ret = (uint32_t)saved->function_count - 1;
	return SL_OK;
}

int saved_function_of(struct sl_saved *saved, const struct sl_image *image, uint32_t symbol, uint32_t *ret)
{
	uint64_t *index = sl_map_put(&saved->by_symbol, symbol);
	const struct sl_symbol *s = sl_image_symbol(image, symbol);

	if (!index)
		return SL_ERR_NOMEM;
	if (!*index) {
		if (saved_add_function(saved, s->name, symbol ? sl_image_module(image, s->module)->name : "", ret) < 0)
			return SL_ERR_NOMEM;
		*index = *ret + UINT64_C(1);
	}
	*ret = (uint32_t)(*index - 1);
	return SL_OK;
}

static void drop_axis(struct sl_saved *saved, enum sl_axis axis)
{
	for (size_t i = 0; i < saved->function_count; i++) {
		struct sl_saved_function *f = &saved->functions[i];

		f->total.v[axis] = f->self.v[axis] = 0;
		sl_histogram_release(&f->measures[axis].histogram);
		f->measures[axis] = (struct sl_saved_measure){ .min = UINT64_MAX };
	}
	for (size_t i = 0; i < saved->node_count; i++)
		saved->nodes[i].self.v[axis] = saved->nodes[i].beyond.v[axis] = saved->nodes[i].total.v[axis] = 0;
	for (size_t i = 0; i < saved->event_count; i++)
		saved->events[i].total.v[axis] = saved->events[i].self.v[axis] = 0;
	for (size_t i = 0; i < saved->lane_count; i++)
		saved->lanes[i].whole.v[axis] = saved->lanes[i].self.v[axis] = saved->lanes[i].gap.v[axis] = 0;
}

void saved_drop_axes(struct sl_saved *saved)
{
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		if (!(saved->axes & 1u << axis))
			drop_axis(saved, (enum sl_axis)axis);
	}
}

void saved_sum_up(struct sl_saved *saved)
{
	for (size_t i = saved->node_count; i-- > 0;) {
		struct sl_saved_node *node = &saved->nodes[i];

		sl_axes_add(&node->total, node->self);
		sl_axes_add(&node->total, node->beyond);
		if (i)
			sl_axes_add(&saved->nodes[node->parent].total, node->total);
	}
}

uint64_t sl_saved_self(const struct sl_saved *saved, enum sl_axis axis)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < saved->lane_count; i++)
		sum += saved->lanes[i].self.v[axis];
	return sum;
}

uint64_t sl_saved_gap(const struct sl_saved *saved, enum sl_axis axis)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < saved->lane_count; i++)
		sum += saved->lanes[i].gap.v[axis];
	return sum;
}

uint64_t sl_saved_extent(const struct sl_saved *saved, enum sl_axis axis)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < saved->lane_count; i++) {
		if (saved->lanes[i].whole.v[axis] > longest)
			longest = saved->lanes[i].whole.v[axis];
	}
	return longest;
}
