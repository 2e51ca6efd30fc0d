/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_calls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_array.h"

struct shard;
struct sl_calls {
	const struct sl_image *image;
	const struct sl_call_sink *sinks;
	size_t sink_count;
	unsigned untold;	/* by any of them */
	bool wants_pieces;
	bool brief;		/* there is one sink, which wants no more */
	struct sl_stacks *stacks;
	struct sl_calls_lane *lanes;
	size_t lane_count, lane_cap;
	struct shard **at_work;
	size_t at_work_len, at_work_cap;
	bool begun;		/* something was told */
};

/* A lane at work. */
struct shard {
	struct sl_calls *calls;
	const struct sl_lane *lane;
	struct sl_callstack *callstack;
};

static void on_call(void *ctx, const struct sl_call *call)
{
	struct shard *shard = ctx;

	for (size_t i = 0; i < shard->calls->sink_count; i++) {
		const struct sl_call_sink *sink = &shard->calls->sinks[i];

		if (!(sink->ops->untold & 1u << call->kind))
			sink->ops->call(sink->self, call);
	}
}

static struct sl_fused piece_at(void *ctx, uint64_t back)
{
	return sl_callstack_now(((struct shard *)ctx)->callstack, back);
}

static void on_piece(void *ctx, const struct sl_elem *range, uint32_t symbol, uint32_t depth)
{
	struct shard *shard = ctx;
	struct sl_piece piece = { .range = range, .symbol = symbol, .depth = depth, .lane = shard->lane,
				  .core = sl_callstack_core(shard->callstack), .at = piece_at, .ctx = shard };

	piece.stack = sl_callstack_stack(shard->callstack, &piece.level);
	for (size_t i = 0; i < shard->calls->sink_count; i++) {
		const struct sl_call_sink *sink = &shard->calls->sinks[i];

		if (sink->ops->piece)
			sink->ops->piece(sink->self, &piece);
	}
}

static void leave_work(struct shard *shard)
{
	struct sl_calls *calls = shard->calls;

	for (size_t i = 0; i < calls->at_work_len; i++) {
		if (calls->at_work[i] == shard)
			calls->at_work[i] = calls->at_work[--calls->at_work_len];
	}
}

static void drop(void *self)
{
	struct shard *shard = self;

	leave_work(shard);
	sl_callstack_free(shard->callstack);
	free(shard);
}

static int begin_sinks(const struct sl_calls *calls, const struct sl_lane *lane)
{
	int result = SL_OK;

	for (size_t i = 0; i < calls->sink_count && result == SL_OK; i++) {
		const struct sl_call_sink *sink = &calls->sinks[i];

		if (sink->ops->begin)
			result = sink->ops->begin(sink->self, lane);
	}
	return result;
}

static int begin(void *self, const struct sl_lane *lane, void **ret)
{
	struct sl_calls *calls = self;
	struct shard *shard = calloc(1, sizeof(*shard));
	const struct sl_callstack_options options = {
		.image = calls->image, .stacks = calls->stacks, .config = &lane->stream->config, .core = lane->stream->core,
		.lane = lane, .call = on_call, .untold = calls->untold, .brief = calls->brief ? calls->sinks[0].ops->brief : NULL,
		.leans = calls->brief ? calls->sinks[0].ops->leans : NULL, .ctx = shard, .brief_ctx = calls->brief ? calls->sinks[0].self : NULL,
		.piece = calls->wants_pieces ? on_piece : NULL, .cycles_are_time = lane->cycles_are_time,
	};
	int result;

	if (!shard)
		return SL_ERR_NOMEM;
	shard->calls = calls;
	shard->lane = lane;
	result = sl_callstack_new(&options, &shard->callstack);
	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&calls->at_work, &calls->at_work_len, &calls->at_work_cap, shard);
	if (result == SL_OK)
		result = begin_sinks(calls, lane);
	if (result < 0) {
		drop(shard);
		return result;
	}
	*ret = shard;
	return SL_OK;
}

static uint64_t look(void *self, const struct sl_elem *elems, size_t len)
{
	return sl_callstack_look(((struct shard *)self)->callstack, elems, len);
}

/* Times of all lanes count from where the first one begins, of those whose timestamps are known by now. */
static void find_beginning(struct sl_calls *calls)
{
	uint64_t least = UINT64_MAX;

	calls->begun = true;
	for (size_t i = 0; i < calls->at_work_len; i++) {
		const struct sl_fusion *clock = sl_callstack_clock(calls->at_work[i]->callstack);

		if (clock->origin_known && sl_fusion_origin(clock) < least)
			least = sl_fusion_origin(clock);
	}
	if (least != UINT64_MAX)
		sl_stacks_begin_at(calls->stacks, least);
}

static int turn(void *self, const struct sl_elem *elems, size_t len, bool apart)
{
	struct shard *shard = self;

	if (!shard->calls->begun)
		find_beginning(shard->calls);
	sl_callstack_set_apart(shard->callstack, apart);
	return sl_callstack_feed(shard->callstack, elems, len);
}

static int keep_clock(struct sl_calls_lane *out, const struct sl_fusion *clock)
{
	const struct sl_rate_change *changes;
	size_t count = sl_fusion_changes(clock, &changes);

	out->clock = *sl_fusion_facts(clock);
	out->timed = out->cycles_are_time ? out->clock.cycle_counts > 0 : out->clock.timestamps > 1;
	out->origin = sl_fusion_origin(clock);
	out->rate = sl_fusion_rate(clock);
	out->changes = count ? malloc(count * sizeof(*changes)) : NULL;
	if (count && !out->changes)
		return SL_ERR_NOMEM;
	for (; out->change_count < count; out->change_count++)
		out->changes[out->change_count] = changes[out->change_count];
	return SL_OK;
}

static int keep_lane(struct sl_calls *calls, const struct shard *shard)
{
	const struct sl_lane *lane = shard->lane;
	struct sl_calls_lane out = { .trace_id = lane->stream->trace_id, .cpu = lane->stream->cpu, .config = &lane->stream->config,
				      .cycles_are_time = lane->cycles_are_time };
	int result;

	snprintf(out.buffer, sizeof(out.buffer), "%s", lane->buffer->name);
	snprintf(out.source, sizeof(out.source), "%s", lane->stream->name);
	out.named = sl_callstack_named(shard->callstack);
	out.account = *sl_callstack_account(shard->callstack);
	out.end = sl_callstack_now(shard->callstack, 0).at;
	result = keep_clock(&out, sl_callstack_clock(shard->callstack));
	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&calls->lanes, &calls->lane_count, &calls->lane_cap, out);
	if (result < 0)
		free(out.changes);
	return result;
}

static int end(void *self, void *shard_self, const struct sl_lane *lane)
{
	struct sl_calls *calls = self;
	struct shard *shard = shard_self;
	int result = sl_callstack_finish(shard->callstack);

	if (result == SL_OK)
		result = keep_lane(calls, shard);
	for (size_t i = 0; i < calls->sink_count && result == SL_OK; i++) {
		const struct sl_call_sink *sink = &calls->sinks[i];

		if (sink->ops->end)
			result = sink->ops->end(sink->self, lane);
	}
	drop(shard);
	return result;
}

int sl_calls_new(const struct sl_image *image, const struct sl_call_sink *sinks, size_t count, struct sl_calls **ret)
{
	struct sl_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return SL_ERR_NOMEM;
	*calls = (struct sl_calls){ .image = image, .sinks = sinks, .sink_count = count, .untold = UINT_MAX };
	if (sl_stacks_new(&calls->stacks) < 0) {
		free(calls);
		return SL_ERR_NOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		calls->untold &= sinks[i].ops->untold;
		calls->wants_pieces |= sinks[i].ops->piece != NULL;
	}
	calls->brief = count == 1 && sinks[0].ops->brief;
	*ret = calls;
	return SL_OK;
}

void sl_calls_free(struct sl_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->lane_count; i++)
		free(calls->lanes[i].changes);
	free(calls->lanes);
	free(calls->at_work);
	sl_stacks_free(calls->stacks);
	free(calls);
}

void sl_calls_sink(struct sl_calls *calls, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "calls", .wants_trusted = true, .begin = begin, .look = look, .turn = turn,
						.end = end, .drop = drop };
	static const struct sl_sink_ops pieces = { .name = "calls", .wants_ranges = true, .wants_trusted = true, .begin = begin,
						   .look = look, .turn = turn, .end = end, .drop = drop };

	*ret = (struct sl_sink){ calls->wants_pieces ? &pieces : &ops, calls };
}

uint64_t sl_calls_beginning(const struct sl_calls *calls)
{
	return sl_stacks_beginning(calls->stacks);
}

size_t sl_calls_lanes(const struct sl_calls *calls, const struct sl_calls_lane **ret)
{
	*ret = calls->lanes;
	return calls->lane_count;
}
