/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_span.h"

static bool tells(const struct frames *f, enum sl_call_kind kind)
{
	return f->options.call && !(f->options.untold & 1u << kind);
}

static void tell(struct frames *f, const struct sl_call *call)
{
	if (tells(f, call->kind))
		f->options.call(f->options.ctx, call);
}

/* The index of the stack of a key, made where it is new; the current one when out of memory. */
static size_t stack_of(struct frames *f, uint64_t key)
{
	struct stack stack = { .key = key, .losses = f->losses };
	uint64_t *index = sl_map_put(&f->by_key, key);

	if (!index) {
		f->result = SL_ERR_NOMEM;
		return f->current;
	}
	if (*index)
		return (size_t)*index - 1;
	if (SL_ARRAY_PUSH(&f->stacks, &f->stack_count, &f->stack_cap, stack) < 0) {
		f->result = SL_ERR_NOMEM;
		return f->current;
	}
	*index = f->stack_count;
	return f->stack_count - 1;
}

int frames_init(struct frames *f, const struct sl_callstack_options *options)
{
	memset(f, 0, sizeof(*f));
	f->options = *options;
	f->in_gap = true;
	f->active = calloc((size_t)sl_image_symbol_count(options->image) + 1, sizeof(*f->active));
	if (!f->active)
		return SL_ERR_NOMEM;
	f->current = stack_of(f, 0);
	f->stack = f->stacks;
	return f->result;
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < f->stack_count; i++)
		free(f->stacks[i].frames);
	free(f->stacks);
	free(f->active);
	sl_map_release(&f->by_key);
}

/* Counts a stack's calls in or out. */
static void count_active(struct frames *f, const struct stack *stack, uint32_t change)
{
	for (size_t i = 0; i < stack->len; i++) {
		if (!stack->frames[i].level)
			f->active[stack->frames[i].symbol] += change;
	}
}

static void make_current(struct frames *f, size_t index)
{
	count_active(f, &f->stacks[f->current], UINT32_MAX); /* one less */
	f->current = index;
	f->stack = &f->stacks[index];
	count_active(f, f->stack, 1);
}

static uint32_t caller_of(const struct stack *stack)
{
	if (!stack->len || stack->frames[stack->len - 1].level)
		return UINT32_MAX;
	return stack->frames[stack->len - 1].symbol;
}

/* A frame above all others, entered here and now. */
static inline struct frame *push(struct frames *f, uint32_t symbol, uint64_t address)
{
	struct stack *stack = frames_stack(f);
	struct frame *frame = &f->lost;

	if (stack->len == FRAMES_MAX) {
		frames_repair(f, SL_REPAIR_DEPTH);
		frames_pop_to(f, 0, SL_SPAN_NO_EXIT | SL_SPAN_REPAIRED);
	}
	if (stack->len < stack->cap ||
	    sl_array_reserve((void **)&stack->frames, &stack->cap, sizeof(*frame), stack->len + 1) == SL_OK)
		frame = &stack->frames[stack->len++];
	else
		f->result = SL_ERR_NOMEM;
	/* Field by field: compilers clear a whole structure much slower. */
	frame->symbol = symbol;
	frame->flags = 0;
	frame->level = frame->return_known = false;
	frame->offset = f->offset;
	frame->address = address;
	frame->enter = f->clock.now;
	frame->self = frame->apart = (struct sl_axes){ { 0 } };
	return frame;
}

static void tell_enter(struct frames *f, const struct frame *frame, uint32_t caller, size_t depth)
{
	const struct sl_call call = {
		.kind = SL_CALL_ENTER, .flags = frame->flags, .symbol = frame->symbol, .caller = caller,
		.depth = (uint32_t)depth, .offset = frame->offset, .address = frame->address, .enter = &frame->enter,
		.context = &f->context,
	};

	tell(f, &call);
}

struct frame *frames_push(struct frames *f, uint32_t symbol, uint64_t address, unsigned flags)
{
	uint32_t caller = caller_of(frames_stack(f));
	size_t depth = frames_stack(f)->len;
	struct frame *frame;

	f->active[symbol]++;
	frame = push(f, symbol, address);
	frame->flags = flags;
	if (tells(f, SL_CALL_ENTER))
		tell_enter(f, frame, caller, depth);
	return frame;
}

/* A level's time is apart from what it interrupted: a call there is no part of one of the same function below. */
static bool is_open(const struct stack *stack, uint32_t symbol)
{
	size_t i = stack->len;

	while (i > stack->base && stack->frames[i - 1].symbol != symbol)
		i--;
	return i > stack->base;
}

static void pop_call(struct frames *f, struct stack *stack, unsigned flags)
{
	struct frame *frame = &stack->frames[--stack->len];
	struct sl_axes total = sl_axes_sub(sl_axes_sub(f->ran_until, frame->enter), frame->apart);
	const struct sl_call call = {
		.kind = SL_CALL_LEAVE, .flags = frame->flags | flags, .symbol = frame->symbol,
		.caller = caller_of(stack), .depth = (uint32_t)stack->len,
		.recursive = --f->active[frame->symbol] > 0 && is_open(stack, frame->symbol),
		.offset = frame->offset, .leave_offset = f->offset, .address = frame->address,
		.enter = &frame->enter, .leave = &f->ran_until, .total = &total, .self = &frame->self,
		.context = &f->context,
	};

	sl_axes_add(&f->account.self, frame->self);
	if (call.caller != UINT32_MAX)
		sl_axes_add(&stack->frames[stack->len - 1].apart, frame->apart);
	tell(f, &call);
}

static void pop_level(struct frames *f, struct stack *stack, unsigned flags)
{
	struct frame *mark = &stack->frames[--stack->len];
	struct sl_axes total = sl_axes_sub(f->ran_until, mark->enter);
	const struct sl_call call = {
		.kind = SL_CALL_RESUME, .flags = mark->flags | flags, .number = mark->symbol,
		.depth = (uint32_t)stack->len, .offset = mark->offset, .leave_offset = f->offset,
		.address = mark->return_address, .enter = &mark->enter, .leave = &f->ran_until, .total = &total,
		.self = &mark->self, .context = &f->context,
	};

	stack->base = mark->base_below;
	sl_axes_add(&f->account.self, mark->self);
	if (stack->len)
		sl_axes_add(&stack->frames[stack->len - 1].apart, total);
	tell(f, &call);
}

void frames_pop(struct frames *f, unsigned flags)
{
	struct stack *stack = frames_stack(f);

	if (stack->frames[stack->len - 1].level)
		pop_level(f, stack, flags);
	else
		pop_call(f, stack, flags);
}

void frames_pop_to(struct frames *f, size_t len, unsigned flags)
{
	while (frames_stack(f)->len > len)
		frames_pop(f, flags);
}

void frames_push_level(struct frames *f, uint32_t number, uint64_t preferred_return, bool known)
{
	struct stack *stack = frames_stack(f);
	struct sl_call call = { .kind = SL_CALL_LEVEL, .number = number, .offset = f->offset,
				.address = preferred_return, .enter = &f->clock.now, .context = &f->context };
	struct frame *mark;

	call.depth = (uint32_t)stack->len;
	mark = push(f, number, 0);
	mark->level = true;
	mark->return_address = preferred_return;
	mark->return_known = known;
	mark->base_below = stack->base;
	stack->base = stack->len;
	tell(f, &call);
}

void frames_enter_gap(struct frames *f)
{
	if (f->in_gap)
		return;
	f->in_gap = true;
	f->gap_from = f->ran_until;
	f->gap_offset = f->offset;
}

/* All that is open ended at a time and element before now. */
static void end_at(struct frames *f, struct sl_axes time, uint64_t place)
{
	struct sl_axes now = f->ran_until;
	uint64_t offset = f->offset;

	f->ran_until = time;
	f->offset = place;
	frames_pop_to(f, 0, SL_SPAN_NO_EXIT);
	f->ran_until = now;
	f->offset = offset;
}

void frames_lose(struct frames *f)
{
	end_at(f, f->gap_from, f->gap_offset);
}

void frames_lose_others(struct frames *f)
{
	frames_stack(f)->losses = ++f->losses;
}

/* Context id and VMID name a task; the exception level does not: one task's system call is on its own stack. */
static uint64_t key_of(const struct sl_context *context)
{
	uint64_t key = 0;

	if (context->flags & SL_CTX_ID)
		key |= (uint64_t)context->context_id << 32;
	if (context->flags & SL_CTX_VMID)
		key |= context->vmid;
	return key;
}

void frames_switch(struct frames *f, const struct sl_context *context)
{
	struct sl_call call = { .kind = SL_CALL_CONTEXT, .offset = f->offset, .enter = &f->clock.now };
	bool other = key_of(context) != key_of(&f->context);
	struct frame *top;

	f->context = *context;
	if (!other)
		return;
	frames_stack(f)->left_at = f->ran_until;
	frames_stack(f)->left_offset = f->offset;
	make_current(f, stack_of(f, key_of(context)));
	if (frames_stack(f)->losses != f->losses)
		end_at(f, frames_stack(f)->left_at, frames_stack(f)->left_offset);
	frames_stack(f)->losses = f->losses;
	top = frames_top(f);
	if (top)
		sl_axes_add(&top->apart, sl_axes_sub(f->ran_until, frames_stack(f)->left_at));
	call.depth = (uint32_t)frames_stack(f)->len;
	call.context = &f->context;
	tell(f, &call);
}

void frames_repair(struct frames *f, enum sl_repair repair)
{
	f->account.repairs[repair]++;
}

void frames_tell_gap(struct frames *f, enum sl_gap gap, uint64_t address)
{
	struct sl_call call = { .kind = SL_CALL_GAP, .number = gap, .offset = f->offset, .address = address,
				.enter = &f->clock.now, .context = &f->context };

	call.depth = (uint32_t)frames_stack(f)->len;
	tell(f, &call);
}

void frames_finish(struct frames *f)
{
	struct sl_axes end = f->clock.now;
	size_t last = f->current;

	frames_book(f);
	if (f->in_gap)
		frames_lose(f);
	frames_pop_to(f, 0, SL_SPAN_NO_EXIT);
	for (size_t i = 0; i < f->stack_count; i++) {
		if (i == last)
			continue;
		/* A task that does not run now ended, as far as is known, when it was switched out. */
		make_current(f, i);
		f->ran_until = f->stacks[i].left_at;
		frames_pop_to(f, 0, SL_SPAN_NO_EXIT);
	}
	make_current(f, last);
	f->ran_until = end;
	f->account.whole = end;
}
