/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GRAPH_SLOWEST_H
#define GRAPH_SLOWEST_H
/* The two calls that slowest compares. Inside of analysis/sinks only. */
#include "graph.h"

enum { SLOWEST, MEDIAN, INSTANCES };

/* One call of the function. */
struct instance {
	uint64_t number;	    /* among its calls, in the order in which they were entered */
	uint32_t symbol, stack;
	struct sl_axes total;	    /* as graph's: with callees, system calls and faults */
	struct sl_axes interrupted; /* by what stands apart from it */
	struct sl_axes enter, leave;
	uint64_t offset, leave_offset;
	char buffer[64];
	uint8_t trace_id;
	struct sl_graph *graph;	    /* its paths; of the second run */
};

struct open_call {
	bool open, apart;   /* apart: an interrupt is being handled on top of it */
	uint32_t depth;	    /* of its frame */
	uint32_t interrupt; /* depth of that level */
	struct instance call;
};

struct sl_slowest {
	struct sl_graph_options options;
	bool *matches; /* by symbol */
	struct open_call *stacks;
	size_t stack_count, stack_cap;
	uint64_t calls; /* entered so far in this run */
	struct seen_call { uint64_t number; struct sl_axes total; } *seen; /* of the first run */
	size_t seen_len, seen_cap;
	struct seen_call worst[SL_AXIS_COUNT];
	uint64_t dropped;
	bool second;
	struct instance chosen[INSTANCES];
	bool no_memory;
};
#endif
