/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: where a part may begin, what is compared there, and that a decoder goes on from one as if it had come that way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "decoder_fixture.h"
#include "etm4/e4_parts.h"

int group_setup(void **state)
{
	return fixture_setup();
}

int group_teardown(void **state)
{
	return fixture_teardown();
}

/* Two stretches; behind each sync point atoms come first, as trace units send them. seam: behind the second one's address. */
struct lane {
	struct etm4_writer writer;
	struct sl_decoder *dec, *fork;
	struct sl_seam *now, *foreseen, *reached;
	uint64_t seam;
};

static void write_lane(struct etm4_writer *w, size_t *ret_seam)
{
	static const struct etm4_config config = { .timestamps = true, .context_id = true, .return_stack = true,
						   .cycle_counts = true, .cycle_threshold = 4 };
	struct etm4_trace_info info = { .cycle_counts = true, .cycle_threshold = 4 };

	begin(w, &config);
	etm4_atoms(w, 5, 3);
	etm4_timestamp_cycles(w, 77, 9);
	etm4_async(w);
	etm4_trace_info(w, &info);
	etm4_atoms(w, 0, 2);
	etm4_address_64_context(w, at(RING), &el1);
	etm4_atoms(w, 1, 1);
	*ret_seam = w->len;
	etm4_timestamp_cycles(w, 80, 2);
	etm4_address_64(w, at(BASE + 8)); /* calls, and returns to where that was called from */
	etm4_atoms(w, 7, 3);
}

static struct sl_decoder *lane_decoder(const struct lane *lane)
{
	struct sl_decoder_options options = { .image = image, .engine = SL_ENGINE_FAST };
	struct sl_trace_config config;
	struct sl_decoder *dec;

	decode_config(&lane->writer.config, &config);
	assert_int_equal(sl_decoder_new(&config, &options, &dec, NULL), SL_OK);
	return dec;
}

static void drain(struct sl_decoder *dec, const struct lane *lane, uint64_t from, uint64_t to, char *ret, size_t cap)
{
	struct sl_elem *elems;
	size_t len, used = strlen(ret);

	sl_decoder_feed(dec, (struct sl_bytes){ lane->writer.data + from, to - from, from });
	while (sl_decoder_lend(dec, &elems, &len) == SL_OK) {
		for (size_t i = 0; i < len && used + 100 < cap; i++) {
			elem_text(&elems[i], ret + used, cap - used);
			used += strlen(ret + used);
		}
	}
}

/* What is foreseen from the first byte, and what is reached by decoding. */
static void setup_lane(struct lane *lane)
{
	char text[4000] = "";
	size_t seam;

	memset(lane, 0, sizeof(*lane));
	write_lane(&lane->writer, &seam);
	lane->dec = lane_decoder(lane);
	assert_true(sl_decoder_can_fork(lane->dec));
	assert_int_equal(sl_decoder_fork(lane->dec, &lane->fork), SL_OK);
	assert_int_equal(sl_decoder_note(lane->dec, &lane->now), SL_OK);
	assert_int_equal(sl_decoder_foresee(lane->fork, lane->now,
					    (struct sl_bytes){ lane->writer.data + 13, lane->writer.len - 13, 13 }, NULL,
					    &lane->foreseen, &lane->seam), SL_OK);
	assert_int_equal(lane->seam, seam);
	drain(lane->dec, lane, 0, lane->seam, text, sizeof(text));
	assert_int_equal(sl_decoder_note(lane->dec, &lane->reached), SL_OK);
}

static void release_lane(struct lane *lane)
{
	sl_seam_free(lane->now);
	sl_seam_free(lane->foreseen);
	sl_seam_free(lane->reached);
	sl_decoder_free(lane->fork);
	sl_decoder_free(lane->dec);
	etm4_release(&lane->writer);
}

static struct e4_mark *own(struct sl_seam *mark)
{
	return (struct e4_mark *)mark;
}

void test_e4_parts__foreseen_is_reached(void **state)
{
	struct lane lane;

	setup_lane(&lane);
	assert_true(e4_mark_same(own(lane.foreseen), own(lane.reached)));
	assert_false(e4_mark_same(own(lane.now), own(lane.reached)));
	release_lane(&lane);
}

void test_e4_parts__goes_on_from_a_mark(void **state)
{
	char from_mark[4000] = "", straight[4000] = "";
	struct lane lane;

	setup_lane(&lane);
	assert_int_equal(sl_decoder_resume(lane.fork, lane.foreseen, NULL), SL_OK);
	drain(lane.fork, &lane, lane.seam, lane.writer.len, from_mark, sizeof(from_mark));
	drain(lane.dec, &lane, lane.seam, lane.writer.len, straight, sizeof(straight));
	assert_true(strlen(straight) > 100);
	assert_string_equal(from_mark, straight);
	release_lane(&lane);
}

/* In the midst of a packet, with elements pending. */
void test_e4_parts__goes_on_within_a_packet(void **state)
{
	char whole[8000] = "";
	struct lane lane;

	setup_lane(&lane);
	assert_int_equal(sl_decoder_resume(lane.dec, lane.now, NULL), SL_OK);
	drain(lane.dec, &lane, 0, lane.writer.len, whole, sizeof(whole));
	for (uint64_t cut = 0; cut < lane.writer.len; cut++) {
		char cut_text[8000] = "";
		struct sl_seam *mark = NULL;

		assert_int_equal(sl_decoder_resume(lane.dec, lane.now, NULL), SL_OK);
		drain(lane.dec, &lane, 0, cut, cut_text, sizeof(cut_text));
		assert_int_equal(sl_decoder_note(lane.dec, &mark), SL_OK);
		assert_int_equal(sl_decoder_resume(lane.fork, mark, NULL), SL_OK);
		drain(lane.fork, &lane, cut, lane.writer.len, cut_text, sizeof(cut_text));
		assert_string_equal(cut_text, whole);
		sl_seam_free(mark);
	}
	release_lane(&lane);
}

/* What is compared: each of these alone makes two marks differ. */
#define DIFFERS(change) \
	do { \
		struct e4_decoder kept = mark->state; \
		struct e4_decoder *s = &mark->state; \
		change; \
		if (e4_mark_same(mark, own(lane.reached)) || e4_mark_same(own(lane.reached), mark)) \
			fail_msg("%s makes no difference", #change); \
		mark->state = kept; \
	} while (0)

void test_e4_parts__what_is_compared(void **state)
{
	struct e4_mark *mark;
	struct lane lane;

	setup_lane(&lane);
	mark = own(lane.foreseen);
	DIFFERS(s->pc += 4);
	DIFFERS(s->isa = SL_ISA_T32);
	DIFFERS(s->need_address = true);
	DIFFERS(s->need_context = true);
	DIFFERS(s->lost = true);
	DIFFERS(s->last_is ^= 1);
	DIFFERS(s->is_64bit = false);
	DIFFERS(s->is_secure = true);
	DIFFERS(s->el ^= 1);
	DIFFERS(s->el_known = false);
	DIFFERS(s->context.context_id++);
	DIFFERS(s->context.vmid++);
	DIFFERS(s->context.flags ^= SL_CTX_ID);
	DIFFERS(s->context.security ^= 1);
	DIFFERS(s->state.context_id++);
	DIFFERS(s->state.vmid++);
	DIFFERS(s->state.context_info ^= 1);
	DIFFERS(s->state.context_known = false);
	DIFFERS(s->state.address.value ^= 4);
	DIFFERS(s->state.address.is ^= 1);
	DIFFERS(s->state.addresses[0].value ^= 4);
	DIFFERS(s->state.addresses[2].is ^= 1);
	DIFFERS(s->state.threshold++);
	DIFFERS(s->state.time_known = true);
	DIFFERS(s->state.trace_info_seen = false);
	DIFFERS(s->return_count++);
	DIFFERS(s->return_pending = true);
	DIFFERS(s->overflowed = true);
	DIFFERS(s->time_marker_seen = true);
	DIFFERS(s->depth++);
	DIFFERS(s->stage = E4_WAIT_SYNC);
	DIFFERS(s->in_sync = false);
	DIFFERS(s->waits_for_address = true);
	DIFFERS(s->gave_up = true);
	DIFFERS(s->pending.end++);
	DIFFERS(s->carry_len = 1);
	DIFFERS(s->offset++);
	DIFFERS(s->finishing = true);
	DIFFERS(s->space.core++);
	DIFFERS(s->space.task++);
	DIFFERS(s->space.told_len = 1);
	DIFFERS(s->space.moment.task_known = true);
	DIFFERS(s->space.moment.task++);
	DIFFERS(s->space.moment.until--);
	DIFFERS(s->space.moment.window.to_ns--);
	DIFFERS(s->code.space ^= 1);
	DIFFERS(s->code.core++);
	DIFFERS(s->code.exhausted = true);
	assert_true(e4_mark_same(mark, own(lane.reached)));
	release_lane(&lane);
}

/* A full time follows; the ring of return addresses may begin anywhere; runs are each decoder's own. */
void test_e4_parts__what_makes_no_difference(void **state)
{
	struct e4_mark *mark;
	struct lane lane;

	setup_lane(&lane);
	mark = own(lane.foreseen);
	mark->state.state.time += 5;
	mark->state.gap = SL_GAP_LOST_SYNC;
	mark->state.sync.start = 3;
	mark->state.run = mark->state.from = mark->state.indirect = 99;
	for (unsigned i = 0; i < 2; i++) {
		struct e4_decoder *s = i ? &own(lane.reached)->state : &mark->state;

		s->return_top = i ? 3 : 0;
		s->return_count = 2;
		s->returns[s->return_top] = (struct e4_return){ 0x1234, SL_ISA_A64 };
		s->returns[i ? 2 : RETURN_STACK - 1] = (struct e4_return){ 0x5678, SL_ISA_T32 };
	}
	assert_true(e4_mark_same(mark, own(lane.reached)));
	mark->state.returns[RETURN_STACK - 1].address++;
	assert_false(e4_mark_same(mark, own(lane.reached)));
	release_lane(&lane);
}

/* A part joins only where what may be read of the image was enough, whoever reads. */
void test_e4_parts__budget(void **state)
{
	struct sl_seam *end = NULL;
	char text[4000] = "";
	struct lane lane;
	uint64_t wanted;

	setup_lane(&lane);
	assert_int_equal(sl_decoder_resume(lane.fork, lane.foreseen, NULL), SL_OK);
	drain(lane.fork, &lane, lane.seam, lane.writer.len, text, sizeof(text));
	assert_int_equal(sl_decoder_note(lane.fork, &end), SL_OK);
	own(lane.reached)->state.code.budget -= 1000;
	wanted = own(end)->state.code.budget - own(lane.foreseen)->state.code.budget + own(lane.reached)->state.code.budget;
	assert_true(sl_seam_join(lane.reached, lane.foreseen, end));
	assert_int_equal(own(end)->state.code.budget, wanted);
	own(end)->state.code.ran_out = true;
	assert_false(sl_seam_join(lane.reached, lane.foreseen, end));
	own(end)->state.code.ran_out = false;
	assert_true(sl_seam_join(lane.reached, lane.foreseen, end));
	own(lane.reached)->state.code.budget = 1 << 20;
	assert_false(sl_seam_join(lane.reached, lane.foreseen, end));
	sl_seam_free(end);
	release_lane(&lane);
}

static bool can_fork(const struct etm4_config *config, sl_packet_fn *packet)
{
	struct sl_decoder_options options = { .image = image, .engine = SL_ENGINE_FAST, .packet = packet };
	struct sl_trace_config trace;
	struct sl_decoder *dec;
	bool can;

	decode_config(config, &trace);
	assert_int_equal(sl_decoder_new(&trace, &options, &dec, NULL), SL_OK);
	can = sl_decoder_can_fork(dec);
	sl_decoder_free(dec);
	return can;
}

static void on_packet(void *ctx, const struct sl_packet *packet)
{
}

void test_e4_parts__where_it_can_be_forked(void **state)
{
	assert_true(can_fork(&(struct etm4_config){ 0 }, NULL));
	assert_true(can_fork(&(struct etm4_config){ .ete = true }, NULL));
	assert_false(can_fork(&(struct etm4_config){ .max_speculation = 3 }, NULL));
	assert_false(can_fork(&(struct etm4_config){ 0 }, on_packet));
}

/* No sync point, one that ends too early, one without an address, one whose address nobody gets to. */
void test_e4_parts__no_place(void **state)
{
	struct lane lane;
	uint64_t offset;
	uint8_t bytes[3000];

	setup_lane(&lane);
	memset(bytes, 0xf7, sizeof(bytes));
	assert_int_equal(sl_decoder_foresee(lane.fork, lane.now, (struct sl_bytes){ bytes, sizeof(bytes), 0 }, NULL, &lane.foreseen,
					    &offset), SL_END);
	for (uint64_t end = 14; end < lane.seam; end++)
		assert_int_equal(sl_decoder_foresee(lane.fork, lane.now, (struct sl_bytes){ lane.writer.data + 13, end - 13, 13 }, NULL,
						    &lane.foreseen, &offset), SL_END);
	memset(bytes, 0, 12);
	bytes[11] = 0x80;
	bytes[12] = 1;
	bytes[13] = 0;
	assert_int_equal(sl_decoder_foresee(lane.fork, lane.now, (struct sl_bytes){ bytes, sizeof(bytes), 0 }, NULL, &lane.foreseen,
					    &offset), SL_END);
	release_lane(&lane);
}

void test_e4_parts__exchange(void **state)
{
	struct sl_elem *elems, *mine = NULL;
	struct lane lane;
	size_t len, cap = 0;

	setup_lane(&lane);
	sl_decoder_feed(lane.dec, (struct sl_bytes){ lane.writer.data + lane.seam, lane.writer.len - lane.seam, lane.seam });
	assert_int_equal(sl_decoder_lend(lane.dec, &elems, &len), SL_OK);
	sl_decoder_exchange(lane.dec, &mine, &cap);
	assert_ptr_equal(mine, elems);
	assert_true(cap >= len);
	assert_int_equal(sl_decoder_lend(lane.dec, &elems, &len), SL_END);
	sl_decoder_exchange(lane.dec, &mine, &cap);
	assert_null(mine);
	assert_int_equal(cap, 0);
	release_lane(&lane);
}
