/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in parts at once: the same elements as of one decoder, wherever parts begin and whatever was foreseen of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "decoder_fixture.h"
#include "etm4/e4_parts.h"
#include "encoder_unit.h"
#include "parts_trial.h"
#include "random_stream.h"
#include "sl_array.h"

enum { SEEDS = 60, WIDE = 8 };

static struct sl_pool *pools[WIDE]; /* by jobs; NULL where no test asks for it */

int group_setup(void **state)
{
	static const unsigned jobs[] = { 1, 2, 7 };

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		if (sl_pool_new(jobs[i], &pools[jobs[i]]) < 0)
			return -1;
	}
	return fixture_setup();
}

int group_teardown(void **state)
{
	for (size_t i = 0; i < WIDE; i++)
		sl_pool_free(pools[i]);
	return fixture_teardown();
}

struct totals {
	uint64_t elems, parts, again;
};

static void expect_same(const struct parts_trial *trial, const char *what, struct totals *totals)
{
	struct parts_result result;

	parts_trial_run(trial, &result);
	if (!result.same)
		fail_msg("%s, parts of %zu, pieces of %zu: %s", what, trial->part_bytes, trial->piece, result.text);
	totals->elems += result.elems;
	totals->parts += result.stats.parts;
	totals->again += result.stats.again;
}

static struct parts_trial trial_of(const struct random_stream *stream, unsigned jobs)
{
	return (struct parts_trial){ .config = stream->config, .image = stream->image, .lane = { stream->data, stream->len, 0 },
				     .pool = pools[jobs] };
}

/* Parts at each sync point and at some; fed at once and in pieces that cut packets. */
static void try_sizes(const struct random_stream *stream, struct totals *totals)
{
	static const size_t part_bytes[] = { 1, 900 }, pieces[] = { 0, 1001, 37 };

	for (size_t i = 0; i < 6; i++) {
		struct parts_trial trial = trial_of(stream, i % 2 ? 7 : 2);

		trial.part_bytes = part_bytes[i % 2];
		trial.piece = pieces[i % 3];
		expect_same(&trial, stream->what, totals);
	}
}

typedef void make_fn(uint64_t seed, struct random_stream *ret);

static struct totals try_streams(make_fn *make, bool damaged)
{
	struct totals totals = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		make(seed, &stream);
		if (damaged)
			stream_damage(&stream, seed);
		try_sizes(&stream, &totals);
		stream_release(&stream);
	}
	return totals;
}

/* What trace units send begins as foreseen: a part that is decoded twice is time lost. */
void test_decode__programs(void **state)
{
	struct totals totals = try_streams(program_stream, false);

	assert_true(totals.elems > 100000);
	assert_true(totals.parts > 1000);
	assert_true(totals.again * 50 < totals.parts);
}

/* Packets that do not belong to one another. */
void test_decode__packets(void **state)
{
	struct totals totals = try_streams(packet_stream, false);

	assert_true(totals.elems > 100000);
	assert_true(totals.parts > 100);
}

void test_decode__damage(void **state)
{
	struct totals programs = try_streams(program_stream, true), packets = try_streams(packet_stream, true);

	assert_true(programs.parts > 1000 && programs.again > 0);
	assert_true(packets.parts > 100);
}

/* A-Syncs in the midst of packets, some with what followed a real one. */
static void strew_syncs(struct random_stream *stream, uint64_t seed)
{
	static const uint8_t async[12] = { [11] = 0x80 };
	uint64_t random = seed * 2 + 1;

	for (unsigned n = 0; n < 6; n++) {
		size_t at = gen_random(&random, (uint32_t)stream->len - 64), from = gen_random(&random, (uint32_t)stream->len - 64);
		const uint8_t *real = memmem(stream->data + from, stream->len - from, async, sizeof(async));
		size_t len = real && n % 2 ? 40 : sizeof(async);

		if (real && (size_t)(stream->data + stream->len - real) >= len)
			memmove(stream->data + at, real, len);
		else
			memcpy(stream->data + at, async, sizeof(async));
	}
}

void test_decode__syncs_that_are_none(void **state)
{
	struct totals totals = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		program_stream(seed, &stream);
		if (stream.len > 128) {
			strew_syncs(&stream, seed);
			try_sizes(&stream, &totals);
		}
		stream_release(&stream);
	}
	assert_true(totals.parts > 1000);
	assert_true(totals.again > 50);
}

/* One field of what was foreseen, each time another. */
static void spoil(void *ctx, struct sl_seam *begin)
{
	struct e4_decoder *state = &((struct e4_mark *)begin)->state;
	unsigned *calls = ctx;

	switch ((*calls)++ % 8) {
	case 0:
		state->pc += 4;
		break;
	case 1:
		state->isa = state->isa == SL_ISA_A64 ? SL_ISA_T32 : SL_ISA_A64;
		break;
	case 2:
		state->context.context_id++;
		state->context.flags ^= SL_CTX_ID;
		break;
	case 3:
		state->state.addresses[1].value ^= 0x100;
		break;
	case 4:
		state->state.address.value ^= 0x100000;
		break;
	case 5:
		state->need_address = true;
		break;
	case 6:
		state->state.threshold += 3;
		break;
	default:
		state->overflowed = true;
	}
}

/* Programs in small parts, whose beginnings a spoiler may make wrong. */
static struct totals try_spoilt(void (*spoiler)(void *ctx, struct sl_seam *begin), bool merge)
{
	struct totals totals = { 0 };
	unsigned calls = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		program_stream(seed, &stream);
		for (unsigned jobs = 2; jobs <= 7; jobs += 5) {
			struct parts_trial trial = trial_of(&stream, jobs);

			trial.part_bytes = 64;
			trial.merge = merge;
			trial.spoil = spoiler;
			trial.spoil_ctx = &calls;
			expect_same(&trial, stream.what, &totals);
		}
		stream_release(&stream);
	}
	return totals;
}

/* What begins wrongly is decoded again; all parts but the first of each window do. */
void test_decode__wrong_guesses(void **state)
{
	struct totals totals = try_spoilt(spoil, false);

	assert_true(totals.again > 200);
	assert_true(totals.again >= totals.parts / 2 && totals.again < totals.parts);
}

/* Merged ranges: parts begin as foreseen, and of those decoded twice no range counts twice. */
void test_decode__merged(void **state)
{
	struct totals foreseen = try_spoilt(NULL, true), spoilt = try_spoilt(spoil, true);

	assert_true(foreseen.parts > 300);
	assert_true(foreseen.again * 50 < foreseen.parts);
	assert_true(spoilt.again > 200);
}

/* One job, or no pool: no parts. */
void test_decode__alone(void **state)
{
	struct totals totals = { 0 };
	struct random_stream stream;
	struct parts_trial trial;

	program_stream(3, &stream);
	trial = trial_of(&stream, 1);
	trial.part_bytes = 1;
	expect_same(&trial, stream.what, &totals);
	trial.pool = NULL;
	expect_same(&trial, stream.what, &totals);
	stream_release(&stream);
	assert_true(totals.elems > 100);
	assert_int_equal(totals.parts, 0);
}

/* count times what begin() writes, or only once that and then atoms and timestamps alone. */
static void write_stretches(struct etm4_writer *w, unsigned count, bool syncs)
{
	static const struct etm4_config config = { .timestamps = true };
	struct etm4_trace_info info = { 0 };

	begin(w, &config);
	for (unsigned i = 0; i < count; i++) {
		if (syncs && i) {
			etm4_async(w);
			etm4_trace_info(w, &info);
			etm4_address_64_context(w, at(BASE), &el1);
		}
		etm4_address_64(w, at(RING));
		etm4_timestamp(w, 1000 + i);
		etm4_atoms(w, 0x24924 + i, 20);
	}
}

static struct totals try_written(const struct etm4_writer *w, const struct sl_image *code, const struct moments *moments)
{
	struct parts_trial trial = { .image = code, .moments = moments, .lane = { w->data, w->len, 0 } };
	struct totals totals = { 0 };

	decode_config(&w->config, &trial.config);
	for (size_t part_bytes = 1; part_bytes < 400; part_bytes += 133) {
		for (size_t restart_at = 0; restart_at < w->len; restart_at += w->len / 3) {
			trial.pool = pools[restart_at ? 2 : 7];
			trial.part_bytes = part_bytes;
			trial.restart_at = restart_at;
			expect_same(&trial, "written", &totals);
		}
	}
	return totals;
}

void test_decode__no_sync_points(void **state)
{
	struct etm4_writer w;
	struct totals totals;

	write_stretches(&w, 50, false);
	totals = try_written(&w, image, NULL);
	assert_true(totals.elems > 1000);
	assert_int_equal(totals.parts, 0);
	etm4_release(&w);
}

void test_decode__sync_points(void **state)
{
	struct etm4_writer w;
	struct totals totals;

	write_stretches(&w, 50, true);
	totals = try_written(&w, image, NULL);
	assert_true(totals.parts > 100);
	assert_int_equal(totals.again, 0);
	etm4_release(&w);
}

/* More elements than may be kept of a part: they come as they are made. */
void test_decode__long_parts(void **state)
{
	static const struct etm4_config config = { 0 };
	struct etm4_trace_info info = { 0 };
	struct etm4_writer w;
	struct totals totals;

	begin(&w, &config);
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned n = 0; n < (i % 3 == 1 ? 2500 : 40); n++) {
			etm4_address_64(&w, at(RING));
			etm4_atom_f6(&w, 23, n & 1);
			etm4_atom_f6(&w, 23, 1);
		}
		etm4_async(&w);
		etm4_trace_info(&w, &info);
		etm4_address_64_context(&w, at(BASE), &el1);
	}
	totals = try_written(&w, image, NULL);
	assert_true(totals.elems > 4000000);
	assert_true(totals.parts > 20);
	etm4_release(&w);
}

/* The code, in a memory that changes twice: which view it is depends on when a packet was traced. */
static struct sl_image *changing_image(void)
{
	static const uint64_t changes[] = { 2000, 3000 };
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = BASE, .address_known = true };
	struct sl_image *ret;
	uint32_t code[256];

	write_code(code);
	assert_int_equal(sl_image_new(&ret), SL_OK);
	assert_int_equal(sl_image_add_dump(ret, temp_write("changing.bin", code, sizeof(code)), &place, NULL, NULL), SL_OK);
	assert_int_equal(sl_image_add_changes(ret, 0, changes, 2, 100), SL_OK);
	assert_int_equal(sl_image_seal(ret), SL_OK);
	return ret;
}

void test_decode__moments(void **state)
{
	const struct sl_stretch stretch = { .window = { 1000, 4000 }, .task_known = true, .task = 7 };
	struct sl_stream stream = { .config = { .task_from = SL_TASK_CONTEXT_ID } };
	struct moments moments = { .stream = &stream, .stretch = &stretch, .chain = &stretch };
	struct sl_image *changing = changing_image();
	struct etm4_writer w;
	struct totals totals;

	write_stretches(&w, 60, true);
	for (size_t offset = 20; offset < w.len; offset += w.len / 50) {
		struct moment_time time = { .offset = offset, .time_ns = 1000 + 3000 * offset / w.len, .chain = &stretch };

		assert_int_equal(SL_ARRAY_PUSH(&moments.times, &moments.len, &moments.cap, time), SL_OK);
	}
	totals = try_written(&w, changing, &moments);
	assert_true(totals.parts > 100);
	assert_true(totals.again * 4 < totals.parts);
	moments_release(&moments);
	etm4_release(&w);
	sl_image_free(changing);
}
