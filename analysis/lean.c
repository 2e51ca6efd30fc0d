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

/*
 * What is at work meanwhile. Compilers keep it in registers as long as nobody has its address, which is half of what this is about:
 * so all that it goes through is inlined, and what is rare gets a copy.
 */
struct at_work {
	struct sl_callstack *cs;
	struct frames_symbol *symbols;
	struct frame *top;	      /* a call */
	struct frame *bottom, *limit; /* the level's first call; where no frame has its place any more */
	const struct frame *mark;     /* of the level; NULL: none */
	uint64_t now, ran_until;      /* instructions */
	uint64_t zero;		      /* the stack's */
	uint64_t call_return;	      /* the callstack's, and pending */
	enum pending pending;
};

#define ALWAYS static inline __attribute__((always_inline))
#define RARELY static __attribute__((noinline))

ALWAYS bool has_time(const struct sl_axes *axes)
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

ALWAYS void book(struct at_work *w)
{
	w->top->self.v[SL_AXIS_INSNS] += w->now - w->ran_until;
	w->ran_until = w->now;
}

/* The frame on top, which begins here and now; but for where it returns to. */
ALWAYS void begin(struct at_work *w, uint32_t symbol, unsigned flags)
{
	struct frame *frame = w->top;

	w->symbols[symbol].active++;
	frame->symbol = symbol;
	frame->flags = flags;
	frame->waits = false;
	frame->ran.v[SL_AXIS_INSNS] = w->ran_until - w->zero;
	frame->self.v[SL_AXIS_INSNS] = frame->interrupted.v[SL_AXIS_INSNS] = 0;
}

/* What of a new frame begin() does not set, field by field (as in frames.c); where it returns to is known. */
ALWAYS void clear(struct frame *frame, const struct frames *f)
{
	frame->level = false;
	frame->return_known = true;
	frame->enter = f->now;
	frame->moves = f->stack->moves;
	frame->ran = frame->self = frame->interrupted = frame->unsure = (struct sl_axes){ { 0 } };
	frame->away = f->stack->away;
}

/* Levels leave behind what they ran, and how exactly it is known how long they took: not at all. */
RARELY void pass_on(struct frame *frame, struct frame *below)
{
	if (below && !below->level)
		below->interrupted.v[SL_AXIS_INSNS] += frame->interrupted.v[SL_AXIS_INSNS];
	for (int i = SL_AXIS_CYCLES; below && i < SL_AXIS_COUNT; i++)
		below->unsure.v[i] = sl_unsure_add(below->unsure.v[i], frame->unsure.v[i]);
	frame->unsure = (struct sl_axes){ { 0 } };
}

/* Whether a call of that function is open from the bottom up to before a frame. */
ALWAYS bool is_open(const struct at_work *w, uint32_t symbol, const struct frame *frame)
{
	if (!w->symbols[symbol].active)
		return false;
	while (frame > w->bottom) {
		if ((--frame)->symbol == symbol)
			return true;
	}
	return false;
}

/* The frame on top leaves here and now. */
ALWAYS void leave(struct at_work *w, unsigned flags)
{
	struct frame *frame = w->top;
	struct lean *lean = w->cs->lean;
	struct sl_lean *told = &lean->told[lean->len];
	uint64_t interrupted = frame->interrupted.v[SL_AXIS_INSNS];

	w->symbols[frame->symbol].active--;
	told->symbol = frame->symbol;
	told->flags = (uint16_t)(frame->flags | flags);
	told->recursive = is_open(w, frame->symbol, frame);
	told->self = frame->self.v[SL_AXIS_INSNS];
	told->total = w->ran_until - w->zero - frame->ran.v[SL_AXIS_INSNS] - interrupted;
	if (interrupted | frame->unsure.v[SL_AXIS_CYCLES] | frame->unsure.v[SL_AXIS_TICKS])
		pass_on(frame, frame > w->bottom || w->mark ? frame - 1 : NULL);
	if (++lean->len == BATCH)
		lean_tell(w->cs);
}

/* callstack.c's by_jump(), as far as it exchanges one function for another. */
ALWAYS bool jump(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	unsigned to = symbol_facts(w->cs, symbol->id);
	bool page = to & SYMBOL_PAGE && symbol_facts(w->cs, w->top->symbol) & SYMBOL_PAGE;
	bool tail = address == symbol->entry || page, told = w->symbols[symbol->id].told;

	if ((to & (SYMBOL_PAGE | SYMBOL_COLD)) == SYMBOL_COLD || !told || w->top->moves != w->cs->frames.stack->moves)
		return false;
	if (!tail && is_open(w, symbol->id, w->top + 1))
		return false;
	w->cs->frames.account.repairs[SL_REPAIR_JUMP] += !tail;
	book(w);
	leave(w, tail ? SL_SPAN_TAIL : SL_SPAN_REPAIRED);
	begin(w, symbol->id, tail ? SL_SPAN_TAIL : SL_SPAN_NO_ENTRY | SL_SPAN_REPAIRED);
	return true;
}

ALWAYS bool call(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	if (w->top->symbol == symbol->id && address != symbol->entry && !(symbol_facts(w->cs, symbol->id) & SYMBOL_PAGE))
		return true;
	if (w->top + 1 == w->limit || !w->symbols[symbol->id].told)
		return false;
	book(w);
	w->top++;
	clear(w->top, &w->cs->frames);
	w->top->return_address = w->call_return;
	begin(w, symbol->id, w->pending == BY_POINTER ? SL_SPAN_POINTER : 0);
	return true;
}

/* To the caller, which goes on. */
ALWAYS bool come_back(struct at_work *w, const struct sl_symbol_range *symbol)
{
	if (w->top == w->bottom || (w->top - 1)->symbol != symbol->id)
		return false;
	book(w);
	leave(w, 0);
	w->top--;
	return true;
}

ALWAYS bool returns(const struct frame *frame, uint64_t address)
{
	return frame->return_known & (frame->return_address == address);
}

/* What brought the program to address. False where nothing was done yet, and it is not for here. */
ALWAYS bool apply(struct at_work *w, uint64_t address, const struct sl_symbol_range *symbol)
{
	enum pending pending = w->pending;

	if (pending <= BY_JUMP)
		return w->top->symbol == symbol->id || jump(w, address, symbol);
	if (pending <= BY_POINTER)
		return call(w, address, symbol);
	if (pending > BY_INDIRECT)
		return false;
	if (returns(w->top, address))
		return come_back(w, symbol);
	/* an indirect branch may be an exception's return */
	if (pending == BY_RETURN || (w->mark && returns(w->mark, address)))
		return false;
	return w->top->symbol == symbol->id || jump(w, address, symbol);
}

ALWAYS void leave_by(struct at_work *w, const struct sl_elem *range)
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
RARELY enum step cross(struct at_work *w, const struct sl_elem *range, struct rest *rest)
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

ALWAYS enum step step(struct at_work *w, const struct sl_elem *range, const struct sl_symbol_range *symbol)
{
	if (!apply(w, range->range.start, symbol))
		return UNTAKEN;
	w->now += range->count;
	leave_by(w, range);
	return TAKEN;
}

static struct at_work start(struct sl_callstack *cs)
{
	struct frames *f = &cs->frames;
	struct stack *stack = f->stack;
	size_t most = stack->cap < FRAMES_MAX ? stack->cap : FRAMES_MAX;

	return (struct at_work){ .cs = cs, .symbols = f->symbols, .top = &stack->frames[stack->len - 1],
				 .bottom = &stack->frames[stack->base], .limit = &stack->frames[most],
				 .mark = stack->base ? &stack->frames[stack->base - 1] : NULL, .now = f->fusion.here.insns,
				 .ran_until = f->now.at.v[SL_AXIS_INSNS], .zero = stack->zero.v[SL_AXIS_INSNS],
				 .pending = cs->pending, .call_return = cs->call_return };
}

/* last: the last range that was at work, if any. */
static void stop(const struct at_work *w, const struct sl_elem *last)
{
	struct sl_callstack *cs = w->cs;
	struct frames *f = &cs->frames;

	f->account.self.v[SL_AXIS_INSNS] += w->ran_until - f->now.at.v[SL_AXIS_INSNS];
	f->now.at.v[SL_AXIS_INSNS] = w->ran_until;
	f->stack->len = (size_t)(w->top + 1 - f->stack->frames);
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
		const struct sl_symbol_range *symbol = piece_symbol(&cs->cache, elem->range.start);

		if (elem + AHEAD < end)
			piece_fetch(&cs->cache, elem[AHEAD].range.start);
		if (callstack_lies_in(elem, symbol)) {
			last = step(&w, elem, symbol);
		} else if (elem->flags & SL_FLAG_MERGED) {
			last = UNTAKEN;
		} else {
			struct at_work copy = w;

			last = cross(&copy, elem, &rest);
			w = copy;
		}
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
