/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMELINE_H
#define TIMELINE_H
/* The state of the timeline sink. Inside of analysis/sinks only. */
#include "sl_export.h"
#include "sl_map.h"
#include "tasks.h"

/* Sums of ticks as nanoseconds: what was told so far and what comes next is what all of it is, rounded once. */
struct timeline_carry {
	uint64_t total, self; /* on the axis */
};

/* What a name id beyond the symbols stands for: a level. */
struct timeline_name {
	char text[48];
};

struct timeline_frame {
	uint32_t name_id, depth;
	unsigned flags;	   /* of its BEGIN */
	uint64_t start, offset, address;
	bool shown;	   /* its BEGIN was told */
};

struct timeline_track {
	struct sl_timeline_track pub;
	char name[96];
	uint32_t stack, lane;
	uint64_t last; /* at, of its last event */
	struct timeline_frame *frames;
	size_t len, cap;
};

struct timeline_lane {
	int64_t cpu;
	uint64_t end;	     /* on the axis */
	uint32_t running;    /* stack + 1; 0: none yet */
	char buffer[64];
	uint8_t trace_id;
};

struct sl_timeline_sink {
	struct sl_timeline_options options;
	struct sl_timeline_head head;
	struct sl_sieve *sieve; /* NULL: everything counts */
	bool counts;		/* the call that is being told */
	struct tasks tasks;
	uint32_t symbols;	/* ids from here on are levels */
	struct timeline_carry *carries; /* by name id */
	size_t carry_cap;
	struct timeline_name **levels;
	size_t level_count, level_cap;
	struct sl_map level_ids; /* by level << 32 | number */
	struct timeline_lane *lanes;
	size_t lane_count;
	struct sl_map by_lane;	/* by lane index: number + 1 */
	struct timeline_track *tracks;
	size_t track_count, track_cap;
	uint32_t *by_stack;	/* the track that a stack is on now + 1 */
	size_t stack_count, stack_cap;
	struct sl_map by_place; /* stack << 32 | lane: track + 1; not on the time axis */
	uint64_t late, told;
	char about[200];
	bool no_memory;
};

/* timeline_lanes.c: what the first run tells of lanes. SL_OK or SL_ERR_NOMEM. */
int timeline_find_lanes(struct sl_timeline_sink *sink);
/* The number of a lane that calls come from; the first one's where it is not known. */
uint32_t timeline_lane_of(const struct sl_timeline_sink *sink, const struct sl_lane *lane);
/* A place on the lane's axis, as all lanes tell it. */
uint64_t timeline_at(const struct sl_timeline_sink *sink, const struct sl_axes *axes);
/* timeline_names.c: the id of a level, made where it is new; UINT32_MAX when out of memory. */
uint32_t timeline_level(struct sl_timeline_sink *sink, enum sl_level level, uint32_t number);
const char *timeline_name(const void *sink, uint32_t name_id, const char **ret_module);
/* timeline_names.c: what a task is called. */
void timeline_name_track(const struct sl_timeline_sink *sink, struct timeline_track *track);
#endif
