/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_clock.h"

/* Timestamps of 0 mean "not available" (IHI 0064H 6.4.8); one below the last is noise and moves nothing. */
void sl_clock_timestamp(struct sl_clock *clock, uint64_t tick)
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
