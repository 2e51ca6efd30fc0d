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
	uint64_t runaways, runaway_offset;     /* walks that found no branch for far too long */
	uint64_t follows;		       /* address that has to come next, where known */
	bool known;
};
void sl_flow_check_elem(struct sl_flow_check *check, const struct sl_elem *elem);
void sl_flow_check_merge(struct sl_flow_check *into, const struct sl_flow_check *from);
/* True where the image is not the program that ran; ret gets the reason, as the end of a sentence. */
bool sl_flow_check_mismatch(const struct sl_flow_check *check, char *ret, size_t cap);
#endif
