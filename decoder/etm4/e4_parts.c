/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a lane that are decoded at once: IHI 0064H, 6.4.1 and 6.4.2. An A-Sync and a Trace Info reset what packets refer to:
 * the stack of addresses, timestamps, the threshold, the return stack. Context and address follow, mostly at once; atoms may
 * come between. So a part begins behind the first atoms that follow both, where nothing is pending and only what rarely changes
 * is guessed. What comes before belongs to the part before, which goes on up to there.
 */
#include "e4_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	ASYNC_BYTES = 12,
	HEAD_MAX = 1 << 10, /* bytes from an A-Sync in which context, address and atoms must have come */
	HEADS_TRIED = 4,
	BUDGET_LEAST = 16 << 20, /* where less may be read of the image, nothing is done beforehand */
};

static bool can_fork(const struct sl_decoder *base)
{
	const struct e4_decoder *dec = (const struct e4_decoder *)base;

	return !dec->lister && !dec->speculation && !dec->config.max_speculation;
}

/* What belongs to a decoder, wherever it is in the lane. */
struct belongings {
	struct sl_decoder base;
	struct run_tables tables;
	struct e4_pending pending;
	struct elem_queue queue;
	uint8_t *carry;
	size_t carry_cap;
};

static struct belongings belongings_of(const struct e4_decoder *dec)
{
	return (struct belongings){ dec->base, dec->tables, dec->pending, dec->queue, dec->carry, dec->carry_cap };
}

/* What is between an instruction and the next, without what belongs to who was there. */
static void put_state(struct e4_decoder *dec, const struct e4_decoder *state, const struct belongings *own)
{
	memcpy(dec, state, sizeof(*dec));
	dec->base = own->base;
	dec->base.merged = state->base.merged;
	dec->tables = own->tables;
	dec->pending = own->pending;
	dec->queue = own->queue;
	dec->queue.head = dec->queue.len = 0;
	dec->space.queue = &dec->queue;
	dec->carry = own->carry;
	dec->carry_cap = own->carry_cap;
	dec->in = (struct sl_bytes){ 0 };
	dec->runs = NULL;
	dec->run = dec->from = dec->indirect = 0;
	dec->code.ran_out = false;
}

static int fork_decoder(const struct sl_decoder *base, struct sl_decoder **ret)
{
	struct e4_decoder *dec = calloc(1, sizeof(*dec));
	struct belongings none = { .base = { .ops = base->ops, .part_ops = base->part_ops, .kind = base->kind } };

	if (!dec)
		return SL_ERR_NOMEM;
	put_state(dec, (const struct e4_decoder *)base, &none);
	dec->carry_len = 0;
	*ret = &dec->base;
	return SL_OK;
}

static void free_mark(struct sl_seam *base)
{
	struct e4_mark *mark = (struct e4_mark *)base;

	e4_pending_free(&mark->pending);
	free(mark->carry);
	free(mark);
}

/* What is pending and what is carried, from one place to another. */
static int copy_pending(struct e4_pending *into, const struct e4_pending *from)
{
	size_t len = e4_pending_len(from);

	e4_pending_clear(into);
	if (sl_array_reserve((void **)&into->elems, &into->cap, sizeof(*into->elems), len) < 0)
		return SL_ERR_NOMEM;
	if (len)
		memcpy(into->elems, from->elems + from->head, len * sizeof(*into->elems));
	into->end = len;
	return SL_OK;
}

static int copy_carry(uint8_t **into, size_t *cap, const uint8_t *from, size_t len)
{
	if (sl_array_reserve((void **)into, cap, 1, len) < 0)
		return SL_ERR_NOMEM;
	if (len)
		memcpy(*into, from, len);
	return SL_OK;
}

static int mark_decoder(struct sl_decoder *base, struct sl_seam **ret)
{
	struct e4_decoder *dec = (struct e4_decoder *)base;
	struct e4_mark *mark = *ret ? (struct e4_mark *)*ret : calloc(1, sizeof(*mark));

	if (!mark)
		return SL_ERR_NOMEM;
	mark->base.ops = base->part_ops;
	*ret = &mark->base;
	e4_flow_settle(dec);
	memcpy(&mark->state, dec, sizeof(*dec));
	if (dec->queue.no_memory || copy_pending(&mark->pending, &dec->pending) < 0)
		return SL_ERR_NOMEM;
	return copy_carry(&mark->carry, &mark->carry_cap, dec->carry, dec->carry_len);
}

static int resume(struct sl_decoder *base, const struct sl_seam *base_mark, void *moment_ctx)
{
	struct e4_decoder *dec = (struct e4_decoder *)base;
	const struct e4_mark *mark = (const struct e4_mark *)base_mark;
	struct belongings own = belongings_of(dec);

	put_state(dec, &mark->state, &own);
	dec->space.moment_ctx = moment_ctx;
	if (copy_pending(&dec->pending, &mark->pending) < 0)
		return SL_ERR_NOMEM;
	return copy_carry(&dec->carry, &dec->carry_cap, mark->carry, mark->state.carry_len);
}

/* The first A-Sync in bytes from at on; len where there is none. */
static size_t find_async(struct sl_bytes bytes, size_t at)
{
	static const uint8_t async[ASYNC_BYTES] = { [ASYNC_BYTES - 1] = 0x80 };
	const uint8_t *found = at < bytes.len ? memmem(bytes.data + at, bytes.len - at, async, sizeof(async)) : NULL;

	return found ? (size_t)(found - bytes.data) : bytes.len;
}

/* From what was known earlier to what will be known before an A-Sync, if all is well: where it is nobody knows. */
static void guess(struct e4_decoder *dec)
{
	dec->in_sync = true;
	dec->skip_due = dec->gave_up = false;
	dec->carry_len = 0;
	dec->stage = E4_DECODE;
	dec->depth = dec->commit = dec->cancel = 0;
	dec->mispredict = dec->discard = dec->waits_for_address = dec->overflowed = dec->lost = false;
	dec->need_context = dec->need_address = true;
	dec->state.trace_info_seen = false;
	e4_pending_clear(&dec->pending);
	e4_flow_forget_returns(dec);
	dec->space.told_len = 0;
	dec->space.moment.until = 0;
}

/* Nothing is in between: no packet, no element, nothing to be told or to be resolved. */
static bool is_calm(const struct e4_decoder *dec)
{
	return dec->in_sync && dec->stage == E4_DECODE && !dec->carry_len && !e4_pending_len(&dec->pending) &&
	       !dec->waits_for_address && !dec->space.told_len && !dec->finishing;
}

static bool knows_place(const struct e4_decoder *dec)
{
	return is_calm(dec) && dec->state.trace_info_seen && !dec->need_context && !dec->need_address;
}

/* From the A-Sync at bytes to where the place is known; the bytes used, or 0. */
static size_t take_head(struct e4_decoder *dec, struct sl_bytes bytes)
{
	size_t done = 0, len = bytes.len < HEAD_MAX ? bytes.len : HEAD_MAX;

	while (done < len && !dec->queue.no_memory) {
		size_t used = e4_take_one(dec, bytes.data + done, len - done, bytes.offset + done);

		dec->queue.len = 0;
		done += used;
		if (!used || !dec->in_sync)
			return 0;
		if (knows_place(dec)) {
			dec->offset = bytes.offset + done;
			return done;
		}
	}
	return 0;
}

/* What was read of the image between two places. */
static uint64_t spent(const struct e4_decoder *from, const struct e4_decoder *to)
{
	return to->code.read - from->code.read;
}

static void pay(struct e4_decoder *state, uint64_t bytes)
{
	state->code.budget -= bytes < state->code.budget ? bytes : state->code.budget;
}

static int foresee(struct sl_decoder *base, struct sl_seam *base_now, struct sl_bytes lane, void *moment_ctx,
		   struct sl_seam **ret, uint64_t *ret_offset)
{
	struct e4_decoder *dec = (struct e4_decoder *)base;
	struct e4_mark *now = (struct e4_mark *)base_now;
	size_t at = find_async(lane, 0);

	for (unsigned i = 0; i < HEADS_TRIED && at < lane.len; i++) {
		size_t used;

		if (resume(base, base_now, moment_ctx) < 0)
			return SL_ERR_NOMEM;
		guess(dec);
		used = take_head(dec, (struct sl_bytes){ lane.data + at, lane.len - at, lane.offset + at });
		pay(&now->state, spent(&now->state, dec));
		if (dec->queue.no_memory)
			return SL_ERR_NOMEM;
		if (used) {
			*ret_offset = dec->offset;
			return mark_decoder(base, ret);
		}
		at = find_async(lane, at + ASYNC_BYTES);
	}
	return SL_END;
}

#define CLEAR(field) memset(&(field), 0, sizeof(field))

static bool same_address(const struct e4_address *a, const struct e4_address *b)
{
	return a->value == b->value && a->is == b->is;
}

static bool same_addresses(const struct e4_state *a, const struct e4_state *b)
{
	for (unsigned i = 0; i < E4_ADDRESSES; i++) {
		if (!same_address(&a->addresses[i], &b->addresses[i]))
			return false;
	}
	return same_address(&a->address, &b->address);
}

static const struct e4_return *return_at(const struct e4_decoder *state, int age)
{
	return &state->returns[(state->return_top + RETURN_STACK - (unsigned)age) % RETURN_STACK];
}

/* The return addresses that can still be taken, wherever in the ring they are. */
static bool same_returns(const struct e4_decoder *a, const struct e4_decoder *b)
{
	for (int i = 0; i < a->return_count && i < b->return_count; i++) {
		const struct e4_return *x = return_at(a, i), *y = return_at(b, i);

		if (x->address != y->address || x->isa != y->isa)
			return false;
	}
	return a->return_count == b->return_count;
}

static bool same_moment(const struct sl_moment *a, const struct sl_moment *b)
{
	return a->window.from_ns == b->window.from_ns && a->window.to_ns == b->window.to_ns && a->task_known == b->task_known &&
	       a->task == b->task && a->until == b->until;
}

/* Who decodes, and with what: the same for all of the lane, or nothing but memory. */
static void clear_belongings(struct e4_decoder *state)
{
	CLEAR(state->base);
	CLEAR(state->trace_config);
	CLEAR(state->config);
	CLEAR(state->headers);
	CLEAR(state->hot);
	CLEAR(state->space.moment_ctx);
	CLEAR(state->space.queue);
	CLEAR(state->code.run);
	CLEAR(state->code.run_address);
	CLEAR(state->code.budget);
	CLEAR(state->code.ran_out);
	CLEAR(state->code.read);
	CLEAR(state->tables);
	CLEAR(state->in);
	CLEAR(state->carry);
	CLEAR(state->carry_cap);
	CLEAR(state->pending);
	CLEAR(state->queue);
}

/* What makes no difference to what follows a calm place, and what has been compared. */
static void clear_rest(struct e4_decoder *state)
{
	CLEAR(state->state.addresses);
	CLEAR(state->state.address);
	CLEAR(state->returns);
	CLEAR(state->return_top);
	CLEAR(state->space.moment);
	CLEAR(state->space.told);
	/* the next timestamp is complete: see take_time() */
	if (!state->state.time_known && state->state.trace_info_seen)
		CLEAR(state->state.time);
	/* where the table of runs is: pc tells it */
	CLEAR(state->runs);
	CLEAR(state->run);
	CLEAR(state->from);
	CLEAR(state->from_taken);
	CLEAR(state->indirect);
	/* only of use while there is no sync */
	CLEAR(state->sync);
	CLEAR(state->skip_start);
	CLEAR(state->skipped_told);
	CLEAR(state->gap);
	/* of the packet before, which is over */
	CLEAR(state->undo);
}

/*
 * All that is not known to make no difference is compared, byte by byte: what is new in struct e4_decoder may cost parts that
 * are decoded twice, until it is thought of here, but never a wrong element. Only what has padding is looked at by itself.
 */
static bool same_rest(const struct e4_decoder *a, const struct e4_decoder *b)
{
	struct e4_decoder rest[2];

	memcpy(&rest[0], a, sizeof(*a));
	memcpy(&rest[1], b, sizeof(*b));
	for (unsigned i = 0; i < 2; i++) {
		clear_belongings(&rest[i]);
		clear_rest(&rest[i]);
	}
	return memcmp(&rest[0], &rest[1], sizeof(rest[0])) == 0;
}

bool e4_mark_same(const struct e4_mark *a, const struct e4_mark *b)
{
	return is_calm(&a->state) && is_calm(&b->state) && same_addresses(&a->state.state, &b->state.state) &&
	       same_returns(&a->state, &b->state) && same_moment(&a->state.space.moment, &b->state.space.moment) &&
	       same_rest(&a->state, &b->state);
}

/*
 * What may be read of the image depends on all that was read before. Forks read more than one decoder for all would, as each has
 * runs of its own; so before's budget is not more than that one's, and where it is enough for the fork, it was enough. Only where
 * there are more runs than are kept may it be more, as that one forgets them sooner.
 */
static bool join(struct sl_seam *base_before, const struct sl_seam *base_begin, struct sl_seam *base_end)
{
	struct e4_mark *before = (struct e4_mark *)base_before, *end = (struct e4_mark *)base_end;
	const struct e4_mark *begin = (const struct e4_mark *)base_begin;
	uint64_t cost = spent(&begin->state, &end->state), budget = before->state.code.budget;
	bool paid = !end->state.code.ran_out && budget >= BUDGET_LEAST && cost <= budget - BUDGET_LEAST;

	if (!paid || !e4_mark_same(before, begin)) {
		pay(&before->state, cost);
		return false;
	}
	end->state.code.budget += budget - begin->state.code.budget;
	end->state.base.merged += before->state.base.merged - begin->state.base.merged;
	return true;
}

static void exchange(struct sl_decoder *base, struct sl_elem **elems, size_t *cap)
{
	struct elem_queue *queue = &((struct e4_decoder *)base)->queue;
	const struct elem_queue before = *queue;

	assert(queue_is_lent(queue));
	*queue = (struct elem_queue){ .elems = *elems, .cap = *cap, .no_memory = before.no_memory };
	*elems = before.elems;
	*cap = before.cap;
}

const struct sl_part_ops e4_part_ops = { can_fork, fork_decoder, mark_decoder, free_mark, resume, foresee, join, exchange };
