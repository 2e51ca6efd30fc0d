/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_AXES_H
#define SL_AXES_H
/* The axes that something can be told on: instructions, cycles, and time, in parts of a tick (SL_TICK_PARTS). */
#include "sl_base.h"

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
#endif
