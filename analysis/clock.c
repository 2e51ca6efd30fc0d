/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_clock.h"

/* Timestamps of 0 mean "not available" (IHI 0064H 6.4.8); one below the last is noise and moves nothing. */
static void take_timestamp(struct sl_clock *clock, uint64_t tick)
{
	if (!tick) {
		clock->zero_timestamps++;
		return;
	}
	if (!clock->timestamps++) {
		clock->first_tick = clock->last_tick = tick;
		return;
	}
	if (tick < clock->last_tick) {
		clock->backward_timestamps++;
		return;
	}
	clock->last_tick = tick;
	clock->now.v[SL_AXIS_TICKS] = tick - clock->first_tick;
}

void sl_clock_elem(struct sl_clock *clock, const struct sl_elem *elem)
{
	if (elem->kind == SL_ELEM_TIME) {
		take_timestamp(clock, elem->value);
	} else if (elem->kind == SL_ELEM_CYCLES) {
		clock->cycle_counts++;
		clock->now.v[SL_AXIS_CYCLES] += elem->count;
	}
}
