/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_FLOW_CHECK_H
#define SL_FLOW_CHECK_H
/*
 * Whether the flow follows from the image: a range that ends without a taken branch goes on behind it, and an
 * unconditional branch is taken (in T32 an IT block may have made it conditional, which OpenCSD does not say:
 * docs/opencsd-quirks.md, 48). Where trace and image contradict each other often, they are of different programs.
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
/* Takes elements up to the first that needs a second look, and gives their number. They are ranges that follow one from
 * another, whose instructions are added to insns, and such that say nothing of the flow: contexts, times, events. */
size_t sl_flow_check_run(struct sl_flow_check *check, const struct sl_elem *elems, size_t len, uint64_t *insns);
/* The element at which that stopped. */
void sl_flow_check_stop(struct sl_flow_check *check, const struct sl_elem *elem);
/* Any element. */
void sl_flow_check_elem(struct sl_flow_check *check, const struct sl_elem *elem);
void sl_flow_check_merge(struct sl_flow_check *into, const struct sl_flow_check *from);
/* Whether so many are another program's. */
bool sl_flow_check_many(uint64_t breaks, uint64_t ranges);
/* True where few ranges break the flow, and in the kernel, whose code is patched while it runs; ret gets how, as the end of
 * a sentence. */
bool sl_flow_check_patched(const struct sl_flow_check *check, char *ret, size_t cap);
/* True where the image is not the program that ran; ret gets the reason, as the end of a sentence. */
bool sl_flow_check_mismatch(const struct sl_flow_check *check, char *ret, size_t cap);
#endif
