/* SPDX-License-Identifier: Apache-2.0 */
#include "tails.h"

#include <stdlib.h>

#include "sl_array.h"
#include "sl_span.h"

/* A call that has ended by a jump, with what its LEAVE points to. */
struct held {
	struct sl_call call;
	struct sl_axes enter, leave, total, self, interrupted, suspended, resolution;
	struct sl_fused when;
	struct sl_context context;
};

struct stack {
	struct held *held; /* whose last jump has not returned yet, from below; those of one depth are a chain */
	size_t len, cap;
	struct base {
		uint32_t depth; /* of a level's mark, as the stage tells it */
	} *levels;
	size_t level_count, level_cap;
};

struct tails {
	struct sl_call_sink inner;
	struct sl_call_sink_ops ops;
	struct stack *stacks;
	size_t stack_count, stack_cap;
	struct held pending; /* left by a jump: whether it goes to a function is told next */
	bool is_pending;
	bool failed;
};

static void pass(const struct tails *t, const struct sl_call *call)
{
	if (!(t->inner.ops->untold & 1u << call->kind))
		t->inner.ops->call(t->inner.self, call);
}

static void hold(struct held *held, const struct sl_call *call)
{
	held->call = *call;
	held->enter = *call->enter;
	held->leave = *call->leave;
	held->total = *call->total;
	held->self = *call->self;
	held->interrupted = call->interrupted ? *call->interrupted : (struct sl_axes){ { 0 } };
	held->suspended = call->suspended ? *call->suspended : (struct sl_axes){ { 0 } };
	held->resolution = call->resolution ? *call->resolution : (struct sl_axes){ { 0 } };
	held->when = call->when ? *call->when : (struct sl_fused){ .at = *call->leave };
	held->context = *call->context;
}

/* What a held call points to lies beside it, wherever that is now. */
static struct sl_call call_of(const struct held *held)
{
	struct sl_call call = held->call;

	call.enter = &held->enter;
	call.leave = &held->leave;
	call.total = &held->total;
	call.self = &held->self;
	call.interrupted = call.interrupted ? &held->interrupted : NULL;
	call.suspended = call.suspended ? &held->suspended : NULL;
	call.resolution = call.resolution ? &held->resolution : NULL;
	call.when = call.when ? &held->when : NULL;
	call.context = &held->context;
	return call;
}

static struct stack *stack_of(struct tails *t, uint32_t number)
{
	static const struct stack none;

	while (t->stack_count <= number) {
		if (SL_ARRAY_PUSH(&t->stacks, &t->stack_count, &t->stack_cap, none) < 0) {
			t->failed = true;
			return NULL;
		}
	}
	return &t->stacks[number];
}

/* Whether a held call of the same function is below, in the level of depth. */
static bool is_held(const struct stack *stack, const struct sl_call *call)
{
	uint32_t base = stack->level_count ? stack->levels[stack->level_count - 1].depth + 1 : 0;

	for (size_t i = stack->len; i-- > 0 && stack->held[i].call.depth >= base;) {
		if (stack->held[i].call.symbol == call->symbol)
			return true;
	}
	return false;
}

/* Tells a call at the depth that it has with the held ones below it. */
static void tell(const struct tails *t, const struct stack *stack, struct sl_call call)
{
	const struct held *below = stack->len ? &stack->held[stack->len - 1] : NULL;

	if (below && below->call.depth == call.depth && (call.kind == SL_CALL_ENTER || call.kind == SL_CALL_LEAVE))
		call.caller = below->call.symbol;
	if (call.kind == SL_CALL_LEAVE)
		call.recursive |= is_held(stack, &call);
	call.depth += (uint32_t)stack->len;
	pass(t, &call);
}

/* The chain of a depth ends with the call that it led to: each lasted until here. */
static void end_chain(const struct tails *t, struct stack *stack, const struct sl_call *last)
{
	struct sl_axes total = *last->total, interrupted = { { 0 } }, suspended = { { 0 } }, unsure = { { 0 } };
	struct sl_call call;

	if (last->interrupted)
		interrupted = *last->interrupted;
	if (last->suspended)
		suspended = *last->suspended;
	if (last->resolution)
		unsure = *last->resolution;
	while (stack->len && stack->held[stack->len - 1].call.depth == last->depth) {
		const struct held *held = &stack->held[--stack->len];

		sl_axes_add(&total, held->total);
		sl_axes_add(&interrupted, held->interrupted);
		sl_axes_add(&suspended, held->suspended);
		call = call_of(held);
		call.flags = (call.flags & ~(unsigned)SL_SPAN_TAIL) | (last->flags & SL_SPAN_NO_EXIT);
		call.leave = last->leave;
		call.leave_offset = last->leave_offset;
		call.lane = last->lane;
		call.total = &total;
		call.interrupted = call.interrupted ? &interrupted : NULL;
		call.suspended = call.suspended ? &suspended : NULL;
		for (int i = 0; i < SL_AXIS_COUNT; i++)
			unsure.v[i] = sl_unsure_add(unsure.v[i], held->resolution.v[i]);
		call.resolution = call.resolution ? &unsure : NULL;
		call.when = last->when;
		tell(t, stack, call);
	}
}

static void leave(const struct tails *t, struct stack *stack, const struct sl_call *call)
{
	tell(t, stack, *call);
	end_chain(t, stack, call);
}

/* The jump is followed by what it went to, or it was none to a function (back from f.cold to f). */
static void settle(struct tails *t, const struct sl_call *next)
{
	const struct sl_call call = call_of(&t->pending);
	struct stack *stack = stack_of(t, call.stack);
	bool follows = next && next->kind == SL_CALL_ENTER && next->flags & SL_SPAN_TAIL && next->stack == call.stack &&
		       next->depth == call.depth;

	t->is_pending = false;
	if (!stack)
		return;
	if (!follows)
		leave(t, stack, &call);
	else if (SL_ARRAY_PUSH(&stack->held, &stack->len, &stack->cap, t->pending) < 0)
		t->failed = true;
}

static void note_level(struct tails *t, struct stack *stack, const struct sl_call *call)
{
	const struct base base = { call->depth };

	if (call->kind == SL_CALL_LEVEL && SL_ARRAY_PUSH(&stack->levels, &stack->level_count, &stack->level_cap, base) < 0)
		t->failed = true;
	if (call->kind != SL_CALL_RESUME)
		return;
	while (stack->level_count && stack->levels[stack->level_count - 1].depth >= call->depth)
		stack->level_count--;
}

static void on_call(void *self, const struct sl_call *call)
{
	struct tails *t = self;
	struct stack *stack = stack_of(t, call->stack);

	if (t->is_pending)
		settle(t, call);
	if (!stack || t->failed)
		return;
	if (call->kind == SL_CALL_LEAVE && call->flags & SL_SPAN_TAIL) {
		hold(&t->pending, call);
		t->is_pending = true;
		return;
	}
	note_level(t, stack, call);
	if (call->kind == SL_CALL_LEAVE)
		leave(t, stack, call);
	else
		tell(t, stack, *call);
}

static void on_piece(void *self, const struct sl_piece *piece)
{
	struct tails *t = self;
	struct stack *stack;
	struct sl_piece out = *piece;

	if (t->is_pending)
		settle(t, NULL);
	stack = stack_of(t, piece->stack);
	if (stack)
		out.depth += (uint32_t)stack->len;
	t->inner.ops->piece(t->inner.self, &out);
}

static int begin(void *self, const struct sl_lane *lane)
{
	const struct tails *t = self;

	return t->inner.ops->begin ? t->inner.ops->begin(t->inner.self, lane) : SL_OK;
}

static int end(void *self, const struct sl_lane *lane)
{
	struct tails *t = self;

	if (t->is_pending)
		settle(t, NULL);
	if (t->failed)
		return SL_ERR_NOMEM;
	return t->inner.ops->end ? t->inner.ops->end(t->inner.self, lane) : SL_OK;
}

int tails_new(const struct sl_call_sink *inner, struct tails **ret)
{
	struct tails *t = calloc(1, sizeof(*t));
	const unsigned needed = 1u << SL_CALL_ENTER | 1u << SL_CALL_LEAVE | 1u << SL_CALL_LEVEL | 1u << SL_CALL_RESUME;

	if (!t)
		return SL_ERR_NOMEM;
	t->inner = *inner;
	t->ops = (struct sl_call_sink_ops){ .name = inner->ops->name, .untold = inner->ops->untold & ~needed, .begin = begin,
					    .call = on_call, .piece = inner->ops->piece ? on_piece : NULL, .end = end };
	*ret = t;
	return SL_OK;
}

void tails_free(struct tails *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->stack_count; i++) {
		free(t->stacks[i].held);
		free(t->stacks[i].levels);
	}
	free(t->stacks);
	free(t);
}

void tails_sink(struct tails *t, struct sl_call_sink *ret)
{
	*ret = (struct sl_call_sink){ &t->ops, t };
}
