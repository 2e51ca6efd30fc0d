/* SPDX-License-Identifier: Apache-2.0 */
#include "axis.h"

#include "sl_fusion.h"

const char *axis_unit(enum sl_axis axis)
{
	static const char *const units[SL_AXIS_COUNT] = { "insns", "cycles", "ns" };

	return units[axis];
}

uint64_t axis_value(enum sl_axis axis, uint64_t value, uint64_t timestamp_hz)
{
	if (axis != SL_AXIS_TICKS)
		return value;
	return timestamp_hz ? sl_parts_ns(value, timestamp_hz) : value / SL_TICK_PARTS;
}

uint64_t axis_carried(enum sl_axis axis, uint64_t *sum, uint64_t value, uint64_t timestamp_hz)
{
	uint64_t before = axis_value(axis, *sum, timestamp_hz);

	*sum += value;
	return axis_value(axis, *sum, timestamp_hz) - before;
}

enum sl_axis axis_promised(enum sl_axis_choice choice, const struct sl_trace_config *config, uint64_t timestamp_hz)
{
	struct sl_config_facts facts;

	sl_config_facts(config, &facts);
	switch (choice) {
	case SL_CHOOSE_TIME:
		return SL_AXIS_TICKS;
	case SL_CHOOSE_CYCLES:
		return SL_AXIS_CYCLES;
	case SL_CHOOSE_INSNS:
		return SL_AXIS_INSNS;
	default:
		if (facts.cycle_count)
			return SL_AXIS_CYCLES;
		return timestamp_hz && facts.timestamp ? SL_AXIS_TICKS : SL_AXIS_INSNS;
	}
}
