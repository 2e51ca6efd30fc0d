/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: Arm DDI 0487, C4.1 "A64 instruction set encoding", branches and system instructions. */
#include "a64_insn.h"

/* A signed field of words, counted from pc. */
static uint64_t branch_target(uint64_t pc, uint32_t word, unsigned low, unsigned bits)
{
	uint64_t field = word >> low & ((1u << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return pc + (((field ^ sign) - sign) << 2);
}

/* Unconditional branch (register): opc in bits 24:21 is BR, BLR, RET, ERET; bit 24 set: with a modifier
 * register. */
static enum a64_kind classify_register_branch(uint32_t word)
{
	static const enum a64_kind kinds[8] = {
		A64_INDIRECT, A64_INDIRECT_CALL, A64_RETURN, A64_OTHER, A64_EXCEPTION_RETURN,
	};

	return kinds[word >> 21 & 7];
}

enum a64_kind a64_classify(uint32_t word, uint64_t pc, uint64_t *ret_target)
{
	if ((word & 0x7c000000) == 0x14000000) {
		*ret_target = branch_target(pc, word, 0, 26);
		return word >> 31 ? A64_CALL : A64_BRANCH;
	}
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		*ret_target = branch_target(pc, word, 5, 19);
		return A64_CONDITIONAL;
	}
	if ((word & 0x7e000000) == 0x36000000) {
		*ret_target = branch_target(pc, word, 5, 14);
		return A64_CONDITIONAL;
	}
	if ((word & 0xfe000000) == 0xd6000000)
		return classify_register_branch(word);
	if ((word & 0xfffff0ff) == 0xd50330df)
		return A64_BARRIER;
	if ((word & 0xffe0001c) == 0xd4000000 && (word & 3) != 0)
		return A64_SYSTEM_CALL;
	return A64_OTHER;
}

static uint32_t words(uint64_t from, uint64_t to, unsigned bits)
{
	return (uint32_t)((to - from) >> 2) & ((1u << bits) - 1);
}

uint32_t a64_b(uint64_t from, uint64_t to)
{
	return 0x14000000 | words(from, to, 26);
}

uint32_t a64_bl(uint64_t from, uint64_t to)
{
	return 0x94000000 | words(from, to, 26);
}

uint32_t a64_b_ne(uint64_t from, uint64_t to)
{
	return 0x54000001 | words(from, to, 19) << 5;
}

uint32_t a64_br(unsigned reg)
{
	return 0xd61f0000 | reg << 5;
}

uint32_t a64_blr(unsigned reg)
{
	return 0xd63f0000 | reg << 5;
}
