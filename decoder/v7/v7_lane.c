/* SPDX-License-Identifier: Apache-2.0 */
#include "v7_lane.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

/*
 * What a byte of trace may make us read of the image, and what we may read in any case, as for the OpenCSD engine: more
 * than real code can ask for, but a bound on what a hostile trace and image can cost.
 */
enum { WALK_BYTES_PER_TRACE_BYTE = 24 * 512, WALK_BYTES_FREE = 64 << 20 };

enum {
	SLICE = 512,	   /* bytes decoded at a time: their elements stay in the cache */
	LONG_PACKET = 320, /* no block and no packet has so many bytes but those that go on while bit 7 is set */
};

static struct v7_lane *own(struct sl_decoder *base)
{
	return (struct v7_lane *)base;
}

void v7_gap(struct v7_lane *lane, uint64_t offset, enum sl_gap gap)
{
	struct sl_elem *e = v7_push(lane, offset);

	e->kind = SL_ELEM_GAP;
	e->count = gap;
}

void v7_mark(struct v7_lane *lane, enum sl_mark_kind kind, uint64_t offset, uint64_t address)
{
	lane->open = 0; /* ranges are not merged across what tells of them */
	if (engine_mark(&lane->base, kind, offset, address) < 0)
		lane->queue.no_memory = true;
}

/* What is to be told waits for an element of a packet. */
void v7_give_up(struct v7_lane *lane, uint64_t offset)
{
	lane->queue.elems[lane->queue.len++] =
		(struct sl_elem){ .offset = offset, .kind = SL_ELEM_GAP, .count = SL_GAP_DECODE_ERROR };
}

void v7_no_image(struct v7_lane *lane, uint64_t offset, uint64_t address)
{
	struct sl_elem *e = v7_push(lane, offset);

	e->kind = SL_ELEM_GAP;
	e->count = lane->code.exhausted ? SL_GAP_RUNAWAY : SL_GAP_NO_IMAGE;
	e->flags = SL_FLAG_ADDRESS;
	e->address = address;
	lane->code.exhausted = false;
}

void v7_attach_cycles(struct v7_lane *lane, uint64_t offset, uint32_t cycles)
{
	struct sl_elem *e = v7_push(lane, offset);

	e->kind = SL_ELEM_CYCLES;
	e->flags = SL_FLAG_ATTACHED;
	e->count = cycles;
}

unsigned v7_follow_known(struct v7_lane *lane, uint32_t *id, unsigned *atoms, unsigned count, uint64_t offset)
{
	const struct run *hot = lane->runs->hot;
	bool joins = lane->open && lane->open == lane->queue.len;
	uint32_t next;

	for (; count && (next = hot[*id].next[*atoms & 1]) >= RUN_FIRST; count--) {
		v7_add_run(lane, &hot[*id], *atoms & 1, offset, joins);
		joins = next & RUN_JOINS;
		*id = run_id(next);
		*atoms >>= 1;
	}
	lane->open = joins && lane->queue.elems[lane->queue.len - 1].count < RUN_MERGED_MAX ? lane->queue.len : 0;
	return count;
}

bool v7_before_packet(struct v7_lane *lane, uint64_t offset, uint32_t context_id)
{
	uint32_t task = lane->task_from == SL_TASK_CONTEXT_ID ? context_id : 0;

	if (offset >= lane->space.moment.until || task != lane->space.task)
		space_packet(&lane->space, task, offset);
	return v7_reserve(lane);
}

bool v7_choose_runs(struct v7_lane *lane, bool nonsecure)
{
	code_set(&lane->code, lane->space.core, nonsecure ? SL_SPACE_N : SL_SPACE_S);
	lane->runs = run_tables_of(&lane->tables, &lane->code);
	if (!lane->runs)
		lane->queue.no_memory = true;
	return lane->runs;
}

static void free_lane(struct sl_decoder *base)
{
	struct v7_lane *lane = own(base);

	run_tables_free(&lane->tables);
	queue_release(&lane->queue);
	free(lane->carry);
	free(lane);
}

static void feed(struct sl_decoder *base, struct sl_bytes in)
{
	struct v7_lane *lane = own(base);

	if (!lane->started)
		lane->grid = lane->at = in.offset;
	lane->started = true;
	lane->in = in;
}

static void finish(struct sl_decoder *base)
{
	own(base)->finishing = true;
}

/* Decodes bytes; those used. */
static size_t take(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset, bool flush)
{
	size_t used = 0;

	if (!lane->queue.no_memory && v7_reserve(lane))
		used = lane->ops->take(lane, bytes, len, offset, flush);
	lane->code.budget += (uint64_t)used * WALK_BYTES_PER_TRACE_BYTE;
	lane->at = offset + used;
	return used;
}

/* Appends len bytes of what was lent to the carry. */
static bool carry_on(struct v7_lane *lane, size_t len)
{
	if (!len)
		return true;
	if (!lane->carry_len)
		lane->carry_offset = lane->in.offset;
	if (sl_array_reserve((void **)&lane->carry, &lane->carry_cap, 1, lane->carry_len + len) < 0) {
		lane->queue.no_memory = true;
		return false;
	}
	memcpy(lane->carry + lane->carry_len, lane->in.data, len);
	lane->carry_len += len;
	lane->in.data += len;
	lane->in.len -= len;
	lane->in.offset += len;
	return true;
}

static void drop_carry(struct v7_lane *lane, size_t len)
{
	lane->carry_len -= len;
	lane->carry_offset += len;
	memmove(lane->carry, lane->carry + len, lane->carry_len);
}

static bool goes_on(const uint8_t *bytes, size_t len)
{
	while (len && bytes[len - 1] & 0x80)
		len--;
	return !len;
}

/* Completes the packet that was begun; gives back what is behind it. */
static void take_carry(struct v7_lane *lane)
{
	size_t before = lane->carry_len, used;
	size_t n = lane->in.len < SLICE ? lane->in.len : SLICE;

	if (!carry_on(lane, n))
		return;
	if (before >= LONG_PACKET && goes_on(lane->carry + before, n))
		return;
	used = take(lane, lane->carry, lane->carry_len, lane->carry_offset, false);
	if (used < before) {
		drop_carry(lane, used);
		return;
	}
	lane->in.data -= n - (used - before);
	lane->in.len += n - (used - before);
	lane->in.offset -= n - (used - before);
	lane->carry_len = 0;
}

static void take_lent(struct v7_lane *lane)
{
	bool is_all = lane->in.len <= SLICE;
	size_t n = is_all ? lane->in.len : SLICE;
	size_t used = take(lane, lane->in.data, n, lane->in.offset, false);

	lane->in.data += used;
	lane->in.len -= used;
	lane->in.offset += used;
	if (is_all || !used)
		carry_on(lane, n - used);
}

static void take_rest(struct v7_lane *lane)
{
	if (lane->carry_len)
		drop_carry(lane, take(lane, lane->carry, lane->carry_len, lane->carry_offset, true));
}

static void restart(struct sl_decoder *base)
{
	struct v7_lane *lane = own(base);

	lane->open = 0; /* the last element has been lent */
	take_rest(lane);
	lane->grid = lane->at += lane->carry_len;
	lane->started = false;
	lane->carry_len = 0;
	lane->ops->reset(lane);
	space_restart(&lane->space);
}

static void end_lane(struct v7_lane *lane)
{
	take_rest(lane);
	if (!v7_reserve(lane))
		return;
	lane->ops->end(lane, lane->carry, lane->carry_len, lane->carry_offset);
	if (!v7_reserve(lane))
		return;
	lane->queue.elems[lane->queue.len++] =
		(struct sl_elem){ .offset = lane->at + lane->carry_len, .kind = SL_ELEM_END };
	lane->ended = true;
}

static void fill_queue(struct v7_lane *lane)
{
	lane->queue.head = lane->queue.len = lane->open = 0;
	if (run_tables_trim(&lane->tables))
		lane->runs = NULL;
	while (!lane->queue.len && lane->in.len && !lane->queue.no_memory) {
		if (lane->carry_len)
			take_carry(lane);
		else
			take_lent(lane);
	}
	if (!lane->queue.len && lane->finishing && !lane->ended)
		end_lane(lane);
}

static int lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct v7_lane *lane = own(base);

	if (queue_is_lent(&lane->queue))
		fill_queue(lane);
	return queue_lend(&lane->queue, ret, ret_len);
}

const struct sl_engine_ops v7_engine = { free_lane, feed, finish, restart, lend };

int v7_init(struct v7_lane *lane, const struct v7_ops *ops, const struct sl_trace_config *config,
	    const struct sl_decoder_options *options)
{
	lane->base.ops = &v7_engine;
	lane->ops = ops;
	lane->options = *options;
	lane->task_from = config->task_from;
	lane->code.image = options->image;
	lane->code.isa = (struct isa_options){ .arch = config->arch, .m_profile = config->profile == SL_PROFILE_M };
	lane->code.budget = WALK_BYTES_FREE;
	lane->code.merge = options->merge;
	space_init(&lane->space, options, &lane->queue);
	return v7_reserve(lane) ? SL_OK : SL_ERR_NOMEM;
}
