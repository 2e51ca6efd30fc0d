/* SPDX-License-Identifier: Apache-2.0 */
/* decoder/isa and capstone agree on what a million random words a set do to the program's flow, save in a list of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "encoder_unit.h"
#include "isa/isa.h"
#include "opcode_seeds.h"

enum { WORDS = 1 << 20, PC = 0x10000000 };

/* Capstone says that it is no instruction, or that the flow goes on, or that it does not: decoder/isa says otherwise. */
enum disagreement { NO_INSN = 1, GOES_ON = 2, LEAVES = 4 };

struct reason {
	unsigned kinds;
	enum sl_isa isa;
	uint32_t mask, value;
	const char *why;
};
static const struct reason reasons[] = {
	/* newer than capstone 4, which is what Debian 12 has */
	{ NO_INSN, SL_ISA_A64, 0x7e000000, 0x74000000, "CB<cc> (FEAT_CMPBR)" },
	{ NO_INSN, SL_ISA_A64, 0xff000010, 0x54000010, "BC.cond (FEAT_HBC)" },
	{ NO_INSN, SL_ISA_A64, 0xffc0001f, 0x5500001f, "RETAASPPC (FEAT_PAuth_LR)" },
	{ NO_INSN, SL_ISA_A64, 0xfffffbff, 0xd6ff03e0, "TEXIT (FEAT_POE2)" },
	{ NO_INSN, SL_ISA_A64, 0xfe1ff800, 0xd61f0800, "pointer authentication" },
	{ NO_INSN, SL_ISA_T32, 0xff800000, 0x47800000, "BLXNS, or BLX whose last bits are not 0" },
	{ NO_INSN, SL_ISA_T32, 0xff80f001, 0xf000c001, "low-overhead branches of Armv8.1-M" },
	/* what capstone does not tell */
	{ GOES_ON, SL_ISA_A64, 0xffffffff, 0xd69f03e0, "ERET is in no group" },
	{ GOES_ON, SL_ISA_A32, 0xfe500000, 0xf8100000, "RFE is not said to write the PC" },
	{ GOES_ON, SL_ISA_T32, 0xffd00000, 0xe8100000, "RFEDB is not said to write the PC" },
	{ GOES_ON, SL_ISA_T32, 0xffd00000, 0xe9900000, "RFEIA is not said to write the PC" },
	/* UNPREDICTABLE: decoder/isa says what OpenCSD says */
	{ NO_INSN, SL_ISA_A32, 0x0ff00080, 0x01200000, "BX, BLX and BXJ with zeros where ones should be" },
	{ NO_INSN, SL_ISA_A32, 0xfe500000, 0xf8100000, "RFE whose lower half is another" },
	{ NO_INSN | GOES_ON, SL_ISA_A32, 0x0c00f000, 0x0000f000, "data processing, multiplies and small loads that name the PC" },
	{ NO_INSN, SL_ISA_T32, 0xffd00000, 0xe8100000, "RFEDB whose second half is another" },
	{ NO_INSN, SL_ISA_T32, 0xffd00000, 0xe9900000, "RFEIA whose second half is another" },
	{ NO_INSN, SL_ISA_T32, 0xffe0d000, 0xf3c08000, "BXJ, SUBS PC, LR whose other bits must not be what they are" },
	{ NO_INSN, SL_ISA_T32, 0xfe508000, 0xe8108000, "LDM with the PC and the SP or LR, or as its base" },
	{ NO_INSN, SL_ISA_T32, 0xff70f000, 0xf850f000, "loads to the PC whose other registers must not be what they are" },
	{ LEAVES, SL_ISA_A32, 0x0c000000, 0x04000000, "bytes loaded to the PC, the PC as a base that changes, media instructions" },
	{ LEAVES, SL_ISA_A32, 0x0e000090, 0x00000090, "small loads and multiplies whose result is the PC" },
	{ LEAVES, SL_ISA_A32, 0x0f900000, 0x01000000, "CLZ, CRC32, QADD, SMUL<x><y>, MRS whose result is the PC" },
	{ LEAVES, SL_ISA_A32, 0x0c000000, 0x0c000000, "coprocessor loads with the PC as a base that changes" },
	{ LEAVES, SL_ISA_A32, 0x0e000000, 0x08000000, "LDM, STM with the PC as a base that changes" },
	{ LEAVES, SL_ISA_T32, 0xfe000000, 0xe8000000, "loads and stores with the PC where it must not be" },
	{ LEAVES, SL_ISA_T32, 0xfe000000, 0xf8000000, "loads and stores with the PC where it must not be" },
	{ LEAVES, SL_ISA_T32, 0xee000000, 0xea000000, "data processing of registers and multiplies whose result is the PC" },
	{ LEAVES, SL_ISA_T32, 0xf8008000, 0xf0000000, "data processing whose result is the PC" },
	{ LEAVES, SL_ISA_T32, 0xec000000, 0xec000000, "coprocessor loads with the PC where it must not be" },
	{ LEAVES, SL_ISA_T32, 0xffe0d000, 0xf3e08000, "MRS to the PC" },
};

struct session {
	csh handle;
	cs_insn *insn;
	enum sl_isa isa;
	struct isa_options options;
	bool used[sizeof(reasons) / sizeof(reasons[0])];
};

static bool writes_pc(struct session *s)
{
	cs_regs read, written;
	uint8_t reads, writes;

	if (cs_regs_access(s->handle, s->insn, read, &reads, written, &writes) != CS_ERR_OK)
		return false;
	for (unsigned i = 0; i < writes; i++) {
		if (written[i] == ARM_REG_PC)
			return true;
	}
	return false;
}

static bool leaves(struct session *s)
{
	return cs_insn_group(s->handle, s->insn, CS_GRP_JUMP) || cs_insn_group(s->handle, s->insn, CS_GRP_CALL) ||
	       cs_insn_group(s->handle, s->insn, CS_GRP_RET) || (s->isa != SL_ISA_A64 && writes_pc(s));
}

static void classify(const struct session *s, uint32_t word, const uint8_t *bytes, struct isa_insn *ret)
{
	unsigned it = 0;

	if (s->isa == SL_ISA_A64)
		isa_a64(&s->options, word, PC, ret);
	else if (s->isa == SL_ISA_A32)
		isa_a32(&s->options, word, PC, ret);
	else
		isa_t32(&s->options, bytes, 4, PC, &it, ret);
}

static bool is_listed(struct session *s, uint32_t word, enum disagreement kind)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!(reasons[i].kinds & kind) || reasons[i].isa != s->isa || (word & reasons[i].mask) != reasons[i].value)
			continue;
		s->used[i] = true;
		return true;
	}
	return false;
}

/* What a direct branch's operands end with. */
static void check_branch(const struct session *s, uint32_t word, const struct isa_insn *own)
{
	char target[24];

	snprintf(target, sizeof(target), "#0x%" PRIx64, own->target);
	if (!strstr(s->insn->op_str, target))
		fail_msg("%08x %s %s: decoder/isa says %s", word, s->insn->mnemonic, s->insn->op_str, target);
	if (s->isa == SL_ISA_A64 || strncmp(s->insn->mnemonic, "cb", 2) == 0)
		assert_int_equal(own->conditional, word >> 25 == 0x2a || (word & 0x7c000000) == 0x34000000 || s->isa == SL_ISA_T32);
	else if (own->conditional != (s->insn->detail->arm.cc != ARM_CC_AL && s->insn->detail->arm.cc != ARM_CC_INVALID))
		fail_msg("%08x %s: decoder/isa says %d", word, s->insn->mnemonic, own->conditional);
}

static void check_word(struct session *s, uint32_t word)
{
	struct isa_insn own;
	uint8_t bytes[4];
	const uint8_t *p = bytes;
	uint64_t address = PC;
	size_t len = 4;
	bool branch, known;

	opcode_store(s->isa, word, bytes);
	classify(s, word, bytes, &own);
	branch = own.last == SL_LAST_BRANCH || own.last == SL_LAST_INDIRECT;
	known = cs_disasm_iter(s->handle, &p, &len, &address, s->insn);
	if (known && s->insn->size != own.size)
		fail_msg("%08x %s has %u bytes, not %u", word, s->insn->mnemonic, s->insn->size, own.size);
	if (known && branch == leaves(s)) {
		if (own.last == SL_LAST_BRANCH)
			check_branch(s, word, &own);
		return;
	}
	if (known ? !is_listed(s, word, branch ? GOES_ON : LEAVES) : branch && !is_listed(s, word, NO_INSN))
		fail_msg("%08x %s %s: decoder/isa says %s", word, known ? s->insn->mnemonic : "is nothing to capstone",
			 known ? s->insn->op_str : "", branch ? "branch" : "no branch");
}

static void check(enum sl_isa isa, bool m_profile, cs_arch arch, cs_mode mode, uint64_t seed)
{
	struct session s = { .isa = isa, .options = { SL_ARCH_AA64, m_profile, true } };

	assert_int_equal(cs_open(arch, mode, &s.handle), CS_ERR_OK);
	cs_option(s.handle, CS_OPT_DETAIL, CS_OPT_ON);
	s.insn = cs_malloc(s.handle);
	assert_non_null(s.insn);
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t word = opcode_random(isa, &seed);

		if (isa != SL_ISA_T32 || word >> 24 != 0xbf) /* capstone would apply an IT to the next word, too */
			check_word(&s, word);
	}
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].isa == isa && !s.used[i] && !m_profile && !strstr(reasons[i].why, "v8.1-M"))
			fail_msg("nothing disagrees any more: %s", reasons[i].why);
	}
	cs_free(s.insn, 1);
	cs_close(&s.handle);
}

void test_isa_capstone__a64(void **state)
{
	check(SL_ISA_A64, false, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 1);
}

void test_isa_capstone__a32(void **state)
{
	check(SL_ISA_A32, false, CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, 2);
}

void test_isa_capstone__t32(void **state)
{
	check(SL_ISA_T32, false, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, 3);
}
