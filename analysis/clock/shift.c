/* SPDX-License-Identifier: Apache-2.0 */
#include "shift.h"

#include "gray.h"

static uint64_t shifted(uint64_t tick, int64_t ticks)
{
	if (ticks < 0)
		return tick > -(uint64_t)ticks ? tick + (uint64_t)ticks : 0;
	return tick <= UINT64_MAX - (uint64_t)ticks ? tick + (uint64_t)ticks : 0;
}

void shift_times(const struct sl_trace_config *config, int64_t ticks, struct sl_elem *elems, size_t len)
{
	bool gray = is_gray(config);

	for (size_t i = 0; i < len; i++) {
		uint64_t *value = &elems[i].value;

		if (elems[i].kind != SL_ELEM_TIME || !*value)
			continue;
		*value = gray ? to_gray(shifted(from_gray(*value), ticks)) : shifted(*value, ticks);
	}
}
