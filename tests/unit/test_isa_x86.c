/* SPDX-License-Identifier: Apache-2.0 */
/* x86 instructions: sizes and branches, by rows of known ones and by random ones against capstone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

enum { PC = 0x10000000, INSNS = 300000, BYTES = 15 };

static const struct row {
	const char *code;
	size_t len;
	enum sl_isa isa;
	unsigned size;
	enum sl_last last;
	enum sl_branch branch;
	enum isa_x86 x86;
	bool conditional, link;
	uint64_t target;
} rows[] = {
	{ "\x90", 1, SL_ISA_X86_64, 1, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xe8\x10\0\0\0", 5, SL_ISA_X86_64, 5, SL_LAST_BRANCH, SL_BRANCH_CALL, X86_NONE, false, true, PC + 0x15 },
	{ "\x66\xe8\x10\0\0\0", 6, SL_ISA_X86_64, 6, SL_LAST_BRANCH, SL_BRANCH_CALL, X86_NONE, false, true, PC + 0x16 },
	{ "\xeb\xfe", 2, SL_ISA_X86_64, 2, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, false, false, PC },
	{ "\xf2\xe9\xfb\xff\xff\xff", 6, SL_ISA_X86_64, 6, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, false, false, PC + 1 },
	{ "\x74\x02", 2, SL_ISA_X86_64, 2, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, true, false, PC + 4 },
	{ "\x0f\x85\0\1\0\0", 6, SL_ISA_X86_64, 6, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, true, false, PC + 0x106 },
	{ "\xe2\xfe", 2, SL_ISA_X86_64, 2, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, true, false, PC },
	{ "\xff\xd0", 2, SL_ISA_X86_64, 2, SL_LAST_INDIRECT, SL_BRANCH_CALL, X86_NONE, false, true, 0 },
	{ "\x3e\xff\xe0", 3, SL_ISA_X86_64, 3, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xff\x25\0\0\0\0", 6, SL_ISA_X86_64, 6, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xff\x24\xc5\0\0\0\0", 7, SL_ISA_X86_64, 7, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xc3", 1, SL_ISA_X86_64, 1, SL_LAST_INDIRECT, SL_BRANCH_RETURN, X86_NONE, false, false, 0 },
	{ "\xf3\xc3", 2, SL_ISA_X86_64, 2, SL_LAST_INDIRECT, SL_BRANCH_RETURN, X86_NONE, false, false, 0 },
	{ "\xc2\x08\0", 3, SL_ISA_X86_64, 3, SL_LAST_INDIRECT, SL_BRANCH_RETURN, X86_NONE, false, false, 0 },
	{ "\x48\xcf", 2, SL_ISA_X86_64, 2, SL_LAST_INDIRECT, SL_BRANCH_ERET, X86_FAR_RETURN, false, false, 0 },
	{ "\x48\x0f\x07", 3, SL_ISA_X86_64, 3, SL_LAST_INDIRECT, SL_BRANCH_ERET, X86_FAR_RETURN, false, false, 0 },
	{ "\x0f\x05", 2, SL_ISA_X86_64, 2, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_SYSCALL, false, false, 0 },
	{ "\x0f\x34", 2, SL_ISA_X86_32, 2, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_SYSENTER, false, false, 0 },
	{ "\xcd\x80", 2, SL_ISA_X86_32, 2, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_INTERRUPT, false, false, 0 },
	{ "\xcc", 1, SL_ISA_X86_64, 1, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_INTERRUPT, false, false, 0 },
	{ "\x0f\x01\xc1", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_VMCALL, false, false, 0 },
	{ "\x0f\x01\xc3", 3, SL_ISA_X86_64, 3, SL_LAST_INDIRECT, SL_BRANCH_ERET, X86_FAR_RETURN, false, false, 0 },
	{ "\x0f\x01\xca", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 }, /* CLAC */
	{ "\x0f\x22\xd8", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_PAGING, false, false, 0 },
	{ "\x0f\x22\xe0", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\x0f\xc7\x30", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_VMPTRLD, false, false, 0 },
	{ "\x66\x0f\xc7\x30", 4, SL_ISA_X86_64, 4, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xf3\x48\x0f\xae\xe0", 5, SL_ISA_X86_64, 5, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_PTWRITE, false, false, 0 },
	{ "\x0f\xae\xe8", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 }, /* LFENCE */
	{ "\x66\xe9\x10\0", 4, SL_ISA_X86_32, 4, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, false, false, PC + 0x14 },
	{ "\xe9\x10\0", 3, SL_ISA_X86_16, 3, SL_LAST_BRANCH, SL_BRANCH_PLAIN, X86_NONE, false, false, PC + 0x13 },
	{ "\xea\0\0\0\0\x08\0", 7, SL_ISA_X86_32, 7, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, X86_FAR_JUMP, false, false, 0 },
	{ "\xea", 1, SL_ISA_X86_64, 0, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\x48\xb8\1\2\3\4\5\6\7\x08", 10, SL_ISA_X86_64, 10, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xa1\1\2\3\4\5\6\7\x08", 9, SL_ISA_X86_64, 9, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xf6\x05\0\0\0\0\x01", 7, SL_ISA_X86_64, 7, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xf6\xd8", 2, SL_ISA_X86_64, 2, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 },
	{ "\xc5\xf8\x77", 3, SL_ISA_X86_64, 3, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 }, /* VZEROUPPER */
	{ "\xe8\x10\0", 3, SL_ISA_X86_64, 0, SL_LAST_OTHER, SL_BRANCH_PLAIN, X86_NONE, false, false, 0 }, /* cut */
};

void test_isa_x86__knows_sizes_and_branches(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct isa_insn insn;

		isa_x86(row->isa, (const uint8_t *)row->code, row->len, PC, &insn);
		if (insn.size != row->size || insn.last != row->last || insn.branch != row->branch || insn.x86 != row->x86 ||
		    insn.conditional != row->conditional || insn.link != row->link || insn.target != row->target)
			fail_msg("row %zu: size %u last %u branch %u x86 %u target 0x%" PRIx64, i, insn.size, insn.last,
				 insn.branch, insn.x86, insn.target);
	}
}

void test_isa_x86__names_vectors(void **state)
{
	static const struct { const char *code; unsigned vector; } vectors[] = {
		{ "\xcc", 3 }, { "\xcd\x80", 0x80 }, { "\xf1", 1 },
	};
	struct isa_insn insn;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		isa_x86(SL_ISA_X86_64, (const uint8_t *)vectors[i].code, strlen(vectors[i].code), PC, &insn);
		assert_int_equal(insn.x86, X86_INTERRUPT);
		assert_int_equal(insn.vector, vectors[i].vector);
	}
}

/* xorshift64* */
static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static void make(uint64_t *seed, enum sl_isa isa, uint8_t ret[BYTES])
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3 };
	size_t at = 0;

	for (size_t i = 0; i < BYTES; i++)
		ret[i] = (uint8_t)(draw(seed) >> 56);
	if (draw(seed) >> 63)
		ret[at++] = prefixes[draw(seed) >> 62];
	if (isa == SL_ISA_X86_64 && draw(seed) >> 63)
		ret[at++] = (uint8_t)(0x40 | draw(seed) >> 60);
	if (draw(seed) >> 63)
		ret[at] = 0x0f;
}

/*
 * Where capstone 4 and the manual differ: near branches with a prefix of size in 64-bit mode, RET imm16 and PUSH with a
 * prefix of size, ModRM of UD0 and UD1, instructions of AMD and VIA alone, some of EVEX.
 */
static bool is_capstones_own(const struct isa_insn *own, const cs_insn *insn, const uint8_t bytes[BYTES])
{
	static const char *const names[] = { "ud0", "ud2b", "extrq", "insertq", "montmul", "push", "ret" };
	bool sized = memchr(bytes, 0x66, 6) || memchr(bytes, 0x67, 6);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(insn->mnemonic, names[i]) == 0)
			return true;
	}
	if (strncmp(insn->mnemonic, "xcrypt", 6) == 0 || strncmp(insn->mnemonic, "xsha", 4) == 0 ||
	    strncmp(insn->mnemonic, "xstore", 6) == 0)
		return true;
	return memchr(bytes, 0x62, 6) || (sized && own->last != SL_LAST_OTHER);
}

static bool leaves(csh handle, const cs_insn *insn)
{
	return cs_insn_group(handle, insn, CS_GRP_JUMP) || cs_insn_group(handle, insn, CS_GRP_CALL) ||
	       cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_INT) ||
	       cs_insn_group(handle, insn, CS_GRP_IRET);
}

/* LOOP, VM entries and the like are in no group; XBEGIN is, and goes on. */
static bool group_is_wrong(const cs_insn *insn)
{
	static const char *const names[] = { "loop", "loope", "loopne", "rsm", "vmcall", "vmlaunch", "vmresume", "xbegin",
					     "clac", "retf", "retfq", "sysret", "sysexit" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(insn->mnemonic, names[i]) == 0)
			return true;
	}
	return false;
}

static void compare(csh handle, cs_insn *insn, enum sl_isa isa, const uint8_t bytes[BYTES])
{
	const uint8_t *code = bytes;
	size_t len = BYTES;
	uint64_t pc = PC;
	struct isa_insn own;

	if (!cs_disasm_iter(handle, &code, &len, &pc, insn))
		return;
	isa_x86(isa, bytes, BYTES, PC, &own);
	if (own.size != insn->size && !is_capstones_own(&own, insn, bytes))
		fail_msg("isa %u: %02x%02x%02x%02x %s %s has %u bytes, not %u", isa, bytes[0], bytes[1], bytes[2], bytes[3], insn->mnemonic, insn->op_str, insn->size, own.size);
	if (own.size == insn->size && leaves(handle, insn) != (own.last || (own.x86 && own.x86 < X86_PAGING)) &&
	    !group_is_wrong(insn))
		fail_msg("isa %u: %s %s: last %u, x86 %u", isa, insn->mnemonic, insn->op_str, own.last, own.x86);
}

void test_isa_x86__agrees_with_capstone(void **state)
{
	static const struct { enum sl_isa isa; cs_mode mode; } modes[] = {
		{ SL_ISA_X86_64, CS_MODE_64 }, { SL_ISA_X86_32, CS_MODE_32 }, { SL_ISA_X86_16, CS_MODE_16 },
	};
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		uint8_t bytes[BYTES];
		cs_insn *insn;
		csh handle;

		assert_int_equal(cs_open(CS_ARCH_X86, modes[i].mode, &handle), CS_ERR_OK);
		cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
		insn = cs_malloc(handle);
		for (unsigned n = 0; n < INSNS; n++) {
			make(&seed, modes[i].isa, bytes);
			compare(handle, insn, modes[i].isa, bytes);
		}
		cs_free(insn, 1);
		cs_close(&handle);
	}
}
