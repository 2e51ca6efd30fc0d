/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CLOCK_H
#define SL_CLOCK_H
/*
 * The simple clock: each element's place on three axes. Instructions are exact; cycles and ticks stand at the last
 * count or timestamp that the trace has shown, and never run backwards. (A later module fuses and interpolates.)
 */
#include "sl_elem.h"

enum sl_axis { SL_AXIS_INSNS, SL_AXIS_CYCLES, SL_AXIS_TICKS, SL_AXIS_COUNT };

struct sl_axes {
	uint64_t v[SL_AXIS_COUNT];
};
static inline struct sl_axes sl_axes_sub(struct sl_axes a, struct sl_axes b)
{
	for (int i = 0; i < SL_AXIS_COUNT; i++)
		a.v[i] -= b.v[i];
	return a;
}
static inline void sl_axes_add(struct sl_axes *a, struct sl_axes b)
{
	for (int i = 0; i < SL_AXIS_COUNT; i++)
		a->v[i] += b.v[i];
}

struct sl_clock {
	struct sl_axes now;	 /* ticks: since the first timestamp */
	uint64_t first_tick, last_tick;
	uint64_t timestamps, zero_timestamps, backward_timestamps, cycle_counts;
};
void sl_clock_timestamp(struct sl_clock *clock, uint64_t tick);
/* Whether it tells how much time went by. */
static inline bool sl_clock_moves(const struct sl_elem *elem)
{
	return elem->kind == SL_ELEM_TIME || elem->kind == SL_ELEM_CYCLES;
}
/* Moves the clock over such an element (over a range: sl_clock_run). */
static inline void sl_clock_elem(struct sl_clock *clock, const struct sl_elem *elem)
{
	if (elem->kind == SL_ELEM_TIME) {
		sl_clock_timestamp(clock, elem->value);
	} else {
		clock->cycle_counts++;
		clock->now.v[SL_AXIS_CYCLES] += elem->count;
	}
}
static inline void sl_clock_run(struct sl_clock *clock, uint64_t insns) { clock->now.v[SL_AXIS_INSNS] += insns; }
#endif
