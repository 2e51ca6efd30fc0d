/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPT_TIME_H
#define IPT_TIME_H
/*
 * The TSC as packets tell it: TSC itself, and MTC behind a TMA, where the ratio of both clocks is known (Intel SDM, volume 3,
 * 33.8.3). Inside of decoder/ipt/ only.
 */
#include <intel-pt.h>

#include "sl_config.h"

struct ipt_time {
	unsigned mtc_shift;	    /* an MTC packet each so many (as a power of two) ticks of the crystal clock */
	uint32_t numerator, denominator; /* ticks of the TSC a tick of the crystal clock; 0: not known */
	bool tsc_known, tma_known;
	uint64_t tsc;		    /* of the last TSC packet */
	uint64_t base, ticks;	    /* the TSC at a tick of the crystal clock, and ticks from there to the last MTC packet */
	uint64_t skew;		    /* from the last MTC packet's tick before that one to it */
	uint8_t last;		    /* payload of that MTC packet */
};

void ipt_time_init(struct ipt_time *time, const struct sl_trace_config *config);
/* Nothing that was known holds. */
void ipt_time_reset(struct ipt_time *time);
/* Whether packet tells a time, and which. */
bool ipt_time_take(struct ipt_time *time, const struct pt_packet *packet, uint64_t *ret_tsc);
#endif
