/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACKS_H
#define STACKS_H
/*
 * The stacks of all tasks, on whatever CPU they run: what is open on each, and its running clock. Which one runs on a lane,
 * and what moves its frames, is in frames.c and callstack.c. Inside of analysis/ only.
 */
#include "sl_callstack.h"
#include "sl_map.h"

struct frames;

struct frame {
	bool level;		  /* an exception's mark instead of a call */
	uint8_t kind;		  /* level: enum sl_level */
	bool return_known;
	bool waits;		  /* an exception that interrupted it has returned to elsewhere: it goes on at waits_at */
	uint32_t symbol;	  /* or the exception's number */
	unsigned flags;		  /* SL_SPAN_... */
	uint64_t return_address;  /* level: preferred return address. Only where return_known */
	uint64_t waits_at;	  /* only where waits */
	uint64_t offset, address;
	struct sl_fused enter;	  /* on the clock of the lane where it began */
	uint32_t moves;		  /* ... and how often its stack had come to another lane by then */
	struct sl_axes ran;	  /* ... and on the stack's: what it had run until then */
	struct sl_axes away;	  /* ... and how long it had not run */
	struct sl_axes self;
	struct sl_axes interrupted; /* what levels on top ran: no part of total */
	struct sl_axes unsure;	  /* how exactly it is known what levels ran, and when its task came and went */
	size_t base_below;	  /* level: the stack's base while it is not on top */
};

struct stack {
	uint32_t number;	    /* from 0 on */
	struct frame *frames;
	size_t len, cap;
	size_t base;		    /* of the topmost level: its first frame, above its mark */
	/* The running clock: while the stack is on a lane, that lane's less zero; else ran. */
	struct sl_axes zero, ran;
	struct sl_axes away;	    /* how long its task did not run, between two times that it did */
	struct frames *lane;	    /* where it runs, or ran last; NULL: it never did */
	uint32_t moves;		    /* so many times it came to another lane than before */
	struct sl_fused left_at;    /* on that lane's clock: when another task took over, and the element that told it */
	uint64_t left_offset;
	struct sl_context context;  /* of its task, since it was left */
	uint64_t losses;	    /* of all lanes, when it was left */
	bool left_in_loss;	    /* a lane was losing trace at that time */
	unsigned pending;	    /* how it was left off, and where a call on the way returns to: callstack.c */
	uint64_t call_return;
	struct frames *came_from;   /* before the stay that it is in now: the lane, and away */
	struct sl_axes away_before;
};

/* Of a run. All lanes of it are on one thread. */
struct sl_stacks {
	struct stack **items;
	size_t count, cap;
	struct sl_map by_key;	    /* number + 1 of the stacks of tasks that are one on all CPUs */
	uint64_t losses;	    /* of trace in which any task may have run that ran nowhere else */
	size_t losing;		    /* lanes that do so now */
	bool begun;		    /* ticks of all lanes count from: */
	uint64_t begin;
};

/* What is on top. */
static inline enum sl_level stack_level(const struct stack *stack)
{
	return stack->base ? (enum sl_level)stack->frames[stack->base - 1].kind : SL_LEVEL_NONE;
}
/* A level's time is apart from what it interrupted: a call there is no part of one of the same function below. */
static inline bool stack_has(const struct stack *stack, uint32_t symbol)
{
	size_t i = stack->len;

	while (i > stack->base && stack->frames[i - 1].symbol != symbol)
		i--;
	return i > stack->base;
}
/* The stack that a map has for a key, made where it is new. NULL when out of memory. */
struct stack *stacks_get(struct sl_stacks *stacks, struct sl_map *by_key, uint64_t key);
#endif
