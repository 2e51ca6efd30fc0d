/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the slowest and the median call of a function, and looks into them. */
#include "graph_slowest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_span.h"

enum { SEEN_MAX = 1000000 };

static struct open_call *stack_of(struct sl_slowest *slowest, uint32_t number)
{
	size_t need = (size_t)number + 1, len = slowest->stack_count;

	if (number < len)
		return &slowest->stacks[number];
	if (sl_array_reserve((void **)&slowest->stacks, &slowest->stack_cap, sizeof(*slowest->stacks), need) < 0) {
		slowest->no_memory = true;
		return NULL;
	}
	memset(slowest->stacks + len, 0, (need - len) * sizeof(*slowest->stacks));
	slowest->stack_count = need;
	return &slowest->stacks[number];
}

/* Which of the two a call is; INSTANCES: neither. They may be the same one. */
static unsigned chosen_of(const struct sl_slowest *slowest, uint64_t number)
{
	unsigned i = SLOWEST;

	while (i < INSTANCES && slowest->chosen[i].number != number)
		i++;
	return i;
}

static void begin_call(struct sl_slowest *slowest, struct open_call *open, const struct sl_call *call)
{
	*open = (struct open_call){ .open = true, .depth = call->depth };
	open->call.number = slowest->calls++;
	open->call.symbol = call->symbol;
	open->call.stack = call->stack;
	open->call.offset = call->offset;
	open->call.enter = *call->enter;
}

static void keep_seen(struct sl_slowest *slowest, const struct instance *call)
{
	const struct seen_call seen = { call->number, call->total };

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		if (!slowest->seen_len || seen.total.v[axis] > slowest->worst[axis].total.v[axis])
			slowest->worst[axis] = seen;
	}
	if (slowest->seen_len == SEEN_MAX)
		slowest->dropped++;
	else if (SL_ARRAY_PUSH(&slowest->seen, &slowest->seen_len, &slowest->seen_cap, seen) < 0)
		slowest->no_memory = true;
}

static void keep_chosen(struct sl_slowest *slowest, struct instance *call, const struct sl_lane *lane)
{
	if (lane) {
		snprintf(call->buffer, sizeof(call->buffer), "%s", lane->buffer->name);
		call->trace_id = lane->stream->trace_id;
	}
	for (unsigned i = chosen_of(slowest, call->number); i < INSTANCES; i++) {
		if (slowest->chosen[i].number != call->number)
			continue;
		call->graph = slowest->chosen[i].graph;
		slowest->chosen[i] = *call;
	}
}

static void end_call(struct sl_slowest *slowest, struct open_call *open, const struct sl_call *call, bool counts)
{
	open->open = false;
	open->call.leave = *call->leave;
	open->call.leave_offset = call->leave_offset;
	if (slowest->second)
		keep_chosen(slowest, &open->call, call->lane);
	else if (counts && !(call->flags & GRAPH_LACKS))
		keep_seen(slowest, &open->call);
}

/* The call with those inside of it, as if there were no others. */
static void look_into(struct sl_slowest *slowest, const struct open_call *open, const struct sl_call *call)
{
	struct sl_call inner = *call;

	inner.depth -= open->depth;
	inner.stack = 0;
	for (unsigned i = 0; i < INSTANCES; i++) {
		if (slowest->chosen[i].number == open->call.number)
			graph_call(slowest->chosen[i].graph, &inner, true);
	}
}

static bool opens(enum sl_call_kind kind)
{
	return kind == SL_CALL_ENTER || kind == SL_CALL_LEVEL;
}

/* What is told inside of an open call: books what ran. */
static void inside(struct sl_slowest *slowest, struct open_call *open, const struct sl_call *call)
{
	bool level = call->kind == SL_CALL_LEVEL && graph_is_apart(slowest->options.levels, call->level);

	if (level && !open->apart) {
		open->apart = true;
		open->interrupt = call->depth;
	}
	if (!opens(call->kind))
		sl_axes_add(open->apart ? &open->call.interrupted : &open->call.total, *call->self);
	if (slowest->second)
		look_into(slowest, open, call);
	if (open->apart && call->kind == SL_CALL_RESUME && call->depth <= open->interrupt)
		open->apart = false;
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_slowest *slowest = self;
	bool counts = slowest->second || !slowest->options.sieve || sl_sieve_call(slowest->options.sieve, call);
	struct open_call *open;

	if (call->kind == SL_CALL_CONTEXT)
		return;
	open = stack_of(slowest, call->stack);
	if (!open)
		return;
	if (open->open && opens(call->kind) && call->depth <= open->depth)
		open->open = false; /* its end was not told */
	if (!open->open && call->kind == SL_CALL_ENTER && slowest->matches[call->symbol])
		begin_call(slowest, open, call);
	if (!open->open)
		return;
	inside(slowest, open, call);
	if (call->kind == SL_CALL_LEAVE && call->depth <= open->depth)
		end_call(slowest, open, call, counts);
}

static int on_end(void *self, const struct sl_lane *lane)
{
	const struct sl_slowest *slowest = self;

	(void)lane;
	return slowest->no_memory ? SL_ERR_NOMEM : SL_OK;
}

void sl_slowest_call_sink(struct sl_slowest *slowest, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = { .name = "slowest", .call = on_call, .end = on_end,
						     .untold = 1u << SL_CALL_GAP | 1u << SL_CALL_REPAIR };

	*ret = (struct sl_call_sink){ &ops, slowest };
}

int sl_slowest_new(const struct sl_graph_options *options, const char *function, struct sl_slowest **ret)
{
	struct sl_slowest *slowest = calloc(1, sizeof(*slowest));

	if (!slowest)
		return SL_ERR_NOMEM;
	slowest->options = *options;
	slowest->matches = graph_matches(options->image, function);
	if (!slowest->matches) {
		sl_slowest_free(slowest);
		return SL_ERR_NOMEM;
	}
	*ret = slowest;
	return SL_OK;
}

void sl_slowest_free(struct sl_slowest *slowest)
{
	if (!slowest)
		return;
	for (unsigned i = 0; i < INSTANCES; i++)
		sl_graph_free(slowest->chosen[i].graph);
	free(slowest->matches);
	free(slowest->stacks);
	free(slowest->seen);
	free(slowest);
}

/* Short ones first; of equal ones that which came first. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct seen_call *a = left, *b = right;
	const enum sl_axis *axis = ctx;

	if (a->total.v[*axis] != b->total.v[*axis])
		return a->total.v[*axis] < b->total.v[*axis] ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

int sl_slowest_choose(struct sl_slowest *slowest, enum sl_axis axis)
{
	struct sl_graph_options options = slowest->options;
	size_t count = slowest->seen_len;
	int result = SL_OK;

	if (!count)
		return SL_END;
	qsort_r(slowest->seen, count, sizeof(*slowest->seen), compare, &axis);
	slowest->chosen[SLOWEST].number = slowest->worst[axis].number;
	slowest->chosen[MEDIAN].number = slowest->seen[(count - 1) / 2].number;
	slowest->second = true;
	slowest->calls = 0;
	memset(slowest->stacks, 0, slowest->stack_count * sizeof(*slowest->stacks));
	options.sieve = NULL;
	options.by_task = false;
	for (unsigned i = 0; i < INSTANCES && result == SL_OK; i++)
		result = sl_graph_new(&options, &slowest->chosen[i].graph);
	return result;
}

uint64_t sl_slowest_dropped(const struct sl_slowest *slowest)
{
	return slowest->dropped;
}
