/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPECULATION_H
#define SPECULATION_H
/*
 * Which commits, cancels and mispredicts of an ETMv4 lane are refused (IHI 0064H, 5.3): those that OpenCSD 1.3.3 crashes on.
 * It looks for the atom that a mispredict takes back from its newest element on, and erases the addresses that it passes.
 * Erasing makes its iterator invalid where something lies before such an address, or nothing behind it, and it runs off the
 * end. It also takes the address of an exception or Q element from where none is held any more. To tell, this follows the
 * elements that it holds, as it holds them.
 */
#include "sl_base.h"

enum { SPECULATION_KEPT = 4096 };

enum speculation_stage {
	SPEC_WAIT_SYNC,
	SPEC_WAIT_INFO, /* for the Trace Info behind it: nothing is held before */
	SPEC_DECODE,
};

struct speculation {
	enum speculation_stage stage;
	char kinds[SPECULATION_KEPT]; /* of the elements that are not committed, oldest first */
	size_t len;
	bool waits;		      /* the newest exception or Q element has no address yet, and is not counted */
	int64_t depth, max_depth;     /* as OpenCSD counts them, and TRCIDR8: what is beyond is committed */
};

enum speculation_step {
	SPEC_LOST,	 /* all that is held is lost, or no packet that may be there */
	SPEC_NOTHING,	 /* no element */
	SPEC_SYNC,
	SPEC_DEPTH,	 /* Trace Info: count elements were held before it */
	SPEC_ATOMS,	 /* count of them */
	SPEC_ADDRESS,
	SPEC_CONTEXT,
	SPEC_CONTEXT_ADDRESS,
	SPEC_SOURCE,	 /* an address of ETE that is counted and committed, but cannot be cancelled */
	SPEC_KEPT,	 /* survives a cancel: timestamp, cycle count, event; it commits count */
	SPEC_P0,	 /* can be committed */
	SPEC_EXCEPTION,	 /* ... and waits for its address */
	SPEC_Q,		 /* ... and so does this one */
	SPEC_Q_ADDRESS,	 /* ... and has its address */
	SPEC_OTHER,
	SPEC_COMMIT,	 /* count of the oldest */
	SPEC_CANCEL,	 /* count of the newest */
	SPEC_MISPREDICT, /* adds atoms, takes back count, and turns around the newest atom that is left */
};

/* What a packet means to this. */
struct speculation_packet {
	enum speculation_step step;
	uint32_t count;
	unsigned atoms;
};

/* Nothing is held any more, until the next sync point. */
void speculation_reset(struct speculation *spec);
/* Takes a packet in; false where it is to be taken for a bad one. */
bool speculation_take(struct speculation *spec, const struct speculation_packet *packet);
#endif
