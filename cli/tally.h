/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H
/* A sink that counts what the other sinks made their output from: whether anything came out, and what is
 * missing. */
#include "sl_run.h"

struct tally {
	uint64_t ranges, insns, messages, packets;
	uint64_t others; /* elements that are none of these and no gap: contexts, timestamps, events */
	uint64_t gaps[SL_GAPS];
	uint64_t breaks;  /* ranges that do not begin where the one before went on: the image is of another
			     program */
	uint64_t follows; /* while a lane runs: address that has to come next, or UINT64_MAX */
};
void tally_sink(struct tally *tally, struct sl_sink *ret);
/* The same for packets, which sl_run only makes where a sink wants them. */
void tally_packet_sink(struct tally *tally, struct sl_sink *ret);
#endif
