/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PURPOSE_H
#define PURPOSE_H
/*
 * What the fast engine says otherwise than OpenCSD 1.3.3 on purpose: each has a name here, and its cause in
 * tests/oracle/engine_differences.json. Inside of analysis/, and for tests.
 */
#include "sl_config.h"
#include "sl_elem.h"
#include "sl_image.h"

enum purpose {
	PURPOSE_EXCEPTION_BEHIND,  /* OpenCSD's element is passed, and the rest compared */
	PURPOSE_Q_BEHIND,	   /* both are passed */
	PURPOSE_Q_OFFSET,
	PURPOSE_NO_ADDRESS_YET,	   /* nothing behind this one and the next is compared */
	PURPOSE_NEWER_INSTRUCTION,
	PURPOSE_SOURCE_BEHIND,
	PURPOSES,		   /* none */
};
struct purposes {
	const struct sl_image *image;
	bool q;			   /* the lane may have Q elements (purpose_has_q); else no offset differs */
	bool walked;		   /* OpenCSD's last no-image gap behind an exception was at ... */
	uint64_t walked_to;
	uint8_t walked_isa;	   /* enum sl_isa that a branch at the end of its last such range was in, or SL_ISA_UNKNOWN */
	uint64_t times[PURPOSES];  /* how often each was met */
};
bool purpose_has_q(const struct sl_trace_config *config);
const char *purpose_name(enum purpose purpose);
/* Why these two, the next in which the engines differ, do so, which is counted. NULL: that one has ended. */
enum purpose purpose_of(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd);
/* Whether the rest can be compared, and whose element is passed for that. */
bool purpose_passes(enum purpose purpose, bool *fast, bool *opencsd);
#endif
