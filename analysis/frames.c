/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "sl_array.h"
#include "sl_span.h"

static inline bool tells(const struct frames *f, enum sl_call_kind kind)
{
	return f->options.call && !(f->options.untold & 1u << kind);
}

static void tell(struct frames *f, struct sl_call *call)
{
	if (!tells(f, call->kind))
		return;
	call->lane = f->options.lane;
	f->options.call(f->options.ctx, call);
}

/* Counts a stack's calls in or out. */
static void count_active(struct frames *f, const struct stack *stack, int change)
{
	for (size_t i = 0; i < stack->len; i++) {
		const struct frame *frame = &stack->frames[i];

		if (!frame->level)
			f->symbols[frame->symbol].active = (uint16_t)(f->symbols[frame->symbol].active + change);
	}
}

/* The stack of the task, which stays another one's when out of memory. */
static struct stack *stack_of(struct frames *f)
{
	struct sl_map *by_key = f->task.one && !f->apart ? &f->stacks->by_key : &f->own;
	struct stack *stack = stacks_get(f->stacks, by_key, f->task.key);

	if (!stack)
		f->result = SL_ERR_NOMEM;
	return stack ? stack : f->stack;
}

/*
 * Ticks of all lanes count from one beginning. A lane that has told of calls before it had any time stays where it is: its calls would
 * last as long as the distance.
 */
static void find_shift(struct frames *f)
{
	uint64_t begin = sl_fusion_origin(&f->fusion);

	f->dated = true;
	if (!f->stacks->begun)
		sl_stacks_begin_at(f->stacks, begin);
	if (f->stepped || begin < f->stacks->begin)
		return;
	f->begin = f->shift = (begin - f->stacks->begin) * SL_TICK_PARTS;
}

static uint64_t cycles_as_parts(uint64_t cycles)
{
	return cycles < UINT64_MAX / SL_TICK_PARTS ? cycles * SL_TICK_PARTS : SL_FUSION_UNKNOWN;
}

/* A tick is a cycle, from the lane's first one on. */
static void tell_by_cycles(struct sl_fused *now)
{
	now->at.v[SL_AXIS_TICKS] = cycles_as_parts(now->at.v[SL_AXIS_CYCLES]);
	now->ticks_off = cycles_as_parts(now->cycles_off);
	now->source = SL_TIME_CYCLES;
}

void frames_ask(struct frames *f, struct sl_fused *ret)
{
	sl_fusion_ask(&f->fusion, ret);
	if (f->options.cycles_are_time) {
		tell_by_cycles(ret);
		return;
	}
	if (!f->dated && ret->source != SL_TIME_UNKNOWN)
		find_shift(f);
	ret->at.v[SL_AXIS_TICKS] += f->shift;
}

/* How long a stack's task did not run, until it does here and now. Instructions and cycles of another CPU tell nothing. */
static struct sl_axes time_away(const struct frames *f, const struct stack *stack)
{
	struct sl_axes away = { { 0 } };
	uint64_t left, now;

	if (stack->lane == f)
		return sl_axes_sub(f->now.at, stack->left_at.at);
	left = stack->left_at.at.v[SL_AXIS_TICKS];
	now = f->now.at.v[SL_AXIS_TICKS];
	if (stack->left_at.source != SL_TIME_UNKNOWN && f->now.source != SL_TIME_UNKNOWN && now > left)
		away.v[SL_AXIS_TICKS] = now - left;
	return away;
}

static void add_unsure(struct sl_axes *unsure, struct sl_axes more)
{
	for (int i = SL_AXIS_CYCLES; i < SL_AXIS_COUNT; i++)
		unsure->v[i] = sl_unsure_add(unsure->v[i], more.v[i]);
}

static struct sl_axes unsure_at(const struct sl_fused *at)
{
	return (struct sl_axes){ { 0, at->cycles_off, at->ticks_off } };
}

/* How exactly it is known how long ago something on this lane was. */
static struct sl_axes unsure_since(const struct frames *f, const struct sl_fused *when)
{
	struct sl_fused from = *when;
	struct sl_axes unsure;

	from.at.v[SL_AXIS_TICKS] -= f->shift;
	unsure = sl_fusion_apart(&f->fusion, &from);
	if (f->options.cycles_are_time)
		unsure.v[SL_AXIS_TICKS] = cycles_as_parts(unsure.v[SL_AXIS_CYCLES]);
	return unsure;
}

static struct sl_axes unsure_sum(const struct sl_fused *a, const struct sl_fused *b)
{
	struct sl_axes unsure = unsure_at(a);

	add_unsure(&unsure, unsure_at(b));
	return unsure;
}

/* What is open on a stack that comes to run has not run meanwhile. */
static void note_unsure(struct frames *f, struct stack *stack)
{
	bool same = stack->lane == f;

	stack->moves += !same;
	if (stack->len && stack->lane)
		add_unsure(&stack->frames[stack->len - 1].unsure,
			   same ? unsure_since(f, &stack->left_at) : unsure_sum(&stack->left_at, &f->now));
}

/* The stack runs here from now on. */
static void enter_stack(struct frames *f, struct stack *stack)
{
	note_unsure(f, stack);
	stack->came_from = stack->lane;
	stack->away_before = stack->away;
	if (stack->lane)
		sl_axes_add(&stack->away, time_away(f, stack));
	stack->lane = f;
	stack->zero = sl_axes_sub(f->now.at, stack->ran);
	f->stack = stack;
	count_active(f, stack, 1);
}

/* Something else runs here. What lies in a gap belongs to nobody, and who came in it has not run at all. */
static void leave_stack(struct frames *f, const struct sl_context *context)
{
	struct stack *stack = f->stack;

	if (f->leave)
		f->leave(f);
	count_active(f, stack, -1);
	stack->context = *context;
	if (f->in_gap && f->switched_in_gap) {
		stack->lane = stack->came_from;
		stack->away = stack->away_before;
		return;
	}
	stack->left_at = f->in_gap ? f->gap_from : f->now;
	stack->left_offset = f->in_gap ? f->gap_offset : f->offset;
	stack->ran = sl_axes_sub(stack->left_at.at, stack->zero);
	stack->losses = f->stacks->losses;
	stack->left_in_loss = f->stacks->losing > 0;
}

/* A task comes here: nobody is in two places. It left the other lane, whose next element will say so. */
static void take_away(const struct frames *f, const struct stack *stack)
{
	struct frames *other = stack->lane;

	if (!other || other == f || other->stack != stack)
		return;
	frames_book(other);
	leave_stack(other, &other->task.context);
	other->stack = &other->nobody;
}

int frames_init(struct frames *f, const struct sl_callstack_options *options)
{
	static const struct sl_trace_config none;

	memset(f, 0, sizeof(*f));
	f->options = *options;
	f->in_gap = true;
	f->stacks = options->stacks;
	f->now = (struct sl_fused){ .cycles_off = SL_FUSION_UNKNOWN, .ticks_off = SL_FUSION_UNKNOWN };
	sl_fusion_init(&f->fusion, options->config ? options->config : &none);
	task_init(&f->task, options->config);
	if (!f->stacks && sl_stacks_new(&f->own_stacks) < 0)
		return SL_ERR_NOMEM;
	if (!f->stacks)
		f->stacks = f->own_stacks;
	f->symbols = calloc((size_t)sl_image_symbol_count(options->image) + 1, sizeof(*f->symbols));
	if (!f->symbols)
		return SL_ERR_NOMEM;
	f->stack = stack_of(f);
	if (!f->stack)
		return SL_ERR_NOMEM;
	f->stack->lane = f;
	return f->result;
}

void frames_release(struct frames *f)
{
	sl_stacks_free(f->own_stacks);
	free(f->nobody.frames);
	free(f->symbols);
	sl_map_release(&f->own);
	sl_fusion_release(&f->fusion);
}

/* What the stack has run; at is on the clock of the lane where it does. */
static struct sl_axes ran_at(const struct stack *stack, struct sl_axes at)
{
	return sl_axes_sub(at, stack->zero);
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
	frame->level = frame->return_known = frame->waits = false;
	frame->offset = f->offset;
	frame->address = address;
	frame->enter = f->now;
	frame->moves = stack->moves;
	frame->ran = ran_at(stack, f->now.at);
	frame->away = stack->away;
	frame->self = frame->interrupted = frame->unsure = (struct sl_axes){ { 0 } };
	return frame;
}

static void tell_enter(struct frames *f, const struct frame *frame, uint32_t caller, size_t depth)
{
	struct sl_call call = {
		.kind = SL_CALL_ENTER, .flags = frame->flags, .symbol = frame->symbol, .caller = caller,
		.depth = (uint32_t)depth, .offset = frame->offset, .address = frame->address, .enter = &frame->enter.at,
		.when = &frame->enter, .context = &f->task.context, .stack = f->stack->number, .level = stack_level(f->stack),
	};

	tell(f, &call);
}

/* Who is told of calls in brief need not hear of each that begins. */
static inline bool tells_enter(struct frames *f, struct frames_symbol *symbol)
{
	bool news = !symbol->told || f->gap_told;

	if (!news && f->options.brief)
		return false;
	symbol->told = true;
	f->gap_told = false;
	return tells(f, SL_CALL_ENTER);
}

struct frame *frames_push(struct frames *f, uint32_t symbol, uint64_t address, unsigned flags)
{
	uint32_t caller = caller_of(frames_stack(f));
	size_t depth = frames_stack(f)->len;
	struct frame *frame;

	f->symbols[symbol].active++;
	frame = push(f, symbol, address);
	frame->flags = flags;
	if (tells_enter(f, &f->symbols[symbol]))
		tell_enter(f, frame, caller, depth);
	return frame;
}

struct frame *frames_push_handler(struct frames *f, uint32_t symbol, uint64_t address)
{
	struct stack *stack = frames_stack(f);
	size_t depth = stack->len;
	struct frame *frame, *mark;

	if (!depth || !stack->frames[depth - 1].level || stack->frames[depth - 1].moves != stack->moves || depth == FRAMES_MAX)
		return frames_push(f, symbol, address, 0);
	f->symbols[symbol].active++;
	frame = push(f, symbol, address);
	mark = &stack->frames[depth - 1];
	frame->enter = mark->enter;
	frame->ran = mark->ran;
	frame->away = mark->away;
	frame->self = mark->self;
	mark->self = (struct sl_axes){ { 0 } };
	if (tells_enter(f, &f->symbols[symbol]))
		tell_enter(f, frame, UINT32_MAX, depth);
	return frame;
}

/* Ended calls of the stack that runs are counted out; another one's were when it was left. */
static bool is_recursive(struct frames *f, const struct stack *stack, uint32_t symbol)
{
	return stack == f->stack ? frames_count_out(f, symbol) : stack_has(stack, symbol);
}

static const struct sl_context *context_of(const struct frames *f, const struct stack *stack)
{
	return stack == f->stack ? &f->task.context : &stack->context;
}

/* A call that has left its stack. */
static void tell_leave(struct frames *f, const struct stack *stack, const struct sl_brief *brief, const struct frame *frame)
{
	struct sl_axes suspended = sl_axes_sub(stack->away, frame->away);
	struct sl_call call = {
		.kind = SL_CALL_LEAVE, .flags = brief->flags, .symbol = brief->symbol,
		.caller = caller_of(stack), .depth = (uint32_t)stack->len, .recursive = brief->recursive,
		.offset = frame->offset, .leave_offset = f->offset, .address = frame->address,
		.enter = &frame->enter.at, .leave = &f->now.at, .total = brief->total, .self = brief->self,
		.interrupted = &frame->interrupted, .suspended = &suspended, .resolution = brief->resolution, .when = &f->now,
		.context = context_of(f, stack), .stack = stack->number, .level = stack_level(stack),
	};

	tell(f, &call);
}

/* How exactly it is known how long a frame was open until now, less what it was not for itself. */
static struct sl_axes unsure_of(const struct frames *f, const struct stack *stack, const struct frame *frame, bool ends_now)
{
	struct sl_axes unsure;

	if (sl_fusion_is_plain(&f->fusion))
		return (struct sl_axes){ { 0, SL_FUSION_UNKNOWN, SL_FUSION_UNKNOWN } };
	unsure = ends_now && frame->moves == stack->moves ? unsure_since(f, &frame->enter) : unsure_sum(&frame->enter, &f->now);
	add_unsure(&unsure, frame->unsure);
	return unsure;
}

static void pop_call(struct frames *f, struct stack *stack, unsigned flags)
{
	struct frame *frame = &stack->frames[--stack->len];
	struct sl_axes unsure = unsure_of(f, stack, frame, !(flags & SL_SPAN_NO_EXIT));
	struct sl_axes ran = sl_axes_sub(ran_at(stack, f->now.at), frame->ran);
	struct sl_axes total = sl_axes_sub(ran, frame->interrupted);
	const struct sl_brief brief = { .symbol = frame->symbol, .flags = frame->flags | flags,
					.recursive = is_recursive(f, stack, frame->symbol), .lane = f->options.lane,
					.leave = &f->now.at, .total = &total, .self = &frame->self, .resolution = &unsure };

	if (caller_of(stack) != UINT32_MAX)
		sl_axes_add(&stack->frames[stack->len - 1].interrupted, frame->interrupted);
	if (stack->len)
		add_unsure(&stack->frames[stack->len - 1].unsure, frame->unsure);
	if (f->options.brief)
		f->options.brief(f->options.brief_ctx, &brief);
	else if (tells(f, SL_CALL_LEAVE))
		tell_leave(f, stack, &brief, frame);
}

static void pop_level(struct frames *f, struct stack *stack, unsigned flags)
{
	struct frame *mark = &stack->frames[--stack->len];
	struct sl_axes total = sl_axes_sub(ran_at(stack, f->now.at), mark->ran);
	struct sl_axes unsure = unsure_of(f, stack, mark, !(flags & SL_SPAN_NO_EXIT));
	struct sl_call call = {
		.kind = SL_CALL_RESUME, .flags = mark->flags | flags, .number = mark->symbol,
		.depth = (uint32_t)stack->len, .offset = mark->offset, .leave_offset = f->offset,
		.address = mark->return_address, .enter = &mark->enter.at, .leave = &f->now.at, .total = &total,
		.resolution = &unsure, .when = &f->now, .self = &mark->self, .context = context_of(f, stack), .stack = stack->number, .level = (enum sl_level)mark->kind,
	};

	stack->base = mark->base_below;
	if (stack->len) {
		sl_axes_add(&stack->frames[stack->len - 1].interrupted, total);
		add_unsure(&stack->frames[stack->len - 1].unsure, unsure);
	}
	tell(f, &call);
}

static void pop(struct frames *f, struct stack *stack, unsigned flags)
{
	if (stack->frames[stack->len - 1].level)
		pop_level(f, stack, flags);
	else
		pop_call(f, stack, flags);
}

void frames_pop(struct frames *f, unsigned flags)
{
	pop(f, frames_stack(f), flags);
}

void frames_pop_to(struct frames *f, size_t len, unsigned flags)
{
	while (frames_stack(f)->len > len)
		frames_pop(f, flags);
}

void frames_push_level(struct frames *f, uint32_t number, uint64_t preferred_return, bool known)
{
	struct stack *stack = frames_stack(f);
	enum sl_level kind = level_of(f->options.config, number);
	struct sl_call call = { .kind = SL_CALL_LEVEL, .number = number, .offset = f->offset, .stack = stack->number,
				.address = preferred_return, .enter = &f->now.at, .when = &f->now, .context = &f->task.context,
				.level = kind };
	struct frame *mark;

	call.depth = (uint32_t)stack->len;
	mark = push(f, number, 0);
	mark->level = true;
	mark->kind = (uint8_t)kind;
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
	f->switched_in_gap = false;
	f->gap_from = f->now;
	f->gap_offset = f->offset;
}

/* All that is open on a stack ended at a time and element before now. */
static void end_at(struct frames *f, struct stack *stack, struct sl_fused time, uint64_t place)
{
	struct sl_fused now = f->now;
	uint64_t offset = f->offset;

	f->now = time;
	f->offset = place;
	while (stack->len)
		pop(f, stack, SL_SPAN_NO_EXIT);
	f->now = now;
	f->offset = offset;
}

/* ... when it was left, which the lane tells that it was left on. */
static void end_where_left(struct frames *left, struct stack *stack)
{
	if (!left)
		return;
	stack->zero = sl_axes_sub(stack->left_at.at, stack->ran);
	end_at(left, stack, stack->left_at, stack->left_offset);
}

/* The stack that came in the gap has not run since it was left. */
static void lose_before(struct frames *f)
{
	struct stack *stack = f->stack;
	struct sl_axes zero = stack->zero, away = stack->away;

	if (stack->came_from != f)
		count_active(f, stack, -1);
	stack->away = stack->away_before;
	end_where_left(stack->came_from, stack);
	stack->zero = zero;
	stack->away = away;
}

void frames_lose(struct frames *f)
{
	if (f->switched_in_gap)
		lose_before(f);
	else
		end_at(f, f->stack, f->gap_from, f->gap_offset);
}

void frames_begin_loss(struct frames *f)
{
	f->stacks->losses++;
	f->stacks->losing += !f->in_loss;
	f->in_loss = true;
}

void frames_end_loss(struct frames *f)
{
	f->stacks->losing -= f->in_loss;
	f->in_loss = false;
}

/* A loss after a task was left may hide that it went on. So does one that its next stay begins in. */
static bool is_lost(const struct frames *f, const struct stack *stack)
{
	return stack->lane && (stack->losses != f->stacks->losses || stack->left_in_loss || f->stacks->losing);
}

static void switch_to(struct frames *f, struct stack *stack, const struct sl_context *before)
{
	leave_stack(f, before);
	take_away(f, stack);
	f->switched_in_gap = f->in_gap;
	if (is_lost(f, stack))
		end_where_left(stack->lane, stack);
	enter_stack(f, stack);
}

void frames_come_back(struct frames *f)
{
	if (f->stack == &f->nobody)
		switch_to(f, stack_of(f), &f->task.context);
}

/* The entry of an exception, or a function that it calls: no task is switched so near to it. */
static bool is_at_entry(const struct stack *stack)
{
	enum { ENTRY_FRAMES = 2 };

	return stack->base && stack->len - stack->base <= ENTRY_FRAMES;
}

/* A kernel with page table isolation is entered: the stack is that of both address spaces. */
static void pair_spaces(struct frames *f)
{
	uint64_t *number;

	task_pair(&f->task);
	number = sl_map_put(&f->own, f->task.key);
	if (number)
		*number = (uint64_t)f->stack->number + 1;
	else
		f->result = SL_ERR_NOMEM;
}

void frames_switch(struct frames *f, const struct sl_elem *elem)
{
	struct sl_call call = { .kind = SL_CALL_CONTEXT, .offset = f->offset, .enter = &f->now.at };
	struct task before;
	struct stack *stack;

	if (task_goes_to_neighbour(&f->task, elem) && is_at_entry(f->stack))
		pair_spaces(f);
	before = f->task;
	task_elem(&f->task, elem);
	if (f->task.key == before.key)
		return;
	stack = stack_of(f);
	if (stack != f->stack)
		switch_to(f, stack, &before.context);
	call.depth = (uint32_t)stack->len;
	call.context = &f->task.context;
	call.stack = stack->number;
	call.level = stack_level(stack);
	tell(f, &call);
}

static void tell_repair(struct frames *f, enum sl_repair repair)
{
	const struct frame *top = frames_top_call(f);
	struct sl_call call = { .kind = SL_CALL_REPAIR, .number = repair, .symbol = top ? top->symbol : UINT32_MAX,
				.offset = f->offset, .depth = (uint32_t)frames_stack(f)->len, .enter = &f->now.at,
				.context = &f->task.context, .stack = f->stack->number, .level = frames_level(f) };

	tell(f, &call);
}

void frames_repair(struct frames *f, enum sl_repair repair)
{
	f->account.repairs[repair]++;
	if (tells(f, SL_CALL_REPAIR))
		tell_repair(f, repair);
}

void frames_tell_gap(struct frames *f, enum sl_gap gap, uint64_t address)
{
	struct sl_call call = { .kind = SL_CALL_GAP, .number = gap, .offset = f->offset, .address = address,
				.enter = &f->now.at, .context = &f->task.context, .stack = f->stack->number,
				.level = stack_level(f->stack) };

	call.depth = (uint32_t)frames_stack(f)->len;
	f->gap_told = true;
	tell(f, &call);
}

void frames_finish(struct frames *f)
{
	frames_book(f);
	if (f->in_gap)
		frames_lose(f);
	frames_pop_to(f, 0, SL_SPAN_NO_EXIT);
	/* A task that does not run now ended, as far as is known, when it was switched out. */
	for (size_t i = 0; i < f->stacks->count; i++) {
		if (f->stacks->items[i]->lane == f)
			end_where_left(f, f->stacks->items[i]);
	}
	frames_end_loss(f);
	f->account.whole = f->now.at;
	f->account.whole.v[SL_AXIS_TICKS] -= f->now.at.v[SL_AXIS_TICKS] < f->begin ? 0 : f->begin;
}
