/* SPDX-License-Identifier: Apache-2.0 */
#include "frame_encode.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

static const uint8_t fsync_bytes[4] = { 0xff, 0xff, 0xff, 0x7f };
static const uint8_t hsync_bytes[2] = { 0xff, 0x7f };

void frame_encoder_init(struct frame_encoder *enc, const struct frame_options *options)
{
	memset(enc, 0, sizeof(*enc));
	enc->options = *options;
	enc->id = -1;
	enc->held_id = -1;
}

void frame_encoder_release(struct frame_encoder *enc)
{
	free(enc->data);
	memset(enc, 0, sizeof(*enc));
}

static void put_raw(struct frame_encoder *enc, const uint8_t *data, size_t len)
{
	if (sl_array_reserve((void **)&enc->data, &enc->cap, 1, enc->len + len) < 0)
		abort();
	memcpy(enc->data + enc->len, data, len);
	enc->len += len;
}

/* The frame goes out in pairs of bytes, between which half syncs may stand. */
static void put_frame(struct frame_encoder *enc)
{
	const struct frame_options *options = &enc->options;

	if (options->fsync_every > 0 && enc->frames % options->fsync_every == 0)
		put_raw(enc, fsync_bytes, sizeof(fsync_bytes));
	for (unsigned i = 0; i < 16; i += 2) {
		put_raw(enc, enc->frame + i, 2);
		enc->pairs++;
		if (options->hsync_every > 0 && enc->pairs % options->hsync_every == 0)
			put_raw(enc, hsync_bytes, sizeof(hsync_bytes));
	}
	memset(enc->frame, 0, sizeof(enc->frame));
	enc->fill = 0;
	enc->frames++;
	enc->frames_without_id++;
}

static void put_slot(struct frame_encoder *enc, uint8_t byte)
{
	enc->frame[enc->fill++] = byte;
	if (enc->fill == 15)
		put_frame(enc);
}

/* Bit n of the flag byte belongs to bytes 2n and 2n + 1 of the frame. */
static void set_flag(struct frame_encoder *enc)
{
	enc->frame[15] |= (uint8_t)(1u << enc->fill / 2);
}

/* An ID in an even byte; delayed: it counts from the byte after the next one on. */
static void put_id(struct frame_encoder *enc, int id, bool delayed)
{
	if (delayed)
		set_flag(enc);
	put_slot(enc, (uint8_t)(id << 1 | 1));
	enc->id = id;
	enc->frames_without_id = 0;
}

static bool id_due(const struct frame_encoder *enc, int id)
{
	return id != enc->id ||
	       (enc->options.repeat_id_every > 0 && enc->frames_without_id >= enc->options.repeat_id_every);
}

/*
 * Writes a byte, knowing the source of the one after it: an odd byte has no room for an ID, so a change that
 * would fall there is told one byte ahead in the delayed form. An even byte lends its bit 0 to the flag byte.
 * An ID in byte 14 ends the frame: its data begins the next one.
 */
static void put_byte(struct frame_encoder *enc, int id, uint8_t byte, int next_id)
{
	if (enc->fill % 2 == 0 && id_due(enc, id))
		put_id(enc, id, false);
	if (enc->fill % 2 == 1) {
		put_slot(enc, byte);
	} else if (next_id != id && enc->fill != 14) {
		put_id(enc, next_id, true);
		put_slot(enc, byte);
	} else {
		if (byte & 1)
			set_flag(enc);
		put_slot(enc, byte & 0xfe);
	}
}

static void put_held(struct frame_encoder *enc, int next_id)
{
	if (enc->held_id >= 0)
		put_byte(enc, enc->held_id, enc->held, next_id);
	enc->held_id = -1;
}

void frame_put(struct frame_encoder *enc, uint8_t id, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		put_held(enc, id);
		enc->held_id = id;
		enc->held = data[i];
	}
}

void frame_flush(struct frame_encoder *enc)
{
	put_held(enc, 0);
	while (enc->fill > 0)
		put_byte(enc, 0, 0, 0);
	enc->id = -1;
}

void frame_fsync(struct frame_encoder *enc)
{
	frame_flush(enc);
	put_raw(enc, fsync_bytes, sizeof(fsync_bytes));
}

void frame_barrier(struct frame_encoder *enc)
{
	frame_flush(enc);
	for (int i = 0; i < 4; i++)
		put_raw(enc, fsync_bytes, sizeof(fsync_bytes));
}
