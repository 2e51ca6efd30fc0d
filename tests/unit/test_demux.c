/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "frame_encode.h"
#include "sl_array.h"
#include "sl_demux.h"

static const uint8_t ids[] = { 0x01, 0x10, 0x11, 0x6f };
enum { IDS = sizeof(ids) / sizeof(ids[0]) };

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* What came out for one id: bytes, where each lay in the buffer, and where the lane restarted. */
struct lane {
	uint8_t *data;
	uint64_t *at;
	size_t len, cap, at_len, at_cap;
	unsigned restarts;
};
struct result {
	struct lane lanes[SL_TRACE_IDS];
	struct sl_demux_stats stats;
};

static void release(struct result *r)
{
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		free(r->lanes[id].data);
		free(r->lanes[id].at);
	}
}

static bool restarts_at(const struct sl_lane_bytes *in, uint64_t lane_offset)
{
	for (size_t i = 0; i < in->map_len; i++)
		if (in->map[i].lane_offset == lane_offset && in->map[i].restart)
			return true;
	return false;
}

static void collect(const struct sl_demux *demux, struct result *r)
{
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		const struct sl_lane_bytes *in = sl_demux_lane(demux, (uint8_t)id);
		struct lane *lane = &r->lanes[id];

		assert_int_equal(in->offset, lane->len);
		for (size_t i = 0; i < in->len; i++) {
			uint64_t at = sl_lane_to_buffer(in, in->offset + i);

			lane->restarts += restarts_at(in, in->offset + i);
			assert_int_equal(SL_ARRAY_PUSH(&lane->data, &lane->len, &lane->cap, in->data[i]),
					 SL_OK);
			assert_int_equal(SL_ARRAY_PUSH(&lane->at, &lane->at_len, &lane->at_cap, at), SL_OK);
		}
	}
}

static void check_account(const struct sl_demux_stats *stats, size_t len)
{
	uint64_t sum = stats->frame_bytes + stats->unknown_id_bytes + stats->skipped_bytes;

	for (unsigned id = 0; id < SL_TRACE_IDS; id++)
		sum += stats->lane_bytes[id];
	assert_int_equal(stats->bytes, len);
	assert_int_equal(sum, len);
}

/* An odd byte of a frame is stored as it is, an even one without its bit 0. */
static void check_offsets(const struct result *r, const uint8_t *data, size_t len)
{
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		const struct lane *lane = &r->lanes[id];

		assert_int_equal(r->stats.lane_bytes[id], lane->len);
		for (size_t i = 0; i < lane->len; i++) {
			assert_true(lane->at[i] < len);
			assert_true(i == 0 || lane->at[i] > lane->at[i - 1]);
			assert_int_equal(lane->data[i] & 0xfe, data[lane->at[i]] & 0xfe);
		}
	}
}

static void split(enum sl_framing framing, const uint8_t *data, size_t len, size_t chunk, struct result *ret)
{
	struct sl_demux *demux;

	memset(ret, 0, sizeof(*ret));
	assert_int_equal(sl_demux_new(framing, &demux), SL_OK);
	for (size_t i = 0; i < len; i += chunk) {
		size_t n = len - i < chunk ? len - i : chunk;

		assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ data + i, n, i }), SL_OK);
		collect(demux, ret);
	}
	sl_demux_finish(demux);
	collect(demux, ret);
	ret->stats = *sl_demux_stats(demux);
	sl_demux_free(demux);
	check_account(&ret->stats, len);
	check_offsets(ret, data, len);
}

/* Bytes of each id as they went in. */
struct sent {
	uint8_t *data[IDS];
	size_t len[IDS], cap[IDS];
};

static void sent_free(struct sent *s)
{
	for (size_t i = 0; i < IDS; i++)
		free(s->data[i]);
}

static void send_random(struct frame_encoder *enc, struct sent *sent, unsigned pieces, uint32_t *seed)
{
	for (unsigned i = 0; i < pieces; i++) {
		size_t which = next_random(seed) % IDS, n = 1 + next_random(seed) % (i % 7 == 0 ? 40 : 5);

		while (n-- > 0) {
			uint8_t byte = next_random(seed) % 4 == 0 ? 0xff : (uint8_t)next_random(seed);

			frame_put(enc, ids[which], &byte, 1);
			assert_int_equal(
				SL_ARRAY_PUSH(&sent->data[which], &sent->len[which], &sent->cap[which], byte),
				SL_OK);
		}
	}
}

static void check_lanes(const struct result *r, const struct sent *sent)
{
	for (size_t i = 0; i < IDS; i++) {
		const struct lane *lane = &r->lanes[ids[i]];

		assert_int_equal(lane->len, sent->len[i]);
		assert_memory_equal(lane->data, sent->data[i], sent->len[i]);
		assert_int_equal(lane->restarts, 0);
	}
	assert_int_equal(r->stats.unknown_id_bytes, 0);
	assert_int_equal(r->stats.bad_syncs, 0);
	assert_int_equal(r->stats.skipped_bytes, 0);
}

static void round_trip(enum sl_framing framing, const struct frame_options *options)
{
	static const size_t chunks[] = { 1, 3, 16, 61, SIZE_MAX / 2 };
	struct frame_encoder enc;
	struct sent sent = { 0 };
	uint32_t seed = 1;

	frame_encoder_init(&enc, options);
	send_random(&enc, &sent, 2000, &seed);
	frame_flush(&enc);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		struct result r;

		split(framing, enc.data, enc.len, chunks[i], &r);
		check_lanes(&r, &sent);
		assert_int_equal(r.stats.frames, enc.frames);
		release(&r);
	}
	sent_free(&sent);
	frame_encoder_release(&enc);
}

void test_demux__names(void **state)
{
	enum sl_framing framing;

	for (unsigned i = 0; sl_framing_name(i); i++) {
		assert_int_equal(sl_framing_parse(sl_framing_name(i), &framing), SL_OK);
		assert_int_equal(framing, i);
	}
	assert_null(sl_framing_name(SL_FRAMING_DSTREAM + 1));
	assert_int_equal(sl_framing_parse("nonsense", &framing), SL_ERR_FORMAT);
}

void test_demux__coresight_frames(void **state)
{
	round_trip(SL_FRAMING_CORESIGHT, &(struct frame_options){ 0 });
	round_trip(SL_FRAMING_CORESIGHT, &(struct frame_options){ .repeat_id_every = 1 });
}

void test_demux__tpiu(void **state)
{
	round_trip(SL_FRAMING_TPIU, &(struct frame_options){ .fsync_every = 1 });
	round_trip(SL_FRAMING_TPIU, &(struct frame_options){ .fsync_every = 64, .repeat_id_every = 10 });
}

void test_demux__tpiu_with_half_syncs(void **state)
{
	round_trip(SL_FRAMING_TPIU_HSYNC, &(struct frame_options){ .fsync_every = 32, .hsync_every = 3 });
	round_trip(SL_FRAMING_TPIU_HSYNC, &(struct frame_options){ .fsync_every = 1, .hsync_every = 1 });
}

/* A DSTREAM stores blocks of 512 bytes: 504 of the port's, then 8 of its own. */
void test_demux__dstream_blocks(void **state)
{
	const struct frame_options options = { .fsync_every = 32, .hsync_every = 7 };
	struct frame_encoder enc;
	struct sent sent = { 0 };
	uint32_t seed = 2;
	uint8_t *stored;
	size_t len = 0;

	frame_encoder_init(&enc, &options);
	send_random(&enc, &sent, 3000, &seed);
	frame_flush(&enc);
	stored = calloc(1, enc.len / 504 * 8 + enc.len + 8);
	for (size_t i = 0; i < enc.len; i++) {
		if (len % 512 == 504)
			len += 8;
		stored[len++] = enc.data[i];
	}
	for (size_t chunk = 1; chunk < 2000; chunk = chunk * 3 + 1) {
		struct result r;

		split(SL_FRAMING_DSTREAM, stored, len, chunk, &r);
		check_lanes(&r, &sent);
		release(&r);
	}
	free(stored);
	sent_free(&sent);
	frame_encoder_release(&enc);
}

void test_demux__barrier_restarts_the_lanes(void **state)
{
	struct frame_encoder enc;
	struct result r;

	for (size_t chunk = 1; chunk <= 64; chunk *= 4) {
		frame_encoder_init(&enc, &(struct frame_options){ 0 });
		frame_put(&enc, 0x10, (const uint8_t *)"before", 6);
		frame_put(&enc, 0x11, (const uint8_t *)"other", 5);
		frame_barrier(&enc);
		frame_put(&enc, 0x10, (const uint8_t *)"after", 5);
		frame_flush(&enc);
		split(SL_FRAMING_CORESIGHT, enc.data, enc.len, chunk, &r);
		assert_int_equal(r.stats.barriers, 1);
		assert_int_equal(r.lanes[0x10].len, 11);
		assert_memory_equal(r.lanes[0x10].data, "beforeafter", 11);
		assert_int_equal(r.lanes[0x10].restarts, 1);
		assert_int_equal(r.lanes[0x11].restarts, 0);
		assert_true(r.lanes[0x10].at[6] >= 32);
		release(&r);
		frame_encoder_release(&enc);
	}
}

/* Frames without an ID are one run, up to where the buffer has a hole or another id comes. */
void test_demux__runs_of_frames(void **state)
{
	enum { FRAMES = 100, HOLE = 1000 };
	const struct sl_lane_bytes *lane;
	uint8_t data[FRAMES * 16] = { 0x21 }; /* ID 0x10, and zeros */
	struct sl_demux *demux;

	for (size_t i = 1; i < sizeof(data); i++)
		data[i] = i % 16 == 15 ? (uint8_t)(i / 16) : (uint8_t)(i & 0xfe); /* with all kinds of flags */
	data[15] = 0;
	assert_int_equal(sl_demux_new(SL_FRAMING_CORESIGHT, &demux), SL_OK);
	lane = sl_demux_lane(demux, 0x10);
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ data, sizeof(data), 0 }), SL_OK);
	assert_int_equal(lane->len, 14 + 15 * (FRAMES - 1));
	assert_int_equal(lane->map_len, 2); /* the frame with the ID, all others */
	for (size_t i = 14; i < lane->len; i++) {
		size_t frame = 1 + (i - 14) / 15, at = (i - 14) % 15;

		assert_int_equal(sl_lane_to_buffer(lane, i), 16 * frame + at);
		assert_int_equal(lane->data[i], at % 2 ? data[16 * frame + at] : data[16 * frame + at] | (frame >> at / 2 & 1));
	}
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ data + 16, 32, sizeof(data) }), SL_OK);
	assert_int_equal(lane->map_len, 2);
	assert_int_equal(sl_lane_to_buffer(lane, lane->offset + 29), sizeof(data) + 30);
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ data + 16, 32, sizeof(data) + HOLE }), SL_OK);
	assert_int_equal(lane->map_len, 3);
	assert_int_equal(sl_lane_to_buffer(lane, lane->offset + 15), sizeof(data) + HOLE + 16);
	assert_int_equal(sl_lane_to_buffer(lane, lane->offset - 1), sizeof(data) + 30);
	data[16] = 0x23;
	data[31] = 0;
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ data, 48, sizeof(data) + HOLE + 32 }), SL_OK);
	assert_int_equal(lane->map_len, 4); /* of its bytes only those behind its ID: the next frame has another */
	sl_demux_free(demux);
}

/* Data without an ID before it, at the start of the buffer and behind a barrier, is nobody's. */
void test_demux__data_before_the_first_id(void **state)
{
	static const uint8_t data[48] = {
		2,    3,    4,	  5,	0x21, 0xaa, 6,	  7,	8,    9,    10,	  11,
		12,   13,   14,	  0,	0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 2,    3,    4,	  5,
		6,    7,    8,	  9,	10,   11,   12,	  13,	14,   15,   0x23, 0,
	};
	struct result r;

	split(SL_FRAMING_CORESIGHT, data, sizeof(data), 7, &r);
	assert_int_equal(r.stats.unknown_id_bytes, 4 + 14);
	assert_int_equal(r.lanes[0x10].len, 10);
	assert_int_equal(r.lanes[0x11].len, 0);
	release(&r);
}

/* The ID in byte 14 holds for the next frame; its flag bit means nothing there. */
void test_demux__id_in_byte_14(void **state)
{
	static const uint8_t data[32] = {
		0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x23, 0x80, 0xa0, 0xa1, 1,
	};
	struct result r;

	split(SL_FRAMING_CORESIGHT, data, sizeof(data), 32, &r);
	assert_int_equal(r.lanes[0x10].len, 13);
	assert_int_equal(r.lanes[0x11].len, 2);
	assert_int_equal(r.lanes[0x11].data[0], 0xa0);
	assert_int_equal(r.lanes[0].len, 12);
	release(&r);
}

void test_demux__damaged_barrier_is_skipped(void **state)
{
	struct frame_encoder enc;
	struct result r;

	frame_encoder_init(&enc, &(struct frame_options){ 0 });
	frame_put(&enc, 0x10, (const uint8_t *)"before", 6);
	frame_barrier(&enc);
	frame_put(&enc, 0x10, (const uint8_t *)"after", 5);
	frame_flush(&enc);
	enc.data[16 + 5] = 0x12; /* three syncs are left */
	split(SL_FRAMING_CORESIGHT, enc.data, enc.len, 5, &r);
	assert_int_equal(r.stats.barriers, 0);
	assert_int_equal(r.stats.bad_syncs, 1);
	assert_int_equal(r.stats.skipped_bytes, 16);
	assert_int_equal(r.lanes[0x10].len, 11);
	assert_int_equal(r.lanes[0x10].restarts, 1);
	release(&r);
	frame_encoder_release(&enc);
}

/* From anywhere inside of a frame: nothing until the next full sync, everything after it. */
void test_demux__tpiu_starts_in_mid_frame(void **state)
{
	const struct frame_options options = { .fsync_every = 2 };
	struct frame_encoder enc;
	struct result r;

	frame_encoder_init(&enc, &options);
	for (uint8_t i = 0; i < 200; i++)
		frame_put(&enc, ids[i % IDS], &i, 1);
	frame_flush(&enc);
	for (size_t skip = 1; skip < 36; skip++) {
		split(SL_FRAMING_TPIU, enc.data + skip, enc.len - skip, 3, &r);
		assert_int_equal(r.stats.skipped_bytes, 36 - skip);
		assert_int_equal(r.stats.frames, enc.frames - 2);
		assert_int_equal(r.stats.bad_syncs, 0);
		release(&r);
	}
	frame_encoder_release(&enc);
}

/* A full sync inside of a frame: bytes were lost before it. */
void test_demux__tpiu_lost_bytes(void **state)
{
	const struct frame_options options = { .fsync_every = 1 };
	struct frame_encoder enc;
	struct result r;
	uint8_t bytes[42];

	memset(bytes, 0x40, sizeof(bytes));
	frame_encoder_init(&enc, &options);
	frame_put(&enc, 0x10, bytes, sizeof(bytes));
	frame_flush(&enc);
	assert_int_equal(enc.frames, 3);
	memmove(enc.data + 27, enc.data + 30, enc.len - 30); /* three bytes of the second frame */
	split(SL_FRAMING_TPIU, enc.data, enc.len - 3, 2, &r);
	assert_int_equal(r.stats.bad_syncs, 1);
	assert_int_equal(r.stats.skipped_bytes, 13);
	assert_int_equal(r.stats.frames, 2);
	/* the third frame names no ID, and the one of before may have been changed by what was lost */
	assert_int_equal(r.stats.unknown_id_bytes, 13);
	assert_int_equal(r.lanes[0x10].len, 14);
	release(&r);
	frame_encoder_release(&enc);
}

void test_demux__frame_cut_at_the_end(void **state)
{
	const struct frame_options options = { .fsync_every = 1 };
	struct frame_encoder enc;
	struct result r;

	frame_encoder_init(&enc, &options);
	frame_put(&enc, 0x10, (const uint8_t *)"0123456789abcd", 14);
	frame_put(&enc, 0x10, (const uint8_t *)"0123456789abcd", 14);
	frame_flush(&enc);
	for (size_t cut = 1; cut < 16; cut++) {
		split(SL_FRAMING_TPIU, enc.data, 40 - cut, 4, &r);
		assert_int_equal(r.stats.skipped_bytes, 16 - cut);
		assert_int_equal(r.lanes[0x10].len, 14);
		release(&r);
		split(SL_FRAMING_CORESIGHT, enc.data + 4, 16 - cut, 4, &r);
		assert_int_equal(r.stats.skipped_bytes, 16 - cut);
		release(&r);
	}
	frame_encoder_release(&enc);
}

/* A new AUX piece: the half frame before it is nobody's, and data without an id is not the id's before it. */
void test_demux__restart(void **state)
{
	struct frame_encoder enc;
	struct sl_demux *demux;
	uint8_t unnamed[16] = { 0 };

	frame_encoder_init(&enc, &(struct frame_options){ 0 });
	frame_put(&enc, 0x10, (const uint8_t *)"0123456789abcd", 14);
	frame_flush(&enc);
	assert_int_equal(sl_demux_new(SL_FRAMING_CORESIGHT, &demux), SL_OK);
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ enc.data, 16, 0 }), SL_OK);
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ enc.data, 5, 16 }), SL_OK);
	sl_demux_restart(demux);
	assert_int_equal(sl_demux_split(demux, (struct sl_bytes){ unnamed, 16, 100 }), SL_OK);
	sl_demux_finish(demux);
	assert_int_equal(sl_demux_stats(demux)->skipped_bytes, 5);
	assert_int_equal(sl_demux_stats(demux)->lane_bytes[0x10], 14);
	assert_int_equal(sl_demux_stats(demux)->unknown_id_bytes, 15);
	sl_demux_free(demux);
	frame_encoder_release(&enc);
}

/* Whatever the bytes are: each is accounted for, and the chunks make no difference. */
void test_demux__noise_is_accounted_for(void **state)
{
	static const uint8_t common[] = { 0xff, 0xff, 0x7f, 0x00, 0x21 };
	uint32_t seed = 3;
	uint8_t data[4096];

	for (unsigned framing = SL_FRAMING_CORESIGHT; framing <= SL_FRAMING_DSTREAM; framing++) {
		struct result whole, bytes;

		for (size_t i = 0; i < sizeof(data); i++) {
			uint32_t r = next_random(&seed);

			data[i] = r % 3 ? common[r / 3 % sizeof(common)] : (uint8_t)(r >> 12);
		}
		split((enum sl_framing)framing, data, sizeof(data), sizeof(data), &whole);
		split((enum sl_framing)framing, data, sizeof(data), 1, &bytes);
		assert_memory_equal(&whole.stats, &bytes.stats, sizeof(whole.stats));
		for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
			assert_int_equal(whole.lanes[id].restarts, bytes.lanes[id].restarts);
			if (whole.lanes[id].len > 0)
				assert_memory_equal(whole.lanes[id].data, bytes.lanes[id].data,
						    whole.lanes[id].len);
		}
		release(&whole);
		release(&bytes);
	}
}
