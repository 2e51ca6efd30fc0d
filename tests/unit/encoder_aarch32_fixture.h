/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENCODER_AARCH32_FIXTURE_H
#define ENCODER_AARCH32_FIXTURE_H
/* A random program of A32 and T32 for the encoders of PTM and ETMv3, and one trial of them. Include behind cmocka.h, in one
 * file of a test program. */
#include <stdio.h>
#include <string.h>

#include "encoder_trial.h"
#include "temp_files.h"

static struct program program;
static struct sl_image *image;
static struct packet_names packets;

static const uint8_t exception_numbers[] = {
	[GEN_CALL_EXCEPTION] = 10, [GEN_UNDEFINED] = 9, [GEN_INST_FAULT] = 11,
	[GEN_DATA_FAULT] = 12,	   [GEN_IRQ] = 14,
};

static inline int aarch32_group_setup(void)
{
	temp_setup();
	program_make(&program, PROGRAM_A32, 9, (uint64_t[]){ 0x10000, 0x7654000, 0xc0008000 });
	image = program_image(&program);
	return 0;
}

static inline int aarch32_group_teardown(void)
{
	sl_image_free(image);
	temp_teardown();
	return 0;
}

enum { FAULTS = 1, GAPS = 2, SECURE = 4, LATE = 8 };

/* The program's walk of this seed through the encoder and back: it has to be the same. */
static inline struct trial check_protocol(enum gen_protocol protocol, uint64_t seed,
					  const struct gen_encoder_options *options, const char *name, unsigned how)
{
	struct trial trial = {
		.program = &program,
		.image = image,
		.options = *options,
		.walk = { .seed = seed,
			  .runs = 3000,
			  .interrupts_every = 30,
			  .contexts = true,
			  .security = how & SECURE ? SL_SECURE : SL_NONSECURE },
		.exception_numbers = exception_numbers,
		.packets = how & LATE ? NULL : &packets,
		.overflow_every = how & FAULTS ? 97 : 0,
		.trigger_every = how & FAULTS ? 50 : 0,
		.gap_every = how & GAPS ? 23 : 0,
		.skip_bytes = how & LATE ? 1000 + seed * 37 : 0,
	};
	char text[64];

	snprintf(text, sizeof(text), "%s, seed %u", name, (unsigned)seed);
	trial.name = text;
	trial.options.protocol = protocol;
	trial.options.trace_id = 0x11;
	assert_true(trial_run(&trial));
	return trial;
}
#endif
