/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a timeline: functions are symbols, and levels come behind them. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_array.h"

static uint32_t add_level(struct sl_timeline_sink *sink, enum sl_level level, uint32_t number)
{
	struct timeline_name *name = calloc(1, sizeof(*name));

	if (!name || SL_ARRAY_PUSH(&sink->levels, &sink->level_count, &sink->level_cap, name) < 0) {
		free(name);
		sink->no_memory = true;
		return UINT32_MAX;
	}
	snprintf(name->text, sizeof(name->text), "[exception %" PRIu32 ": %s]", number, sl_level_name(level));
	return sink->symbols + (uint32_t)sink->level_count - 1;
}

uint32_t timeline_level(struct sl_timeline_sink *sink, enum sl_level level, uint32_t number)
{
	uint64_t *id = sl_map_put(&sink->level_ids, (uint64_t)level << 32 | number);

	if (!id) {
		sink->no_memory = true;
		return UINT32_MAX;
	}
	if (!*id) {
		uint32_t fresh = add_level(sink, level, number);

		*id = fresh == UINT32_MAX ? 0 : (uint64_t)fresh + 1;
		return fresh;
	}
	return (uint32_t)*id - 1;
}

const char *timeline_name(const void *self, uint32_t name_id, const char **ret_module)
{
	const struct sl_timeline_sink *sink = self;
	const struct sl_image *image = sink->options.image;
	const struct sl_symbol *symbol;

	*ret_module = NULL;
	if (name_id >= sink->symbols)
		return name_id - sink->symbols < sink->level_count ? sink->levels[name_id - sink->symbols]->text : "?";
	symbol = sl_image_symbol(image, name_id);
	if (name_id)
		*ret_module = sl_image_module(image, symbol->module)->name;
	return symbol->name;
}

/* What a task is called; without a name, its number. */
static void name_task(const struct sl_timeline_sink *sink, uint64_t task, uint32_t stack, char *ret, size_t cap)
{
	const char *name = task_name_of(sink->options.capture, task);

	if (task == NO_TASK)
		snprintf(ret, cap, "stack %" PRIu32, stack);
	else if (name)
		snprintf(ret, cap, "%s", name);
	else
		snprintf(ret, cap, "task %" PRIu64, task);
}

void timeline_name_track(const struct sl_timeline_sink *sink, struct timeline_track *track)
{
	const struct timeline_lane *lane = &sink->lanes[track->lane];
	char task[64];

	track->pub.task = tasks_of(&sink->tasks, track->stack);
	track->pub.has_task = track->pub.task != NO_TASK;
	name_task(sink, track->pub.task, track->stack, task, sizeof(task));
	/* Without times each CPU has a clock of its own: a task has a track on each. */
	if (sink->options.axis == SL_AXIS_TICKS || sink->lane_count < 2)
		snprintf(track->name, sizeof(track->name), "%s", task);
	else if (lane->cpu >= 0)
		snprintf(track->name, sizeof(track->name), "%s on CPU %" PRId64, task, lane->cpu);
	else
		snprintf(track->name, sizeof(track->name), "%s on lane %" PRIu32, task, track->lane);
}
