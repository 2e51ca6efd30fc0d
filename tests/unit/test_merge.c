/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that a decoder merges say what they say one by one: on random lanes, good and damaged, however they are fed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "a64_insn.h"
#include "decode_text.h"
#include "encoder_unit.h"
#include "merge_trial.h"
#include "random_stream.h"

enum { SEEDS = 150, WHOLE = 0 /* a seed that has the lane fed at once, not restarted */ };

/* The ranges that were merged into other ones. */
static uint64_t compare(const struct random_stream *stream, uint64_t seed)
{
	static const size_t pieces[] = { 0, 1, 7, 61, 700 };
	const struct sl_decoder_options options = { .image = stream->image };
	struct merge_lane lane = { &stream->config, &options, { stream->data, stream->len, 0 }, 0, 0, 0 };
	uint64_t random = seed;
	char why[800];

	if (seed != WHOLE) {
		lane.piece = pieces[gen_random(&random, sizeof(pieces) / sizeof(pieces[0]))];
		lane.restart_at = gen_random(&random, 3) ? 0 : stream->len / 2;
	}
	if (!merge_lane(&lane, why, sizeof(why)))
		fail_msg("seed %u, %s, in pieces of %zu: %s", (unsigned)seed, stream->what, lane.piece, why);
	return lane.merged;
}

/* Of all seeds. */
static uint64_t compare_all(void (*make)(uint64_t seed, struct random_stream *ret), bool damaged)
{
	uint64_t count = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_stream stream;

		make(seed, &stream);
		if (damaged)
			stream_damage(&stream, seed);
		count += compare(&stream, seed);
		stream_release(&stream);
	}
	return count;
}

/* A loop: b.ne over a nop, and back; behind it a call of what returns, and b.ne to the loop. */
static struct sl_image *loop_image(void)
{
	const uint32_t code[] = { a64_b_ne(0x1000, 0x1008), A64_NOP, a64_b(0x1008, 0x1000), a64_bl(0x100c, 0x1014),
				  a64_b_ne(0x1010, 0x1000), A64_RET_X30, a64_b(0x1018, 0x1000) };

	return bytes_image(code, sizeof(code), 0x1000, 0x1000);
}

/* From the loop's head on, atoms, a packet a word. */
static void loop_stream(const char *words, bool return_stack, struct random_stream *ret)
{
	const struct etm4_config config = { .return_stack = return_stack };
	const struct etm4_context el1 = { .el = 1, .security = SL_NONSECURE, .is64 = true };
	void (*const packets[])(struct etm4_writer *w, unsigned atoms) = { etm4_atom_f1, etm4_atom_f2, etm4_atom_f3 };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_trace_on(&w);
	etm4_address_64_context(&w, (struct etm4_address){ 0x1000, ETM4_IS0 }, &el1);
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		unsigned atoms = 0;

		n = strcspn(words, " ");
		for (size_t i = 0; i < n; i++)
			atoms |= words[i] == 'E' ? 1u << i : 0;
		packets[n - 1](&w, atoms);
	}
	memset(ret, 0, sizeof(*ret));
	decode_config(&config, &ret->config);
	ret->image = loop_image();
	ret->len = w.len;
	ret->data = malloc(w.len);
	assert_non_null(ret->data);
	memcpy(ret->data, w.data, w.len);
	snprintf(ret->what, sizeof(ret->what), "loop %s", words);
	etm4_release(&w);
}

/* Ways are walked before they are known to merge: "EE NE" does that. */
static void expect_merged(const char *words, bool return_stack, uint64_t count)
{
	struct random_stream stream;

	loop_stream(words, return_stack, &stream);
	for (uint64_t seed = 1; seed < 12; seed++)
		compare(&stream, seed);
	assert_int_equal(compare(&stream, WHOLE), count);
	stream_release(&stream);
}

void test_merge__loop(void **state)
{
	expect_merged("EE NE", false, 0);
	expect_merged("EE NE EE", false, 1);
	expect_merged("EE NE EEN", false, 2);
	expect_merged("EE NE E E N E NE EEN EEE", false, 11);
}

/* A branch that must be taken, and was not: alone, whatever stands before it, in its packet and before. */
void test_merge__break(void **state)
{
	expect_merged("EE NE EN", false, 0);
	expect_merged("EE NE E N", false, 0);
	expect_merged("EE NE EEE N", false, 2);
	expect_merged("EE NE EEN N", false, 2);
	expect_merged("EE NE EEN EEN", false, 4);
}

/* A return for which the stack has nothing takes its packet back, of which the first range has been merged by then. */
void test_merge__return_without_a_call(void **state)
{
	expect_merged("EE NE EN E N E EN E E N E N", true, 0);
	expect_merged("EE NE EN E N E EN E E N E N E", true, 1);
	expect_merged("EE NE EN E N E EN E E N E N EE", true, 0);
}

void test_merge__programs(void **state)
{
	assert_true(compare_all(program_stream, false) > 20000);
}

void test_merge__packets(void **state)
{
	assert_true(compare_all(packet_stream, false) > 2500);
}

void test_merge__damaged_programs(void **state)
{
	assert_true(compare_all(program_stream, true) > 15000);
}

void test_merge__damaged_packets(void **state)
{
	assert_true(compare_all(packet_stream, true) > 2500);
}
