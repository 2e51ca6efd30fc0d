/* SPDX-License-Identifier: Apache-2.0 */
/* decoder/ipt finds in the Intel PT encoder's bytes what random x86-64 programs did, however the bytes are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "encoder_trial.h"
#include "merge_trial.h"
#include "sl_file.h"

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

/* Ranges that are merged say what they say one by one, of a program with symbols, and where bytes are damaged, too. */
void test_ipt__merged(void **state)
{
	const char *folder = SL_SOURCE_DIR "/fixtures/generated/x86_64-ipt";
	const struct sl_place own_addresses = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };
	const struct sl_trace_config config = { .protocol = SL_PROTOCOL_IPT };
	struct sl_decoder_options options = { 0 };
	struct merge_lane lane = { .config = &config, .options = &options };
	struct sl_notes notes = { 0 };
	struct sl_diag diag;
	struct sl_image *elf;
	char path[300], why[800];
	char *bytes;

	snprintf(path, sizeof(path), "%s/trace.bin", folder);
	assert_int_equal(sl_file_read_text(path, 1 << 20, &bytes, &lane.bytes.len, &diag), SL_OK);
	snprintf(path, sizeof(path), "%s/image.elf", folder);
	assert_int_equal(sl_image_new(&elf), SL_OK);
	assert_int_equal(sl_image_add_elf(elf, path, &own_addresses, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(elf), SL_OK);
	options.image = elf;
	lane.bytes.data = (const uint8_t *)bytes;
	for (unsigned i = 0; i < 200; i++) {
		lane.piece = (size_t[]){ 0, 1, 7, 333 }[i % 4];
		if (!merge_lane(&lane, why, sizeof(why)))
			fail_msg("trial %u: %s", i, why);
		bytes[i * 977 % lane.bytes.len] ^= (char)(1 << i % 8);
	}
	assert_true(lane.merged > 1000);
	sl_image_free(elf);
	sl_notes_release(&notes);
	free(bytes);
}

/* The flow goes on from window to window, however short they are. */
void test_ipt__windows(void **state)
{
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
