/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETM4_FLOW_H
#define ETM4_FLOW_H
/*
 * A trace unit's view of an executed program: told of each block of instructions and of how it ended, it
 * writes the ETMv4 or ETE packets that a trace unit would, without speculation (each element is committed at
 * once): atoms packed, addresses compressed, the return stack, cycle counts, timestamps, and sync points.
 *
 * What applies between two blocks (context, time) is told between them; packets for it are written when the
 * next block begins.
 */
#include "etm4_encode.h"

#define ETM4_RETURN_STACK_MAX 15

struct etm4_flow_options {
	size_t sync_bytes;	  /* a new A-sync after so many bytes; 0: only the first */
	uint64_t timestamp_ticks; /* a timestamp after so many ticks, where config.timestamps; 0: at sync
				     points only */
	unsigned return_stack;	  /* depth where config.return_stack; 0 is taken as 3 */
};

enum etm4_end {
	ETM4_END_NONE,	    /* runs on, or is stopped by an exception: the last instruction is no waypoint */
	ETM4_END_NOT_TAKEN, /* conditional direct branch */
	ETM4_END_TAKEN,	    /* direct branch */
	ETM4_END_CALL,	    /* direct branch with link */
	ETM4_END_INDIRECT,  /* jump to a register, return */
	ETM4_END_INDIRECT_CALL, /* ... with link */
	ETM4_END_EXCEPTION_RETURN,
	ETM4_END_BARRIER, /* ISB */
};
struct etm4_block {
	uint64_t start, end; /* [start, end) was executed */
	enum etm4_is is;
	enum etm4_end how;
	uint64_t target; /* of a taken branch */
	enum etm4_is target_is;
	uint32_t cycles; /* that it took */
};

struct etm4_flow {
	struct etm4_writer w; /* w.data and w.len: the bytes so far */
	struct etm4_flow_options options;
	struct etm4_context context;
	struct etm4_address next; /* where execution goes on */
	struct etm4_address stack[ETM4_RETURN_STACK_MAX];
	unsigned stack_len;
	uint32_t atoms;
	unsigned atom_count;
	bool synced, on; /* an A-sync was written; tracing has begun since the last gap */
	bool address_due, context_due;
	bool after_waypoint; /* nothing was executed since the last P0 element */
	uint64_t cycles;     /* since the last cycle count */
	uint64_t now, timestamp_sent;
	size_t sync_at;	 /* w.len after the last A-sync */
	uint64_t breaks; /* blocks that did not begin where the flow led: written as gaps */
};

void etm4_flow_init(struct etm4_flow *flow, const struct etm4_config *config,
		    const struct etm4_flow_options *options);
void etm4_flow_release(struct etm4_flow *flow);

/* From the next block on: to be told after the exception or the exception return that brings it. */
void etm4_flow_context(struct etm4_flow *flow, const struct etm4_context *context);
/* The time now, in ticks; never goes back. */
void etm4_flow_time(struct etm4_flow *flow, uint64_t ticks);
/* Cycles that no block accounts for (an exception's entry, idling). */
void etm4_flow_cycles(struct etm4_flow *flow, uint64_t cycles);

void etm4_flow_block(struct etm4_flow *flow, const struct etm4_block *block);
/* An exception (enum etm4_exception_type) is taken to target, with its preferred return address. */
void etm4_flow_exception(struct etm4_flow *flow, unsigned type, struct etm4_address preferred_return,
			 struct etm4_address target);
/* Tracing stops (filter); the next block begins with Trace On. */
void etm4_flow_stop(struct etm4_flow *flow);
/* The trace unit's buffer overflows: atoms not yet written are lost, the next block begins with a sync point.
 */
void etm4_flow_overflow(struct etm4_flow *flow);
/* Writes what is held back. A rest that no waypoint ends becomes visible by a halt (debug) exception. */
void etm4_flow_finish(struct etm4_flow *flow);
#endif
