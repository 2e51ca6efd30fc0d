/* SPDX-License-Identifier: Apache-2.0 */
/* Which axis the calls of a run can be shown on, and how long it is. */
#include "sl_sinks.h"

/* What every lane that executed something has, and whether any did. */
static void common_axes(const struct sl_calls *calls, bool *ret_any, bool *ret_timed, bool *ret_counted)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);

	*ret_any = false;
	*ret_timed = *ret_counted = true;
	for (size_t i = 0; i < count; i++) {
		if (!lanes[i].account.whole.v[SL_AXIS_INSNS])
			continue;
		*ret_any = true;
		*ret_timed &= lanes[i].timed;
		*ret_counted &= lanes[i].clock.cycle_counts > 0;
	}
	*ret_timed &= *ret_any;
	*ret_counted &= *ret_any;
}

int sl_calls_axis(const struct sl_calls *calls, enum sl_axis_choice choice, uint64_t timestamp_hz, enum sl_axis *ret,
		  struct sl_diag *diag)
{
	bool any, timed, counted;

	common_axes(calls, &any, &timed, &counted);
	if (choice != SL_CHOOSE_INSNS && choice != SL_CHOOSE_AUTO && !any)
		return sl_fail(diag, SL_ERR_CONFIG, "--clock: no lane ran, so there is nothing to time; info says what is missing");
	if (choice == SL_CHOOSE_TIME && !timed)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock time: a lane that ran has no timestamps; use --clock cycles or insns, or --id to "
			       "leave it out");
	if (choice == SL_CHOOSE_TIME && !timestamp_hz)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock time: the timestamp counter's frequency is not known; give it with --freq HZ");
	if (choice == SL_CHOOSE_CYCLES && !counted)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock cycles: a lane that ran has no cycle counts; use --clock time or insns, or --id to "
			       "leave it out");
	/* The finer one is the default: docs/decisions/0009-cycles-before-time.md. */
	if (choice == SL_CHOOSE_CYCLES || (choice == SL_CHOOSE_AUTO && counted))
		*ret = SL_AXIS_CYCLES;
	else if (choice == SL_CHOOSE_TIME || (choice == SL_CHOOSE_AUTO && timed && timestamp_hz))
		*ret = SL_AXIS_TICKS;
	else
		*ret = SL_AXIS_INSNS;
	return SL_OK;
}

struct sl_calls_extent sl_calls_extent(const struct sl_calls *calls, enum sl_axis axis)
{
	struct sl_calls_extent extent = { 0 };
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);

	for (size_t i = 0; i < count; i++) {
		uint64_t whole = lanes[i].account.whole.v[axis];

		extent.sum += whole;
		if (whole > extent.longest)
			extent.longest = whole;
	}
	return extent;
}
