/* SPDX-License-Identifier: Apache-2.0 */
/* decoder/ipt finds in the Intel PT encoder's bytes what random x86-64 programs did, however the bytes are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "encoder_trial.h"

static struct program program;
static struct sl_image *image;
static const uint8_t no_numbers[GEN_HALT + 1];

int group_setup(void **state)
{
	program_make(&program, PROGRAM_X86, 3, (uint64_t[]){ 0x401000, 0x7f1200456000, 0xffffffff81000000 });
	image = program_image(&program);
	return 0;
}

int group_teardown(void **state)
{
	sl_image_free(image);
	return 0;
}

static size_t window;

int case_setup(void **state)
{
	window = 0;
	return 0;
}

static struct trial check(uint64_t seed, const struct gen_encoder_options *options, const char *name,
			  unsigned overflow_every, uint64_t skip_bytes)
{
	struct trial trial = {
		.program = &program,
		.image = image,
		.options = *options,
		.walk = { .seed = seed, .runs = 3000, .interrupts_every = 30, .contexts = true, .security = 1 },
		.exception_numbers = no_numbers,
		.overflow_every = overflow_every,
		.skip_bytes = skip_bytes,
		.window = window,
	};
	char text[64];

	snprintf(text, sizeof(text), "%s, seed %u", name, (unsigned)seed);
	trial.name = text;
	trial.options.protocol = GEN_INTEL_PT;
	assert_true(trial_run(&trial));
	return trial;
}

void test_ipt__all_options(void **state)
{
	for (unsigned i = 0; i < 128; i++) {
		struct gen_encoder_options options = {
			.cycle_counts = i & 1,
			.timestamps = i & 2,
			.timestamp_ns = i & 4 ? 500 : 0,
			.context_id = i & 8,
			.return_stack = i & 16,
			.old_revision = i & 32,
			.sync_bytes = i & 64 ? 100 * (i % 7 + 1) : 0,
		};
		struct trial trial = check(i + 1, &options, "options", 0, 0);

		assert_int_equal(trial.lost[GEN_LOST_FILTER] + trial.lost[GEN_LOST_OVERFLOW], 0);
		assert_true(!options.timestamps || trial.times > 0);
		if (options.cycle_counts)
			assert_int_equal(trial.cycles_told, trial.cycles_found);
	}
}

void test_ipt__filters(void **state)
{
	struct gen_encoder_options user = { .hidden_levels = 1 << 1, .return_stack = 1, .timestamps = true };
	struct gen_encoder_options kernel = { .hidden_levels = 1 << 0, .cycle_counts = true, .context_id = true };
	struct gen_encoder_options range = { .only = { 0x401010, 0x401100 }, .return_stack = 1 };
	const struct gen_encoder_options *options[] = { &user, &kernel, &range };

	for (unsigned i = 0; i < 12; i++)
		assert_true(check(i + 40, options[i / 4], "filter", 0, 0).lost[GEN_LOST_FILTER] > 100);
}

/* A reader that begins in the middle, as of a ring buffer, finds its way at the next PSB. */
void test_ipt__late_readers(void **state)
{
	struct gen_encoder_options options = { .context_id = true, .sync_bytes = 500 };

	for (unsigned i = 0; i < 12; i++) {
		options.return_stack = i & 1;
		options.old_revision = i & 2;
		check(i + 80, &options, "late", 0, 1000 + i * 37);
	}
}

void test_ipt__overflow(void **state)
{
	struct gen_encoder_options options = { .return_stack = 1, .timestamps = true, .sync_bytes = 500 };

	for (unsigned i = 0; i < 6; i++)
		assert_true(check(i + 60, &options, "overflow", 97, 0).lost[GEN_LOST_OVERFLOW] > 50);
}

/* The flow goes on from window to window, each as short as the PSB packets allow. */
void test_ipt__windows(void **state)
{
	window = 64;
	for (unsigned i = 0; i < 64; i++) {
		struct gen_encoder_options options = {
			.cycle_counts = i & 1, .timestamps = i & 2, .context_id = (i & 36) == 4, .return_stack = i & 8, .old_revision = i & 16,
			.hidden_levels = i & 32 ? 1 << 1 : 0, .sync_bytes = 50 + 30 * (i % 7),
		};
		struct trial trial = check(i + 200, &options, "windows", i % 5 == 4 && !options.context_id ? 97 : 0, 0); /* what is lost may change the context */

		if (options.cycle_counts && !trial.lost[GEN_LOST_FILTER] && !trial.lost[GEN_LOST_OVERFLOW])
			assert_int_equal(trial.cycles_told, trial.cycles_found);
	}
}
