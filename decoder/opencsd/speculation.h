/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPECULATION_H
#define SPECULATION_H
/*
 * OpenCSD 1.3.3 looks for the atom that a mispredict takes back from its newest element on, and erases the addresses
 * that it passes. Erasing makes its iterator invalid where something lies before such an address, or nothing behind it,
 * and it runs off the end and crashes. This follows the elements it holds, as far as is needed to tell.
 */
#include <opencsd/c_api/opencsd_c_api.h>

#include "sl_base.h"

enum { SPECULATION_KEPT = 4096 };

struct speculation {
	char kinds[SPECULATION_KEPT];  /* of the elements that are not committed, oldest first */
	size_t len;
	bool incomplete;	       /* the newest one waits for its address */
	uint64_t depth, max_depth;     /* as OpenCSD counts them, and TRCIDR8: what is beyond is committed */
};

/* Nothing is held any more. */
void speculation_reset(struct speculation *spec);
/* Takes a packet in; false where OpenCSD must not see it. */
bool speculation_packet(struct speculation *spec, const ocsd_etmv4_i_pkt *packet);
#endif
