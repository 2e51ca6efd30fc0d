/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of Intel PT in parts at once: the same elements as of one decoder, wherever parts begin and whatever was foreseen of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ipt/ipt_parts.h"
#include "parts_trial.h"
#include "random_stream.h"

enum { SEEDS = 60 };

static struct sl_pool *few, *many;

int group_setup(void **state)
{
	return sl_pool_new(2, &few) < 0 || sl_pool_new(7, &many) < 0 ? -1 : 0;
}

int group_teardown(void **state)
{
	sl_pool_free(few);
	sl_pool_free(many);
	return 0;
}

struct totals {
	uint64_t elems, parts, again;
};

static void expect_same(const struct parts_trial *trial, const char *what, struct totals *totals)
{
	struct parts_result result;

	parts_trial_run(trial, &result);
	assert_false(result.refused);
	if (!result.same)
		fail_msg("%s, parts of %zu, pieces of %zu: %s", what, trial->part_bytes, trial->piece, result.text);
	totals->elems += result.elems;
	totals->parts += result.stats.parts;
	totals->again += result.stats.again;
}

/* Parts at each PSB and at some; fed at once and in pieces that cut packets; restarted. */
static void try_sizes(const struct random_stream *stream, void (*spoil)(void *, struct sl_seam *), struct totals *totals)
{
	static const size_t part_bytes[] = { 1, 900 }, pieces[] = { 0, 1001, 37 };
	unsigned calls = 0;

	for (size_t i = 0; i < 12; i++) {
		struct parts_trial trial = { .config = stream->config, .image = stream->image, .lane = { stream->data, stream->len, 0 },
					     .pool = i % 2 ? many : few, .part_bytes = part_bytes[i / 2 % 2], .piece = pieces[i % 3],
					     .restart_at = i > 8 ? stream->len / 2 : 0, .merge = i == 5, .spoil = spoil, .spoil_ctx = &calls };

		expect_same(&trial, stream->what, totals);
	}
}

static struct totals try_streams(bool damaged, void (*spoil)(void *, struct sl_seam *))
{
	struct totals totals = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		ipt_stream(seed, &stream);
		if (damaged)
			stream_damage(&stream, seed);
		try_sizes(&stream, spoil, &totals);
		stream_release(&stream);
	}
	return totals;
}

/* What trace units send begins as foreseen: a part that is decoded twice is time lost. */
void test_ipt_parts__programs(void **state)
{
	struct totals totals = try_streams(false, NULL);

	assert_true(totals.elems > 100000);
	assert_true(totals.parts > 1000);
	if (totals.again * 20 > totals.parts)
		fail_msg("%u of %u parts were decoded twice", (unsigned)totals.again, (unsigned)totals.parts);
}

void test_ipt_parts__damage(void **state)
{
	struct totals totals = try_streams(true, NULL);

	assert_true(totals.parts > 1000 && totals.again > 0);
}

/* One field of what was foreseen, each time another. */
static void spoil(void *ctx, struct sl_seam *begin)
{
	struct ipt *state = &((struct ipt_seam *)begin)->state;
	unsigned *calls = ctx;

	switch ((*calls)++ % 6) {
	case 0:
		state->ip ^= 0x10;
		state->enabled = true;
		break;
	case 1:
		state->isa = SL_ISA_X86_32;
		break;
	case 2:
		state->context.context_id++;
		state->context.flags |= SL_CTX_ID;
		break;
	case 3:
		state->time.tsc += 3;
		state->time.tsc_known = true;
		break;
	case 4:
		state->in_transaction = !state->in_transaction;
		break;
	default:
		state->bus_ratio++;
	}
}

/* What begins wrongly is decoded again; all parts but the first of each window do. */
void test_ipt_parts__wrong_guesses(void **state)
{
	struct totals totals = try_streams(false, spoil);

	assert_true(totals.again > 200);
	assert_true(totals.again >= totals.parts / 2 && totals.again < totals.parts);
}
