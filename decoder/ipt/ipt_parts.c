/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a lane that are decoded at once. Each begins behind the head of a window: where execution is, and all that rarely
 * changes, is told there; what leads up to it belongs to the part before.
 */
#include "ipt_parts.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	HEADS_TRIED = 4,
	CODE_LEAST = 16 << 20, /* where less may be read of the image, nothing is done beforehand */
};

static bool can_fork(const struct sl_decoder *base)
{
	const struct ipt *d = (const struct ipt *)base;

	return !d->options.packet && !d->options.packets_only;
}

/* What is between two windows, without what belongs to who was there. */
static void put_state(struct ipt *d, const struct ipt *state)
{
	const struct ipt own = *d;

	*d = *state;
	d->base = own.base;
	d->base.merged = state->base.merged;
	d->tables = own.tables;
	d->queue = own.queue;
	d->queue.head = d->queue.len = d->confirmed = d->lent = d->open = 0;
	d->space.queue = &d->queue;
	d->bytes.memory = own.bytes.memory;
	d->bytes.cap = own.bytes.cap;
	d->bytes.held = own.bytes.memory;
	d->bytes.places = own.bytes.places;
	d->bytes.place_cap = own.bytes.place_cap;
	d->bytes.len = d->bytes.place_len = 0;
	d->runs = NULL;
	d->from = 0;
	d->packets = NULL;
	d->query = NULL;
	d->code.ran_out = false;
}

static int fork_decoder(const struct sl_decoder *base, struct sl_decoder **ret)
{
	struct ipt *d = calloc(1, sizeof(*d));

	if (!d)
		return SL_ERR_NOMEM;
	put_state(d, (const struct ipt *)base);
	d->base = (struct sl_decoder){ .ops = base->ops, .part_ops = base->part_ops, .kind = base->kind };
	*ret = &d->base;
	return SL_OK;
}

static void free_seam(struct sl_seam *base)
{
	struct ipt_seam *seam = (struct ipt_seam *)base;

	free(seam->bytes.memory);
	free(seam->bytes.places);
	free(seam);
}

static int note(struct sl_decoder *base, struct sl_seam **ret)
{
	struct ipt *d = (struct ipt *)base;
	struct ipt_seam *seam = *ret ? (struct ipt_seam *)*ret : calloc(1, sizeof(*seam));

	if (!seam)
		return SL_ERR_NOMEM;
	seam->base.ops = base->part_ops;
	*ret = &seam->base;
	seam->state = *d;
	if (d->queue.no_memory)
		return SL_ERR_NOMEM;
	return ipt_hold(&seam->bytes, d->bytes.held, d->bytes.len, d->bytes.places, d->bytes.place_len);
}

static int resume(struct sl_decoder *base, const struct sl_seam *base_seam, void *moment_ctx)
{
	struct ipt *d = (struct ipt *)base;
	const struct ipt_seam *seam = (const struct ipt_seam *)base_seam;

	put_state(d, &seam->state);
	d->space.moment_ctx = moment_ctx;
	return ipt_hold(&d->bytes, seam->bytes.held, seam->bytes.len, seam->bytes.places, seam->bytes.place_len);
}

/* From what was known earlier to what is known before a PSB, if all is well: where it is nobody knows. */
static int guess(struct ipt *d, struct sl_bytes lane)
{
	const struct ipt_place place = { 0, lane.offset };

	d->in_sync = d->enabled = d->lost = d->has_event = false;
	d->stack_len = 0;
	d->cycles = 0;
	d->space.told_len = 0;
	d->space.moment.until = 0;
	ipt_time_reset(&d->time);
	d->bytes.started = d->bytes.synced = true;
	d->bytes.headed = d->bytes.cut = false;
	d->bytes.head = 0;
	d->bytes.searched = IPT_PSB_BYTES;
	return ipt_hold(&d->bytes, lane.data, lane.len < IPT_HEAD_MAX ? lane.len : IPT_HEAD_MAX, &place, 1);
}

/* The head at the beginning of lane; false where it is none. */
static bool take_head(struct ipt *d, struct sl_bytes lane)
{
	bool taken = guess(d, lane) == SL_OK && ipt_take_head(d) && d->bytes.head;

	if (taken) {
		d->bytes.len = d->bytes.head;
		ipt_take_status(d);
		d->told_to = lane.offset + d->bytes.head;
	}
	d->queue.len = d->confirmed = d->open = 0;
	d->base.mark_len = 0;
	return taken;
}

/* What was read of the image between two places. */
static uint64_t read_between(const struct ipt *from, const struct ipt *to)
{
	return to->code.read - from->code.read;
}

static void pay(struct ipt *state, uint64_t bytes)
{
	state->code.budget -= bytes < state->code.budget ? bytes : state->code.budget;
}

static struct sl_bytes behind(struct sl_bytes lane, size_t n)
{
	return (struct sl_bytes){ lane.data + n, lane.len - n, lane.offset + n };
}

/* The next PSB of lane is at its beginning; false where there is none. */
static bool find_psb(struct sl_bytes *lane)
{
	const uint8_t *found = ipt_find_psb(lane->data, lane->len);

	if (found)
		*lane = behind(*lane, (size_t)(found - lane->data));
	return found;
}

static int foresee(struct sl_decoder *base, struct sl_seam *base_now, struct sl_bytes lane, void *moment_ctx,
		   struct sl_seam **ret, uint64_t *ret_offset)
{
	struct ipt *d = (struct ipt *)base;

	for (unsigned i = 0; i < HEADS_TRIED && find_psb(&lane); i++) {
		if (resume(base, base_now, moment_ctx) < 0)
			return SL_ERR_NOMEM;
		if (take_head(d, lane)) {
			*ret_offset = lane.offset + d->bytes.head;
			return note(base, ret);
		}
		if (d->queue.no_memory)
			return SL_ERR_NOMEM;
		lane = behind(lane, IPT_PSB_BYTES);
	}
	return SL_END;
}

/* Behind a head, and nothing is in between. */
static bool is_calm(const struct ipt *d)
{
	return d->bytes.head && d->bytes.len == d->bytes.head && !d->bytes.in.len && !d->bytes.cut && !d->bytes.finishing &&
	       !d->has_event && !d->lost && !d->stack_len && !d->cycles && !d->space.told_len;
}

static bool same_time(const struct ipt_time *a, const struct ipt_time *b)
{
	if (a->tsc_known != b->tsc_known || a->tma_known != b->tma_known || (a->tsc_known && a->tsc != b->tsc))
		return false;
	return !a->tma_known || (a->base == b->base && a->ticks == b->ticks && a->skew == b->skew && a->last == b->last);
}

static bool same_context(const struct sl_context *a, const struct sl_context *b)
{
	return a->context_id == b->context_id && a->vmid == b->vmid && a->el == b->el && a->security == b->security && a->flags == b->flags;
}

static bool same_space(const struct space *a, const struct space *b)
{
	const struct sl_moment *x = &a->moment, *y = &b->moment;

	return a->core == b->core && a->task == b->task && x->window.from_ns == y->window.from_ns && x->window.to_ns == y->window.to_ns &&
	       x->task_known == y->task_known && x->task == y->task && x->until == y->until;
}

/* Whether the same elements follow: all of struct ipt that lasts from window to window. */
static bool same(const struct ipt_seam *a, const struct ipt_seam *b)
{
	const struct ipt *x = &a->state, *y = &b->state;

	return is_calm(x) && is_calm(y) && x->bytes.head == y->bytes.head && a->bytes.place_len == 1 && b->bytes.place_len == 1 &&
	       a->bytes.places[0].offset == b->bytes.places[0].offset && x->enabled == y->enabled && (!x->enabled || x->ip == y->ip) &&
	       x->isa == y->isa && x->in_transaction == y->in_transaction && x->bus_ratio == y->bus_ratio &&
	       same_context(&x->context, &y->context) && same_time(&x->time, &y->time) && same_space(&x->space, &y->space);
}

/* As for the other engines: where what may be read and walked is enough for both, neither has come to its end. */
static bool is_paid(const struct ipt *before, const struct ipt *begin, const struct ipt *end)
{
	uint64_t cost = read_between(begin, end), walked = end->spent - begin->spent;

	return !end->code.ran_out && before->code.budget >= CODE_LEAST && cost <= before->code.budget - CODE_LEAST &&
	       before->budget > 0 && walked < (uint64_t)before->budget && begin->budget > 0 && walked < (uint64_t)begin->budget;
}

static bool join(struct sl_seam *base_before, const struct sl_seam *base_begin, struct sl_seam *base_end)
{
	struct ipt_seam *before = (struct ipt_seam *)base_before, *end = (struct ipt_seam *)base_end;
	const struct ipt_seam *begin = (const struct ipt_seam *)base_begin;

	if (!is_paid(&before->state, &begin->state, &end->state) || !same(before, begin)) {
		pay(&before->state, read_between(&begin->state, &end->state));
		return false;
	}
	end->state.code.budget += before->state.code.budget - begin->state.code.budget;
	end->state.budget += before->state.budget - begin->state.budget;
	end->state.base.merged += before->state.base.merged - begin->state.base.merged;
	return true;
}

/* Elements behind those that were lent wait for their packet: they stay. */
static void exchange(struct sl_decoder *base, struct sl_elem **elems, size_t *cap)
{
	struct ipt *d = (struct ipt *)base;
	const struct elem_queue before = d->queue;
	size_t rest = before.len - d->lent;

	d->queue = (struct elem_queue){ .elems = *elems, .cap = *cap, .no_memory = before.no_memory };
	*elems = before.elems;
	*cap = before.cap;
	d->confirmed -= d->lent;
	if (queue_reserve(&d->queue, rest) && rest) {
		memcpy(d->queue.elems, before.elems + d->lent, rest * sizeof(*before.elems));
		d->queue.len = rest;
	}
	d->lent = d->open = 0;
}

const struct sl_part_ops ipt_part_ops = { can_fork, fork_decoder, note, free_seam, resume, foresee, join, exchange };
