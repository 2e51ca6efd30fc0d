/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: Arm DDI 0487, C4, F3 and F4; Intel SDM volume 2. */
#include "random_insn.h"

#include <assert.h>
#include <stdlib.h>

#include "a64_insn.h"
#include "encoder_unit.h"

static struct insn word(uint32_t value)
{
	return (struct insn){
		{ (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) }, 4
	};
}

static struct insn half(unsigned value)
{
	return (struct insn){ { (uint8_t)value, (uint8_t)(value >> 8) }, 2 };
}

/* T32 of two halfwords. */
static struct insn halves(unsigned first, unsigned second)
{
	return word((uint32_t)(first | second << 16));
}

/* MOV and data barrier among NOPs; x86: NOPs of several lengths, moves, a prefix. */
struct insn insn_filler(enum gen_isa isa, uint64_t *random)
{
	static const uint32_t a64[] = { A64_NOP, 0xaa0103e0, 0x8b020020, 0xf9400041, 0xd5033f9f };
	static const uint32_t a32[] = { 0xe320f000, 0xe1a00001, 0xe0810002, 0xe5910000, 0xf57ff04f };
	static const uint32_t t32[] = { 0xbf00, 0x4608, 0x1888, 0x6808, 0x8000f3af, 0x0002eb01 };
	static const struct insn x86[] = {
		{ { 0x90 }, 1 },
		{ { 0x66, 0x90 }, 2 },
		{ { 0x0f, 0x1f, 0x00 }, 3 },
		{ { 0x48, 0x89, 0xc3 }, 3 },
		{ { 0x8b, 0x44, 0x24, 0x08 }, 4 },
		{ { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, 10 },
		{ { 0xf3, 0xa4 }, 2 },
	};
	unsigned n = gen_random(random, 60);

	if (isa == GEN_A64)
		return word(a64[n % 5]);
	if (isa == GEN_A32)
		return word(a32[n % 5]);
	if (isa == GEN_X86_64)
		return x86[n % 6];
	return n % 6 < 4 ? half(t32[n % 6]) : word(t32[n % 6]);
}

static unsigned t32_size(enum program_kind kind)
{
	switch (kind) {
	case BLOCK_CALL:
	case BLOCK_BARRIER:
	case BLOCK_ERET:
	case BLOCK_JUMP:
	case BLOCK_NOT_TAKEN_OR_JUMP:
		return 4;
	default:
		return 2;
	}
}

static unsigned x86_size(enum program_kind kind)
{
	switch (kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP:
		return 6;
	case BLOCK_JUMP:
	case BLOCK_CALL:
		return 5;
	case BLOCK_BARRIER:
	case BLOCK_SYSRET:
		return 3;
	case BLOCK_RETURN:
		return 1;
	default:
		return 2;
	}
}

unsigned insn_size(enum gen_isa isa, enum program_kind kind)
{
	return isa == GEN_T32 ? t32_size(kind) : isa == GEN_X86_64 ? x86_size(kind) : 4;
}

static struct insn end_a64(enum program_kind kind, uint64_t pc, uint64_t target, uint64_t *random)
{
	switch (kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP: /* B.NE or TBZ X0, #0 */
		if (gen_random(random, 2))
			return word(a64_b_ne(pc, target));
		return word(0x36000000 | ((uint32_t)((target - pc) >> 2) & 0x3fff) << 5);
	case BLOCK_JUMP:
		return word(a64_b(pc, target));
	case BLOCK_CALL:
		return word(a64_bl(pc, target));
	case BLOCK_INDIRECT_CALL:
		return word(a64_blr(1));
	case BLOCK_INDIRECT_JUMP:
		return word(a64_br(2));
	case BLOCK_BARRIER:
		return word(A64_ISB);
	case BLOCK_SYSCALL:
		return word(A64_SVC_0);
	case BLOCK_ERET:
		return word(A64_ERET);
	default:
		return word(A64_RET_X30);
	}
}

static uint32_t a32_words(uint64_t pc, uint64_t target)
{
	return (uint32_t)((target - pc - 8) >> 2) & 0xffffff;
}

static struct insn end_a32(enum program_kind kind, uint64_t pc, const struct program_block *target,
			   uint64_t *random)
{
	uint64_t to = target->start;

	switch (kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP:
		return word(0x1a000000 | a32_words(pc, to));
	case BLOCK_JUMP:
		return word(0xea000000 | a32_words(pc, to));
	case BLOCK_CALL:
		if (target->isa == GEN_T32) /* BLX */
			return word(0xfa000000 | a32_words(pc, to) | ((uint32_t)to & 2) << 23);
		return word(0xeb000000 | a32_words(pc, to));
	case BLOCK_INDIRECT_CALL:
		return word(0xe12fff31);
	case BLOCK_INDIRECT_JUMP:
		return word(0xe12fff12);
	case BLOCK_BARRIER:
		return word(0xf57ff06f);
	case BLOCK_SYSCALL:
		return word(0xef000000);
	case BLOCK_CONDITIONAL_RETURN: /* BXNE LR */
		return word(0x112fff1e);
	case BLOCK_ERET: /* SUBS PC, LR, #4 */
		return word(0xe25ef004);
	default: /* BX LR, POP {PC}, POP {R4, PC} */
		return word(
			((const uint32_t[]){ 0xe12fff1e, 0xe49df004, 0xe8bd8010 })[gen_random(random, 3)]);
	}
}

/* B.W, BL and BLX: an offset of 25 bits; second is the second halfword without it. */
static struct insn t32_far(uint64_t from, uint64_t to, unsigned second)
{
	uint32_t offset = (uint32_t)(to - from);
	unsigned s = offset >> 24 & 1, i1 = offset >> 23 & 1, i2 = offset >> 22 & 1;

	return halves(0xf000 | s << 10 | (offset >> 12 & 0x3ff),
		      second | (i1 ^ s ^ 1) << 13 | (i2 ^ s ^ 1) << 11 | (offset >> 1 & 0x7ff));
}

/* BNE.W: an offset of 21 bits. */
static struct insn t32_bne(uint64_t from, uint64_t to)
{
	uint32_t offset = (uint32_t)(to - from);
	unsigned s = offset >> 20 & 1, j2 = offset >> 19 & 1, j1 = offset >> 18 & 1;

	return halves(0xf040 | s << 10 | (offset >> 12 & 0x3f),
		      0x8000 | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7ff));
}

static struct insn end_t32(enum program_kind kind, uint64_t pc, const struct program_block *target,
			   uint64_t *random)
{
	uint64_t to = target->start;

	switch (kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP:
		return t32_bne(pc + 4, to);
	case BLOCK_JUMP:
		return t32_far(pc + 4, to, 0x9000);
	case BLOCK_CALL:
		if (target->isa == GEN_A32)
			return t32_far((pc + 4) & ~UINT64_C(3), to, 0xc000);
		return t32_far(pc + 4, to, 0xd000);
	case BLOCK_INDIRECT_CALL:
		return half(0x4788);
	case BLOCK_INDIRECT_JUMP:
		return half(0x4710);
	case BLOCK_BARRIER:
		return halves(0xf3bf, 0x8f6f);
	case BLOCK_SYSCALL:
		return half(0xdf00);
	case BLOCK_ERET:
		return halves(0xf3de, 0x8f04);
	default:
		return half(gen_random(random, 2) ? 0x4770 : 0xbd00);
	}
}

static struct insn x86_far(unsigned first, unsigned second, unsigned size, uint64_t pc, uint64_t target)
{
	uint32_t offset = (uint32_t)(target - pc - size);
	struct insn ret = { { (uint8_t)first, (uint8_t)second }, size };

	for (unsigned i = 0; i < 4; i++)
		ret.bytes[size - 4 + i] = (uint8_t)(offset >> (8 * i));
	return ret;
}

static struct insn end_x86(enum program_kind kind, uint64_t pc, uint64_t target, bool kernel)
{
	switch (kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP:
		return x86_far(0x0f, 0x85, 6, pc, target);
	case BLOCK_JUMP:
		return x86_far(0xe9, 0, 5, pc, target);
	case BLOCK_CALL:
		return x86_far(0xe8, 0, 5, pc, target);
	case BLOCK_INDIRECT_CALL:
		return (struct insn){ { 0xff, 0xd0 }, 2 };
	case BLOCK_INDIRECT_JUMP:
		return (struct insn){ { 0xff, 0xe0 }, 2 };
	case BLOCK_BARRIER: /* LFENCE, which is nothing to a trace unit; in the kernel MOV CR3, RAX */
		return kernel ? (struct insn){ { 0x0f, 0x22, 0xd8 }, 3 }
			      : (struct insn){ { 0x0f, 0xae, 0xe8 }, 3 };
	case BLOCK_SYSCALL:
		return (struct insn){ { 0x0f, 0x05 }, 2 };
	case BLOCK_ERET:
		return (struct insn){ { 0x48, 0xcf }, 2 };
	case BLOCK_SYSRET:
		return (struct insn){ { 0x48, 0x0f, 0x07 }, 3 };
	default:
		return (struct insn){ { 0xc3 }, 1 };
	}
}

struct insn insn_end(const struct program_block *b, uint64_t pc, const struct program_block *target,
		     uint64_t *random)
{
	switch (b->isa) {
	case GEN_A64:
		return end_a64(b->kind, pc, target->start, random);
	case GEN_A32:
		return end_a32(b->kind, pc, target, random);
	case GEN_T32:
		return end_t32(b->kind, pc, target, random);
	case GEN_X86_64:
		break;
	}
	return end_x86(b->kind, pc, target->start, pc >> 63);
}
