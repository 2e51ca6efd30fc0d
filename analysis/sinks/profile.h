/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_H
#define PROFILE_H
/* What report collects: rows of calls, what was missing, what was repaired. Inside of analysis/sinks/profile*.c only. */
#include "profile_slices.h"
#include "sl_histogram.h"
#include "sl_map.h"
#include "sl_sinks.h"
#include "sl_span.h"
#include "sl_spread.h"
#include "tails.h"
#include "tasks.h"

enum { LACKS = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT };

/* Durations of complete calls on one axis. */
struct measure {
	struct sl_histogram histogram; /* of those that are no bounds */
	struct sl_spread spread;       /* of all of them */
	uint64_t min, max;	       /* min: UINT64_MAX where there is none */
	uint64_t bounds;	       /* complete calls that are shorter than it is known how long they were */
	uint64_t resolution;	       /* of the others, the coarsest */
};

/* What is told of them besides, and from start to start. */
struct circumstances {
	uint64_t min_at, min_offset, max_at, max_offset;
	uint64_t longest_interrupted, longest_suspended;
	struct sl_spread intervals;
	uint64_t shortest_interval, longest_interval; /* UINT64_MAX where there is none */
	struct sl_spread own;	     /* with every_axis: what each complete call ran by itself, */
	struct sl_products own_work; /* and that times its instructions */
};

/* When a row was started last in a lane, and how much had been lost there by then. */
struct start {
	struct sl_axes at;
	uint64_t losses;
	bool seen;
};

/* What each call needs comes first. */
struct row {
	uint64_t calls[LACKS + 1]; /* by what of them was not seen */
	uint64_t timeless;	   /* complete calls of the lane at work that are measured in instructions only so far */
	struct sl_axes total, self;
	struct measure measures[SL_AXIS_COUNT];
	uint64_t key;
	uint64_t cut;		   /* of those without exit: ended by a gap */
	/* Of brief rows nothing: */
	struct sl_axes interrupted, suspended;
	struct sl_axes first, last; /* where it began */
	uint64_t first_offset, last_offset, starts;
	struct start start;	    /* the last one in start_lane (UINT32_MAX: none) */
	uint32_t start_lane;
	struct circumstances circumstances[SL_AXIS_COUNT];
	uint32_t slices;	    /* index + 1 of what is kept with every_axis; 0: nothing yet */
};

struct gap_sum {
	uint64_t count, first_offset, cut;
	struct sl_axes sum, longest;
};

struct lane_state {
	char buffer[64], source[64];
	uint8_t trace_id;
	uint64_t losses;
	bool in_gap;
	enum sl_gap gap;
	struct sl_axes gap_from;
	struct gap_sum gaps[SL_GAPS];
	bool staying; /* a task runs, since: */
	uint64_t stay_key;
	bool stay_counts;
	unsigned stay_flags;
	uint64_t stay_offset, now_offset;
	struct sl_axes stay_from, now;
};

/* The open calls of a stack, where a row may be open several times. By depth. */
struct nest {
	struct nest_frame {
		uint32_t row; /* UINT32_MAX: none */
		bool level;   /* a level begins */
		bool inner;   /* of the same row as one below */
	} *frames;
	size_t len, cap;
};

enum { REPAIRS_KEPT = 100000 };
struct repair {
	uint32_t lane, kind, symbol;
	uint64_t offset;
	struct sl_axes at;
};

struct sl_profile {
	struct sl_profile_options options;
	struct sl_call_sink_ops ops;
	struct sl_call_sink sink;
	struct tails *tails; /* where tail calls are folded */
	struct sl_calls *calls;
	struct sl_sieve *sieve;
	enum sl_axis axes[SL_AXIS_COUNT]; /* that durations are kept of; the last one is the best that is promised: */
	unsigned axis_count;
	unsigned ranked; /* axes with percentiles: bits */
	bool nests;	     /* which call of a row is inside of another one has to be found out */
	bool late;	     /* whether a call counts is not known before it ends */
	bool brief;	     /* calls are told in brief */
	struct sl_axes told; /* self of all that was told, but for brief calls: these are in rows */
	struct row *rows;
	size_t row_count, row_cap;
	uint32_t *by_symbol; /* index + 1; 0: no row yet */
	struct sl_map by_key; /* the same for what is no function */
	struct start *starts; /* those in other lanes than the row's start is in */
	size_t start_count, start_cap;
	struct sl_map start_of; /* by row and lane: index + 1 */
	struct slices *slices;
	size_t slices_count, slices_cap;
	struct slicing slicing;
	struct tasks tasks;
	struct nest *nests_of; /* by stack */
	size_t nest_count, nest_cap;
	struct lane_state *lanes; /* by index */
	struct lane_state *lane;  /* of the call at work */
	size_t lane_count, lane_cap;
	struct repair *repairs;
	size_t repair_count, repair_cap;
	uint64_t repairs_told;
	struct profile_lines *lines;
	bool no_memory;
};

/* The row of a key, made where it is new; NULL (and no_memory) where there is none. */
struct row *profile_row(struct sl_profile *p, uint64_t key);

/* profile_nest.c: a call of a row begins; whether it is inside of another one of the same row in its level. */
bool profile_nest_enter(struct sl_profile *p, const struct sl_call *call, uint32_t row);
/* ... and ends: the same. */
bool profile_nest_leave(struct sl_profile *p, const struct sl_call *call);
void profile_nest_level(struct sl_profile *p, const struct sl_call *call);
void profile_nest_release(struct sl_profile *p);

/* profile_gaps.c: hears of every call. */
void profile_gaps_call(struct sl_profile *p, const struct sl_call *call);
/* ... or, of one that leaves, this. */
void profile_gaps_leave(struct lane_state *lane, const struct sl_axes *leave, unsigned flags);
void profile_gaps_write(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out);
/* profile_clocks.c */
void profile_clocks_write(const struct sl_profile *p, const struct sl_table *out);
void profile_repair(struct sl_profile *p, const struct sl_call *call);
void profile_repairs_write(const struct sl_profile *p, enum sl_axis axis, const struct sl_table *out);

/* profile_lines.c */
int profile_lines_new(const struct sl_profile_options *options, struct profile_lines **ret);
void profile_lines_free(struct profile_lines *lines);
void profile_lines_piece(struct profile_lines *lines, const struct sl_piece *piece);
bool profile_lines_failed(const struct profile_lines *lines);
/* SL_OK or SL_ERR_NOMEM. */
int profile_lines_write(const struct profile_lines *lines, const struct sl_table *out);
size_t profile_lines_columns(enum sl_profile_by by, const struct sl_column **ret);

/* A value of an axis as it is shown. */
struct sl_cell profile_scaled(const struct sl_profile *p, enum sl_axis axis, uint64_t value);
#endif
