/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_flow_check.h"

#include <inttypes.h>
#include <stdio.h>

/* A few breaks are damage, or code that was patched; one range in two hundred is another program. */
enum { RANGES_A_BREAK = 200 };

/* On all of the architecture's 64-bit systems: the half of the addresses that TTBR1 translates. */
static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

static void count_break(struct sl_flow_check *check, const struct sl_elem *elem)
{
	uint64_t address = check->known && check->follows != elem->range.start ? check->follows : elem->range.end;

	check->last_address = address;
	if (is_kernel(address) && !check->kernel_breaks++) {
		check->kernel_address = address;
		check->kernel_offset = elem->offset;
	}
	if (check->breaks++)
		return;
	check->break_offset = elem->offset;
	check->break_address = address;
}

static bool is_branch(const struct sl_elem *range)
{
	return sl_elem_last(range) == SL_LAST_BRANCH || sl_elem_last(range) == SL_LAST_INDIRECT;
}

static bool is_taken(const struct sl_elem *range)
{
	return is_branch(range) & (range->flags & SL_FLAG_EXECUTED);
}

/* A branch in an IT block is conditional, and OpenCSD does not say so. */
static bool must_be_taken(const struct sl_elem *range)
{
	return is_branch(range) & !(range->flags & SL_FLAG_CONDITIONAL) & (range->isa != SL_ISA_T32);
}

/* Elements that say nothing of where the program goes. */
static bool is_aside(const struct sl_elem *elem)
{
	enum { ASIDE = 1 << SL_ELEM_CONTEXT | 1 << SL_ELEM_TIME | 1 << SL_ELEM_CYCLES | 1 << SL_ELEM_EVENT | 1 << SL_ELEM_MARKER |
		       1 << SL_ELEM_TRANSACTION | 1 << SL_ELEM_TASK | 1 << SL_ELEM_SPACE };

	return ASIDE >> elem->kind & 1;
}

/* What breaks the flow is rare. All else is as good as random to a processor that has to guess: so no branch depends on it,
 * and && and || are not used. */
size_t sl_flow_check_run(struct sl_flow_check *check, const struct sl_elem *elems, size_t len, uint64_t *insns)
{
	uint64_t follows = check->follows, ranges = 0, sum = 0;
	bool known = check->known;
	size_t i;

	for (i = 0; i < len; i++) {
		bool taken = is_taken(&elems[i]);

		if (elems[i].kind != SL_ELEM_RANGE) {
			if (is_aside(&elems[i]))
				continue;
			break;
		}
		if ((known & (follows != elems[i].range.start)) | (must_be_taken(&elems[i]) & !taken))
			break;
		known = !taken;
		follows = elems[i].range.end;
		sum += elems[i].count;
		ranges++;
	}
	check->known = known;
	check->follows = follows;
	check->ranges += ranges;
	*insns += sum;
	return i;
}

static void take_break(struct sl_flow_check *check, const struct sl_elem *range)
{
	count_break(check, range);
	check->ranges++;
	check->known = !is_taken(range);
	check->follows = range->range.end;
}

void sl_flow_check_stop(struct sl_flow_check *check, const struct sl_elem *elem)
{
	switch (elem->kind) {
	case SL_ELEM_RANGE:
		take_break(check, elem);
		break;
	case SL_ELEM_GAP:
		if (elem->count == SL_GAP_RUNAWAY && !check->runaways++) {
			check->runaway_offset = elem->offset;
			check->runaway_address = elem->address;
		}
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

void sl_flow_check_elem(struct sl_flow_check *check, const struct sl_elem *elem)
{
	uint64_t insns = 0;

	if (!sl_flow_check_run(check, elem, 1, &insns))
		sl_flow_check_stop(check, elem);
}

void sl_flow_check_merge(struct sl_flow_check *into, const struct sl_flow_check *from)
{
	if (!into->breaks) {
		into->break_address = from->break_address;
		into->break_offset = from->break_offset;
	}
	if (!into->kernel_breaks) {
		into->kernel_address = from->kernel_address;
		into->kernel_offset = from->kernel_offset;
	}
	if (!into->runaways) {
		into->runaway_offset = from->runaway_offset;
		into->runaway_address = from->runaway_address;
	}
	into->ranges += from->ranges;
	into->breaks += from->breaks;
	into->kernel_breaks += from->kernel_breaks;
	into->runaways += from->runaways;
}

bool sl_flow_check_many(uint64_t breaks, uint64_t ranges)
{
	return breaks > ranges / RANGES_A_BREAK;
}

bool sl_flow_check_mismatch(const struct sl_flow_check *check, char *ret, size_t cap)
{
	if (check->breaks && sl_flow_check_many(check->breaks, check->ranges)) {
		snprintf(ret, cap,
			 "%" PRIu64 " of %" PRIu64 " ranges do not go on as the image says, first before 0x%" PRIx64
			 " (offset %" PRIu64 ")",
			 check->breaks, check->ranges, check->break_address, check->break_offset);
		return true;
	}
	if (check->runaways) {
		snprintf(ret, cap,
			 "it holds no branch where the trace says that one was executed, from 0x%" PRIx64 " on (offset %" PRIu64 ")",
			 check->runaway_address, check->runaway_offset);
		return true;
	}
	return false;
}

bool sl_flow_check_patched(const struct sl_flow_check *check, char *ret, size_t cap)
{
	if (!check->kernel_breaks || sl_flow_check_many(check->breaks, check->ranges))
		return false;
	snprintf(ret, cap,
		 "%" PRIu64 " of %" PRIu64 " ranges do not go on as the kernel's image says, first before 0x%" PRIx64
		 " (offset %" PRIu64 ")",
		 check->kernel_breaks, check->ranges, check->kernel_address, check->kernel_offset);
	return true;
}
