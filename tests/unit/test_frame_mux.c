/* SPDX-License-Identifier: Apache-2.0 */
/* Several sources through the formatter and back through sl_demux: each lane is what its source sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "encoder_unit.h"
#include "frame_mux.h"
#include "sl_demux.h"

enum { SOURCES = 5, STEPS = 4000, LANE_MAX = 100000 };
static const uint8_t ids[SOURCES] = { 0x01, 0x10, 0x11, 0x3f, 0x6f };

struct lane {
	uint8_t sent[LANE_MAX], got[LANE_MAX];
	size_t sent_len, got_len;
};
static struct lane lanes[SOURCES];
static size_t triggers, restarts;

static void collect(struct sl_demux *demux)
{
	for (unsigned i = 0; i < SOURCES; i++) {
		const struct sl_lane_bytes *lane = sl_demux_lane(demux, ids[i]);

		assert_true(lanes[i].got_len + lane->len <= LANE_MAX);
		if (lane->len > 0)
			memcpy(lanes[i].got + lanes[i].got_len, lane->data, lane->len);
		lanes[i].got_len += lane->len;
	}
	triggers += sl_demux_lane(demux, 0x7d)->len;
}

static void drain(struct frame_mux *mux, struct sl_demux *demux, uint64_t *total)
{
	struct sl_bytes bytes = frame_mux_drain(mux);

	assert_true(bytes.offset == *total);
	*total += bytes.len;
	if (bytes.len == 0)
		return;
	assert_int_equal(sl_demux_split(demux, bytes), SL_OK);
	collect(demux);
}

/* Bytes that look like syncs and IDs are as likely as others. */
static void send(struct frame_mux *mux, uint64_t *random)
{
	static const uint8_t odd[] = { 0xff, 0x7f, 0x00, 0x80, 0x21 };
	struct lane *lane;
	unsigned source = gen_random(random, SOURCES), n = gen_random(random, 30);
	size_t start;

	lane = &lanes[source];
	start = lane->sent_len;
	assert_true(start + n <= LANE_MAX);
	for (unsigned i = 0; i < n; i++)
		lane->sent[lane->sent_len++] =
			gen_random(random, 2) ? odd[gen_random(random, 5)] : (uint8_t)gen_random(random, 256);
	frame_mux_put(mux, ids[source], (struct sl_bytes){ lane->sent + start, n, start });
}

static void check(enum sl_framing framing, const struct frame_mux_options *options, bool barriers)
{
	struct frame_mux mux;
	struct sl_demux *demux;
	uint64_t random = options->seed * 2 + 1, total = 0;
	size_t told = 0;

	memset(lanes, 0, sizeof(lanes));
	triggers = 0;
	frame_mux_init(&mux, options);
	assert_int_equal(sl_demux_new(framing, &demux), SL_OK);
	for (unsigned i = 0; i < STEPS; i++) {
		send(&mux, &random);
		if (i % 100 == 50) {
			frame_mux_trigger(&mux);
			told++;
		}
		if (barriers && i % 1000 == 500)
			frame_mux_barrier(&mux);
		if (gen_random(&random, 3) == 0)
			drain(&mux, demux, &total);
		assert_true(mux.held <= (options->fifo ? options->fifo : 512));
	}
	frame_mux_flush(&mux);
	drain(&mux, demux, &total);
	sl_demux_finish(demux);
	collect(demux);
	for (unsigned i = 0; i < SOURCES; i++) {
		assert_int_equal(lanes[i].sent_len, lanes[i].got_len);
		assert_memory_equal(lanes[i].sent, lanes[i].got, lanes[i].sent_len);
	}
	assert_int_equal(triggers, told);
	restarts = sl_demux_stats(demux)->barriers;
	assert_int_equal(sl_demux_stats(demux)->bad_syncs, 0);
	sl_demux_free(demux);
	frame_mux_release(&mux);
}

void test_frame_mux__memory(void **state)
{
	for (unsigned seed = 1; seed < 6; seed++) {
		check(SL_FRAMING_CORESIGHT, &(struct frame_mux_options){ .seed = seed }, false);
		check(SL_FRAMING_CORESIGHT,
		      &(struct frame_mux_options){
			      .seed = seed, .turn = seed, .frames = { .repeat_id_every = 10 } },
		      false);
	}
}

void test_frame_mux__barriers(void **state)
{
	check(SL_FRAMING_CORESIGHT, &(struct frame_mux_options){ .seed = 9 }, true);
	assert_int_equal(restarts, STEPS / 1000);
}

void test_frame_mux__full_syncs(void **state)
{
	for (unsigned every = 1; every < 9; every++)
		check(SL_FRAMING_TPIU,
		      &(struct frame_mux_options){
			      .seed = every, .fifo = 64, .frames = { .fsync_every = every } },
		      false);
}

void test_frame_mux__half_syncs(void **state)
{
	for (unsigned every = 1; every < 9; every++)
		check(SL_FRAMING_TPIU_HSYNC,
		      &(struct frame_mux_options){ .seed = every,
						   .turn = 8,
						   .frames = { .fsync_every = 16, .hsync_every = every } },
		      false);
}

/* All sources get their turn: none waits for more than a round of the others. */
void test_frame_mux__turns(void **state)
{
	struct frame_mux_options options = { .turn = 4, .fifo = 40 };
	uint8_t bytes[200] = { 0 };
	struct frame_mux mux;

	frame_mux_init(&mux, &options);
	for (unsigned i = 0; i < 2; i++)
		frame_mux_put(&mux, ids[i], (struct sl_bytes){ bytes, 20, 0 });
	assert_int_equal(mux.held, 40);
	frame_mux_put(&mux, ids[2], (struct sl_bytes){ bytes, 200, 0 });
	assert_true(mux.held <= 40 && mux.held > 36);
	for (unsigned i = 0; i < 2; i++)
		assert_true(mux.fifos[ids[i]].len == 0 || mux.taken[ids[i]] > 0);
	frame_mux_release(&mux);
}

/* A FIFO that is never empty does not grow. */
void test_frame_mux__streams(void **state)
{
	struct frame_mux_options options = { .fifo = 40 };
	uint8_t bytes[100] = { 0 };
	struct frame_mux mux;

	frame_mux_init(&mux, &options);
	for (unsigned i = 0; i < 10000; i++) {
		frame_mux_put(&mux, ids[0], (struct sl_bytes){ bytes, 100, 0 });
		frame_mux_drain(&mux);
	}
	assert_true(mux.fifos[ids[0]].cap <= 16384 && mux.encoder.cap <= 16384);
	frame_mux_release(&mux);
}
