/* SPDX-License-Identifier: Apache-2.0 */
/* Random walks through a program, encoded as a trace unit would and decoded again: the same instructions come
 * out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "a64_insn.h"
#include "decode_text.h"
#include "etm4_flow.h"
#include "sl_array.h"
#include "sl_image.h"
#include "temp_files.h"

enum { BASE = 0x40000, WORDS = 512 };

static uint32_t code[WORDS];
static struct sl_image *image;

/* Executed addresses as runs of neighbours. */
struct runs {
	struct run {
		uint64_t start, end;
	} * items;
	size_t len, cap;
	uint64_t cycles;
};

static void add_run(struct runs *r, uint64_t start, uint64_t end)
{
	if (start == end)
		return;
	if (r->len > 0 && r->items[r->len - 1].end == start)
		r->items[r->len - 1].end = end;
	else
		assert_int_equal(SL_ARRAY_PUSH(&r->items, &r->len, &r->cap, ((struct run){ start, end })),
				 SL_OK);
}

struct walk {
	struct etm4_flow flow;
	struct runs runs;
	uint64_t pc;
	uint32_t seed;
	uint64_t calls[4]; /* where calls return to: the latest ones */
	unsigned call_count;
	uint64_t ticks;
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 10;
}

/* Branches of all kinds in random order, each a few instructions behind the last one. */
static void write_code(void)
{
	uint32_t seed = 5;

	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t pc = BASE + 4 * i, to = BASE + 4 * (next_random(&seed) % WORDS);
		const uint32_t branches[] = { a64_b(pc, to),	a64_bl(pc, to), a64_b_ne(pc, to),
					      a64_b_ne(pc, to), a64_br(3),	a64_blr(4),
					      A64_RET_X30,	A64_RET_X30,	A64_ISB,
					      A64_ERET };

		code[i] =
			next_random(&seed) % 4 && i < WORDS - 1 ? A64_NOP : branches[next_random(&seed) % 10];
	}
	code[WORDS - 1] = A64_RET_X30;
}

int group_setup(void **state)
{
	struct sl_place place = {
		.core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = BASE, .address_known = true
	};

	(void)state;
	temp_setup();
	write_code();
	if (sl_image_new(&image) < 0)
		return -1;
	if (sl_image_add_dump(image, temp_write("code.bin", code, sizeof(code)), &place, NULL, NULL) < 0)
		return -1;
	return sl_image_seal(image);
}

int group_teardown(void **state)
{
	(void)state;
	sl_image_free(image);
	temp_teardown();
	return 0;
}

static uint64_t anywhere(struct walk *w)
{
	return BASE + 4 * (next_random(&w->seed) % (WORDS - 8));
}

static void remember_call(struct walk *w, uint64_t return_to)
{
	w->calls[w->call_count++ % 4] = return_to;
}

/* Where a return goes: mostly to the last call, as programs do. */
static uint64_t return_target(struct walk *w)
{
	if (w->call_count == 0 || next_random(&w->seed) % 8 == 0)
		return anywhere(w);
	return w->calls[--w->call_count % 4];
}

static void choose_end(struct walk *w, enum a64_kind kind, uint64_t target, struct etm4_block *block)
{
	block->target = target;
	switch (kind) {
	case A64_BRANCH:
		block->how = ETM4_END_TAKEN;
		break;
	case A64_CONDITIONAL:
		block->how = next_random(&w->seed) % 3 ? ETM4_END_TAKEN : ETM4_END_NOT_TAKEN;
		break;
	case A64_CALL:
	case A64_INDIRECT_CALL:
		block->how = kind == A64_CALL ? ETM4_END_CALL : ETM4_END_INDIRECT_CALL;
		block->target = kind == A64_CALL ? target : anywhere(w);
		remember_call(w, block->end);
		break;
	case A64_EXCEPTION_RETURN:
		block->how = ETM4_END_EXCEPTION_RETURN;
		block->target = anywhere(w);
		break;
	case A64_BARRIER:
		block->how = ETM4_END_BARRIER;
		break;
	default:
		block->how = ETM4_END_INDIRECT;
		block->target = kind == A64_RETURN ? return_target(w) : anywhere(w);
		break;
	}
}

/* From pc to the next branch. */
static void take_block(struct walk *w)
{
	struct etm4_block block = { .start = w->pc, .end = w->pc, .cycles = 1 + next_random(&w->seed) % 20 };
	enum a64_kind kind = A64_OTHER;
	uint64_t target = 0;

	while (kind == A64_OTHER) {
		kind = a64_classify(code[(block.end - BASE) / 4], block.end, &target);
		block.end += 4;
	}
	choose_end(w, kind, target, &block);
	etm4_flow_time(&w->flow, w->ticks += 1);
	etm4_flow_block(&w->flow, &block);
	add_run(&w->runs, block.start, block.end);
	w->runs.cycles += block.cycles;
	w->pc = block.how == ETM4_END_NOT_TAKEN || block.how == ETM4_END_BARRIER ? block.end : block.target;
}

/* An interrupt after a few instructions of straight code, or before the first one. */
static void take_interrupt(struct walk *w)
{
	struct etm4_block block = { .start = w->pc, .end = w->pc };
	struct etm4_context context = w->flow.context;
	struct etm4_address to = { anywhere(w), ETM4_IS0 };
	unsigned count = next_random(&w->seed) % 4;

	while (count-- > 0 && code[(block.end - BASE) / 4] == A64_NOP)
		block.end += 4;
	if (block.end > block.start)
		etm4_flow_block(&w->flow, &block);
	add_run(&w->runs, block.start, block.end);
	etm4_flow_exception(&w->flow, ETM4_IRQ, (struct etm4_address){ block.end, ETM4_IS0 }, to);
	context.el ^= 1;
	context.context_id++;
	etm4_flow_context(&w->flow, &context);
	w->pc = to.address;
}

static void walk(struct walk *w, const struct etm4_config *config, const struct etm4_flow_options *options,
		 uint32_t seed)
{
	const struct etm4_context el1 = { .el = 1, .security = SL_NONSECURE, .is64 = true, .context_id = 9 };

	memset(w, 0, sizeof(*w));
	w->pc = BASE;
	w->seed = seed;
	etm4_flow_init(&w->flow, config, options);
	etm4_flow_context(&w->flow, &el1);
	for (unsigned i = 0; i < 3000; i++) {
		take_block(w);
		if (next_random(&w->seed) % 40 == 0)
			take_interrupt(w);
	}
	take_block(w);
	etm4_flow_finish(&w->flow);
	assert_int_equal(w->flow.breaks, 0);
}

static void decode(const struct walk *w, struct runs *ret)
{
	struct sl_decoder_options options = { .image = image };
	struct sl_trace_config registers;
	struct sl_decoder *dec;
	struct sl_elem elem;
	unsigned gaps = 0;
	size_t n;

	memset(ret, 0, sizeof(*ret));
	decode_config(&w->flow.w.config, &registers);
	assert_int_equal(sl_decoder_new(&registers, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ w->flow.w.data, w->flow.w.len, 0 });
	sl_decoder_finish(dec);
	while (sl_decoder_next(dec, &elem, 1, &n) == SL_OK) {
		if (elem.kind == SL_ELEM_RANGE)
			add_run(ret, elem.range.start, elem.range.end);
		if (elem.kind == SL_ELEM_CYCLES && !(elem.flags & SL_FLAG_ATTACHED))
			ret->cycles += elem.count;
		gaps += elem.kind == SL_ELEM_GAP;
	}
	assert_int_equal(gaps, 2); /* the start, and Trace On */
	sl_decoder_free(dec);
}

static void round_trip(const struct etm4_config *config, const struct etm4_flow_options *options)
{
	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct runs got;
		struct walk w;

		walk(&w, config, options, seed);
		decode(&w, &got);
		assert_int_equal(got.len, w.runs.len);
		assert_memory_equal(got.items, w.runs.items, got.len * sizeof(got.items[0]));
		if (config->cycle_counts)
			assert_int_equal(got.cycles + w.flow.cycles, w.runs.cycles);
		free(got.items);
		free(w.runs.items);
		etm4_flow_release(&w.flow);
	}
}

void test_decoder_flow__plain(void **state)
{
	round_trip(&(struct etm4_config){ 0 }, &(struct etm4_flow_options){ 0 });
}

void test_decoder_flow__return_stack(void **state)
{
	for (unsigned depth = 1; depth <= 15; depth += 7)
		round_trip(&(struct etm4_config){ .return_stack = true },
			   &(struct etm4_flow_options){ .return_stack = depth });
}

void test_decoder_flow__syncs_often(void **state)
{
	round_trip(&(struct etm4_config){ .return_stack = true, .context_id = true },
		   &(struct etm4_flow_options){ .sync_bytes = 100 });
}

void test_decoder_flow__cycles_and_timestamps(void **state)
{
	round_trip(&(struct etm4_config){ .cycle_counts = true, .timestamps = true, .return_stack = true },
		   &(struct etm4_flow_options){ .timestamp_ticks = 10, .sync_bytes = 500 });
	round_trip(&(struct etm4_config){ .cycle_counts = true, .cycle_threshold = 16 },
		   &(struct etm4_flow_options){ 0 });
}

void test_decoder_flow__ete(void **state)
{
	round_trip(
		&(struct etm4_config){
			.ete = true, .context_id = true, .timestamps = true, .return_stack = true },
		&(struct etm4_flow_options){ .timestamp_ticks = 50, .sync_bytes = 1000 });
}
