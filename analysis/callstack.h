/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CALLSTACK_H
#define CALLSTACK_H
/* How the program came to where it is, on one lane. The rules are in callstack.c, the shorter way through them in lean.c. */
#include "frames.h"
#include "pieces.h"

/* How the last element left off: what the next range's address has to be explained by. */
enum pending {
	BY_FALL,       /* nothing happened: the next instruction follows */
	BY_JUMP,       /* a direct branch without link */
	BY_CALL,
	BY_POINTER,    /* a call by an indirect branch */
	BY_RETURN,
	BY_INDIRECT,   /* an indirect branch without link: jump, tail call, or a return in disguise */
	BY_ERET,
	BY_EXCEPTION,  /* a level was opened */
	BY_UNKNOWN,    /* code without image ran: it may have called, returned or jumped */
	BY_SEAM,       /* a piece of trace ended, and the next one began; the stack's own pending says what happened last */
	BY_FILTER,     /* tracing was off */
	BY_LOSS,       /* trace was lost, or has just begun */
};

struct sl_callstack {
	struct frames frames;
	struct piece_cache cache;
	enum pending pending;
	bool lost;		/* trace was lost since the lane began */
	bool begun;		/* a lane that begins with Trace On has lost nothing: nothing was traced before */
	/* Addresses of the function on top, since nothing but ranges and times came. Who comes there by BY_FALL or BY_JUMP stays. */
	uint64_t home, home_len;
	uint64_t call_return;	/* BY_CALL: where the call returns to; BY_FALL: what follows */
	bool ran;		/* since its stack came to run */
	bool seam_traced;	/* BY_SEAM: the trace unit was switched on there: no byte is missing before it */
	bool exception_filtered;  /* BY_FILTER: nothing but an exception came before it */
	struct lean *lean;	/* NULL: nobody wants it so */
	uint64_t looked, fed;	/* elements */
};

/* What has to be known of a symbol at each jump to it or from it. */
enum { SYMBOL_KNOWN = 1, SYMBOL_PAGE = 2, SYMBOL_COLD = 4, SYMBOL_CALL_THUNK = 8, SYMBOL_RETURN_THUNK = 16 };

/* The slow path of the next one. */
uint8_t callstack_find_facts(const struct sl_callstack *cs, uint32_t id);
static inline unsigned symbol_facts(struct sl_callstack *cs, uint32_t id)
{
	struct frames_symbol *symbol = &cs->frames.symbols[id];

	if (!symbol->facts)
		symbol->facts = callstack_find_facts(cs, id);
	return symbol->facts;
}

/* By sl_elem.last: enum pending of a branch that was taken. */
extern const uint8_t callstack_left_by[256];
bool callstack_ends_exception(const struct sl_callstack *cs, const struct sl_elem *range);

/* Without a branch: whether a branch is taken is what no processor can foretell. */
static inline enum pending pending_after(const struct sl_elem *range)
{
	return callstack_left_by[range->last] & -(range->flags & SL_FLAG_EXECUTED);
}

static inline void leave_range(struct sl_callstack *cs, const struct sl_elem *range)
{
	cs->ran = true;
	cs->call_return = range->range.end;
	cs->pending = pending_after(range);
	if (cs->pending > BY_JUMP && callstack_ends_exception(cs, range))
		cs->pending = BY_ERET;
}

/* A merged range may end before it begins, but all of it lies in one function. */
static inline bool is_home(const struct sl_callstack *cs, const struct sl_elem *range)
{
	uint64_t from = range->range.start - cs->home, to = range->range.end - cs->home;
	bool merged = range->flags & SL_FLAG_MERGED;

	return (from < cs->home_len) & (merged | ((from < to) & (to <= cs->home_len)));
}

/* Whether all of a range is in the function that it begins in. */
static inline bool callstack_lies_in(const struct sl_elem *range, const struct sl_symbol_range *symbol)
{
	bool merged = range->flags & SL_FLAG_MERGED, grows = range->range.start < range->range.end;
	bool inside = grows & (range->range.end - symbol->start <= symbol->end - symbol->start);

	return symbol->id && (merged | inside);
}
/* A range is executed from at on: left of its instructions. */
void callstack_go_on(struct sl_callstack *cs, const struct sl_elem *range, uint64_t at, uint32_t left);
#endif
