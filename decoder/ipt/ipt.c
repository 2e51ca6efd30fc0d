/* SPDX-License-Identifier: Apache-2.0 */
/* The lane's bytes into windows, and what a window holds into elements. */
#include "ipt.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	WINDOW_MAX = 64 << 20,	  /* no CPU leaves so much between two PSB: the window ends there in any case */
	BATCH = 1024,		  /* elements made at a time */
	RUNS_PER_BYTE = 256, RUNS_FREE = 1 << 20, /* walked without a packet: more than real code can ask for */
};
/* As for the other engines: what a byte of trace may make us read of the image. */
enum { WALK_BYTES_PER_TRACE_BYTE = 24 * 512, WALK_BYTES_FREE = 64 << 20 };

static struct ipt *own(struct sl_decoder *base)
{
	return (struct ipt *)base;
}

uint64_t ipt_offset_apart(const struct ipt *d, uint64_t at)
{
	const struct ipt_bytes *b = &d->bytes;
	size_t i = b->place_len;

	while (i > 1 && b->places[i - 1].at > at)
		i--;
	return i ? b->places[i - 1].offset + (at - b->places[i - 1].at) : at;
}

/* An element comes in order: what a packet told before it was due has the offset of the one before. */
struct sl_elem *ipt_push(struct ipt *d, uint64_t at, enum sl_elem_kind kind)
{
	uint64_t offset = ipt_offset(d, at);
	struct sl_elem *e;

	space_before(&d->space, offset);
	e = queue_slot(&d->queue);
	if (!e)
		return &d->nowhere;
	*e = (struct sl_elem){ .offset = offset, .kind = (uint8_t)kind };
	if (e->offset < d->told_to)
		e->offset = d->told_to;
	d->told_to = e->offset;
	d->queue.len++;
	return e;
}

static void push_gap(struct ipt *d, uint64_t at, enum sl_gap gap)
{
	if (!d->options.packets_only)
		ipt_push(d, at, SL_ELEM_GAP)->count = gap;
	ipt_confirm(d);
}

const uint8_t *ipt_find_psb(const uint8_t *bytes, size_t len)
{
	static const uint8_t psb[IPT_PSB_BYTES] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 };

	return len < IPT_PSB_BYTES ? NULL : memmem(bytes, len, psb, IPT_PSB_BYTES);
}

uint64_t ipt_next_psb(const struct ipt *d, uint64_t from)
{
	const struct ipt_bytes *b = &d->bytes;
	const uint8_t *psb = from < b->window ? ipt_find_psb(b->held + from, b->window - from) : NULL;

	return psb ? (uint64_t)(psb - b->held) : b->window;
}

static void drop_places(struct ipt_bytes *b, size_t len)
{
	size_t gone = 0;

	while (gone + 1 < b->place_len && b->places[gone + 1].at <= len)
		gone++;
	memmove(b->places, b->places + gone, (b->place_len - gone) * sizeof(*b->places));
	b->place_len -= gone;
	for (size_t i = 0; i < b->place_len; i++) {
		struct ipt_place *place = &b->places[i];

		place->offset += place->at < len ? len - place->at : 0;
		place->at -= place->at < len ? place->at : len;
	}
}

static void drop(struct ipt_bytes *b, size_t len)
{
	drop_places(b, len);
	b->len -= len;
	b->held += len;
	b->searched = b->searched > len ? b->searched - len : 0;
}

/* Where what was lent lies, if that is not behind what is held. */
static bool note_place(struct ipt_bytes *b)
{
	struct ipt_place place = { b->len, b->in.offset };
	const struct ipt_place *last = b->place_len ? &b->places[b->place_len - 1] : NULL;

	if (!b->len)
		b->place_len = 0;
	else if (last && last->offset + (b->len - last->at) == place.offset)
		return true;
	return SL_ARRAY_PUSH(&b->places, &b->place_len, &b->place_cap, place) == SL_OK;
}

/* Room for so many bytes in all; what is held moves to the beginning. */
static int make_room(struct ipt_bytes *b, size_t len)
{
	if (b->len)
		memmove(b->memory, b->held, b->len);
	if (sl_array_reserve((void **)&b->memory, &b->cap, 1, len) < 0)
		return SL_ERR_NOMEM;
	b->held = b->memory;
	return SL_OK;
}

int ipt_hold(struct ipt_bytes *b, const uint8_t *data, size_t len, const struct ipt_place *places, size_t place_len)
{
	b->len = b->place_len = 0;
	b->in = (struct sl_bytes){ 0 };
	if (make_room(b, len) < 0 || sl_array_reserve((void **)&b->places, &b->place_cap, sizeof(*places), place_len) < 0)
		return SL_ERR_NOMEM;
	if (len)
		memcpy(b->held, data, len);
	if (place_len)
		memcpy(b->places, places, place_len * sizeof(*places));
	b->len = len;
	b->place_len = place_len;
	return SL_OK;
}

/* Takes what was lent. */
static bool hold(struct ipt *d)
{
	struct ipt_bytes *b = &d->bytes;

	if (!note_place(b) || make_room(b, b->len + b->in.len) < 0) {
		d->queue.no_memory = true;
		return false;
	}
	memcpy(b->held + b->len, b->in.data, b->in.len);
	b->len += b->in.len;
	b->in.offset += b->in.len;
	b->in.len = 0;
	return true;
}

/* How many bytes no PSB begins in: whole blocks, as they are told, while more bytes may come. */
static size_t bytes_to_skip(const struct ipt_bytes *b, const uint8_t *psb)
{
	if (psb)
		return (size_t)(psb - b->held);
	if (b->cut || (b->finishing && !b->in.len))
		return b->len;
	return b->len < IPT_PSB_BYTES ? 0 : (b->len - IPT_PSB_BYTES + 1) / IPT_SKIPPED * IPT_SKIPPED;
}

/* Of the window that begins at held[0] nothing is known but whether a PSB is there. */
static void begin_window(struct ipt_bytes *b, bool synced)
{
	b->synced = synced;
	b->searched = IPT_PSB_BYTES;
	b->head = 0;
	b->headed = false;
}

/* Drops what lies before the first PSB; false where there is none yet. */
static bool find_start(struct ipt *d)
{
	struct ipt_bytes *b = &d->bytes;
	const uint8_t *psb = ipt_find_psb(b->held, b->len);
	size_t skipped = bytes_to_skip(b, psb);

	ipt_tell_skipped(d, 0, skipped);
	drop(b, skipped);
	begin_window(b, psb);
	return psb;
}

/* Where the window ends, which begins at held[0]; 0 where that is not known yet. */
static size_t find_end(struct ipt_bytes *b)
{
	const uint8_t *psb = b->searched < b->len ? ipt_find_psb(b->held + b->searched, b->len - b->searched) : NULL;
	size_t end = psb ? (size_t)(psb - b->held) : SIZE_MAX;

	if (end == SIZE_MAX && b->len > 2 * IPT_PSB_BYTES)
		b->searched = b->len - IPT_PSB_BYTES + 1;
	if (end > WINDOW_MAX && b->len > WINDOW_MAX)
		return WINDOW_MAX;
	if (end != SIZE_MAX)
		return end;
	return b->cut || b->finishing ? b->len : 0;
}

static bool open_window(struct ipt *d, size_t len)
{
	struct ipt_bytes *b = &d->bytes;

	b->window = len;
	d->config.begin = b->held;
	d->config.end = b->held + len;
	d->packets = pt_pkt_alloc_decoder(&d->config);
	if (!d->options.packets_only)
		d->query = pt_qry_alloc_decoder(&d->config);
	d->packet_at = b->head;
	d->at = d->sync_at = 0;
	d->in_sync = false;
	d->code.budget += (uint64_t)len * WALK_BYTES_PER_TRACE_BYTE;
	d->budget += (int64_t)len * RUNS_PER_BYTE;
	if (!d->packets || pt_pkt_sync_set(d->packets, b->head) < 0 || (!d->query && !d->options.packets_only))
		d->queue.no_memory = true;
	return !d->queue.no_memory;
}

static void close_window(struct ipt *d)
{
	struct ipt_bytes *b = &d->bytes;
	size_t len = b->window;

	pt_pkt_free_decoder(d->packets);
	pt_qry_free_decoder(d->query);
	d->packets = NULL;
	d->query = NULL;
	if (!len)
		return;
	b->window = 0;
	d->packet_at = d->at = 0;
	drop(b, len);
	begin_window(b, b->len >= IPT_PSB_BYTES && ipt_find_psb(b->held, IPT_PSB_BYTES));
}

static void end_piece(struct ipt *d)
{
	ipt_tell_cycles(d);
	ipt_forget(d);
	space_restart(&d->space);
	d->bytes.cut = false;
	d->bytes.synced = false;
	push_gap(d, d->bytes.len, SL_GAP_RESET);
}

static void end_lane(struct ipt *d)
{
	ipt_tell_cycles(d);
	space_tell(&d->space);
	ipt_push(d, d->bytes.len, SL_ELEM_END);
	ipt_confirm(d);
	d->bytes.ended = true;
}

/* Goes on in the window. */
static void run_window(struct ipt *d)
{
	bool more = !d->options.packets_only && ipt_walk(d);

	if (more || d->queue.no_memory)
		return;
	ipt_rewind(d);
	ipt_packets_until(d, d->bytes.window);
	ipt_confirm(d);
	close_window(d);
}

/* One step; false where there is nothing to do until more bytes come. */
static bool step(struct ipt *d)
{
	struct ipt_bytes *b = &d->bytes;
	size_t end;

	if (b->window) {
		run_window(d);
		return true;
	}
	if (!b->cut && b->in.len && !hold(d))
		return false;
	if (b->len && (b->synced || find_start(d))) {
		if (!b->headed && !ipt_take_head(d))
			return false;
		end = find_end(b);
		return end && open_window(d, end);
	}
	if (b->cut) {
		end_piece(d);
		return true;
	}
	if (!b->finishing || b->ended || b->len)
		return false;
	end_lane(d);
	return true;
}

static void free_decoder(struct sl_decoder *base)
{
	struct ipt *d = own(base);

	close_window(d);
	run_tables_free(&d->tables);
	queue_release(&d->queue);
	free(d->bytes.memory);
	free(d->bytes.places);
	free(d);
}

static void feed(struct sl_decoder *base, struct sl_bytes in)
{
	struct ipt *d = own(base);

	d->bytes.in = in;
	if (d->bytes.started)
		return;
	d->bytes.started = true;
	if (!note_place(&d->bytes))
		d->queue.no_memory = true;
	push_gap(d, 0, SL_GAP_START);
}

static void finish(struct sl_decoder *base)
{
	own(base)->bytes.finishing = true;
}

static void restart(struct sl_decoder *base)
{
	own(base)->bytes.cut = true;
}

/* What was lent is gone; the rest waits for its packet. */
static void drop_lent(struct ipt *d)
{
	struct elem_queue *q = &d->queue;

	memmove(q->elems, q->elems + d->lent, (q->len - d->lent) * sizeof(*q->elems));
	q->len -= d->lent;
	d->confirmed -= d->lent;
	d->lent = 0;
	d->open = 0;
}

static int lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct ipt *d = own(base);

	if (d->lent)
		drop_lent(d);
	if (run_tables_trim(&d->tables))
		d->runs = NULL;
	while (d->confirmed < BATCH && !d->queue.no_memory && step(d))
		;
	if (d->queue.no_memory)
		return SL_ERR_NOMEM;
	if (!d->confirmed)
		return SL_END;
	*ret = d->queue.elems;
	*ret_len = d->lent = d->confirmed;
	return SL_OK;
}

static const struct sl_engine_ops ops = { free_decoder, feed, finish, restart, lend };

static void configure(struct ipt *d, const struct sl_trace_config *config)
{
	pt_config_init(&d->config);
	if (sl_config_has(config, SL_REG_CPUID_1_EAX))
		ipt_set_cpu(&d->config, config->regs[SL_REG_CPUID_1_EAX]);
	d->config.cpuid_0x15_eax = config->regs[SL_REG_CPUID_15_EAX];
	d->config.cpuid_0x15_ebx = config->regs[SL_REG_CPUID_15_EBX];
	d->config.mtc_freq = config->regs[SL_REG_RTIT_CTL] >> 14 & 15;
	d->config.nom_freq = (uint8_t)(config->regs[SL_REG_PLATFORM_INFO] >> 8);
	ipt_time_init(&d->time, config);
}

int ipt_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	    struct sl_diag *diag)
{
	struct ipt *d = calloc(1, sizeof(*d));

	(void)diag;
	if (!d)
		return SL_ERR_NOMEM;
	d->base.ops = &ops;
	d->base.part_ops = &ipt_part_ops;
	d->options = *options;
	d->code.image = options->image;
	d->code.merge = options->merge;
	d->code.budget = WALK_BYTES_FREE;
	d->budget = RUNS_FREE;
	d->bytes.held = d->bytes.memory;
	configure(d, config);
	space_init(&d->space, options, &d->queue);
	ipt_forget(d);
	*ret = &d->base;
	return SL_OK;
}
