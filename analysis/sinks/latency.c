/* SPDX-License-Identifier: Apache-2.0 */
/* latency: pairs places as they happen. */
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gaps.h"
#include "sl_array.h"

static uint32_t add_lane(struct sl_latency *latency, const struct sl_lane *lane)
{
	struct latency_lane fresh = { .cpu = -1 };
	uint64_t *number = sl_map_put(&latency->by_lane, lane ? lane->index : UINT64_MAX);

	if (number && *number)
		return (uint32_t)*number - 1;
	if (lane) {
		snprintf(fresh.buffer, sizeof(fresh.buffer), "%s", lane->buffer->name);
		fresh.trace_id = lane->stream->trace_id;
		fresh.cpu = lane->stream->cpu;
	}
	if (!number || SL_ARRAY_PUSH(&latency->lanes, &latency->lane_count, &latency->lane_cap, fresh) < 0) {
		latency->no_memory = true;
		return 0;
	}
	*number = latency->lane_count;
	return (uint32_t)latency->lane_count - 1;
}

static uint32_t lane_of(struct sl_latency *latency, const struct sl_lane *lane)
{
	const uint64_t *number = sl_map_get(&latency->by_lane, lane ? lane->index : UINT64_MAX);

	return number ? (uint32_t)*number - 1 : add_lane(latency, lane);
}

/* What waits for its B; NULL when out of memory. */
static struct waiting *waiting_of(struct sl_latency *latency, uint64_t key)
{
	uint64_t *index = sl_map_put(&latency->by_key, key);
	const struct waiting fresh = { .open = false };

	if (index && !*index && SL_ARRAY_PUSH(&latency->waiting, &latency->waiting_len, &latency->waiting_cap, fresh) == SL_OK)
		*index = latency->waiting_len;
	if (!index || !*index) {
		latency->no_memory = true;
		return NULL;
	}
	return &latency->waiting[*index - 1];
}

static void measure(struct sl_latency *latency, const struct happened *from, const struct happened *to, const struct sl_axes *value)
{
	latency->counts.measured++;
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
		latency->no_memory |= measure_add(&latency->measures[axis], value->v[axis], from, to) < 0;
}

static bool keep(struct sl_latency *latency, const struct happened *happened)
{
	if (latency->kept_len >= PLACES_MAX) {
		latency->counts.dropped++;
		return false;
	}
	if (SL_ARRAY_PUSH(&latency->kept, &latency->kept_len, &latency->kept_cap, *happened) < 0) {
		latency->no_memory = true;
		return false;
	}
	return true;
}

/* Whether trace was lost, where either was, since the A that waits. */
static bool is_over_gap(const struct sl_latency *latency, const struct waiting *waiting, const struct happened *to)
{
	return latency->lanes[waiting->from.lane].last_loss > waiting->losses || latency->lanes[to->lane].last_loss > waiting->losses;
}

static void pair(struct sl_latency *latency, struct waiting *waiting, const struct happened *to)
{
	const struct happened *from = &waiting->from;
	struct sl_axes value = sl_axes_sub(to->at, from->at);

	waiting->open = false;
	if (is_over_gap(latency, waiting, to))
		latency->counts.over_gap++;
	else if (from->lane == to->lane)
		measure(latency, from, to, &value);
	/* Each lane has a clock of its own until all are known: two in a row wait, or none. */
	else if (latency->kept_len + 2 > PLACES_MAX)
		latency->counts.dropped++;
	else if (keep(latency, from))
		keep(latency, to);
}

/* Of one task or CPU, in order. */
static void pair_up(struct sl_latency *latency, uint64_t key, const struct happened *happened)
{
	struct waiting *waiting = waiting_of(latency, key);

	if (!waiting)
		return;
	if (happened->is_b && waiting->open)
		pair(latency, waiting, happened);
	else if (happened->is_b && latency->options.of == SL_LATENCY_PAIRS)
		latency->counts.b_alone++;
	if (!happened->is_a)
		return;
	latency->counts.a_alone += waiting->open;
	*waiting = (struct waiting){ .from = *happened, .losses = latency->losses, .open = true };
}

static void take(struct sl_latency *latency, unsigned places, struct happened happened)
{
	bool interval = latency->options.of == SL_LATENCY_INTERVAL;

	if (latency->no_memory)
		return;
	happened.lane_losses = latency->lanes[happened.lane].last_loss;
	happened.losses = latency->losses;
	happened.is_a = places & AT_A;
	happened.is_b = interval ? places & AT_A : places & AT_B;
	latency->counts.a += happened.is_a;
	latency->counts.b += happened.is_b;
	if (latency->options.pair == SL_PAIR_ANY)
		keep(latency, &happened);
	else
		pair_up(latency, latency->options.pair == SL_PAIR_TASK ? happened.stack : happened.lane, &happened);
}

/* The whole of a call that leaves. */
static void take_call(struct sl_latency *latency, const struct sl_call *call)
{
	const struct happened from = { .at = *call->enter, .offset = call->offset, .lane = lane_of(latency, call->lane),
				       .stack = call->stack };
	struct happened to = from;

	if (call->kind != SL_CALL_LEAVE || !(latency->symbols[call->symbol] & (AT_A | AT_A << 2)))
		return;
	latency->counts.a++;
	if (call->flags & (SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT)) {
		latency->counts.lacking++;
		return;
	}
	to.at = *call->leave;
	to.offset = call->leave_offset;
	measure(latency, &from, &to, latency->options.of == SL_LATENCY_SELF ? call->self : call->total);
}

static void lose(struct sl_latency *latency, const struct sl_lane *lane)
{
	uint32_t number = lane_of(latency, lane); /* which may move the lanes */

	if (!latency->no_memory)
		latency->lanes[number].last_loss = ++latency->losses;
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_latency *latency = self;
	bool counts = !latency->options.sieve || sl_sieve_call(latency->options.sieve, call), leaves;
	struct happened happened;
	unsigned places;

	if (call->kind == SL_CALL_GAP && gap_is_loss(call->number))
		lose(latency, call->lane);
	if (!counts)
		return;
	if (latency->options.of == SL_LATENCY_DURATION || latency->options.of == SL_LATENCY_SELF) {
		take_call(latency, call);
		return;
	}
	places = latency_places_of_call(latency, call);
	if (!places)
		return;
	leaves = call->kind == SL_CALL_LEAVE || call->kind == SL_CALL_RESUME;
	happened = (struct happened){ .at = leaves ? *call->leave : *call->enter,
				      .offset = leaves ? call->leave_offset : call->offset,
				      .lane = lane_of(latency, call->lane), .stack = call->stack };
	take(latency, places, happened);
}

/* The clock stands behind the piece: it goes back by instructions, as far as they are of one size. */
static void on_piece(void *self, const struct sl_piece *piece)
{
	struct sl_latency *latency = self;
	const struct sl_elem *range = piece->range;
	struct happened happened = { .offset = range->offset, .stack = piece->stack };
	uint64_t address, size = range->range.end - range->range.start;
	unsigned places = latency_places_of_piece(latency, piece, &address);

	if (!places || (latency->options.sieve && !sl_sieve_piece(latency->options.sieve, piece)))
		return;
	happened.lane = lane_of(latency, piece->lane);
	happened.at = piece->at(piece->ctx, (uint64_t)range->count * (range->range.end - address) / size).at;
	take(latency, places, happened);
}

static int on_end(void *self, const struct sl_lane *lane)
{
	const struct sl_latency *latency = self;

	(void)lane;
	return latency->no_memory ? SL_ERR_NOMEM : SL_OK;
}

int sl_latency_new(const struct sl_latency_options *options, struct sl_latency **ret)
{
	struct sl_latency *latency = calloc(1, sizeof(*latency));

	if (!latency)
		return SL_ERR_NOMEM;
	latency->options = *options;
	latency->symbols = latency_symbols(options);
	if (!latency->symbols) {
		sl_latency_free(latency);
		return SL_ERR_NOMEM;
	}
	*ret = latency;
	return SL_OK;
}

void sl_latency_free(struct sl_latency *latency)
{
	if (!latency)
		return;
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
		measure_release(&latency->measures[axis]);
	sl_map_release(&latency->by_lane);
	sl_map_release(&latency->by_key);
	free(latency->symbols);
	free(latency->lanes);
	free(latency->waiting);
	free(latency->kept);
	free(latency);
}

void sl_latency_call_sink(struct sl_latency *latency, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = { .name = "latency", .call = on_call, .end = on_end };
	static const struct sl_call_sink_ops with_pieces = { .name = "latency", .call = on_call, .piece = on_piece, .end = on_end };

	*ret = (struct sl_call_sink){ latency_wants_pieces(&latency->options) ? &with_pieces : &ops, latency };
}

static uint64_t tick_of(const struct happened *happened)
{
	return happened->at.v[SL_AXIS_TICKS];
}

/* On two lanes: only the time says how long that was, and it must not run backwards. */
static void measure_apart(struct sl_latency *latency, const struct happened *from, const struct happened *to, enum sl_axis axis)
{
	struct sl_axes value = { { 0 } };

	if (axis != SL_AXIS_TICKS || tick_of(to) < tick_of(from)) {
		latency->counts.other_clock++;
		return;
	}
	value.v[SL_AXIS_TICKS] = tick_of(to) - tick_of(from);
	measure(latency, from, to, &value);
}

/* By time; where that is the same, as they were told. */
static int compare(const void *left, const void *right)
{
	const struct happened *const *a = left, *const *b = right;
	uint64_t x = tick_of(*a), y = tick_of(*b);

	if (x != y)
		return x < y ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* ANY: what was lost on other lanes has no time, so that a pair on two lanes is over any loss that was told between. */
static bool any_is_over_gap(const struct happened *from, const struct happened *to)
{
	return from->lane == to->lane ? from->lane_losses != to->lane_losses : from->losses != to->losses;
}

static void pair_two(struct sl_latency *latency, const struct happened *from, const struct happened *to, enum sl_axis axis)
{
	struct sl_axes value = sl_axes_sub(to->at, from->at);

	if (any_is_over_gap(from, to))
		latency->counts.over_gap++;
	else if (from->lane == to->lane)
		measure(latency, from, to, &value);
	else
		measure_apart(latency, from, to, axis);
}

/* ANY: all places by time. */
static int pair_any(struct sl_latency *latency, enum sl_axis axis)
{
	const struct happened **order = calloc(latency->kept_len + 1, sizeof(*order)), *from = NULL;

	if (!order)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < latency->kept_len; i++)
		order[i] = &latency->kept[i];
	if (latency->lane_count > 1)
		qsort(order, latency->kept_len, sizeof(*order), compare);
	for (size_t i = 0; i < latency->kept_len; i++) {
		const struct happened *now = order[i];

		if (now->is_b && from)
			pair_two(latency, from, now, axis);
		else if (now->is_b && latency->options.of == SL_LATENCY_PAIRS)
			latency->counts.b_alone++;
		if (now->is_b)
			from = NULL;
		if (now->is_a) {
			latency->counts.a_alone += from != NULL;
			from = now;
		}
	}
	latency->counts.a_alone += from != NULL;
	free(order);
	return SL_OK;
}

int sl_latency_finish(struct sl_latency *latency, enum sl_axis axis)
{
	int result = SL_OK;

	if (latency->options.pair == SL_PAIR_ANY) {
		result = pair_any(latency, axis);
	} else {
		for (size_t i = 0; i + 1 < latency->kept_len; i += 2)
			measure_apart(latency, &latency->kept[i], &latency->kept[i + 1], axis);
		for (size_t i = 0; i < latency->waiting_len; i++)
			latency->counts.a_alone += latency->waiting[i].open;
	}
	/* The last one of each has no interval yet: that is no lack. */
	if (latency->options.of == SL_LATENCY_INTERVAL)
		latency->counts.a_alone = 0;
	return latency->no_memory ? SL_ERR_NOMEM : result;
}

struct sl_latency_counts sl_latency_counts(const struct sl_latency *latency)
{
	return latency->counts;
}
