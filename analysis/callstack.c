/* SPDX-License-Identifier: Apache-2.0 */
/* Which call, return, jump or exception brought the program to the next range. docs/callstack.md has the rules. */
#include "sl_callstack.h"

#include <stdlib.h>
#include <string.h>

#include "aarch32_return.h"
#include "callstack.h"
#include "lean.h"
#include "sl_span.h"
#include "x86_entry.h"

static const struct {
	const char *name, *help;
} repairs[SL_REPAIRS] = {
	[SL_REPAIR_RETURN] = { "return", "a return to a function whose call was not traced" },
	[SL_REPAIR_UNWOUND] = { "unwound",
		"calls left without returning: longjmp, an exception of the language, a task switch" },
	[SL_REPAIR_JUMP] = { "jump", "a jump into the middle of another function" },
	[SL_REPAIR_LEVEL] = { "level", "an exception return that fits no exception seen" },
	[SL_REPAIR_DEPTH] = { "depth", "more than 4096 open calls: they were dropped" },
};

const char *sl_repair_name(unsigned repair)
{
	return repair < SL_REPAIRS ? repairs[repair].name : "unknown";
}

const char *sl_repair_help(unsigned repair)
{
	return repair < SL_REPAIRS ? repairs[repair].help : "";
}

const char *sl_level_name(unsigned level)
{
	static const char *const names[SL_LEVELS] = {
		[SL_LEVEL_NONE] = "task", [SL_LEVEL_IRQ] = "irq", [SL_LEVEL_FIQ] = "fiq", [SL_LEVEL_SERROR] = "serror",
		[SL_LEVEL_SYSCALL] = "syscall", [SL_LEVEL_FAULT] = "fault", [SL_LEVEL_DEBUG] = "debug",
		[SL_LEVEL_RESET] = "reset", [SL_LEVEL_OTHER] = "other",
	};

	return level < SL_LEVELS ? names[level] : "unknown";
}

/* How the stack that runs leaves off. One that has not run since it came still does as it did. */
static void leave_off(struct sl_callstack *cs)
{
	struct stack *stack = frames_stack(&cs->frames);

	if (!cs->ran)
		return;
	stack->pending = cs->pending;
	stack->call_return = cs->call_return;
	cs->ran = false;
}

/* frames is the first member. */
static void on_leave(struct frames *frames)
{
	leave_off((struct sl_callstack *)frames);
}

int sl_callstack_new(const struct sl_callstack_options *options, struct sl_callstack **ret)
{
	struct sl_callstack *cs = calloc(1, sizeof(*cs));

	if (!cs)
		return SL_ERR_NOMEM;
	if (frames_init(&cs->frames, options) < 0) {
		sl_callstack_free(cs);
		return SL_ERR_NOMEM;
	}
	cs->frames.leave = on_leave;
	cs->pending = BY_LOSS;
	if (piece_cache_init(&cs->cache, options->image, options->core) < 0 || lean_begin(cs) < 0) {
		sl_callstack_free(cs);
		return SL_ERR_NOMEM;
	}
	*ret = cs;
	return SL_OK;
}

void sl_callstack_free(struct sl_callstack *cs)
{
	if (!cs)
		return;
	frames_release(&cs->frames);
	piece_cache_release(&cs->cache);
	lean_free(cs->lean);
	free(cs);
}

/* A function found running: its entry counts as seen only where it is at its first instruction. */
static void found_running(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol,
			  unsigned flags)
{
	frames_push(&cs->frames, symbol->id, address, flags | (address == symbol->entry ? 0 : SL_SPAN_NO_ENTRY));
}

/* Index above the frame of the current level that returns to address; 0 where none does. */
static size_t find_return(struct sl_callstack *cs, uint64_t address)
{
	struct stack *stack = frames_stack(&cs->frames);
	size_t base = frames_level_base(&cs->frames);

	for (size_t i = stack->len; i > base; i--) {
		const struct frame *frame = &stack->frames[i - 1];

		if (frame->return_known && frame->return_address == address)
			return i;
	}
	return 0;
}

/* The same for a frame of that symbol below the top. */
static size_t find_symbol(struct sl_callstack *cs, uint32_t symbol)
{
	struct stack *stack = frames_stack(&cs->frames);
	size_t base = frames_level_base(&cs->frames);

	if (!cs->frames.symbols[symbol].active)
		return 0;
	for (size_t i = stack->len; i > base; i--) {
		if (stack->frames[i - 1].symbol == symbol)
			return i;
	}
	return 0;
}

/* The top is another function without a call or return that says so: the frame is exchanged, the caller stays. */
static void exchange_as(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol, unsigned leave, unsigned enter)
{
	struct frames *f = &cs->frames;
	uint64_t return_address = frames_top(f)->return_address;
	bool return_known = frames_top(f)->return_known;
	struct frame *top;

	frames_pop(f, leave);
	top = frames_push(f, symbol->id, address, enter);
	top->return_address = return_address;
	top->return_known = return_known;
}

static void exchange(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol, unsigned flags)
{
	exchange_as(cs, address, symbol, flags & ~(unsigned)SL_SPAN_NO_ENTRY, flags);
}

uint8_t callstack_find_facts(const struct sl_callstack *cs, uint32_t id)
{
	static const uint8_t thunks[] = { [X86_CALL_THUNK] = SYMBOL_CALL_THUNK, [X86_RETURN_THUNK] = SYMBOL_RETURN_THUNK };
	const struct sl_symbol *symbol = sl_image_symbol(cs->cache.image, id);

	return (uint8_t)(SYMBOL_KNOWN | (symbol->page ? SYMBOL_PAGE : 0) | thunks[x86_thunk_of(symbol->raw_name)] |
			 (strstr(symbol->raw_name, ".cold") ? SYMBOL_COLD : 0));
}

static bool is_page(struct sl_callstack *cs, uint32_t symbol)
{
	return symbol_facts(cs, symbol) & SYMBOL_PAGE;
}

/* f and f.cold are one function in two places: the compiler moved the unlikely part away. */
static bool is_cold_part(struct sl_callstack *cs, uint32_t part, uint32_t whole)
{
	const char *name, *base;

	if (!(symbol_facts(cs, part) & SYMBOL_COLD))
		return false;
	name = sl_image_symbol(cs->cache.image, part)->raw_name;
	base = sl_image_symbol(cs->cache.image, whole)->raw_name;
	while (*base && *name == *base) {
		name++;
		base++;
	}
	return !*base && strncmp(name, ".cold", 5) == 0;
}

/* A call thunk leaves to what was called; else, and where the thunk itself was jumped to, it is a tail call. */
static void exchange_tail(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	const struct frame *top = frames_top(&cs->frames);
	bool called = symbol_facts(cs, top->symbol) & SYMBOL_CALL_THUNK && !(top->flags & SL_SPAN_TAIL);

	exchange_as(cs, address, symbol, SL_SPAN_TAIL, called ? SL_SPAN_POINTER : SL_SPAN_TAIL);
}

/* Return thunks return for the function below them. */
static void leave_return_thunks(struct sl_callstack *cs)
{
	const struct frame *top = frames_top_call(&cs->frames);

	while (top && symbol_facts(cs, top->symbol) & SYMBOL_RETURN_THUNK) {
		frames_pop(&cs->frames, 0);
		top = frames_top_call(&cs->frames);
	}
}

/* Unwinds to the frame at index - 1, which runs on. */
static void unwind_to(struct sl_callstack *cs, size_t index, unsigned flags)
{
	if (frames_stack(&cs->frames)->len == index)
		return;
	if (flags & SL_SPAN_REPAIRED)
		frames_repair(&cs->frames, SL_REPAIR_UNWOUND);
	frames_pop_to(&cs->frames, index, flags);
}

static void by_jump(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	struct frame *top = frames_top_call(f);
	size_t index;

	if (!top) {
		found_running(cs, address, symbol, SL_SPAN_NO_ENTRY);
		return;
	}
	if (top->symbol == symbol->id)
		return;
	if (!is_page(cs, symbol->id) && is_cold_part(cs, symbol->id, top->symbol)) {
		frames_push(f, symbol->id, address, SL_SPAN_TAIL);
		return;
	}
	if (address == symbol->entry) {
		if (symbol_facts(cs, symbol->id) & SYMBOL_RETURN_THUNK)
			frames_push(f, symbol->id, address, SL_SPAN_TAIL);
		else
			exchange_tail(cs, address, symbol);
		return;
	}
	/* Where a page is all that is known, its border is no function's. */
	if (is_page(cs, symbol->id) && is_page(cs, top->symbol)) {
		exchange(cs, address, symbol, SL_SPAN_TAIL);
		return;
	}
	index = find_symbol(cs, symbol->id);
	if (index) {
		bool cold = is_cold_part(cs, top->symbol, symbol->id);

		unwind_to(cs, index, cold ? SL_SPAN_TAIL : SL_SPAN_REPAIRED);
		return;
	}
	frames_repair(f, SL_REPAIR_JUMP);
	exchange(cs, address, symbol, SL_SPAN_NO_ENTRY | SL_SPAN_REPAIRED);
}

/* After frames were popped, the program may still be elsewhere than the top says: the caller made a tail call. */
static void settle(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frame *top = frames_top_call(&cs->frames);

	if (!top || top->symbol != symbol->id)
		by_jump(cs, address, symbol);
}

static void by_return(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	struct frame *top;
	size_t index;
	bool expected;

	leave_return_thunks(cs);
	top = frames_top_call(f);
	index = find_return(cs, address);
	if (index) {
		if (index < frames_stack(f)->len)
			unwind_to(cs, index, SL_SPAN_REPAIRED);
		frames_pop(f, 0);
		settle(cs, address, symbol);
		return;
	}
	if (!top || top->symbol == symbol->id) {
		settle(cs, address, symbol);
		return;
	}
	/* A return address that was made by hand: `ret` as a jump to a function's beginning. */
	if (symbol->id && address == symbol->entry) {
		by_jump(cs, address, symbol);
		return;
	}
	expected = !top->return_known;
	index = find_symbol(cs, symbol->id);
	if (index) {
		unwind_to(cs, index, expected && index == frames_stack(f)->len - 1 ? 0 : SL_SPAN_REPAIRED);
		return;
	}
	/* To a caller from before the trace, or to another stack: nothing in this level is to be trusted. */
	frames_repair(f, expected ? SL_REPAIR_RETURN : SL_REPAIR_UNWOUND);
	if (expected)
		frames_pop(f, 0);
	frames_pop_to(f, frames_level_base(f), SL_SPAN_NO_EXIT | SL_SPAN_REPAIRED);
	frames_push(f, symbol->id, address, SL_SPAN_NO_ENTRY | SL_SPAN_REPAIRED);
}

/* Index above the mark of the topmost level that resumes at address; a handler may step over the instruction. */
static size_t find_level(struct sl_callstack *cs, uint64_t address)
{
	struct stack *stack = frames_stack(&cs->frames);
	size_t base = stack->base;

	while (base) {
		const struct frame *mark = &stack->frames[base - 1];

		if (mark->return_known && address - mark->return_address <= 4)
			break;
		base = mark->base_below;
	}
	return base;
}

/* Index above the call of the current level that waits to be gone on with at address; 0 where none does. */
static size_t find_waiting(struct sl_callstack *cs, uint64_t address)
{
	struct stack *stack = frames_stack(&cs->frames);
	size_t i = stack->len;

	while (i > stack->base && !(stack->frames[i - 1].waits && address - stack->frames[i - 1].waits_at <= 4))
		i--;
	return i > stack->base ? i : 0;
}

/*
 * An exception may return to elsewhere than it came from. To a function's beginning (a signal handler, a new task) or
 * to code without a name (a uprobe's instruction out of line): what was interrupted stays below, and an exception will
 * return to it. Into the middle of a function that is open further down: back from there. Into the middle of any other:
 * another task goes on, and where no context ids tell tasks apart, nothing more is known of this one.
 */
static void resume_elsewhere(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	struct frame *top = frames_top_call(f);
	size_t index = find_waiting(cs, address);

	if (index) {
		unwind_to(cs, index, 0);
		frames_top(f)->waits = false;
		settle(cs, address, symbol);
		return;
	}
	if (symbol->id && address == symbol->entry) {
		frames_push(f, symbol->id, address, 0);
		return;
	}
	if (top && top->symbol == symbol->id)
		return;
	index = find_symbol(cs, symbol->id);
	if (index) {
		unwind_to(cs, index, 0);
	} else if (is_page(cs, symbol->id) || !symbol->id) {
		frames_push(f, symbol->id, address, 0);
	} else {
		f->account.elsewhere++;
		frames_pop_to(f, frames_level_base(f), SL_SPAN_NO_EXIT);
		frames_push(f, symbol->id, address, SL_SPAN_NO_ENTRY);
	}
}

/* The level on top ends, and what it interrupted does not go on yet. */
static void leave_waiting(struct sl_callstack *cs)
{
	struct frames *f = &cs->frames;
	size_t base = frames_level_base(f);
	const struct frame *mark = &frames_stack(f)->frames[base - 1];
	uint64_t address = mark->return_address;
	bool known = mark->return_known;
	struct frame *top;

	frames_pop_to(f, base - 1, 0);
	top = frames_top_call(f);
	if (!top || !known)
		return;
	top->waits = true;
	top->waits_at = address;
}

static void by_eret(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	size_t index = find_level(cs, address), base = frames_level_base(f);

	if (index) {
		frames_pop_to(f, index - 1, 0);
		settle(cs, address, symbol);
	} else if (base) {
		leave_waiting(cs);
		resume_elsewhere(cs, address, symbol);
	} else {
		frames_repair(f, SL_REPAIR_LEVEL);
		frames_pop_to(f, 0, SL_SPAN_NO_EXIT | SL_SPAN_REPAIRED);
		/* A task that starts; or, where trace was lost, one that was interrupted there. */
		found_running(cs, address, symbol, SL_SPAN_REPAIRED | (cs->lost ? SL_SPAN_NO_ENTRY : 0));
	}
}

static void call(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol, unsigned flags)
{
	struct frames *f = &cs->frames;
	struct frame *top = frames_top_call(f);

	/* `bl .+4` and local subroutines in assembler: still the same function. Of a page, another one. */
	if (top && top->symbol == symbol->id && address != symbol->entry && !is_page(cs, symbol->id))
		return;
	top = frames_push(f, symbol->id, address, flags);
	top->return_address = cs->call_return;
	top->return_known = true;
}

static void by_call(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	call(cs, address, symbol, 0);
}

static void by_pointer(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	call(cs, address, symbol, SL_SPAN_POINTER);
}

/* Armv7 returns from exceptions, and from functions, by branches that nothing marks. */
static void by_indirect(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	struct frame *top = frames_top_call(f);
	size_t base = frames_level_base(f);

	if (top && top->return_known && top->return_address == address) {
		by_return(cs, address, symbol);
		return;
	}
	if (base) {
		const struct frame *mark = &frames_stack(f)->frames[base - 1];

		if (mark->return_known && mark->return_address == address) {
			by_eret(cs, address, symbol);
			return;
		}
	}
	by_jump(cs, address, symbol);
}

/* Code without an image ran. It is a frame of its own, of symbol 0 unless its name is known, and this is where it went. */
static void by_unknown(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct frames *f = &cs->frames;
	struct frame *top = frames_top_call(f);
	size_t index;

	if (top && top->symbol == symbol->id)
		return;
	index = find_return(cs, address);
	if (index) {
		frames_pop_to(f, index - 1, 0);
		settle(cs, address, symbol);
		return;
	}
	if (find_level(cs, address)) {
		by_eret(cs, address, symbol);
		return;
	}
	if (address == symbol->entry || !top) {
		found_running(cs, address, symbol, 0);
		return;
	}
	index = find_symbol(cs, symbol->id);
	if (index)
		unwind_to(cs, index, SL_SPAN_REPAIRED);
	else
		exchange(cs, address, symbol, SL_SPAN_NO_ENTRY);
}

/* Trace is there again, and nothing is joined across what was lost. */
static void lose(struct sl_callstack *cs)
{
	frames_lose(&cs->frames);
	if (!cs->begun)
		frames_begin_loss(&cs->frames);
	cs->begun = true;
	frames_end_loss(&cs->frames);
}

/* What is found at a function's first instruction may have been called, or be at the head of a loop: it is not known. */
static void by_loss(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	lose(cs);
	found_running(cs, address, symbol, SL_SPAN_NO_ENTRY);
}

/*
 * Tracing was off. Where it stopped for an exception and goes on where that returns to, nothing was missed. Where it goes
 * on at a function's first instruction, that was called from what is not traced: a loop would have been traced.
 */
static void by_filter(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	if (cs->exception_filtered && find_level(cs, address)) {
		by_eret(cs, address, symbol);
		return;
	}
	frames_lose(&cs->frames);
	found_running(cs, address, symbol, 0);
}

static void apply(struct sl_callstack *cs, enum pending pending, uint64_t address, const struct sl_symbol_range *symbol);

/* How a stack left off leads to an address. */
static bool leads_to(struct sl_callstack *cs, enum pending pending, uint64_t address, const struct sl_symbol_range *symbol)
{
	enum { VECTOR_BYTES = 0x80 };
	const struct frame *top = frames_top_call(&cs->frames);
	bool here = top && top->symbol == symbol->id, entry = symbol->id && address == symbol->entry;

	switch (pending) {
	case BY_FALL:
		return here;
	case BY_JUMP:
	case BY_INDIRECT:
		return here || entry || (top && top->return_known && top->return_address == address);
	case BY_CALL:
	case BY_POINTER:
		return here || entry;
	case BY_RETURN:
		return find_return(cs, address) == frames_stack(&cs->frames)->len && top;
	case BY_EXCEPTION:
		return !find_level(cs, address) && (entry || address % VECTOR_BYTES == 0);
	case BY_ERET:
		return find_level(cs, address);
	default:
		return pending == BY_UNKNOWN;
	}
}

/*
 * From one piece of trace to the next, of which the capture tells no loss; the task may have moved to another CPU, or code that is not
 * traced have run. Where it goes on is explained by how its stack left off, or as behind code without an image; else by nothing.
 */
static void by_seam(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	struct stack *stack = frames_stack(&cs->frames);
	enum pending pending = (enum pending)stack->pending;

	if (!cs->seam_traced) {
		by_loss(cs, address, symbol);
		return;
	}
	if (stack->len && leads_to(cs, pending, address, symbol)) {
		cs->call_return = stack->call_return;
		apply(cs, pending, address, symbol);
		return;
	}
	if (find_return(cs, address) || find_level(cs, address)) {
		by_unknown(cs, address, symbol);
		return;
	}
	frames_lose(&cs->frames);
	found_running(cs, address, symbol, SL_SPAN_NO_ENTRY);
}

static void apply(struct sl_callstack *cs, enum pending pending, uint64_t address, const struct sl_symbol_range *symbol)
{
	static void (*const rules[])(struct sl_callstack *, uint64_t, const struct sl_symbol_range *) = {
		[BY_FALL] = by_jump, [BY_JUMP] = by_jump, [BY_CALL] = by_call, [BY_POINTER] = by_pointer, [BY_RETURN] = by_return,
		[BY_INDIRECT] = by_indirect, [BY_ERET] = by_eret, [BY_EXCEPTION] = by_call, [BY_UNKNOWN] = by_unknown,
		[BY_SEAM] = by_seam, [BY_FILTER] = by_filter, [BY_LOSS] = by_loss,
	};

	if (pending == BY_EXCEPTION)
		frames_push_handler(&cs->frames, symbol->id, address);
	else
		rules[pending](cs, address, symbol);
}

/* The program is at address: brings the stack there. */
static void arrive(struct sl_callstack *cs, uint64_t address, const struct sl_symbol_range *symbol)
{
	const struct frame *top = frames_top_call(&cs->frames);
	enum pending pending = cs->pending;

	cs->pending = BY_FALL;
	if (pending <= BY_JUMP && top && top->symbol == symbol->id && !cs->frames.in_gap)
		return;
	frames_book(&cs->frames);
	apply(cs, pending, address, symbol);
	cs->frames.in_gap = false;
}

static void run_piece(struct sl_callstack *cs, const struct sl_elem *range, uint64_t start, uint64_t end, uint32_t count,
		      uint32_t symbol)
{
	struct frames *f = &cs->frames;
	struct sl_elem piece;

	sl_fusion_run(&f->fusion, count);
	if (!f->options.piece)
		return;
	piece = *range;
	piece.range.start = start;
	piece.range.end = end;
	piece.count = count;
	if (end != range->range.end) {
		piece.last = SL_LAST_OTHER;
		piece.flags &= (uint8_t)~(SL_FLAG_CONDITIONAL | SL_FLAG_LAST_16BIT);
	}
	f->options.piece(f->options.ctx, &piece, symbol, (uint32_t)frames_stack(f)->len);
}

/* What a range's last instruction was, and what that makes of the next range if it was executed. */
#define LAST(last, branch) [(last) | (branch) << 4]
const uint8_t callstack_left_by[256] = {
	LAST(SL_LAST_BRANCH, SL_BRANCH_PLAIN) = BY_JUMP,
	LAST(SL_LAST_BRANCH, SL_BRANCH_CALL) = BY_CALL,
	LAST(SL_LAST_BRANCH, SL_BRANCH_RETURN) = BY_RETURN,
	LAST(SL_LAST_BRANCH, SL_BRANCH_IMPLIED_RETURN) = BY_RETURN,
	LAST(SL_LAST_BRANCH, SL_BRANCH_ERET) = BY_ERET,
	LAST(SL_LAST_INDIRECT, SL_BRANCH_PLAIN) = BY_INDIRECT,
	LAST(SL_LAST_INDIRECT, SL_BRANCH_CALL) = BY_POINTER,
	LAST(SL_LAST_INDIRECT, SL_BRANCH_RETURN) = BY_RETURN,
	LAST(SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN) = BY_RETURN,
	LAST(SL_LAST_INDIRECT, SL_BRANCH_ERET) = BY_ERET,
};

/* The last instruction restores the processor state; only AArch32 has such branches that the trace does not mark. */
bool callstack_ends_exception(const struct sl_callstack *cs, const struct sl_elem *range)
{
	uint64_t address = range->range.end - (range->flags & SL_FLAG_LAST_16BIT ? 2 : 4);

	if ((range->isa != SL_ISA_A32 && range->isa != SL_ISA_T32) || sl_elem_last(range) != SL_LAST_INDIRECT)
		return false;
	return aarch32_is_exception_return(range->isa, sl_image_bytes(cs->cache.image, cs->cache.core, SL_SPACE_ANY, address));
}

/* Nothing but the clock hears of it. */
static inline bool tells_time(const struct sl_elem *elem)
{
	const unsigned times = 1u << SL_ELEM_TIME | 1u << SL_ELEM_CYCLES | 1u << SL_ELEM_MARKER;

	return times >> elem->kind & 1;
}

/* The ranges from elem on that stay in the function on top, and times. The first element that is neither, or end. */
static const struct sl_elem *stay(struct sl_callstack *cs, const struct sl_elem *elem, const struct sl_elem *end)
{
	enum pending pending = BY_FALL;
	const struct sl_elem *last = NULL;
	uint64_t insns = 0;

	for (; elem < end && pending <= BY_JUMP; elem++) {
		if (elem->kind == SL_ELEM_RANGE && is_home(cs, elem)) {
			insns += elem->count;
			pending = pending_after(elem);
			last = elem;
		} else if (tells_time(elem)) {
			sl_fusion_run(&cs->frames.fusion, insns);
			insns = 0;
			sl_fusion_elem(&cs->frames.fusion, elem);
		} else {
			break;
		}
	}
	sl_fusion_run(&cs->frames.fusion, insns);
	if (last)
		leave_range(cs, last);
	return elem;
}

/* A range inside of one function comes to it, from there or from another one: from now on it stays. */
static bool come_home(struct sl_callstack *cs, const struct sl_elem *range)
{
	uint64_t address = range->range.start;
	const struct sl_symbol_range *symbol = piece_symbol(&cs->cache, address);

	if (!callstack_lies_in(range, symbol))
		return false;
	cs->frames.offset = range->offset;
	arrive(cs, address, symbol);
	cs->home = symbol->start;
	cs->home_len = symbol->end - symbol->start;
	return true;
}

void callstack_go_on(struct sl_callstack *cs, const struct sl_elem *range, uint64_t at, uint32_t left)
{
	uint64_t end = range->range.end;

	while (at < end) {
		const struct sl_symbol_range *symbol = piece_symbol(&cs->cache, at);
		uint64_t stop = piece_stop(symbol, at, end);
		uint32_t count = left;

		if (stop < end)
			count = piece_count(&cs->cache, range->isa, at, end, &stop);
		if (count > left)
			count = left;
		arrive(cs, at, symbol);
		run_piece(cs, range, at, stop, count, symbol->id);
		left -= count;
		at = stop;
	}
	cs->home_len = 0;
	leave_range(cs, range);
}

/* So many instructions were executed, nobody knows where: they are no function's. */
static void on_no_path(struct sl_callstack *cs, const struct sl_elem *range)
{
	struct frames *f = &cs->frames;
	bool in_gap = f->in_gap;

	sl_fusion_run(&f->fusion, range->count);
	f->in_gap = true;
	frames_book(f);
	f->in_gap = in_gap;
	if (cs->pending < BY_SEAM)
		cs->pending = BY_UNKNOWN;
}

/* Intel PT does not name what interrupts; the handler does. */
static uint32_t exception_number(struct sl_callstack *cs, const struct sl_elem *elem)
{
	const struct sl_trace_config *config = cs->frames.options.config;
	uint64_t handler = elem->range.end;

	if (!config || config->protocol != SL_PROTOCOL_IPT || elem->count != SL_X86_UNKNOWN || !handler)
		return elem->count;
	return x86_exception_of(sl_image_symbol(cs->cache.image, piece_symbol(&cs->cache, handler)->id)->raw_name);
}

/*
 * The branch before an exception may have arrived where nothing was executed any more: the exception hit its target. ETMv3
 * does not say where an exception came: without a branch before it, that is behind the last instruction.
 */
static void on_exception(struct sl_callstack *cs, const struct sl_elem *elem)
{
	struct frames *f = &cs->frames;
	bool known = elem->flags & SL_FLAG_ADDRESS, follows = !known && cs->pending == BY_FALL;

	if (elem->flags & SL_FLAG_MARKER)
		return;
	if (cs->pending == BY_LOSS)
		lose(cs);
	if (known && ((cs->pending >= BY_JUMP && cs->pending <= BY_ERET) || cs->pending == BY_SEAM))
		arrive(cs, elem->address, piece_symbol(&cs->cache, elem->address));
	frames_push_level(f, exception_number(cs, elem), follows ? cs->call_return : elem->address, known || follows);
	cs->pending = BY_EXCEPTION;
	cs->ran = true;
}

/* The name of code without bytes, such as a BPF program's; symbol 0 where it has none. */
static struct sl_symbol_range name_without_image(struct sl_callstack *cs, uint64_t address)
{
	struct sl_symbol_range none = { .core = cs->cache.core, .start = address, .end = address + 1, .entry = address };

	if (sl_image_bytes(cs->cache.image, cs->cache.core, SL_SPACE_ANY, address).len)
		return none;
	return *piece_symbol(&cs->cache, address);
}

static void on_no_image(struct sl_callstack *cs, const struct sl_elem *elem)
{
	struct frame *top = frames_top_call(&cs->frames);
	struct sl_symbol_range symbol = name_without_image(cs, elem->address);

	if (!top || top->symbol != symbol.id)
		frames_tell_gap(&cs->frames, SL_GAP_NO_IMAGE, elem->address);
	arrive(cs, elem->address, &symbol);
	cs->pending = BY_UNKNOWN;
}

/* What was lost before stays lost, unless another task goes on here. */
static void on_seam(struct sl_callstack *cs)
{
	struct frames *f = &cs->frames;

	if (f->in_loss && !f->switched_in_gap)
		return;
	frames_end_loss(f);
	frames_come_back(f);
	leave_off(cs);
	cs->seam_traced = false;
	cs->begun = true;
	cs->pending = BY_SEAM;
}

static void on_gap(struct sl_callstack *cs, const struct sl_elem *elem)
{
	struct frames *f = &cs->frames;

	if (elem->count == SL_GAP_NO_IMAGE) {
		on_no_image(cs, elem);
		return;
	}
	frames_enter_gap(f);
	frames_tell_gap(f, (enum sl_gap)elem->count, elem->flags & SL_FLAG_ADDRESS ? elem->address : 0);
	if (elem->count == SL_GAP_FILTER || elem->count == SL_GAP_DEBUG) {
		if (cs->pending < BY_SEAM) {
			cs->exception_filtered = cs->pending == BY_EXCEPTION;
			cs->pending = BY_FILTER;
		}
		cs->begun = cs->seam_traced = true;
		return;
	}
	if (elem->flags & SL_FLAG_SEAM) {
		on_seam(cs);
		return;
	}
	cs->lost |= cs->pending != BY_LOSS || elem->count >= SL_GAP_UNTRUSTED;
	if (cs->pending == BY_LOSS)
		return;
	frames_begin_loss(f);
	cs->pending = BY_LOSS;
}

/* An element that is no range and tells no time. */
static void on_other(struct sl_callstack *cs, const struct sl_elem *elem)
{
	frames_book(&cs->frames);
	cs->home_len = 0;
	switch (elem->kind) {
	case SL_ELEM_RANGE_NO_PATH:
		on_no_path(cs, elem);
		break;
	case SL_ELEM_EXCEPTION:
		on_exception(cs, elem);
		break;
	case SL_ELEM_EXCEPTION_RETURN:
		if (cs->pending < BY_EXCEPTION)
			cs->pending = BY_ERET;
		break;
	case SL_ELEM_CONTEXT:
	case SL_ELEM_TASK:
		frames_switch(&cs->frames, elem);
		break;
	case SL_ELEM_END:
		frames_end_loss(&cs->frames);
		break;
	case SL_ELEM_SPACE:
		cs->cache.core = elem->count;
		break;
	case SL_ELEM_GAP:
		on_gap(cs, elem);
		break;
	default:
		break;
	}
	/* What happened here happened before the clock hears of it. */
	if (sl_fusion_moves(elem))
		sl_fusion_elem(&cs->frames.fusion, elem);
}

static void on_elem(struct sl_callstack *cs, const struct sl_elem *elem)
{
	cs->frames.offset = elem->offset;
	if (elem->kind == SL_ELEM_RANGE)
		callstack_go_on(cs, elem, elem->range.start, elem->count);
	else if (tells_time(elem))
		sl_fusion_elem(&cs->frames.fusion, elem);
	else
		on_other(cs, elem);
}

/* Who wants to hear of each piece gets them one by one. */
static void feed_pieces(struct sl_callstack *cs, const struct sl_elem *elem, const struct sl_elem *end)
{
	while (elem < end && cs->frames.result == SL_OK)
		on_elem(cs, elem++);
}

/* Where ranges are merged, the next one is mostly another function's: so it is not looked for in a loop. */
static void feed(struct sl_callstack *cs, const struct sl_elem *elem, const struct sl_elem *end)
{
	bool lean = cs->lean && sl_fusion_is_plain(&cs->frames.fusion);

	while (elem < end && cs->frames.result == SL_OK) {
		if (lean)
			elem = lean_run(cs, elem, end);
		if (elem == end)
			break;
		if (elem->kind != SL_ELEM_RANGE) {
			on_elem(cs, elem++);
		} else if ((cs->pending <= BY_JUMP) & is_home(cs, elem)) {
			elem = stay(cs, elem, end);
		} else if (come_home(cs, elem)) {
			sl_fusion_run(&cs->frames.fusion, elem->count);
			leave_range(cs, elem++);
		} else {
			on_elem(cs, elem++);
		}
	}
}

uint64_t sl_callstack_look(struct sl_callstack *cs, const struct sl_elem *elems, size_t len)
{
	cs->looked += len;
	return sl_fusion_look(&cs->frames.fusion, elems, len);
}

int sl_callstack_feed(struct sl_callstack *cs, const struct sl_elem *elems, size_t len)
{
	uint64_t end = cs->fed + len;

	if (cs->looked < end)
		sl_callstack_look(cs, elems + (cs->looked - cs->fed), (size_t)(end - cs->looked));
	cs->fed = end;
	if (cs->frames.options.piece)
		feed_pieces(cs, elems, elems + len);
	else
		feed(cs, elems, elems + len);
	if (sl_fusion_result(&cs->frames.fusion) < 0)
		cs->frames.result = sl_fusion_result(&cs->frames.fusion);
	return cs->frames.result;
}

int sl_callstack_finish(struct sl_callstack *cs)
{
	lean_tell(cs);
	frames_finish(&cs->frames);
	return cs->frames.result;
}

void sl_callstack_set_apart(struct sl_callstack *cs, bool apart)
{
	cs->frames.apart = apart;
}

uint32_t sl_callstack_stack(const struct sl_callstack *cs, enum sl_level *ret_level)
{
	*ret_level = frames_level(&cs->frames);
	return cs->frames.stack->number;
}

bool sl_callstack_named(const struct sl_callstack *cs)
{
	return cs->frames.task.named;
}

const struct sl_account *sl_callstack_account(const struct sl_callstack *cs)
{
	return &cs->frames.account;
}

uint32_t sl_callstack_core(const struct sl_callstack *cs)
{
	return cs->cache.core;
}

const struct sl_fusion *sl_callstack_clock(const struct sl_callstack *cs)
{
	return &cs->frames.fusion;
}

struct sl_fused sl_callstack_now(struct sl_callstack *cs, uint64_t back)
{
	struct sl_fusion *fusion = &cs->frames.fusion;
	struct sl_fused now;

	fusion->here.insns -= back;
	frames_ask(&cs->frames, &now);
	fusion->here.insns += back;
	return now;
}
