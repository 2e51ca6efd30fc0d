/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ITM and DWT packets into elements. Packets are parsed in windows of the bytes held back and those lent, so
 * that nothing depends on how the lane is cut; no state but a handful of numbers outlives a packet.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "itm_packet.h"

enum {
	SKIPPED_BYTES = 16, /* that one ITM_NOTSYNC shows */
	ZEROS_SKIPPED = 8,  /* of a window of zeros: leaves more than a sync needs */
	GLOBAL_LOW_BITS = 26,
	TEXT_BYTES = 96,
};

struct itm_decoder {
	struct sl_decoder base;
	struct sl_decoder_options options;
	unsigned prescale; /* what a tick of a local timestamp counts */

	struct sl_bytes in;		/* lent by feed and not yet used */
	uint8_t held[ITM_WINDOW_BYTES]; /* the bytes before these, of a packet that is not complete */
	size_t held_len;
	uint8_t skipped[SKIPPED_BYTES]; /* not yet shown */
	size_t skipped_len;
	uint64_t skipped_offset;
	bool finishing, ended;

	bool synced;
	bool gap_due; /* the next byte begins with this one */
	enum sl_gap gap;
	uint64_t local_time, global_time;
	bool global_known;  /* all bits of global_time are */
	bool clock_changed; /* since the last global timestamp that was yielded */
	uint8_t page;	    /* of 32 stimulus ports */

	struct sl_elem queue[2]; /* the most that one window makes */
	unsigned queue_head, queue_len;
};

static struct itm_decoder *own(struct sl_decoder *base)
{
	return (struct itm_decoder *)base;
}

static void queue(struct itm_decoder *dec, const struct sl_elem *elem)
{
	if (!dec->options.packets_only || elem->kind == SL_ELEM_END)
		dec->queue[dec->queue_len++] = *elem;
}

static void queue_gap(struct itm_decoder *dec, uint64_t offset, enum sl_gap gap)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_GAP, .count = gap };

	queue(dec, &e);
}

/* Nothing that was known holds: a sync point is waited for. */
static void lose_sync(struct itm_decoder *dec)
{
	dec->synced = false;
	dec->local_time = dec->global_time = 0;
	dec->global_known = dec->clock_changed = false;
	dec->page = 0;
}

static void show(struct itm_decoder *dec, const struct itm_packet *packet, struct sl_bytes bytes)
{
	struct sl_packet out = {
		.offset = bytes.offset,
		.bytes = bytes.data,
		.len = bytes.len,
		.name = itm_kind_name(packet->kind),
		.not_synced = packet->kind == ITM_NOTSYNC,
		.sync = packet->kind == ITM_ASYNC,
		.bad = packet->kind == ITM_BAD_SEQUENCE || packet->kind == ITM_RESERVED,
	};
	char text[TEXT_BYTES];

	if (!dec->options.packet)
		return;
	if (dec->options.packet_text) {
		itm_packet_text(packet, text, sizeof(text));
		out.text = text;
	}
	dec->options.packet(dec->options.packet_ctx, &out);
}

static void show_skipped(struct itm_decoder *dec)
{
	const struct itm_packet packet = { .kind = ITM_NOTSYNC };

	if (dec->skipped_len)
		show(dec, &packet, (struct sl_bytes){ dec->skipped, dec->skipped_len, dec->skipped_offset });
	dec->skipped_len = 0;
}

static void skip(struct itm_decoder *dec, struct sl_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (!dec->skipped_len)
			dec->skipped_offset = bytes.offset + i;
		dec->skipped[dec->skipped_len++] = bytes.data[i];
		if (dec->skipped_len == SKIPPED_BYTES)
			show_skipped(dec);
	}
}

static void queue_message(struct itm_decoder *dec, const struct itm_packet *p, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_MESSAGE, .count = (uint32_t)p->value };

	e.message = (struct sl_message){ .channel = p->source, .bits = p->bits };
	if (p->kind == ITM_DWT)
		e.message.kind = SL_MESSAGE_DWT;
	else
		e.message.channel += dec->page * 32u;
	queue(dec, &e);
}

static void queue_local_time(struct itm_decoder *dec, const struct itm_packet *p, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_TIME, .count = p->source };

	dec->local_time += p->value * dec->prescale;
	e.value = dec->local_time;
	queue(dec, &e);
}

static void queue_global_time(struct itm_decoder *dec, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_MARKER };

	if (!dec->global_known)
		return;
	e.flags = dec->clock_changed ? SL_FLAG_FREQUENCY : 0;
	e.value = dec->global_time;
	dec->clock_changed = false;
	queue(dec, &e);
}

/* D4.2.5: GTS1 replaces the low bits that it has; where the others have changed too, it says so and GTS2
 * follows. */
static void decode_global_1(struct itm_decoder *dec, const struct itm_packet *p, uint64_t offset)
{
	dec->global_time = (dec->global_time >> p->bits << p->bits) | p->value;
	if (p->source & ITM_WRAPPED)
		dec->global_known = false;
	if (p->source & ITM_CLOCK_CHANGED)
		dec->clock_changed = true;
	queue_global_time(dec, offset);
}

static void decode_global_2(struct itm_decoder *dec, const struct itm_packet *p, uint64_t offset)
{
	const uint64_t low = ((uint64_t)1 << GLOBAL_LOW_BITS) - 1;

	dec->global_time = (dec->global_time & low) | p->value << GLOBAL_LOW_BITS;
	dec->global_known = true;
	queue_global_time(dec, offset);
}

static void decode(struct itm_decoder *dec, const struct itm_packet *p, uint64_t offset)
{
	switch (p->kind) {
	case ITM_ASYNC:
		dec->synced = true;
		break;
	case ITM_OVERFLOW:
		dec->local_time = 0;
		queue_gap(dec, offset, SL_GAP_OVERFLOW);
		break;
	case ITM_TS_LOCAL:
		queue_local_time(dec, p, offset);
		break;
	case ITM_GTS_1:
		decode_global_1(dec, p, offset);
		break;
	case ITM_GTS_2:
		decode_global_2(dec, p, offset);
		break;
	case ITM_EXTENSION:
		if (!p->source && p->bits == 3)
			dec->page = (uint8_t)p->value;
		break;
	case ITM_SWIT:
	case ITM_DWT:
		queue_message(dec, p, offset);
		break;
	default:
		break;
	}
}

static void use_bad(struct itm_decoder *dec, struct sl_bytes bytes)
{
	const struct itm_packet packet = { .kind = bytes.len == 1 ? ITM_RESERVED : ITM_BAD_SEQUENCE };

	show_skipped(dec);
	show(dec, &packet, bytes);
	queue_gap(dec, bytes.offset, SL_GAP_BAD_PACKET);
	lose_sync(dec);
}

/* How far it is to the first byte that a sync may begin with. */
static size_t bytes_to_zero(struct sl_bytes window)
{
	const uint8_t *zero = memchr(window.data, 0, window.len);

	return zero ? (size_t)(zero - window.data) : window.len;
}

/* Makes of the window's first bytes what they are; how many that was, 0 where more are needed. */
static size_t use_window(struct itm_decoder *dec, struct sl_bytes window)
{
	struct itm_packet packet;
	int parsed = !dec->synced && window.data[0] ? -(int)bytes_to_zero(window)
						    : itm_packet_parse(window.data, window.len, &packet);

	if (!parsed && window.len < ITM_WINDOW_BYTES)
		return 0;
	window.len = parsed ? (size_t)abs(parsed) : ZEROS_SKIPPED;
	if (parsed > 0) {
		show_skipped(dec);
		show(dec, &packet, window);
		decode(dec, &packet, window.offset);
	} else if (parsed < 0 && dec->synced) {
		use_bad(dec, window);
	} else {
		skip(dec, window);
	}
	return window.len;
}

/* The next bytes, held and lent; into buffer where there are held ones. */
static struct sl_bytes make_window(const struct itm_decoder *dec, uint8_t buffer[ITM_WINDOW_BYTES])
{
	size_t room = ITM_WINDOW_BYTES - dec->held_len;
	size_t n = dec->in.len < room ? dec->in.len : room;

	if (!dec->held_len)
		return (struct sl_bytes){ dec->in.data, n, dec->in.offset };
	memcpy(buffer, dec->held, dec->held_len);
	memcpy(buffer + dec->held_len, dec->in.data, n);
	return (struct sl_bytes){ buffer, dec->held_len + n, dec->in.offset - dec->held_len };
}

static void advance(struct itm_decoder *dec, size_t used)
{
	size_t n = used < dec->held_len ? used : dec->held_len;

	memmove(dec->held, dec->held + n, dec->held_len - n);
	dec->held_len -= n;
	dec->in.data += used - n;
	dec->in.len -= used - n;
	dec->in.offset += used - n;
}

/* Less than a window is left. */
static void hold_rest(struct itm_decoder *dec)
{
	size_t n = dec->in.len;

	memcpy(dec->held + dec->held_len, dec->in.data, n);
	dec->held_len += n;
	dec->in.data += n;
	dec->in.len = 0;
	dec->in.offset += n;
}

/* Ends what waits for bytes that will not come. */
static void end_piece(struct itm_decoder *dec)
{
	const struct itm_packet packet = { .kind = ITM_INCOMPLETE_EOT };
	struct sl_bytes rest = { dec->held, dec->held_len, dec->in.offset - dec->held_len };

	if (!dec->synced)
		skip(dec, rest);
	show_skipped(dec);
	if (dec->synced && rest.len)
		show(dec, &packet, rest);
	dec->held_len = 0;
}

static void end_lane(struct itm_decoder *dec)
{
	struct sl_elem end = { .offset = dec->in.offset, .kind = SL_ELEM_END };

	end_piece(dec);
	queue(dec, &end);
	dec->ended = true;
}

/* False where there is nothing to do until more bytes come. */
static bool step(struct itm_decoder *dec)
{
	uint8_t buffer[ITM_WINDOW_BYTES];

	dec->queue_head = dec->queue_len = 0;
	if (dec->in.len) {
		struct sl_bytes window = make_window(dec, buffer);
		size_t used;

		if (dec->gap_due)
			queue_gap(dec, window.offset, dec->gap);
		dec->gap_due = false;
		used = use_window(dec, window);
		if (used)
			advance(dec, used);
		else
			hold_rest(dec);
		return true;
	}
	if (!dec->finishing || dec->ended)
		return false;
	end_lane(dec);
	return true;
}

static void free_decoder(struct sl_decoder *base)
{
	free(own(base));
}

static void feed(struct sl_decoder *base, struct sl_bytes in)
{
	own(base)->in = in;
}

static void finish(struct sl_decoder *base)
{
	own(base)->finishing = true;
}

static void restart(struct sl_decoder *base)
{
	struct itm_decoder *dec = own(base);

	end_piece(dec);
	lose_sync(dec);
	dec->gap_due = true;
	dec->gap = SL_GAP_RESET;
}

static int lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct itm_decoder *dec = own(base);

	while (dec->queue_head == dec->queue_len) {
		if (!step(dec))
			return SL_END;
	}
	*ret = dec->queue + dec->queue_head;
	*ret_len = dec->queue_len - dec->queue_head;
	dec->queue_head = dec->queue_len;
	return SL_OK;
}

int itm_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
	    struct sl_decoder **ret, struct sl_diag *diag)
{
	static const struct sl_engine_ops ops = { free_decoder, feed, finish, restart, lend };
	struct itm_decoder *dec = calloc(1, sizeof(*dec));

	(void)diag;
	if (!dec)
		return SL_ERR_NOMEM;
	dec->base.ops = &ops;
	dec->options = *options;
	/* ITM_TCR.TSPrescale, C1.7.6: 1, 4, 16 or 64 */
	dec->prescale = 1u << (2 * (config->regs[SL_REG_ITMTCR] >> 8 & 3));
	dec->gap_due = true;
	dec->gap = SL_GAP_START;
	*ret = &dec->base;
	return SL_OK;
}
