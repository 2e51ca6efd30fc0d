/* SPDX-License-Identifier: Apache-2.0 */
/* A64: DDI 0487, C4.1 "A64 instruction set encoding", the group of branches, exceptions and system instructions. */
#include "isa.h"

/* Where the offset of a direct branch is: a signed number of words. */
enum a64_offset { NO_OFFSET, IMM26, IMM19, IMM14, IMM9 };

enum { CONDITIONAL = 1, NEWER = 2 /* not before v8.3 */, WAITS = 4 /* a waypoint where the trace unit says so */ };

struct a64_row {
	uint32_t mask, value;
	uint8_t last, branch, offset, flags;
};

static const struct a64_row rows[] = {
	{ 0xfc000000, 0x14000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM26, 0 },		      /* B */
	{ 0xfc000000, 0x94000000, SL_LAST_BRANCH, SL_BRANCH_CALL, IMM26, 0 },		      /* BL */
	{ 0xff000000, 0x54000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM19, CONDITIONAL },      /* B.cond, BC.cond */
	{ 0x7e000000, 0x34000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM19, CONDITIONAL },      /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM14, CONDITIONAL },      /* TBZ, TBNZ */
	{ 0x7f00c000, 0x74000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM9, CONDITIONAL | NEWER }, /* CB<cc> of registers */
	{ 0xff008000, 0x74008000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM9, CONDITIONAL | NEWER }, /* CBB<cc>, CBH<cc> */
	{ 0x7f004000, 0x75000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, IMM9, CONDITIONAL | NEWER }, /* CB<cc> of a number */
	{ 0xfffffc1f, 0xd61f0000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_OFFSET, 0 },	      /* BR */
	{ 0xfffffc1f, 0xd63f0000, SL_LAST_INDIRECT, SL_BRANCH_CALL, NO_OFFSET, 0 },	      /* BLR */
	{ 0xfffffc1f, 0xd65f0000, SL_LAST_INDIRECT, SL_BRANCH_RETURN, NO_OFFSET, 0 },	      /* RET */
	{ 0xffffffff, 0xd69f03e0, SL_LAST_INDIRECT, SL_BRANCH_ERET, NO_OFFSET, 0 },	      /* ERET */
	{ 0xfffff81f, 0xd61f081f, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_OFFSET, NEWER },      /* BRAAZ, BRABZ */
	{ 0xfffff800, 0xd71f0800, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_OFFSET, NEWER },      /* BRAA, BRAB */
	{ 0xfffff81f, 0xd63f081f, SL_LAST_INDIRECT, SL_BRANCH_CALL, NO_OFFSET, NEWER },	      /* BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd73f0800, SL_LAST_INDIRECT, SL_BRANCH_CALL, NO_OFFSET, NEWER },	      /* BLRAA, BLRAB */
	{ 0xfffffbe0, 0xd65f0be0, SL_LAST_INDIRECT, SL_BRANCH_RETURN, NO_OFFSET, NEWER },     /* RETAA, RETAASPPCR ... */
	{ 0xffc0001f, 0x5500001f, SL_LAST_INDIRECT, SL_BRANCH_RETURN, NO_OFFSET, NEWER },     /* RETAASPPC, RETABSPPC */
	{ 0xfffffbff, 0xd69f0bff, SL_LAST_INDIRECT, SL_BRANCH_ERET, NO_OFFSET, NEWER },	      /* ERETAA, ERETAB */
	{ 0xfffffbff, 0xd6ff03e0, SL_LAST_INDIRECT, SL_BRANCH_ERET, NO_OFFSET, NEWER },	      /* TEXIT */
	{ 0xfffff0ff, 0xd50330df, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_OFFSET, 0 },		      /* ISB */
	{ 0xfffff0ff, 0xd503309f, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_OFFSET, 0 },		      /* DSB, SSBB, PSSBB */
	{ 0xfffff3ff, 0xd503323f, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_OFFSET, 0 },		      /* DSB nXS */
	{ 0xfffff0ff, 0xd50330bf, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_OFFSET, 0 },		      /* DMB */
	{ 0xffffffdf, 0xd503205f, SL_LAST_WFI, SL_BRANCH_PLAIN, NO_OFFSET, WAITS },	      /* WFE, WFI */
	{ 0xffffffc0, 0xd5031000, SL_LAST_WFI, SL_BRANCH_PLAIN, NO_OFFSET, WAITS | NEWER },    /* WFET, WFIT */
	{ 0xffffffe0, 0xd5233060, SL_LAST_TSTART, SL_BRANCH_PLAIN, NO_OFFSET, NEWER },	      /* TSTART */
};

/* bits of word from bit low on: a signed number of words, as a distance in bytes. */
static uint64_t distance(uint32_t word, unsigned low, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), value = word >> low & ((sign << 1) - 1);

	return ((value ^ sign) - sign) * 4;
}

static uint64_t target_of(uint32_t word, uint64_t pc, unsigned offset)
{
	switch (offset) {
	case IMM26:
		return pc + distance(word, 0, 26);
	case IMM19:
		return pc + distance(word, 5, 19);
	case IMM14:
		return pc + distance(word, 5, 14);
	case IMM9:
		return pc + distance(word, 5, 9);
	default:
		return 0;
	}
}

static bool applies(const struct a64_row *row, const struct isa_options *options)
{
	if (row->flags & NEWER && (options->arch == SL_ARCH_V7 || options->arch == SL_ARCH_V8))
		return false;
	return !(row->flags & WAITS) || options->wfi_is_waypoint;
}

/* Branches, exceptions and system instructions: bits 28 to 26 are 101. All that is here lies there. */
static const struct a64_row *find(const struct isa_options *options, uint32_t word)
{
	if ((word & 0x1c000000) != 0x14000000)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((word & rows[i].mask) == rows[i].value)
			return applies(&rows[i], options) ? &rows[i] : NULL;
	}
	return NULL;
}

void isa_a64(const struct isa_options *options, uint32_t word, uint64_t pc, struct isa_insn *ret)
{
	const struct a64_row *row = find(options, word);

	*ret = (struct isa_insn){ .size = 4, .undefined = word >> 16 == 0 };
	if (!row)
		return;
	ret->last = row->last;
	ret->branch = row->branch;
	ret->conditional = row->flags & CONDITIONAL;
	ret->link = row->branch == SL_BRANCH_CALL;
	ret->target = target_of(word, pc, row->offset);
	ret->target_isa = row->offset == NO_OFFSET ? SL_ISA_UNKNOWN : SL_ISA_A64;
}
