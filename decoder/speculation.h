/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPECULATION_H
#define SPECULATION_H
/*
 * Which commits and cancels of an ETMv4 lane are refused. OpenCSD 1.3.3 looks for the atom that a mispredict takes back from its newest element on, and erases the addresses
 * that it passes. Erasing makes its iterator invalid where something lies before such an address, or nothing behind it,
 * and it runs off the end and crashes. This follows the elements it holds, as far as is needed to tell.
 */
#include "sl_base.h"

enum { SPECULATION_KEPT = 4096 };

struct speculation {
	char kinds[SPECULATION_KEPT];  /* of the elements that are not committed, oldest first */
	size_t len;
	bool incomplete;	       /* the newest one waits for its address */
	uint64_t depth, max_depth;     /* as OpenCSD counts them, and TRCIDR8: what is beyond is committed */
};

enum speculation_step {
	SPEC_NOTHING,	 /* no element */
	SPEC_ATOMS,	 /* count of them */
	SPEC_ADDRESS,
	SPEC_CONTEXT_ADDRESS,
	SPEC_KEPT,	 /* survives a cancel: timestamp, cycle count, event */
	SPEC_P0,	 /* can be committed */
	SPEC_P0_ADDRESS, /* ... and has its address */
	SPEC_P0_OPEN,	 /* ... and waits for its address */
	SPEC_OTHER,
	SPEC_LOST,	 /* all that is held is lost */
	SPEC_DEPTH,	 /* count elements were held before it */
	SPEC_COMMIT,	 /* count of the oldest */
	SPEC_CANCEL,	 /* count of the newest */
	SPEC_MISPREDICT, /* takes back count, and turns around the atom before; it has atoms itself */
};

/* What a packet means to this. */
struct speculation_packet {
	enum speculation_step step;
	uint32_t count;
	unsigned atoms;
};

/* Nothing is held any more. */
void speculation_reset(struct speculation *spec);
/* Takes a packet in; false where it is to be taken for a bad one. */
bool speculation_take(struct speculation *spec, const struct speculation_packet *packet);
#endif
