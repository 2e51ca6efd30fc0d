/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast engines of PTM and ETMv3 against OpenCSD: what the encoders make of random A32 and T32 programs with every
 * option, as it is and damaged, whole and in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "encoder.h"
#include "encoder_trial.h"
#include "merge_trial.h"
#include "random_program.h"
#include "temp_files.h"
#include "v7_diff.h"

enum { CORES = 3, TASKS = 8 };

static struct program program, others[CORES];
static struct sl_image *image, *tasks;
static uint64_t merged; /* ranges, into other ones */

/* Address spaces that hold different programs at the same addresses, and tasks that run in them. */
static void make_tasks(void)
{
	struct sl_place place = { .address_known = true };

	assert_int_equal(sl_image_new(&tasks), SL_OK);
	sl_image_separate(tasks);
	for (unsigned i = 0; i < CORES * PROGRAM_PARTS; i++) {
		const struct program *p = &others[i / PROGRAM_PARTS];
		unsigned part = i % PROGRAM_PARTS;
		char name[32];

		snprintf(name, sizeof(name), "task%u.bin", i);
		place.core = i / PROGRAM_PARTS;
		place.space = i / PROGRAM_PARTS == 1 ? SL_SPACE_N : SL_SPACE_ANY;
		place.address = p->parts[part];
		assert_int_equal(sl_image_add_dump(tasks, temp_write(name, p->code[part], PROGRAM_CODE), &place, NULL, NULL),
				 SL_OK);
	}
	for (unsigned task = 0; task < TASKS; task++) {
		assert_int_equal(sl_image_add_task(tasks, 1 + task, task % CORES), SL_OK);
		assert_int_equal(sl_image_add_task(tasks, 0x100 + task, task % CORES), SL_OK);
	}
	assert_int_equal(sl_image_seal(tasks), SL_OK);
}

int group_setup(void **state)
{
	temp_setup();
	for (unsigned i = 0; i < CORES; i++)
		program_make(&others[i], PROGRAM_A32, 9 + i, (uint64_t[]){ 0x10000, 0x7654000, 0xc0008000 });
	make_tasks();
	program_make(&program, PROGRAM_A32, 9, (uint64_t[]){ 0x10000, 0x7654000, 0xc0008000 });
	image = program_image(&program);
	return 0;
}

int group_teardown(void **state)
{
	sl_image_free(image);
	sl_image_free(tasks);
	temp_teardown();
	return 0;
}

struct making {
	struct gen_encoder *enc;
	struct v7_bytes *lane;
	unsigned runs;
};

static void on_event(void *ctx, const struct gen_event *event)
{
	struct making *making = ctx;
	struct sl_bytes bytes;

	gen_encoder_event(making->enc, event);
	making->runs += event->kind == GEN_RUN;
	if (event->kind == GEN_RUN && making->runs % 97 == 0)
		gen_encoder_overflow(making->enc, 1 + making->runs / 97 % 7, false);
	if (event->kind == GEN_RUN && making->runs % 53 == 0)
		gen_encoder_trigger(making->enc);
	bytes = gen_encoder_drain(making->enc);
	v7_append(making->lane, bytes.data, bytes.len);
}

static void make_lane(const struct gen_encoder_options *options, uint64_t seed, struct v7_bytes *ret)
{
	struct walk_options walk = { .seed = seed, .runs = 150, .interrupts_every = 30, .contexts = true,
				     .security = seed & 1 ? SL_SECURE : SL_NONSECURE };
	struct making making = { gen_encoder_new(options), ret, 0 };

	program_walk(&program, &walk, &(struct gen_sink){ on_event, &making });
	gen_encoder_free(making.enc);
}

static void make_config(const struct gen_encoder_options *options, struct sl_trace_config *ret)
{
	struct gen_reg regs[GEN_REGS];
	size_t n = gen_encoder_registers(options, regs);

	*ret = (struct sl_trace_config){ .protocol = options->protocol == GEN_PTM ? SL_PROTOCOL_PTM : SL_PROTOCOL_ETMV3,
					 .profile = SL_PROFILE_A, .arch = SL_ARCH_V7 };
	for (size_t i = 0; i < n; i++) {
		enum sl_reg reg;

		assert_int_equal(sl_reg_parse(regs[i].name, &reg), SL_OK);
		sl_config_set(ret, reg, regs[i].value);
	}
}

/* By the bits of i; what a protocol does not have, it leaves out. */
static struct gen_encoder_options options_of(enum gen_protocol protocol, unsigned i)
{
	return (struct gen_encoder_options){
		.protocol = protocol,
		.trace_id = 0x11,
		.cycle_counts = i & 1,
		.timestamps = i & 2,
		.timestamp_ns = i & 4 ? 500 : 0,
		.context_id = i & 8,
		.vmid_bytes = i & 16 ? 1 : 0,
		.branch_broadcast = i & 32,
		.broadcast = { 0x10000, i & 64 ? 0x10100 : 0 },
		.old_revision = i & 128,
		.alternative_branches = i & 128,
		.return_stack = i % 16,
		.sync_bytes = i % 3 ? 100 * (i % 7 + 1) : 0,
	};
}

/* The same lane with merged ranges. */
static void compare_merged(const struct v7_diff *diff, unsigned i, const char *what)
{
	struct merge_lane lane = { diff->config, diff->options, diff->lane, diff->piece, diff->restart_at, 0 };
	char text[800];

	if (!merge_lane(&lane, text, sizeof(text)))
		fail_msg("options %u, %s, pieces of %zu, restart at %zu, merged: %s", i, what, diff->piece, diff->restart_at, text);
	merged += lane.merged;
}

static void compare(struct v7_diff *diff, const struct v7_bytes *lane, unsigned i, const char *what)
{
	char text[512];

	diff->lane = (struct sl_bytes){ lane->data, lane->len, 0 };
	if (!v7_diff(diff, text, sizeof(text)))
		fail_msg("options %u, %s, pieces of %zu, restart at %zu: %s", i, what, diff->piece, diff->restart_at, text);
	compare_merged(diff, i, what);
}

static void compare_mutants(struct v7_diff *diff, const struct v7_bytes *lane, unsigned i)
{
	uint64_t state = i;

	for (unsigned n = 0; n < 3; n++) {
		struct v7_bytes mutant = { 0 };

		v7_append(&mutant, lane->data, lane->len);
		v7_mutate(&mutant, &state);
		diff->piece = 1 + v7_random(&state) % 700;
		diff->restart_at = v7_random(&state) % 2 ? v7_random(&state) % mutant.len : 0;
		compare(diff, &mutant, i, "damaged");
		free(mutant.data);
	}
}

/* Another task after each so many bytes, by no rule; sometimes nobody knows which. */
static void moment_of(void *ctx, uint64_t offset, struct sl_moment *ret)
{
	uint64_t period = *(const unsigned *)ctx, state = offset / period;

	ret->window = SL_WINDOW_ANY;
	ret->task = 1 + (uint32_t)(v7_random(&state) % TASKS);
	ret->task_known = v7_random(&state) % 4 > 0;
	ret->until = (offset / period + 1) * period;
}

/* Whose memory it is changes, by what the capture knows and by context ids. */
static void check_tasks(enum gen_protocol protocol)
{
	for (unsigned i = 0; i < 32; i++) {
		struct gen_encoder_options encoder = options_of(protocol, i * 9);
		unsigned period = 10 + i * 7;
		struct sl_decoder_options options = { .image = tasks, .moment = i % 4 ? moment_of : NULL, .moment_ctx = &period };
		struct sl_trace_config config;
		struct v7_diff diff = { .config = &config, .options = &options, .packets = i & 1 };
		struct v7_bytes lane = { 0 };

		make_config(&encoder, &config);
		config.task_from = i % 3 == 0 ? SL_TASK_UNKNOWN : i % 3 == 1 ? SL_TASK_CONTEXT_ID : SL_TASK_VMID;
		make_lane(&encoder, i + 1, &lane);
		compare(&diff, &lane, i, "with tasks");
		compare_mutants(&diff, &lane, i);
		free(lane.data);
	}
}

void test_v7_engines__ptm_tasks(void **state)
{
	check_tasks(GEN_PTM);
}

void test_v7_engines__etm3_tasks(void **state)
{
	check_tasks(GEN_ETMV3);
}

static void check_all(enum gen_protocol protocol)
{
	struct sl_decoder_options options = { .image = image };
	uint64_t instructions = 0;

	merged = 0;
	for (unsigned i = 0; i < 256; i++) {
		struct gen_encoder_options encoder = options_of(protocol, i);
		struct v7_bytes lane = { 0 };
		struct sl_trace_config config;
		struct v7_diff diff = { .config = &config, .options = &options, .packets = true };

		make_config(&encoder, &config);
		make_lane(&encoder, i + 1, &lane);
		compare(&diff, &lane, i, "whole");
		instructions += diff.instructions;
		diff.piece = 1 + i;
		compare(&diff, &lane, i, "in pieces");
		compare_mutants(&diff, &lane, i);
		free(lane.data);
	}
	assert_true(instructions > 256 * 150);
	assert_true(merged > 256);
}

/* What is no program: random words, of which some are no instructions. */
static struct sl_image *junk_image(uint64_t seed)
{
	struct program junk = program;
	struct sl_image *ret;

	for (unsigned part = 0; part < PROGRAM_PARTS; part++) {
		for (size_t i = 0; i < PROGRAM_CODE; i++)
			junk.code[part][i] = (uint8_t)v7_random(&seed);
	}
	ret = program_image(&junk);
	return ret;
}

static void check_junk(enum gen_protocol protocol)
{
	for (unsigned i = 0; i < 32; i++) {
		struct gen_encoder_options encoder = options_of(protocol, i * 7);
		struct sl_decoder_options options = { .image = junk_image(i) };
		struct sl_trace_config config;
		struct v7_diff diff = { .config = &config, .options = &options, .packets = true };
		struct v7_bytes lane = { 0 };

		make_config(&encoder, &config);
		make_lane(&encoder, i + 1, &lane);
		compare(&diff, &lane, i, "over junk");
		compare_mutants(&diff, &lane, i);
		free(lane.data);
		sl_image_free((struct sl_image *)options.image);
	}
}

void test_v7_engines__ptm_over_junk(void **state)
{
	check_junk(GEN_PTM);
}

void test_v7_engines__etm3_over_junk(void **state)
{
	check_junk(GEN_ETMV3);
}

void test_v7_engines__ptm(void **state)
{
	check_all(GEN_PTM);
}

void test_v7_engines__etm3(void **state)
{
	check_all(GEN_ETMV3);
}
