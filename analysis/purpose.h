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
	PURPOSE_EXCEPTION_BEHIND,   /* OpenCSD's element is passed, and the rest compared */
	PURPOSE_Q_BEHIND,	    /* both are passed */
	PURPOSE_Q_OFFSET,
	PURPOSE_EMPTY_RETURN_STACK, /* the fast engine's up to its bad packet or loss of sync, then both */
	PURPOSE_NO_ADDRESS_YET,	    /* nothing from here on is compared, up to where both begin anew */
	PURPOSE_NEWER_INSTRUCTION,
	PURPOSE_SOURCE_BEHIND,
	PURPOSE_NEWER_PACKET,
	PURPOSE_IDS_BEHIND,	    /* both are passed */
	PURPOSES,		    /* none */
};
struct purposes {
	const struct sl_image *image;
	bool q;			   /* the lane may have Q elements (purpose_has_q); else no offset differs */
	bool ite;		   /* it may have ITE packets (purpose_has_ite) */
	bool ete;		   /* it may have source addresses */
	bool walked;		   /* OpenCSD's last no-image gap behind an exception was at ... */
	uint64_t walked_to;
	uint8_t walked_isa;	   /* enum sl_isa that a branch at the end of its last such range was in, or SL_ISA_UNKNOWN */
	bool has_context, has_address; /* the lane has told of one, which both know since */
	bool indirect;		   /* OpenCSD's last range ended with an indirect branch that was taken, and no gap behind it */
	struct sl_context passed;  /* the last that the fast engine told alone, before an empty return stack; without flags: none */
	bool went_on;		   /* the fast engine alone told of an exception behind an empty return stack */
	bool read_otherwise;	   /* the last range is one instruction, which OpenCSD may have read in the other instruction set */
	bool owes;		   /* OpenCSD has a decode error to tell, behind its empty return stack: */
	uint64_t owes_at;	   /* ... the fast engine told of it before */
	bool lost;		   /* what comes is compared again where both begin anew ... */
	bool gave_up;		   /* ... which only a restart is: OpenCSD has forgotten what packets refer to as well */
	bool again;		   /* it was so: what was in memory is no longer the 0 that the fast engine began with */
	uint64_t times[PURPOSES];  /* how often each was met */
};
bool purpose_has_q(const struct sl_trace_config *config);
bool purpose_has_ite(const struct sl_trace_config *config);
const char *purpose_name(enum purpose purpose);
/* Both engines say so: the next of each, where not lost. */
void purpose_same(struct purposes *purposes, const struct sl_elem *elems, size_t len);
/* Why these two, the next in which the engines differ, do so, which is counted. NULL: that one has ended. */
enum purpose purpose_of(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd);
/*
 * The same, and whose element is passed to go on with the next two; where lost, whether they differ or not. false: they differ, and not on
 * purpose.
 */
bool purpose_pass(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd, bool *ret_fast, bool *ret_opencsd);
#endif
