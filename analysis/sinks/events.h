/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENTS_H
#define EVENTS_H
/* What the events sink counts. Inside of analysis/ only. */
#include "sl_events.h"
#include "sl_map.h"
#include "tasks.h"

enum { INTERVAL_CLASSES = 64 };

/* The times between successive starts, by their highest bit: what is near together, and what is far apart, is told from it. */
struct rhythm {
	uint64_t last[SL_AXIS_COUNT];  /* start */
	size_t lane;		       /* where that was: its index */
	uint64_t count[SL_AXIS_COUNT][INTERVAL_CLASSES], sum[SL_AXIS_COUNT][INTERVAL_CLASSES];
	uint64_t min[SL_AXIS_COUNT], max[SL_AXIS_COUNT];
};

/* A row: an event of a lens, perhaps of a task or CPU. */
struct event {
	unsigned lens;		  /* index */
	enum event_what { EVENT_CALL, EVENT_LEVEL } what;
	uint32_t number;	  /* symbol; exception */
	enum sl_level level;	  /* EVENT_LEVEL */
	uint32_t group;		  /* stack or CPU; UINT32_MAX: all */
	uint64_t count;		  /* starts seen */
	uint64_t no_entry, no_exit;
	uint64_t complete;	  /* of which min, max and sum are */
	struct sl_axes total, self, sum, min, max;
	uint64_t max_offset[SL_AXIS_COUNT];
	uint64_t first_offset;
	struct rhythm rhythm;
};

/* Who calls a requester. */
struct request {
	unsigned lens;
	uint32_t requester, caller; /* symbols; caller UINT32_MAX: not known */
	uint64_t count, first_offset;
	struct rhythm rhythm;
};

/* A task, as switches tell. Run is from the switch to it up to the one away. */
struct switched {
	uint32_t stack;
	uint64_t in, out, voluntary, preempted;
	uint64_t runs, offs;	     /* of which both ends were seen */
	struct sl_axes run, run_max, off, off_max;
	struct sl_axes since;	     /* when it was switched in, or out */
	size_t lane;		     /* where */
	bool since_known;
	uint32_t open_voluntary, open_preempted; /* calls of such functions */
};

struct lens_roles {
	bool known;
	uint32_t lists[SL_LENS_LISTS]; /* bits 1 << lens that the symbol is in */
};

struct sl_events {
	struct sl_events_options options;
	uint32_t selected, with_dispatcher, with_event, with_switches, by_pointer; /* bits 1 << lens */
	uint32_t by_level[SL_LEVELS];
	struct lens_roles *roles; /* by symbol */
	struct event *events;
	size_t event_count, event_cap;
	struct sl_map event_at; /* hash of the key -> index + 1 */
	struct request *requests;
	size_t request_count, request_cap;
	struct sl_map request_at;
	struct tasks names;
	struct switched *tasks;	 /* by stack; in the order of stacks */
	size_t task_count, task_cap;
	uint64_t switches;
	struct running {	 /* what runs on a lane */
		size_t lane;
		uint32_t stack;
		bool known;
	} *running;
	size_t running_count, running_cap;
	int result;
};

/* Sum over the classes below border (count and sum), and from it on. */
struct rhythm_part {
	uint64_t count, sum;
};
/*
 * Where near and far come apart: the middle of the widest empty stretch of classes, of at least 3 (a factor of 8 to 16), with
 * intervals on both sides. 0: there is none, the rhythm is even.
 */
unsigned rhythm_border(const struct rhythm *rhythm, enum sl_axis axis);
struct rhythm_part rhythm_sum(const struct rhythm *rhythm, enum sl_axis axis, unsigned from, unsigned to);
#endif
