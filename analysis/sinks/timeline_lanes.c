/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a timeline: where their clocks stand to each other. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"

static void say_about(struct sl_timeline_sink *sink, uint64_t origin)
{
	const char *unit = axis_unit(sink->options.axis);

	if (sink->options.axis == SL_AXIS_TICKS)
		snprintf(sink->about, sizeof(sink->about),
			 "times are nanoseconds since timestamp %" PRIu64 ", where the trace begins, of a counter of %" PRIu64 " Hz", origin,
			 sink->options.timestamp_hz);
	else
		snprintf(sink->about, sizeof(sink->about), "times are %s since the trace of each CPU began", unit);
	sink->head.unit = unit;
	sink->head.about = sink->about;
}

int timeline_find_lanes(struct sl_timeline_sink *sink)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(sink->options.calls, &lanes);

	sink->lanes = calloc(count + 1, sizeof(*sink->lanes));
	if (!sink->lanes)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct timeline_lane *lane = &sink->lanes[i];

		snprintf(lane->buffer, sizeof(lane->buffer), "%s", lanes[i].buffer);
		lane->trace_id = lanes[i].trace_id;
		lane->cpu = lanes[i].cpu;
		lane->end = timeline_at(sink, &lanes[i].end);
	}
	sink->lane_count = count;
	sink->head.lanes = (uint32_t)count;
	say_about(sink, sl_calls_beginning(sink->options.calls));
	return SL_OK;
}

uint32_t timeline_lane_of(const struct sl_timeline_sink *sink, const struct sl_lane *lane)
{
	const uint64_t *number = sl_map_get(&sink->by_lane, lane ? lane->index : UINT64_MAX);

	return number && *number ? (uint32_t)*number - 1 : 0;
}

uint64_t timeline_at(const struct sl_timeline_sink *sink, const struct sl_axes *axes)
{
	return axis_value(sink->options.axis, axes->v[sink->options.axis], sink->options.timestamp_hz);
}
