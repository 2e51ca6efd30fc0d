/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H
/* A sink that counts what the other sinks made their output from: whether anything came out, and what is
 * missing. */
#include "sl_flow_check.h"
#include "sl_run.h"

struct tally {
	uint64_t ranges, insns, messages, packets;
	uint64_t others; /* elements that are none of these and no gap: contexts, timestamps, events */
	uint64_t gaps[SL_GAPS];
	struct sl_flow_check check;  /* of one lane, while it runs */
	char mismatch[300];	     /* of the first lane whose image is another program's, and why; else empty */
	const struct sl_image *image; /* to name files; NULL: none are named */
	char untrusted[400], other_code[400]; /* of the first lane with parts that contradict themselves, or the image; else empty */
	uint64_t untrusted_parts, other_parts; /* of all lanes */
	char patched[300];	     /* of the first lane whose kernel is not quite the image's, and where; else empty */
};
void tally_sink(struct tally *tally, struct sl_sink *ret);
/* The same for packets, which sl_run only makes where a sink wants them. */
void tally_packet_sink(struct tally *tally, struct sl_sink *ret);
#endif
