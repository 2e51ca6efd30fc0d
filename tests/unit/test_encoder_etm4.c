/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs through the ETMv4 and ETE encoder and back through sl_decoder, over the encoder's options.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "encoder_trial.h"
#include "etm4_encode.h"
#include "temp_files.h"

static struct program programs[2];
static struct sl_image *images[2];
static struct packet_names packets;

static const uint8_t exception_numbers[] = {
	[GEN_CALL_EXCEPTION] = 2, [GEN_UNDEFINED] = 3, [GEN_INST_FAULT] = 11,
	[GEN_DATA_FAULT] = 12,	  [GEN_IRQ] = 14,      [GEN_HALT] = 1,
};

int group_setup(void **state)
{
	temp_setup();
	program_make(&programs[0], PROGRAM_A64, 7,
		     (uint64_t[]){ 0x400000, 0x7f1200456000, 0xffff800010080000 });
	program_make(&programs[1], PROGRAM_A32, 5, (uint64_t[]){ 0x10000, 0x7654000, 0xc0008000 });
	for (unsigned i = 0; i < 2; i++)
		images[i] = program_image(&programs[i]);
	return 0;
}

int group_teardown(void **state)
{
	sl_image_free(images[0]);
	sl_image_free(images[1]);
	temp_teardown();
	return 0;
}

static struct trial trial_of(unsigned program, uint64_t seed, const struct gen_encoder_options *options)
{
	struct trial trial = {
		.program = &programs[program],
		.image = images[program],
		.options = *options,
		.walk = { .seed = seed,
			  .runs = 3000,
			  .interrupts_every = 30,
			  .contexts = true,
			  .security = SL_NONSECURE },
		.exception_numbers = exception_numbers,
		.packets = &packets,
	};

	trial.options.trace_id = 0x10;
	return trial;
}

static void check(struct trial *trial, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s, program %d, seed %u, depth %u", name,
		 trial->program == &programs[1], (unsigned)trial->walk.seed,
		 (unsigned)trial->options.max_speculation);
	trial->name = text;
	assert_true(trial_run(trial));
}

/* Each program with each of some seeds, ETMv4 and ETE. */
static void check_all(const struct gen_encoder_options *options, const char *name)
{
	for (unsigned i = 0; i < 8; i++) {
		struct gen_encoder_options o = *options;
		struct trial trial;

		o.protocol = i / 2 % 2 ? GEN_ETE : GEN_ETMV4;
		trial = trial_of(i % 2, i + 1, &o);
		check(&trial, name);
		assert_int_equal(trial.lost[GEN_LOST_FILTER] + trial.lost[GEN_LOST_OVERFLOW], 0);
		assert_true(!o.timestamps || trial.times > 0);
	}
}

void test_encoder_etm4__plain(void **state)
{
	check_all(&(struct gen_encoder_options){ 0 }, "plain");
	check_all(&(struct gen_encoder_options){ .f1_only = true }, "F1 only");
	check_all(&(struct gen_encoder_options){ .sync_bytes = 200 }, "sync");
}

void test_encoder_etm4__return_stack(void **state)
{
	for (unsigned depth = 1; depth <= 15; depth++)
		check_all(&(struct gen_encoder_options){ .return_stack = depth, .sync_bytes = 500 },
			  "return stack");
}

void test_encoder_etm4__contexts(void **state)
{
	check_all(&(struct gen_encoder_options){ .context_id = true, .vmid_bytes = 1 }, "context id, vmid 1");
	check_all(&(struct gen_encoder_options){ .context_id = true, .vmid_bytes = 4, .return_stack = 3 },
		  "vmid 4");
	check_all(&(struct gen_encoder_options){ .vmid_bytes = 2, .sync_bytes = 300 }, "vmid 2");
}

/* An exception at the target of an indirect branch says that target, too, unless there is a return stack. */
void test_encoder_etm4__exceptions_at_targets(void **state)
{
	struct trial trial = trial_of(0, 5, &(struct gen_encoder_options){ 0 });

	check(&trial, "targets");
	assert_true(trial.targets > 0);
	trial = trial_of(0, 5, &(struct gen_encoder_options){ .return_stack = 1 });
	check(&trial, "no targets");
	assert_int_equal(trial.targets, 0);
}

void test_encoder_etm4__levels(void **state)
{
	for (unsigned i = 0; i < 12; i++) {
		struct gen_encoder_options options = { .protocol = i % 2 ? GEN_ETE : GEN_ETMV4,
						       .context_id = i & 1 };
		struct trial trial = trial_of(i / 2 % 2, i + 100, &options);

		trial.walk.kernel_el = (uint8_t)(1 + i % 3);
		trial.walk.security = i & 4 ? SL_SECURE : SL_NONSECURE;
		check(&trial, "levels");
	}
}

void test_encoder_etm4__holes_in_the_log(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		struct trial trial =
			trial_of(i % 2, i + 120, &(struct gen_encoder_options){ .return_stack = i });

		trial.options.max_speculation = i & 2 ? 12 : 0;
		trial.options.f1_only = i & 4;
		trial.gap_every = 23;
		check(&trial, "gaps");
	}
}

void test_encoder_etm4__timestamps(void **state)
{
	check_all(&(struct gen_encoder_options){ .timestamps = true, .timestamp_ns = 500, .return_stack = 2 },
		  "every 500");
	check_all(&(struct gen_encoder_options){ .timestamps = true, .sync_bytes = 100 }, "at sync");
}

void test_encoder_etm4__branch_broadcast(void **state)
{
	check_all(&(struct gen_encoder_options){ .branch_broadcast = true, .return_stack = 4 }, "broadcast");
	check_all(&(struct gen_encoder_options){ .branch_broadcast = true,
						 .return_stack = 4,
						 .broadcast = { 0x400000, 0x400200 } },
		  "broadcast of a range");
}

/* The counts add up to what was told, but for what came after the last one and was below the threshold. */
static void check_cycles(const struct gen_encoder_options *options, const char *name)
{
	for (unsigned i = 0; i < 4; i++) {
		struct trial trial = trial_of(i % 2, i + 20, options);

		check(&trial, name);
		assert_true(trial.cycles_found <= trial.cycles_told);
		assert_true(trial.cycles_told - trial.cycles_found <= options->cycle_threshold);
	}
}

void test_encoder_etm4__cycle_counts(void **state)
{
	check_cycles(&(struct gen_encoder_options){ .cycle_counts = true, .cycle_threshold = 1 },
		     "each cycle");
	check_cycles(&(struct gen_encoder_options){ .cycle_counts = true,
						    .cycle_threshold = 16,
						    .return_stack = 3 },
		     "16");
	check_cycles(&(struct gen_encoder_options){ .protocol = GEN_ETE,
						    .cycle_counts = true,
						    .cycle_threshold = 256,
						    .timestamps = true,
						    .timestamp_ns = 300,
						    .sync_bytes = 400 },
		     "256, times");
}

void test_encoder_etm4__speculation(void **state)
{
	for (unsigned depth = 1; depth <= 40; depth += depth < 5 ? 1 : 7) {
		check_all(&(struct gen_encoder_options){ .max_speculation = depth,
							 .seed = depth,
							 .sync_bytes = 300 },
			  "speculation only");
		check_all(&(struct gen_encoder_options){ .max_speculation = depth,
							 .seed = depth,
							 .return_stack = 3,
							 .timestamps = true,
							 .timestamp_ns = 400,
							 .context_id = true,
							 .sync_bytes = 600 },
			  "speculation");
		check_cycles(&(struct gen_encoder_options){ .max_speculation = depth,
							    .seed = depth,
							    .cycle_counts = true,
							    .cycle_threshold = 8 },
			     "speculation, cycles");
	}
}

/* OpenCSD does not commit by cycle counts: it holds back the end of the trace (docs/opencsd-quirks.md, 18).
 */
void test_encoder_etm4__commit_mode_0(void **state)
{
	for (unsigned i = 0; i < 12; i++) {
		struct gen_encoder_options options = { .max_speculation = i * 3 + 1,
						       .seed = i + 1,
						       .cycle_counts = true,
						       .commit_mode_0 = true,
						       .cycle_threshold = 4,
						       .timestamps = true };
		struct trial trial = trial_of(i % 2, i + 80, &options);

		trial.may_miss = 200;
		check(&trial, "commit mode 0");
		assert_true(trial.cycles_found <= trial.cycles_told);
		assert_true(trial.cycles_found > trial.cycles_told / 10 * 9);
	}
}

void test_encoder_etm4__filters(void **state)
{
	struct gen_encoder_options user = { .hidden_levels = 1 << 1, .return_stack = 3, .context_id = true };
	struct gen_encoder_options kernel = { .hidden_levels = 1 << 0,
					      .timestamps = true,
					      .cycle_counts = true };
	struct gen_encoder_options range = { .only = { 0x400100, 0x400300 }, .return_stack = 2 };

	for (unsigned i = 0; i < 6; i++) {
		const struct gen_encoder_options *options[] = { &user, &kernel, &range };
		struct trial trial = trial_of(i == 4 || i == 5 ? 0 : i % 2, i + 40, options[i / 2]);

		check(&trial, "filter");
		assert_true(trial.lost[GEN_LOST_FILTER] > 100);
	}
}

void test_encoder_etm4__overflow(void **state)
{
	struct gen_encoder_options options = { .return_stack = 3, .timestamps = true, .timestamp_ns = 500 };

	for (unsigned i = 0; i < 8; i++) {
		struct trial trial = trial_of(i % 2, i + 60, &options);

		trial.options.max_speculation = i & 2 ? 20 : 0;
		trial.options.protocol = i & 4 ? GEN_ETE : GEN_ETMV4;
		trial.overflow_every = 97;
		trial.trigger_every = 50;
		check(&trial, "overflow");
		assert_true(trial.lost[GEN_LOST_OVERFLOW] > 50);
	}
}

/*
 * A reader that begins in the middle, as of a ring buffer, finds its way at the next sync point. With
 * speculation only where all was committed before that (docs/opencsd-quirks.md, 32): the encoder does so
 * where there is a return stack.
 */
void test_encoder_etm4__late_readers(void **state)
{
	for (unsigned i = 0; i < 24; i++) {
		struct gen_encoder_options options = { .protocol = i & 2 ? GEN_ETE : GEN_ETMV4,
						       .sync_bytes = 500 };
		struct trial trial;

		options.return_stack = i & 4 ? 4 : 0;
		options.max_speculation = (i & 12) == 12 ? i : 0;
		options.seed = i + 1;
		options.context_id = true;
		trial = trial_of(i % 2, i + 160, &options);
		trial.skip_bytes = 1000 + i * 37;
		check(&trial, "late");
	}
}

/* The same in memory-aligned frames, and with full and half syncs as a TPIU sends them. */
void test_encoder_etm4__in_frames(void **state)
{
	static const struct frame_mux_options memory = { .frames = { .repeat_id_every = 10 }, .seed = 5 };
	static const struct frame_mux_options tpiu = { .frames = { .fsync_every = 8 }, .turn = 5 };
	static const struct frame_mux_options half = { .frames = { .fsync_every = 8, .hsync_every = 3 } };
	static const struct frame_mux_options *const frames[] = { &memory, &tpiu, &half };
	static const enum sl_framing framings[] = { SL_FRAMING_CORESIGHT, SL_FRAMING_TPIU,
						    SL_FRAMING_TPIU_HSYNC };

	for (unsigned i = 0; i < 6; i++) {
		struct trial trial =
			trial_of(i % 2, i + 140,
				 &(struct gen_encoder_options){ .return_stack = 3, .sync_bytes = 1000 });

		trial.frames = frames[i / 2];
		trial.framing = framings[i / 2];
		check(&trial, "frames");
	}
}

/* Last of all: whether the trials above made each packet that an A profile's instruction trace has. */
void test_encoder_etm4__zz_each_packet_was_made(void **state)
{
	static const char *const names[] = {
		"I_ASYNC",
		"I_TRACE_INFO",
		"I_TRACE_ON",
		"I_OVERFLOW",
		"I_DISCARD",
		"I_EVENT",
		"I_TIMESTAMP",
		"I_CCNT_F1",
		"I_CCNT_F2",
		"I_CCNT_F3",
		"I_CTXT",
		"I_ADDR_MATCH",
		"I_ADDR_S_IS0",
		"I_ADDR_S_IS1",
		"I_ADDR_L_32IS0",
		"I_ADDR_L_32IS1",
		"I_ADDR_L_64IS0",
		"I_ADDR_CTXT_L_32IS0",
		"I_ADDR_CTXT_L_32IS1",
		"I_ADDR_CTXT_L_64IS0",
		"I_ADDR_CTXT_L_64IS1",
		"I_EXCEPT",
		"I_EXCEPT_RTN",
		"I_ATOM_F1",
		"I_ATOM_F2",
		"I_ATOM_F3",
		"I_ATOM_F4",
		"I_ATOM_F5",
		"I_ATOM_F6",
		"I_COMMIT",
		"I_CANCEL_F1",
		"I_CANCEL_F1_MISPRED",
		"I_CANCEL_F2",
		"I_CANCEL_F3",
		"I_MISPREDICT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (packet_count(&packets, names[i]) == 0)
			fail_msg("no %s was made", names[i]);
	for (size_t i = 0; i < packets.len; i++)
		if (strncmp(packets.names[i], "I_BAD", 5) == 0 || strncmp(packets.names[i], "I_RES", 5) == 0)
			fail_msg("a packet %s was made", packets.names[i]);
}
