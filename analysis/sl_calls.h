/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CALLS_H
#define SL_CALLS_H
/*
 * The stage between elements and statistics: the elements of all lanes become calls, in order of time, on one thread. What
 * collects calls is a call sink; any number of them share the stacks of one run.
 */
#include "sl_callstack.h"
#include "sl_run.h"

/* Instructions in a row inside of one symbol, whose frame is on top. */
struct sl_piece {
	const struct sl_elem *range; /* start, end, count and isa are those of the piece; last is, where the range goes on, no branch */
	uint32_t symbol, depth, stack;
	enum sl_level level;
	uint32_t core;		     /* whose memory they are in */
	const struct sl_lane *lane;
	/* When the piece was over, or before that, so many instructions ago: at most those of the piece. */
	struct sl_fused (*at)(void *ctx, uint64_t back);
	void *ctx;
};

/* Calls come one at a time and in order of time; within a lane in order of its trace. What they point to is lent. */
struct sl_call_sink_ops {
	const char *name;
	unsigned untold; /* kinds of calls that it does not want: bits 1 << enum sl_call_kind */
	/* A lane joins: before anything is told of it. It is gone after end. SL_OK or an error that stops the run. May be NULL. */
	int (*begin)(void *self, const struct sl_lane *lane);
	/* What there is no memory for is to be remembered until finish. */
	void (*call)(void *self, const struct sl_call *call);
	/* Calls that leave may come here instead (sl_callstack_options.brief): where no other sink wants more. May be NULL. */
	sl_brief_fn *brief;
	/* ... and most of them here (sl_callstack_options.leans). May be NULL. */
	sl_leans_fn *leans;
	/* May be NULL, which is much faster. */
	void (*piece)(void *self, const struct sl_piece *piece);
	/* The lane is over, and is the last one of sl_calls_lanes(). May be NULL. */
	int (*end)(void *self, const struct sl_lane *lane);
};
struct sl_call_sink {
	const struct sl_call_sink_ops *ops;
	void *self;
};

/* What a lane was, when all is over. */
struct sl_calls_lane {
	char buffer[64], source[64];
	uint8_t trace_id;
	int32_t cpu;		     /* -1: not known */
	bool cycles_are_time;	     /* sl_run_options has it */
	bool timed;		     /* something tells time there */
	bool named;		     /* a task that ran there was, by the trace or the capture */
	const struct sl_trace_config *config; /* the capture's */
	struct sl_account account;
	struct sl_fusion_facts clock;
	struct sl_axes end;	     /* on that clock, whose ticks count from the beginning of all lanes */
	uint64_t origin;	     /* the timestamp, or earlier, that the lane began at */
	struct sl_rate rate;	     /* of cycles, at the end */
	struct sl_rate_change *changes; /* of it */
	size_t change_count;
};

struct sl_calls;
/* Sinks are borrowed until the end of the run. */
int sl_calls_new(const struct sl_image *image, const struct sl_call_sink *sinks, size_t count, struct sl_calls **ret);
void sl_calls_free(struct sl_calls *calls);
/* For sl_run. */
void sl_calls_sink(struct sl_calls *calls, struct sl_sink *ret);
/* The timestamp that the ticks of all lanes count from. */
uint64_t sl_calls_beginning(const struct sl_calls *calls);
/* In order of ending. */
size_t sl_calls_lanes(const struct sl_calls *calls, const struct sl_calls_lane **ret);
/*
 * Behind the run, one line each: timestamps that were of no use, changes of a core's frequency, and lanes whose timestamps have nothing in
 * common with those of the others. timestamp_hz 0: not known.
 */
void sl_calls_note_clocks(const struct sl_calls *calls, uint64_t timestamp_hz, struct sl_notes *notes);
/*
 * Behind the run: whether tasks that nobody told apart may have met on one call stack. So it is where a lane names no task,
 * and one call stack did not explain all that ran there. Which source, what it means and what to do go to ret, in one line.
 */
bool sl_calls_untold(const struct sl_calls *calls, const struct sl_capture *capture, char *ret, size_t cap);
#endif
