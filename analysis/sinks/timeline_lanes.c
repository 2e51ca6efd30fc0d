/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a timeline: where their clocks stand to each other. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"

/* The first timestamp of all lanes. */
static uint64_t first_of(const struct sl_calls_lane *lanes, size_t count)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		if (lanes[i].clock.timestamps && lanes[i].clock.first_tick < first)
			first = lanes[i].clock.first_tick;
	}
	return first == UINT64_MAX ? 0 : first;
}

static void say_about(struct sl_timeline_sink *sink, uint64_t origin)
{
	const char *unit = axis_unit(sink->options.axis);

	if (sink->options.axis == SL_AXIS_TICKS)
		snprintf(sink->about, sizeof(sink->about),
			 "times are nanoseconds since timestamp %" PRIu64 ", the first of the trace, of a counter of %" PRIu64 " Hz",
			 origin, sink->options.timestamp_hz);
	else
		snprintf(sink->about, sizeof(sink->about), "times are %s since the trace of each CPU began", unit);
	sink->head.unit = unit;
	sink->head.about = sink->about;
}

int timeline_find_lanes(struct sl_timeline_sink *sink)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(sink->options.calls, &lanes);
	uint64_t origin = first_of(lanes, count);

	sink->lanes = calloc(count + 1, sizeof(*sink->lanes));
	if (!sink->lanes)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct timeline_lane *lane = &sink->lanes[i];

		snprintf(lane->buffer, sizeof(lane->buffer), "%s", lanes[i].buffer);
		lane->trace_id = lanes[i].trace_id;
		lane->cpu = lanes[i].cpu;
		if (lanes[i].clock.timestamps)
			lane->first_tick = lanes[i].clock.first_tick - origin;
		lane->end = timeline_at(sink, (uint32_t)i, &lanes[i].clock.now);
	}
	sink->lane_count = count;
	sink->head.lanes = (uint32_t)count;
	say_about(sink, origin);
	return SL_OK;
}

uint32_t timeline_lane_of(const struct sl_timeline_sink *sink, const struct sl_lane *lane)
{
	const uint64_t *number = sl_map_get(&sink->by_lane, lane ? lane->index : UINT64_MAX);

	return number && *number ? (uint32_t)*number - 1 : 0;
}

uint64_t timeline_at(const struct sl_timeline_sink *sink, uint32_t lane, const struct sl_axes *axes)
{
	enum sl_axis axis = sink->options.axis;
	uint64_t first = axis == SL_AXIS_TICKS ? sink->lanes[lane].first_tick : 0;

	return axis_value(axis, first + axes->v[axis], sink->options.timestamp_hz);
}
