/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_FLOW_CHECK_H
#define SL_FLOW_CHECK_H
/*
 * Whether the flow follows from the image: a range that ends without a taken branch goes on behind it, and an
 * unconditional branch is taken. Where trace and image contradict each other often, they are of different programs.
 */
#include "sl_elem.h"

struct sl_flow_check {
	uint64_t ranges, breaks;
	uint64_t break_address, break_offset;  /* of the first one: what should have followed, and where in the buffer */
	uint64_t last_address;		       /* of the latest one */
	uint64_t kernel_breaks, kernel_address, kernel_offset;	/* those in the upper half of the addresses */
	uint64_t runaways, runaway_address, runaway_offset;	/* walks that found no branch for far too long */
	uint64_t follows;		       /* address that has to come next, where known */
	bool known;
};
/* Slow path of the next one: an element that is no range, or a range that breaks the flow. */
void sl_flow_check_other(struct sl_flow_check *check, const struct sl_elem *elem);
static inline void sl_flow_check_elem(struct sl_flow_check *check, const struct sl_elem *elem)
{
	bool branch = sl_elem_last(elem) == SL_LAST_BRANCH || sl_elem_last(elem) == SL_LAST_INDIRECT;
	bool taken = elem->flags & SL_FLAG_EXECUTED, conditional = elem->flags & SL_FLAG_CONDITIONAL;

	if (elem->kind != SL_ELEM_RANGE || (check->known && check->follows != elem->range.start) ||
	    (branch && !taken && !conditional))
		sl_flow_check_other(check, elem);
	if (elem->kind != SL_ELEM_RANGE)
		return;
	check->ranges++;
	check->known = !(branch && taken);
	check->follows = elem->range.end;
}
void sl_flow_check_merge(struct sl_flow_check *into, const struct sl_flow_check *from);
/* Whether so many are another program's. */
bool sl_flow_check_many(uint64_t breaks, uint64_t ranges);
/* True where few ranges break the flow, and in the kernel, whose code is patched while it runs; ret gets how, as the end of
 * a sentence. */
bool sl_flow_check_patched(const struct sl_flow_check *check, char *ret, size_t cap);
/* True where the image is not the program that ran; ret gets the reason, as the end of a sentence. */
bool sl_flow_check_mismatch(const struct sl_flow_check *check, char *ret, size_t cap);
#endif
