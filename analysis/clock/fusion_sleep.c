/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges in which the core may have slept: what it slept is what is missing between two timestamps. */
#include "frequency.h"
#include "fusion.h"
#include "sl_array.h"

int fusion_look_at_sleep(struct sl_fusion *f, const struct sl_elem *range)
{
	struct sl_fusion_sleep sleep = { f->ahead.insns, f->ahead.insns + range->count };

	if (!f->expects_cycles && !f->facts.cycle_counts)
		return SL_OK;
	f->ahead.sleeps++;
	if (range->flags & SL_FLAG_WFI)
		f->ahead.wfi = f->ahead.sleeps;
	fusion_make_room(f->sleeps, sizeof(sleep), &f->sleep_from, &f->sleep_len, f->sleep_cap);
	return SL_ARRAY_PUSH(&f->sleeps, &f->sleep_len, &f->sleep_cap, sleep);
}

bool fusion_pass_sleeps(struct sl_fusion *f)
{
	while (f->sleep_from < f->sleep_len && f->sleeps[f->sleep_from].to <= f->here.insns) {
		f->sleep_from++;
		f->here.sleeps++;
		f->sleeps_passed++;
	}
	return f->sleep_from < f->sleep_len && f->sleeps[f->sleep_from].from < f->here.insns;
}

uint64_t fusion_missing(struct sl_rate rate, uint64_t took, uint64_t cycles)
{
	uint64_t needs = frequency_parts(rate, cycles);

	return rate.ticks && took > needs + 2 * SL_TICK_PARTS + took / FREQUENCY_SAME ? took - needs : 0;
}

void fusion_note_sleep(struct sl_fusion *f, const struct sl_fusion_anchor *end)
{
	uint64_t took = (end->tick - f->anchor.tick) * SL_TICK_PARTS, cycles = end->cycles - f->anchor.cycles, missing;

	if (!f->anchored || !end->sleeps || end->cuts)
		return;
	missing = fusion_missing(end->rate, took, cycles);
	if (!missing)
		return;
	f->facts.sleeps++;
	f->facts.slept += missing;
	f->facts.slept_off += SL_TICK_PARTS + (took - missing) / FREQUENCY_STEP;
}
