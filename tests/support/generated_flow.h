/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATED_FLOW_H
#define GENERATED_FLOW_H
/* What was executed, once from the events that an encoder was told and once from the elements that a decoder found. */
#include "gen_event.h"
#include "sl_elem.h"

/* What of the events a protocol can show. */
struct flow_view {
	bool el, bits64, context_id, vmid;
	bool x86; /* exceptions have no numbers */
	bool counts_timestamps;		   /* cycles that come with a timestamp are not counted again (PTM) */
	const uint8_t *exception_numbers; /* by enum gen_exception_type */
};

enum flow_step_kind { FLOW_RUN, FLOW_EXCEPTION, FLOW_CUT };
struct flow_step {
	enum flow_step_kind kind;
	uint64_t start, end; /* RUN; EXCEPTION: start is the preferred return address, end whether it is known */
	uint32_t count;	     /* instructions; exception number */
	enum sl_isa isa;
	struct sl_context context;
};
/* A time, and how many instructions were executed before it. */
struct flow_time {
	uint64_t insns, ticks;
};

struct flow {
	struct flow_view view;
	struct flow_step *steps;
	size_t len, cap;
	struct flow_time *times;
	size_t times_len, times_cap;
	uint64_t insns, cycles;
	struct sl_context context;
	bool after_time;
	size_t may_miss; /* steps at the end that may be missing, and a part of the one before */
	bool late;	 /* begins somewhere in the middle of what is expected; times are not compared */
	bool bad; /* elements that a good trace does not have: the text says which */
	char text[80];
};

void flow_init(struct flow *flow, const struct flow_view *view);
void flow_release(struct flow *flow);
/* lost: the event is not in the trace. */
void flow_add_event(struct flow *flow, const struct gen_event *event, bool lost);
/* Forgets an exception that came last. */
void flow_drop_exception(struct flow *flow);
void flow_add_elem(struct flow *flow, const struct sl_elem *elem);
/* False, and a message, where steps differ, or where a time of got is none of expected at that place. */
bool flow_same(const struct flow *expected, const struct flow *got, const char *what);
#endif
