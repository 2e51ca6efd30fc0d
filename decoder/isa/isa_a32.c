/* SPDX-License-Identifier: Apache-2.0 */
/* A32: DDI 0406C, A5 "ARM instruction set encoding", and DDI 0487, F4. */
#include "isa.h"

enum a32_target { NO_TARGET, WORDS, HALVES /* BLX: bit 24 is half a word more */ };

enum { LINK = 1, WAITS = 2 };

struct a32_row {
	uint32_t mask, value;
	uint8_t last, branch, target, flags;
};

/* Where the condition is 0b1111. */
static const struct a32_row unconditional[] = {
	{ 0xfe000000, 0xfa000000, SL_LAST_BRANCH, SL_BRANCH_CALL, HALVES, LINK },	/* BLX */
	{ 0xfe500000, 0xf8100000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	/* RFE */
	{ 0xffff0fff, 0xfe070f95, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		/* MCR2: as MCR below */
	{ 0xfff000f0, 0xf5700060, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		/* ISB */
	{ 0xfff000f0, 0xf5700040, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		/* DSB, SSBB, PSSBB */
	{ 0xfff000f0, 0xf5700050, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		/* DMB */
};

/* With a condition. The first row that fits counts. */
static const struct a32_row conditional[] = {
	{ 0x0f000000, 0x0a000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, WORDS, 0 },		       /* B */
	{ 0x0f000000, 0x0b000000, SL_LAST_BRANCH, SL_BRANCH_CALL, WORDS, LINK },	       /* BL */
	{ 0x0ff000ff, 0x0120001e, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 },  /* BX LR */
	{ 0x0ff000f0, 0x01200010, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* BX */
	{ 0x0ff000f0, 0x01200020, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* BXJ */
	{ 0x0ff000f0, 0x01200030, SL_LAST_INDIRECT, SL_BRANCH_CALL, NO_TARGET, LINK },	       /* BLX of a register */
	{ 0x0fffffff, 0x0160006e, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* ERET */
	{ 0x0fff0fff, 0x0e070f95, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		       /* MCR: CP15ISB */
	{ 0x0fff0fff, 0x0e070f9a, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		       /* MCR: CP15DSB */
	{ 0x0fff0fff, 0x0e070fba, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		       /* MCR: CP15DMB */
	{ 0x0ffffffe, 0x0320f002, SL_LAST_WFI, SL_BRANCH_PLAIN, NO_TARGET, WAITS },	       /* WFE, WFI */
	{ 0x0fffa000, 0x08bd8000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 },  /* POP with PC */
	{ 0x0e108000, 0x08108000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* LDM with PC */
	{ 0x0ffff000, 0x049df000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 },  /* LDR PC, [SP], # */
	{ 0x0e50f000, 0x0410f000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* LDR PC, offset a number */
	{ 0x0e50f010, 0x0610f000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	       /* LDR PC, offset a register */
};

static const struct a32_row moves_lr = { 0, 0, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 };
static const struct a32_row writes_pc = { 0, 0, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 };

/* Opcodes 8 to 11: compares have no destination, and what does not set the flags there is MSR, BX and the like (A5.2). */
static bool is_compare_or_miscellaneous(uint32_t op)
{
	bool sets_flags = op & 0x00100000;

	if ((op & 0x01800000) != 0x01000000)
		return false;
	if (op & 0x02000000)
		return sets_flags || op & 0x00200000;
	return !sets_flags && !(op & 0x80);
}

/* STREX and its like: with the PC in the place of the destination they are UNPREDICTABLE too. */
static bool is_store_exclusive(uint32_t op)
{
	return (op & 0x0f9000f0) == 0x01800090 && (op & 0x00600000) != 0x00200000;
}

/*
 * Data processing (A5.2) whose destination is the PC. What shares its encodings and names the PC there is UNPREDICTABLE
 * (multiplies, MOVW, compares of registers); it counts as OpenCSD counts it, so that both say the same of whatever lies in memory.
 */
static const struct a32_row *data_processing(uint32_t op)
{
	if ((op & 0x0c00f000) != 0x0000f000 || is_compare_or_miscellaneous(op) || is_store_exclusive(op))
		return NULL;
	return (op & 0x0ff0ffff) == 0x01a0f00e ? &moves_lr : &writes_pc;
}

static const struct a32_row *search(const struct a32_row *rows, size_t count, uint32_t op)
{
	for (size_t i = 0; i < count; i++) {
		if ((op & rows[i].mask) == rows[i].value)
			return &rows[i];
	}
	return NULL;
}

static const struct a32_row *find(uint32_t op)
{
	const struct a32_row *row;

	if (op >> 28 == 0xf)
		return search(unconditional, sizeof(unconditional) / sizeof(unconditional[0]), op);
	row = search(conditional, sizeof(conditional) / sizeof(conditional[0]), op);
	return row ? row : data_processing(op);
}

/* The PC reads as 8 bytes on. Addresses have 32 bits. */
static void set_target(const struct a32_row *row, uint32_t op, uint64_t pc, struct isa_insn *ret)
{
	uint32_t distance = (uint32_t)((int32_t)(op << 8) >> 6);

	if (row->target == NO_TARGET)
		return;
	ret->target = (uint32_t)pc + 8 + distance;
	if (row->target == HALVES) /* or: the same but for a PC that no hardware has, and as OpenCSD does it there */
		ret->target |= op >> 23 & 2;
	ret->target_isa = row->target == HALVES ? SL_ISA_T32 : SL_ISA_A32;
}

void isa_a32(const struct isa_options *options, uint32_t word, uint64_t pc, struct isa_insn *ret)
{
	const struct a32_row *row = find(word);

	*ret = (struct isa_insn){ .size = 4, .conditional = word >> 28 < 0xe,
				  .undefined = (word & 0xfff000f0) == 0xe7f000f0 };
	if (!row || (row->flags & WAITS && !options->wfi_is_waypoint))
		return;
	ret->last = row->last;
	ret->branch = row->branch;
	ret->link = row->flags & LINK;
	set_target(row, word, pc, ret);
}
