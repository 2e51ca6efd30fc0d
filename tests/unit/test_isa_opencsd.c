/* SPDX-License-Identifier: Apache-2.0 */
/* decoder/isa says of random code what OpenCSD says, save what its packaged version does not know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "encoder_unit.h"
#include "opcode_seeds.h"
#include "opcode_trial.h"
#include "temp_files.h"

enum { ROUNDS = 4 };

static unsigned met[16]; /* by number of opcode_unknown() */

static struct opcode_trial trial;
static struct opcode_found found[SLOT_COUNT];

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

static uint32_t word_at(const uint8_t *p)
{
	if (trial.isa == SL_ISA_T32)
		return (uint32_t)p[1] << 24 | (uint32_t)p[0] << 16 | (uint32_t)p[3] << 8 | p[2];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Whether our walk of a slot ends at what OpenCSD does not know. */
static bool is_unknown(size_t slot, const struct opcode_found *own)
{
	int unknown = opcode_unknown(trial.isa, word_at(trial.code + slot * SLOT_BYTES + own->bytes - own->size));

	if (unknown < 0)
		return false;
	met[unknown]++;
	return true;
}

/* The last slot stays empty: what BLX makes of the code behind it is not told apart from the end of the image. */
static void fill(uint64_t *random)
{
	for (size_t i = 0; i + 2 < SLOT_COUNT; i++) {
		uint8_t *code = trial.code + i * SLOT_BYTES;
		unsigned skip = trial.isa == SL_ISA_T32 ? 2 * gen_random(random, 3) : 4 * gen_random(random, 2);

		opcode_store(trial.isa, opcode_random(trial.isa, random), code);
		opcode_store(trial.isa, opcode_random(trial.isa, random), code + skip);
	}
}

static void compare(uint64_t *random)
{
	fill(random);
	opcode_trace(&trial, found);
	for (size_t i = 0; i + 2 < SLOT_COUNT; i++) {
		const uint8_t *code = trial.code + i * SLOT_BYTES;
		struct opcode_found own;
		char a[128], b[128];

		opcode_walk(&trial, i, &own);
		if (opcode_same(&own, &found[i]) || is_unknown(i, &own))
			continue;
		opcode_text(&own, a, sizeof(a));
		opcode_text(&found[i], b, sizeof(b));
		fail_msg("%08x %08x: decoder/isa: %s; OpenCSD: %s", word_at(code), word_at(code + 4), a, b);
	}
}

static void check(enum sl_isa isa, enum sl_arch arch, bool m_profile, uint64_t seed)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		opcode_trial_init(&trial, isa, arch, m_profile);
		compare(&seed);
	}
}

void test_isa_opencsd__a64_before_v8_3(void **state)
{
	check(SL_ISA_A64, SL_ARCH_V8, false, 1);
}

void test_isa_opencsd__a64(void **state)
{
	check(SL_ISA_A64, SL_ARCH_AA64, false, 2);
}

void test_isa_opencsd__a32(void **state)
{
	check(SL_ISA_A32, SL_ARCH_V7, false, 3);
	check(SL_ISA_A32, SL_ARCH_AA64, false, 4);
}

void test_isa_opencsd__t32(void **state)
{
	check(SL_ISA_T32, SL_ARCH_V7, false, 5);
	check(SL_ISA_T32, SL_ARCH_AA64, false, 6);
}

void test_isa_opencsd__t32_of_m_profile(void **state)
{
	check(SL_ISA_T32, SL_ARCH_V8, true, 7);
}

/* An entry that no code meets any more is to leave the list. */
void test_isa_opencsd__unknown_ones_are_met(void **state)
{
	if (strcmp(sl_decoder_engine(), "OpenCSD 1.3.3") != 0)
		skip();
	for (unsigned i = 0; opcode_unknown_name(i); i++) {
		if (!met[i])
			fail_msg("no difference at %s", opcode_unknown_name(i));
	}
}
