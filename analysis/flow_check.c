/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_flow_check.h"

#include <inttypes.h>
#include <stdio.h>

/* A few breaks are damage; one range in two hundred is another program. */
enum { RANGES_A_BREAK = 200 };

static void count_break(struct sl_flow_check *check, const struct sl_elem *elem)
{
	if (check->breaks++)
		return;
	check->break_offset = elem->offset;
	check->break_address = check->known && check->follows != elem->range.start ? check->follows : elem->range.end;
}

void sl_flow_check_other(struct sl_flow_check *check, const struct sl_elem *elem)
{
	switch (elem->kind) {
	case SL_ELEM_RANGE:
		count_break(check, elem);
		break;
	case SL_ELEM_GAP:
		if (elem->count == SL_GAP_RUNAWAY && !check->runaways++)
			check->runaway_offset = elem->offset;
		check->known = false;
		break;
	case SL_ELEM_RANGE_NO_PATH:
	case SL_ELEM_EXCEPTION:
	case SL_ELEM_EXCEPTION_RETURN:
		check->known = false;
		break;
	default:
		break;
	}
}

void sl_flow_check_merge(struct sl_flow_check *into, const struct sl_flow_check *from)
{
	if (!into->breaks) {
		into->break_address = from->break_address;
		into->break_offset = from->break_offset;
	}
	if (!into->runaways)
		into->runaway_offset = from->runaway_offset;
	into->ranges += from->ranges;
	into->breaks += from->breaks;
	into->runaways += from->runaways;
}

bool sl_flow_check_mismatch(const struct sl_flow_check *check, char *ret, size_t cap)
{
	if (check->breaks * RANGES_A_BREAK > check->ranges) {
		snprintf(ret, cap,
			 "%" PRIu64 " of %" PRIu64 " ranges do not go on as the image says, first before 0x%" PRIx64
			 " (offset %" PRIu64 ")",
			 check->breaks, check->ranges, check->break_address, check->break_offset);
		return true;
	}
	if (check->runaways) {
		snprintf(ret, cap, "it holds no branch where the trace says that one was executed (offset %" PRIu64 ")",
			 check->runaway_offset);
		return true;
	}
	return false;
}
