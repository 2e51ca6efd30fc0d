/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FREQUENCY_H
#define FREQUENCY_H
/*
 * How fast a core's cycles run against the clock of its timestamps, and where that changed. Inside of analysis/ only.
 *
 * Judged a window at a time: at least FREQUENCY_WINDOW ticks, which makes the rounding of both ends less than 1 % (more where
 * gaps cut it into pieces, that each have two ends), and FREQUENCY_CYCLES cycles: a core that sleeps counts none. One that differs by
 * more than 1/FREQUENCY_STEP may be one in which the core slept, or one of whose timestamps stands not quite where it belongs: it
 * takes two in a row that agree within half of that. The first one is compared with nothing: nothing is known before the next one
 * agrees with it.
 */
#include "sl_fusion.h"

enum { FREQUENCY_WINDOW = 256, FREQUENCY_CYCLES = 256, FREQUENCY_STEP = 32, FREQUENCY_SAME = 2 * FREQUENCY_STEP, FREQUENCY_CHANGES_MAX = 1 << 16 };

/* Deviations of less than one part in FREQUENCY_SAME may be the rounding of the estimate. */
/* a * b / c without overflow between; UINT64_MAX where the result is larger, or c is 0. */
uint64_t frequency_scale(uint64_t a, uint64_t b, uint64_t c);
/* What so many cycles take at a rate, in parts of a tick; 0 where the rate is not known. */
static inline uint64_t frequency_parts(struct sl_rate rate, uint64_t cycles)
{
	if (!rate.ticks || !rate.cycles)
		return 0;
	/* Rates are below 2^48: the product does not overflow. */
	return frequency_scale(cycles, rate.ticks * SL_TICK_PARTS, rate.cycles);
}

/* An anchor behind the last one. cut: cycles between them were not all counted, or it may have slept. SL_OK or SL_ERR_NOMEM. */
int frequency_anchor(struct sl_frequency *f, struct sl_frequency_place place, bool cut);
/* The clock of the timestamps itself changed: nothing is known any more. */
void frequency_forget(struct sl_frequency *f);
/* The rate at the last anchor; all 0: not known. */
struct sl_rate frequency_now(const struct sl_frequency *f);
void frequency_release(struct sl_frequency *f);
#endif
