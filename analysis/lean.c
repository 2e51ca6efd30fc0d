/* SPDX-License-Identifier: Apache-2.0 */
#include "lean.h"

#include <stdlib.h>

#include "sl_span.h"

enum {
	BATCH = 256, /* calls that are told of at once */
	AHEAD = 6,   /* elements: symbols are fetched for */
};

struct lean {
	struct sl_lean told[BATCH];
	size_t len;
};

int lean_begin(struct sl_callstack *cs)
{
	const struct sl_callstack_options *options = &cs->frames.options;
	bool repairs = options->call && !(options->untold & 1u << SL_CALL_REPAIR);
	/* Thunks of x86 are not followed here. */
	bool thunks = options->config && options->config->protocol == SL_PROTOCOL_IPT;

	if (!options->leans || !options->brief || options->piece || repairs || thunks)
		return SL_OK;
	cs->lean = calloc(1, sizeof(*cs->lean));
	return cs->lean ? SL_OK : SL_ERR_NOMEM;
}

void lean_free(struct lean *lean)
{
	free(lean);
}

void lean_tell(struct sl_callstack *cs)
{
	const struct sl_callstack_options *options = &cs->frames.options;

	if (cs->lean && cs->lean->len)
		options->leans(options->brief_ctx, cs->lean->told, cs->lean->len);
	if (cs->lean)
		cs->lean->len = 0;
}

/* What is at work meanwhile, in registers. */
struct at_work {
	struct sl_callstack *cs;
	struct stack *stack;
	struct frame *top;	  /* a call */
	uint64_t now, ran_until;  /* instructions */
	uint64_t zero;		  /* the stack's */
	enum pending pending;	  /* the callstack's, and call_return */
	uint64_t call_return;
};

static inline bool has_time(const struct sl_axes *axes)
{
	return axes->v[SL_AXIS_CYCLES] | axes->v[SL_AXIS_TICKS];
}

/* A gap that was told of ends with the next call that is. Where the stack has run in time, so have its frames. */
static bool may_run(const struct sl_callstack *cs)
{
	const struct frames *f = &cs->frames;
	const struct stack *stack = f->stack;

	return !f->in_gap && !f->gap_told && !has_time(&stack->zero) && stack->len && !stack->frames[stack->len - 1].level;
}

static inline void book(struct at_work *w)
{
	w->top->self.v[SL_AXIS_INSNS] += w->now - w->ran_until;
	w->ran_until = w->now;
}

/* The frame on top, which begins here and now; but for where it returns to. */
static inline void begin(struct at_work *w, uint32_t symbol, unsigned flags)
{
	struct frame *frame = w->top;

	w->cs->frames.symbols[symbol].active++;
	frame->symbol = symbol;
	frame->flags = flags;
	frame->ran.v[SL_AXIS_INSNS] = w->ran_until - w->zero;
	frame->self.v[SL_AXIS_INSNS] = frame->interrupted.v[SL_AXIS_INSNS] = 0;
}

/* Levels leave behind how exactly it is known how long they took: not at all. */
static void pass_unsure(struct at_work *w)
{
	struct frame *frame = w->top;

	for (int i = SL_AXIS_CYCLES; w->stack->len && i < SL_AXIS_COUNT; i++)
		(frame - 1)->unsure.v[i] = sl_unsure_add((frame - 1)->unsure.v[i], frame->unsure.v[i]);
	frame->unsure = (struct sl_axes){ { 0 } };
}

/* The frame on top, which the stack no longer counts, leaves here and now. */
static inline void leave(struct at_work *w, unsigned flags)
{
	struct frame *frame = w->top;
	struct lean *lean = w->cs->lean;
	struct sl_lean *told = &lean->told[lean->len];
	uint64_t interrupted = frame->interrupted.v[SL_AXIS_INSNS];

	told->symbol = frame->symbol;
	told->flags = (uint16_t)(frame->flags | flags);
	told->recursive = frames_count_out(&w->cs->frames, frame->symbol);
	told->self = frame->self.v[SL_AXIS_INSNS];
	told->total = w->ran_until - w->zero - frame->ran.v[SL_AXIS_INSNS] - interrupted;
	if (interrupted && w->stack->len && !(frame - 1)->level)
		(frame - 1)->interrupted.v[SL_AXIS_INSNS] += interrupted;
	if (has_time(&frame->unsure))
		pass_unsure(w);
	if (++lean->len == BATCH)
		lean_tell(w->cs);
}

/* Whether a call of that function is open in the level. */
static inline bool is_open(const struct at_work *w, uint32_t symbol)
{
	return w->cs->frames.symbols[symbol].active && stack_has(w->stack, symbol);
}

/* callstack.c's by_jump(), as far as it exchanges one function for another. */
static inline bool jump(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	unsigned to = symbol_facts(w->cs, symbol->id);
	bool page = to & SYMBOL_PAGE && symbol_facts(w->cs, w->top->symbol) & SYMBOL_PAGE;
	bool tail = address == symbol->entry || page, told = w->cs->frames.symbols[symbol->id].told;

	if ((to & (SYMBOL_PAGE | SYMBOL_COLD)) == SYMBOL_COLD || !told || w->top->moves != w->stack->moves)
		return false;
	if (!tail && is_open(w, symbol->id))
		return false;
	w->cs->frames.account.repairs[SL_REPAIR_JUMP] += !tail;
	book(w);
	w->stack->len--;
	leave(w, tail ? SL_SPAN_TAIL : SL_SPAN_REPAIRED);
	w->stack->len++;
	begin(w, symbol->id, tail ? SL_SPAN_TAIL : SL_SPAN_NO_ENTRY | SL_SPAN_REPAIRED);
	return true;
}

/* What of a new frame begin() does not set, field by field (as in frames.c); where it returns to is known. */
static inline void clear(struct frame *frame, const struct frames *f, const struct stack *stack)
{
	frame->level = false;
	frame->return_known = true;
	frame->enter = f->now;
	frame->moves = stack->moves;
	frame->ran = frame->self = frame->interrupted = frame->unsure = (struct sl_axes){ { 0 } };
	frame->away = stack->away;
}

static inline bool call(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct stack *stack = w->stack;

	if (w->top->symbol == symbol->id && address != symbol->entry && !(symbol_facts(w->cs, symbol->id) & SYMBOL_PAGE))
		return true;
	if (stack->len == FRAMES_MAX || stack->len == stack->cap || !w->cs->frames.symbols[symbol->id].told)
		return false;
	book(w);
	stack->len++;
	w->top++;
	clear(w->top, &w->cs->frames, stack);
	w->top->return_address = w->call_return;
	begin(w, symbol->id, w->pending == BY_POINTER ? SL_SPAN_POINTER : 0);
	return true;
}

/* To the caller, which goes on. */
static inline bool come_back(struct at_work *w, const struct sl_symbol_range *symbol)
{
	struct stack *stack = w->stack;

	if (stack->len - 1 == stack->base || (w->top - 1)->symbol != symbol->id)
		return false;
	book(w);
	stack->len--;
	leave(w, 0);
	w->top--;
	return true;
}

static inline bool returns(const struct frame *frame, uint64_t address)
{
	return frame->return_known & (frame->return_address == address);
}

/* An indirect branch to address may be an exception's return. */
static inline bool may_resume(const struct at_work *w, uint64_t address)
{
	size_t base = w->stack->base;

	return base && returns(&w->stack->frames[base - 1], address);
}

/* What brought the program to address. False where nothing was done yet, and it is not for here. */
static inline bool apply(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	bool indirect = w->pending == BY_INDIRECT;

	if (w->pending == BY_RETURN || (indirect && returns(w->top, address)))
		return returns(w->top, address) && come_back(w, symbol);
	if (w->pending == BY_CALL || w->pending == BY_POINTER)
		return call(w, address, symbol);
	if ((w->pending > BY_JUMP && !indirect) || (indirect && may_resume(w, address)))
		return false;
	return w->top->symbol == symbol->id || jump(w, address, symbol);
}

static inline void leave_by(struct at_work *w, const struct sl_elem *range)
{
	w->call_return = range->range.end;
	w->pending = pending_after(range);
	if (w->pending > BY_JUMP && range->isa != SL_ISA_A64 && callstack_ends_exception(w->cs, range))
		w->pending = BY_ERET;
}

/* So much of a range that could not be followed to its end. */
struct rest {
	uint64_t at;
	uint32_t left; /* instructions from there on */
};

/* What became of a range: taken; not, and nothing was done; or not the rest of it. */
enum step { TAKEN, UNTAKEN, UNFINISHED };

/* A range across the borders of functions. */
static enum step cross(struct at_work *w, const struct sl_elem *range, struct rest *rest)
{
	struct piece_cache *cache = &w->cs->cache;
	uint64_t end = range->range.end;

	*rest = (struct rest){ range->range.start, range->count };
	while (rest->at < end) {
		const struct sl_symbol_range *symbol = piece_symbol(cache, rest->at);
		uint64_t stop = piece_stop(symbol, rest->at, end);
		uint32_t count = rest->left;

		if (!symbol->id || !apply(w, rest->at, symbol))
			return UNFINISHED;
		w->pending = BY_FALL;
		if (stop < end)
			count = piece_count(cache, range->isa, rest->at, end, &stop);
		count = count < rest->left ? count : rest->left;
		w->now += count;
		rest->left -= count;
		rest->at = stop;
	}
	leave_by(w, range);
	return TAKEN;
}

static inline enum step step(struct at_work *w, const struct sl_elem *range, struct rest *rest)
{
	uint64_t address = range->range.start;
	const struct sl_symbol_range *symbol = piece_symbol(&w->cs->cache, address);

	if (!callstack_lies_in(range, symbol))
		return range->flags & SL_FLAG_MERGED ? UNTAKEN : cross(w, range, rest);
	if (!apply(w, address, symbol))
		return UNTAKEN;
	w->now += range->count;
	leave_by(w, range);
	return TAKEN;
}

static struct at_work start(struct sl_callstack *cs)
{
	struct frames *f = &cs->frames;

	return (struct at_work){ .cs = cs, .stack = f->stack, .top = frames_top(f), .now = f->fusion.here.insns,
				 .ran_until = f->now.at.v[SL_AXIS_INSNS], .zero = f->stack->zero.v[SL_AXIS_INSNS],
				 .pending = cs->pending, .call_return = cs->call_return };
}

/* last: the last range that was at work, if any. */
static void stop(const struct at_work *w, const struct sl_elem *last)
{
	struct sl_callstack *cs = w->cs;
	struct frames *f = &cs->frames;

	f->account.self.v[SL_AXIS_INSNS] += w->ran_until - f->now.at.v[SL_AXIS_INSNS];
	f->now.at.v[SL_AXIS_INSNS] = w->ran_until;
	f->fusion.here.insns = w->now;
	f->offset = last->offset;
	cs->pending = w->pending;
	cs->call_return = w->call_return;
	cs->home_len = 0;
	cs->ran = true;
}

const struct sl_elem *lean_run(struct sl_callstack *cs, const struct sl_elem *elem, const struct sl_elem *end)
{
	const struct sl_elem *from = elem;
	enum step last = TAKEN;
	struct at_work w;
	struct rest rest;

	if (!may_run(cs))
		return elem;
	w = start(cs);
	for (; elem < end && elem->kind == SL_ELEM_RANGE; elem++) {
		if (elem + AHEAD < end)
			piece_fetch(&cs->cache, elem[AHEAD].range.start);
		last = step(&w, elem, &rest);
		if (last != TAKEN)
			break;
	}
	if (last == UNFINISHED) {
		stop(&w, elem);
		callstack_go_on(cs, elem++, rest.at, rest.left);
	} else if (elem != from) {
		stop(&w, elem - 1);
	}
	return elem;
}
