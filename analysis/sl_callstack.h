/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CALLSTACK_H
#define SL_CALLSTACK_H
/*
 * Elements of one lane into calls. Rules (docs/callstack.md has each with its test):
 *  - one stack a task (context id and VMID, where the trace has them), on whatever lane it runs where lanes share their
 *    stacks; one level on it per exception;
 *  - the function on top is always the function of the program counter; what has to be inferred for that is
 *    counted as a repair;
 *  - what a gap may have hidden is never joined: open calls end without exit, what runs afterwards has no entry.
 */
#include "sl_fusion.h"
#include "sl_image.h"

enum sl_call_kind {
	SL_CALL_ENTER, SL_CALL_LEAVE, SL_CALL_LEVEL, SL_CALL_RESUME, SL_CALL_GAP, SL_CALL_CONTEXT,
	SL_CALL_REPAIR,	   /* number: enum sl_repair; symbol: of the call on top then, UINT32_MAX: none */
};

enum sl_repair {
	SL_REPAIR_RETURN,   /* a return that found no call: its caller's frame was made up */
	SL_REPAIR_UNWOUND,  /* frames left by longjmp, an exception of the language or a task switch */
	SL_REPAIR_JUMP,	    /* a jump into the middle of another function */
	SL_REPAIR_LEVEL,    /* an exception return that found no exception */
	SL_REPAIR_DEPTH,    /* deeper than the stack is: the oldest frame was dropped */
	SL_REPAIRS,
};
const char *sl_repair_name(unsigned repair);
const char *sl_repair_help(unsigned repair);

/* What a level was opened for. */
enum sl_level {
	SL_LEVEL_NONE,	  /* no exception: the task's own code */
	SL_LEVEL_IRQ,
	SL_LEVEL_FIQ,
	SL_LEVEL_SERROR,
	SL_LEVEL_SYSCALL, /* SVC, HVC, SMC: the program asked for it */
	SL_LEVEL_FAULT,	  /* aborts and undefined instructions */
	SL_LEVEL_DEBUG,	  /* breakpoints, steps, halts */
	SL_LEVEL_RESET,
	SL_LEVEL_OTHER,	  /* the trace does not say which */
	SL_LEVELS,
};
/* "irq"; static, never NULL */
const char *sl_level_name(unsigned level);

struct sl_lane;
struct sl_call {
	enum sl_call_kind kind;
	unsigned flags;	   /* SL_SPAN_NO_ENTRY and so on */
	uint32_t symbol;   /* ENTER, LEAVE */
	uint32_t caller;   /* symbol of the frame below in the same level; UINT32_MAX: none known */
	uint32_t depth;	   /* frames below it on its stack, all levels */
	uint32_t number;   /* LEVEL, RESUME: exception number; GAP: enum sl_gap */
	bool recursive;	   /* LEAVE: the same function is further down in the same level */
	uint64_t offset;   /* buffer offset of where it was entered (LEAVE: and leave_offset of where it was left) */
	uint64_t leave_offset;
	uint64_t address;  /* first instruction seen of it */
	uint32_t stack;	   /* number of the task's stack, from 0 on; the same on all CPUs */
	enum sl_level level; /* the level it is in; LEVEL, RESUME: that was opened */
	const struct sl_lane *lane; /* where it is told: a call that moved to another CPU leaves there. NULL: nobody said */
	/* On the clock of the lane where it was entered. Ticks are in parts, and count from one beginning for all lanes that share their
	 * stacks. */
	const struct sl_axes *enter;
	/* LEAVE, RESUME; else NULL: */
	const struct sl_axes *leave; /* on that of the lane where it left */
	const struct sl_axes *total;  /* LEAVE: of it and its callees, in its level, while its task ran */
	const struct sl_axes *self;   /* LEAVE: without callees and levels */
	/* LEAVE; NULL where that is not kept apart: leave - enter = total + interrupted + suspended. On two lanes there is no leave - enter
	 * but of ticks since the beginning of their clock; what it did not run is in ticks only then. */
	const struct sl_axes *interrupted; /* levels on top of it and of its callees */
	const struct sl_axes *suspended;   /* its task did not run */
	const struct sl_axes *resolution; /* LEAVE, RESUME: total is right within so much, either way; NULL: exactly */
	const struct sl_fused *when; /* ENTER, LEVEL: of enter; LEAVE, RESUME: of leave: how exactly that is known; NULL: nobody says */
	const struct sl_context *context;
};
/* What it points to is lent for the call. */
typedef void sl_call_fn(void *ctx, const struct sl_call *call);

/* What most statistics need of a LEAVE, as there. */
struct sl_brief {
	uint32_t symbol;
	unsigned flags;
	bool recursive;
	const struct sl_lane *lane;
	const struct sl_axes *leave, *total, *self, *resolution;
};
typedef void sl_brief_fn(void *ctx, const struct sl_brief *brief);

/* The same of one that took nothing but instructions, as far as its lane tells, and left where nothing is missing. */
struct sl_lean {
	uint32_t symbol;
	uint16_t flags;
	bool recursive;
	uint64_t total, self;
};
typedef void sl_leans_fn(void *ctx, const struct sl_lean *leans, size_t len);

/* Where a lane's time and instructions went besides into functions. */
struct sl_account {
	struct sl_axes whole;  /* first to last element */
	struct sl_axes self;   /* sum of self over all calls */
	struct sl_axes gap;    /* while trace was missing */
	uint64_t repairs[SL_REPAIRS];
	uint64_t elsewhere; /* exceptions that returned into the middle of a function that was not open: another task's */
};

/* Stacks of tasks, for the lanes of a run, which one thread feeds. */
struct sl_stacks;
int sl_stacks_new(struct sl_stacks **ret);
/* Behind all that have them. */
void sl_stacks_free(struct sl_stacks *stacks);
/* The timestamp that ticks count from; before anything is fed. Else it is where the lane that is fed first begins. */
void sl_stacks_begin_at(struct sl_stacks *stacks, uint64_t tick);
uint64_t sl_stacks_beginning(const struct sl_stacks *stacks);

struct sl_callstack;
struct sl_callstack_options {
	const struct sl_image *image;
	struct sl_stacks *stacks;	/* NULL: no other lane has this one's tasks */
	const struct sl_trace_config *config; /* for what exception numbers and VMIDs mean; NULL: an A profile's ETMv4 */
	uint32_t core;			/* until an element tells another */
	const struct sl_lane *lane;	/* that calls are told of; may be NULL */
	bool cycles_are_time;		/* ticks are cycles, whatever timestamps say */
	sl_call_fn *call;
	unsigned untold;		/* of which kinds call is not told: bits 1 << enum sl_call_kind */
	/* Is told of calls that leave, instead of call, and much faster. ENTER is told then where it is the first of its function
	 * here, or the first behind a GAP. May be NULL. */
	sl_brief_fn *brief;
	/* Is told of most of these instead, many at a time, in the order in which they left, but later: sooner or later before
	 * sl_callstack_finish() returns. Their functions have been told of. May be NULL. */
	sl_leans_fn *leans;
	void *ctx;
	void *brief_ctx;		/* of leans too */
	/* A run of instructions inside one symbol, after its frame is on top. May be NULL. */
	void (*piece)(void *ctx, const struct sl_elem *range, uint32_t symbol, uint32_t depth);
};
int sl_callstack_new(const struct sl_callstack_options *options, struct sl_callstack **ret);
void sl_callstack_free(struct sl_callstack *cs);
/* SL_OK or SL_ERR_NOMEM (which sticks). */
int sl_callstack_feed(struct sl_callstack *cs, const struct sl_elem *elems, size_t len);
/* Elements that will be fed: the clock looks at them, so that what lies between two timestamps can be divided. Returns how many of all,
 * counted from the first, can be fed with the best time that there is; see sl_fusion_look(). What was not looked at, feed looks at. */
uint64_t sl_callstack_look(struct sl_callstack *cs, const struct sl_elem *elems, size_t len);
/* Tasks that lanes with the same stacks run one after another, go on where they left off: a task that still runs on another lane
 * is not to be fed. apart: who comes next has an id that does not name it on other lanes; its stack is this lane's. */
void sl_callstack_set_apart(struct sl_callstack *cs, bool apart);
/* The stack that runs now, and the level on it. */
uint32_t sl_callstack_stack(const struct sl_callstack *cs, enum sl_level *ret_level);
/* Whether the lane's trace, or the capture, has named a task of it so far. */
bool sl_callstack_named(const struct sl_callstack *cs);
/* Ends all open calls that run here, or ran here last, without exit. */
int sl_callstack_finish(struct sl_callstack *cs);
const struct sl_account *sl_callstack_account(const struct sl_callstack *cs);
/* The core, that is the address space, in which the program runs now. */
uint32_t sl_callstack_core(const struct sl_callstack *cs);
/* Its clock; and where that is, back instructions ago, of those that were executed since a call began or ended. */
const struct sl_fusion *sl_callstack_clock(const struct sl_callstack *cs);
struct sl_fused sl_callstack_now(struct sl_callstack *cs, uint64_t back);
#endif
