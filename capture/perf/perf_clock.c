/* SPDX-License-Identifier: Apache-2.0 */
/* Trace timestamps in perf's time: possible where they count the architecture's virtual counter, of which perf tells, or the TSC. */
#include "perf_capture.h"

enum { TS_VIRTUAL = 1 }; /* TRFCR_ELx.TS, as the metadata gives it */

/* struct perf_event_mmap_page in perf_event.h, cap_user_time_zero: quotient and remainder, so that nothing overflows. */
uint64_t perf_ticks_to_ns(const struct cs_etm_time_conv *conv, uint64_t ticks)
{
	uint64_t whole, rest;

	if (conv->cap_short)
		ticks = conv->cycles + ((ticks - conv->cycles) & conv->mask);
	whole = ticks >> conv->shift;
	rest = ticks & ((UINT64_C(1) << conv->shift) - 1);
	return conv->zero + whole * conv->mult + (rest * conv->mult >> conv->shift);
}

bool perf_time_ns(const struct perf_capture *perf, int32_t cpu, uint64_t ticks, uint64_t *ret_ns)
{
	const struct cs_etm_time_conv *conv = &perf->etm.time_conv;
	const struct cs_etm_cpu *unit = cpu < 0 ? NULL : cs_etm_cpu_find(&perf->etm, (uint32_t)cpu);

	if (perf->etm.intel_pt && conv->known && conv->cap_zero && conv->shift <= 63) {
		*ret_ns = perf_ticks_to_ns(conv, ticks);
		return true;
	}
	if (!unit || unit->ts_source != TS_VIRTUAL || !conv->known || !conv->cap_zero || conv->shift > 63)
		return false;
	*ret_ns = perf_ticks_to_ns(conv, ticks);
	return true;
}
