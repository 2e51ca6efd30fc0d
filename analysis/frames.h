/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FRAMES_H
#define FRAMES_H
/*
 * What happens to stacks on one lane: which one runs, whose time that is, frames and levels that come and go. What moves them
 * is in callstack.c.
 */
#include "stacks.h"
#include "lane_task.h"

enum { FRAMES_MAX = 4096 }; /* uint16_t counts them */

struct frames {
	struct sl_callstack_options options;
	struct sl_stacks *stacks;   /* of all lanes; or own_stacks */
	struct sl_stacks *own_stacks;
	struct sl_map own;	    /* by key: stacks of this lane alone */
	struct stack *stack;	    /* that runs */
	struct stack nobody;	    /* ... where its task went on elsewhere, before the lane told that it left */
	void (*leave)(struct frames *f); /* another one is about to run instead, or the stack to run elsewhere */
	bool apart;		    /* the next task's id does not name it on other lanes too */
	struct frames_symbol {
		uint16_t active;    /* calls of it on the stack that runs */
		bool told;	    /* there has been one */
		uint8_t facts;	    /* callstack.h: SYMBOL_...; 0 until somebody asks */
	} *symbols;
	bool gap_told;		    /* and no call since */
	struct sl_fusion fusion;
	struct sl_fused now;	    /* up to here time is booked */
	bool stepped;		    /* now was asked for once */
	bool dated;		    /* the clock has told a time; since then its ticks are shifted to the beginning of all lanes: */
	uint64_t shift;
	uint64_t begin;		    /* ticks when the lane began */
	bool in_gap;		    /* time goes to the gap account */
	bool switched_in_gap;	    /* the stack came to run in it */
	bool in_loss;		    /* ... and others may have run in it */
	struct sl_fused gap_from;   /* when it began, and the element that began it */
	uint64_t gap_offset;
	struct sl_account account;
	struct task task;
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

static inline enum sl_level frames_level(const struct frames *f) { return stack_level(f->stack); }

/* Where the clock is; its ticks count from where those of all lanes do. */
void frames_ask(struct frames *f, struct sl_fused *ret);

/* now becomes where the lane is. Returns how far that is from before. */
static inline struct sl_axes frames_step(struct frames *f)
{
	struct sl_axes before = f->now.at;

	if (sl_fusion_is_plain(&f->fusion)) {
		f->now.at.v[SL_AXIS_INSNS] = f->fusion.here.insns;
	} else {
		frames_ask(f, &f->now);
		before.v[SL_AXIS_TICKS] = before.v[SL_AXIS_TICKS] < f->begin ? f->begin : before.v[SL_AXIS_TICKS];
	}
	f->stepped = true;
	return sl_axes_sub(f->now.at, before);
}

/*
 * Books what the clock moved since the last time to the call on top, or to the gap. To be called before frames move or a
 * gap begins: it need not be after each step of the clock.
 */
static inline void frames_book(struct frames *f)
{
	struct sl_axes delta = frames_step(f);
	struct frame *top = frames_top(f);

	if (f->in_gap || !top) {
		sl_axes_add(&f->account.gap, delta);
	} else {
		sl_axes_add(&f->account.self, delta);
		sl_axes_add(&top->self, delta);
	}
}
/* A call of that function is no longer on the stack that runs. Whether another one is, in its level. */
static inline bool frames_count_out(struct frames *f, uint32_t symbol)
{
	return --f->symbols[symbol].active && stack_has(f->stack, symbol);
}
/* The new frame, until the next push. */
struct frame *frames_push(struct frames *f, uint32_t symbol, uint64_t address, unsigned flags);
/* The same of an exception's handler: what it took to enter it is its own. */
struct frame *frames_push_handler(struct frames *f, uint32_t symbol, uint64_t address);
/* Pops the top: a call leaves, with flags added; a level's mark closes its level. */
void frames_pop(struct frames *f, unsigned flags);
/* Pops until len frames are left. */
void frames_pop_to(struct frames *f, size_t len, unsigned flags);
void frames_push_level(struct frames *f, uint32_t number, uint64_t preferred_return, bool known);
/* Trace is missing from now on. */
void frames_enter_gap(struct frames *f);
/* What was open when the gap began ended there, as far as is known. */
void frames_lose(struct frames *f);
/* Trace is lost from now on, and any task that runs on no lane may run here: what it had open ended where it was left. */
void frames_begin_loss(struct frames *f);
/* That is over. */
void frames_end_loss(struct frames *f);
/* An element that tells of a context or task: its stack becomes the current one. */
void frames_switch(struct frames *f, const struct sl_elem *elem);
/* A new piece of the task's trace begins: where it ran elsewhere meanwhile, it is back. */
void frames_come_back(struct frames *f);
void frames_repair(struct frames *f, enum sl_repair repair);
void frames_tell_gap(struct frames *f, enum sl_gap gap, uint64_t address);
/* Ends everything on the stacks that run here or ran here last. */
void frames_finish(struct frames *f);
#endif
