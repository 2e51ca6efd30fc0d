/* SPDX-License-Identifier: Apache-2.0 */
/* The random lanes that engines are compared on: they hold each packet, good ones only until they are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "encoder_trial.h"
#include "random_stream.h"

enum { SEEDS = 120 };

static struct packet_names packets;
static uint64_t ranges, no_image;

static void on_packet(void *ctx, const struct sl_packet *packet)
{
	(void)ctx;
	packet_seen(&packets, packet->name);
}

static void count(const struct sl_elem *e)
{
	ranges += e->kind == SL_ELEM_RANGE;
	if (e->kind != SL_ELEM_GAP)
		return;
	no_image += e->count == SL_GAP_NO_IMAGE;
}

static void decode(const struct random_stream *stream)
{
	struct sl_decoder_options options = { .image = stream->image, .packet = on_packet, .engine = SL_ENGINE_OPENCSD };
	struct sl_decoder *dec;
	struct sl_elem *elems;
	size_t len;

	assert_int_equal(sl_decoder_new(&stream->config, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ stream->data, stream->len, 0 });
	while (sl_decoder_lend(dec, &elems, &len) == SL_OK) {
		for (size_t i = 0; i < len; i++)
			count(&elems[i]);
	}
	sl_decoder_finish(dec);
	while (sl_decoder_lend(dec, &elems, &len) == SL_OK) {
		for (size_t i = 0; i < len; i++)
			count(&elems[i]);
	}
	sl_decoder_free(dec);
}

static void decode_all(void (*make)(uint64_t seed, struct random_stream *ret), bool damaged)
{
	memset(&packets, 0, sizeof(packets));
	ranges = no_image = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		make(seed, &stream);
		if (damaged)
			stream_damage(&stream, seed);
		decode(&stream);
		stream_release(&stream);
	}
}

static unsigned long bad_packets(void)
{
	unsigned long bad = 0;

	for (size_t i = 0; i < packets.len; i++) {
		if (strncmp(packets.names[i], "I_BAD", 5) == 0 || strncmp(packets.names[i], "I_RES", 5) == 0)
			bad += packets.counts[i];
	}
	return bad;
}

/* An exception at the target of an indirect branch OpenCSD must not see (docs/opencsd-quirks.md, 46): a few bad packets. */
void test_random_stream__programs(void **state)
{
	decode_all(program_stream, false);
	assert_true(bad_packets() < SEEDS / 8);
	assert_int_equal(no_image, 0);
	assert_true(ranges > 50000);
}

static void check_names(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!packet_count(&packets, names[i]))
			fail_msg("no %s was made", names[i]);
	}
}

/* A mispredict that follows no atom, and an exception behind an empty return stack, OpenCSD must not see (docs/opencsd-quirks.md,
 * 21 and 46). */
void test_random_stream__packets(void **state)
{
	static const char *const names[] = {
		"I_ASYNC", "I_TRACE_INFO", "I_TRACE_ON", "I_OVERFLOW", "I_DISCARD", "I_EVENT", "I_TIMESTAMP", "I_CCNT_F1",
		"I_CCNT_F2", "I_CCNT_F3", "I_CTXT", "I_ADDR_MATCH", "I_ADDR_S_IS0", "I_ADDR_S_IS1", "I_ADDR_L_32IS0",
		"I_ADDR_L_32IS1", "I_ADDR_L_64IS0", "I_ADDR_L_64IS1", "I_ADDR_CTXT_L_32IS0", "I_ADDR_CTXT_L_64IS0",
		"I_ADDR_CTXT_L_64IS1", "I_EXCEPT", "I_EXCEPT_RTN", "I_ATOM_F1", "I_ATOM_F2", "I_ATOM_F3", "I_ATOM_F4", "I_ATOM_F5",
		"I_ATOM_F6", "I_COMMIT", "I_CANCEL_F1", "I_CANCEL_F1_MISPRED", "I_CANCEL_F2", "I_CANCEL_F3", "I_MISPREDICT", "I_Q",
		"I_TRANS_ST", "I_TRANS_COMMIT", "I_TRANS_FAIL", "I_TS_MARKER", "I_SRC_ADDR_S_IS0", "I_SRC_ADDR_S_IS1",
		"I_SRC_ADDR_L_64IS0", "I_SRC_ADDR_MATCH",
	};

	decode_all(packet_stream, false);
	check_names(names, sizeof(names) / sizeof(names[0]));
	assert_true(bad_packets() * 8 < packet_count(&packets, "I_EXCEPT") + packet_count(&packets, "I_MISPREDICT"));
	assert_true(ranges > 100000);
	assert_true(no_image < ranges / 4);
}

void test_random_stream__damage(void **state)
{
	decode_all(packet_stream, true);
	assert_true(bad_packets() > SEEDS / 4);
	assert_true(ranges > 50000);
}

void test_random_stream__ptm(void **state)
{
	static const char *const names[] = { "ASYNC", "ISYNC", "ATOM", "WP_UPDATE", "BRANCH_ADDRESS", "ERET", "TIMESTAMP", "TRIGGER",
					     "VMID", "CTXTID" };

	decode_all(ptm_stream, false);
	check_names(names, sizeof(names) / sizeof(names[0]));
	assert_true(ranges > 50000);
	assert_true(no_image > 0 && no_image < ranges / 20); /* some over random bytes */
}

void test_random_stream__etm3(void **state)
{
	static const char *const names[] = { "A_SYNC", "I_SYNC", "I_SYNC_CYCLE", "P_HDR", "BRANCH_ADDRESS", "EXCEPTION_EXIT", "IGNORE",
					     "TIMESTAMP", "TRIGGER", "VMID", "CONTEXT_ID", "CYCLE_COUNT" };

	decode_all(etm3_stream, false);
	check_names(names, sizeof(names) / sizeof(names[0]));
	assert_true(ranges > 200000);
	assert_true(no_image > 0 && no_image < ranges / 20);
}
