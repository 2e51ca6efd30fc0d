/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FRAMES_H
#define FRAMES_H
/*
 * The frames of one lane: a stack a context, levels on it, and whose time runs. What moves them is in callstack.c.
 */
#include "sl_callstack.h"
#include "sl_map.h"

enum { FRAMES_MAX = 4096 };

struct frame {
	bool level;		  /* an exception's mark instead of a call */
	uint32_t symbol;	  /* or the exception's number */
	unsigned flags;		  /* SL_SPAN_... */
	uint64_t return_address;  /* level: preferred return address. Only where return_known */
	bool return_known;
	uint64_t offset, address;
	struct sl_axes enter, self;
	struct sl_axes apart;	  /* levels on top and other contexts: no part of total */
	size_t base_below;	  /* level: the stack's base while it is not on top */
};

struct stack {
	uint64_t key;
	struct frame *frames;
	size_t len, cap;
	size_t base;		    /* of the topmost level: its first frame, above its mark */
	struct sl_axes left_at;	    /* when another context took over, and the element that told it */
	uint64_t left_offset;
	uint64_t losses;	    /* of the lane when it was current the last time */
};

struct frames {
	struct sl_callstack_options options;
	struct stack *stacks;
	size_t stack_count, stack_cap;
	struct sl_map by_key;
	size_t current;
	struct stack *stack;	    /* the current one */
	uint32_t *active;	    /* by symbol: calls of it on the current stack */
	struct sl_clock clock;
	struct sl_axes ran_until;   /* up to here time is booked */
	bool in_gap;		    /* time goes to the gap account */
	struct sl_axes gap_from;    /* when it began, and the element that began it */
	uint64_t gap_offset;
	uint64_t losses;	    /* of trace in which any context may have run */
	struct sl_account account;
	struct sl_context context;
	uint64_t offset;	    /* of the element at work */
	struct frame lost;	    /* stands for one that there was no memory for */
	int result;
};

/* SL_OK or SL_ERR_NOMEM; to be released in either case. */
int frames_init(struct frames *f, const struct sl_callstack_options *options);
void frames_release(struct frames *f);

static inline struct stack *frames_stack(struct frames *f) { return f->stack; }
/* The frame on top; NULL on an empty stack. A level's mark counts. */
static inline struct frame *frames_top(struct frames *f)
{
	struct stack *stack = frames_stack(f);

	return stack->len ? &stack->frames[stack->len - 1] : NULL;
}
/* The call on top of the current level; NULL where the level has none. */
static inline struct frame *frames_top_call(struct frames *f)
{
	struct frame *top = frames_top(f);

	return top && !top->level ? top : NULL;
}
/* Index of the first frame above the topmost level mark: where the current level's calls begin. */
static inline size_t frames_level_base(struct frames *f) { return frames_stack(f)->base; }

/*
 * Books what the clock moved since the last time to the call on top, or to the gap. To be called before frames move or a
 * gap begins: it need not be after each step of the clock.
 */
static inline void frames_book(struct frames *f)
{
	struct sl_axes delta = sl_axes_sub(f->clock.now, f->ran_until);
	struct frame *top = frames_top(f);

	f->ran_until = f->clock.now;
	sl_axes_add(f->in_gap || !top ? &f->account.gap : &top->self, delta);
}
/* The new frame, until the next push. */
struct frame *frames_push(struct frames *f, uint32_t symbol, uint64_t address, unsigned flags);
/* Pops the top: a call leaves, with flags added; a level's mark closes its level. */
void frames_pop(struct frames *f, unsigned flags);
/* Pops until len frames are left. */
void frames_pop_to(struct frames *f, size_t len, unsigned flags);
void frames_push_level(struct frames *f, uint32_t number, uint64_t preferred_return, bool known);
/* Trace is missing from now on. */
void frames_enter_gap(struct frames *f);
/* What was open when the gap began ended there, as far as is known. */
void frames_lose(struct frames *f);
/* The other contexts too may have run where trace was lost: what they had open ended where they were left. */
void frames_lose_others(struct frames *f);
/* Another context runs: its stack becomes the current one. */
void frames_switch(struct frames *f, const struct sl_context *context);
void frames_repair(struct frames *f, enum sl_repair repair);
void frames_tell_gap(struct frames *f, enum sl_gap gap, uint64_t address);
/* Ends everything, on all stacks. */
void frames_finish(struct frames *f);
#endif
