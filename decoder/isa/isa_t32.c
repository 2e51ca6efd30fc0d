/* SPDX-License-Identifier: Apache-2.0 */
/* T32: DDI 0406C, A6 "Thumb instruction set encoding"; DDI 0487, F3; low-overhead branches: DDI 0553B, C2.4. */
#include "isa.h"

enum t32_target { NO_TARGET, HALF_8, HALF_11, HALF_CB, WORD_20, WORD_24, WORD_BLX, LOOP_BACK, LOOP_ON };

enum { LINK = 1, WAITS = 2, CONDITIONAL = 4, M_ONLY = 8 };

struct t32_row {
	uint32_t mask, value;
	uint8_t last, branch, target, flags;
};

/* Instructions of one halfword. The first row that fits counts. */
static const struct t32_row narrow[] = {
	{ 0xfe00, 0xde00, SL_LAST_OTHER, SL_BRANCH_PLAIN, NO_TARGET, 0 },	    /* UDF, SVC: conditions 14 and 15 */
	{ 0xf000, 0xd000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, HALF_8, CONDITIONAL },   /* B<c> */
	{ 0xf800, 0xe000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, HALF_11, 0 },	    /* B */
	{ 0xf500, 0xb100, SL_LAST_BRANCH, SL_BRANCH_PLAIN, HALF_CB, CONDITIONAL },  /* CBZ, CBNZ */
	{ 0xff80, 0x4780, SL_LAST_INDIRECT, SL_BRANCH_CALL, NO_TARGET, LINK },	    /* BLX, BLXNS */
	{ 0xfff8, 0x4770, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 }, /* BX LR, BXNS LR */
	{ 0xff80, 0x4700, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	    /* BX, BXNS */
	{ 0xff00, 0xbd00, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 }, /* POP with PC */
	{ 0xffff, 0x46f7, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 }, /* MOV PC, LR */
	{ 0xff87, 0x4687, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	    /* MOV PC */
	{ 0xff87, 0x4487, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	    /* ADD PC */
	{ 0xffef, 0xbf20, SL_LAST_WFI, SL_BRANCH_PLAIN, NO_TARGET, WAITS },	    /* WFE, WFI */
};

/*
 * Of two: the first in the upper half of the word. Low-overhead branches of Armv8.1-M take a part of BLX that A and R leave
 * undefined (its last bit is set); DLS and BF there only prepare a branch.
 */
static const struct t32_row wide[] = {
	{ 0xfffff001, 0xf00fc001, SL_LAST_BRANCH, SL_BRANCH_PLAIN, LOOP_BACK, CONDITIONAL | M_ONLY }, /* LE LR */
	{ 0xfffff001, 0xf01fc001, SL_LAST_BRANCH, SL_BRANCH_PLAIN, LOOP_BACK, CONDITIONAL | M_ONLY }, /* LETP */
	{ 0xfffff001, 0xf02fc001, SL_LAST_BRANCH, SL_BRANCH_PLAIN, LOOP_BACK, M_ONLY },	  /* LE without LR: for ever */
	{ 0xfff0f001, 0xf040c001, SL_LAST_BRANCH, SL_BRANCH_PLAIN, LOOP_ON, CONDITIONAL | M_ONLY }, /* WLS */
	{ 0xffc0f001, 0xf000c001, SL_LAST_BRANCH, SL_BRANCH_PLAIN, LOOP_ON, CONDITIONAL | M_ONLY }, /* WLSTP */
	{ 0xf800d000, 0xf000d000, SL_LAST_BRANCH, SL_BRANCH_CALL, WORD_24, LINK },	  /* BL */
	{ 0xf800d001, 0xf000c000, SL_LAST_BRANCH, SL_BRANCH_CALL, WORD_BLX, LINK },	  /* BLX */
	{ 0xf800d000, 0xf0009000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, WORD_24, 0 },	  /* B.W */
	{ 0xfffffff0, 0xf3bf8f60, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* ISB */
	{ 0xfffffff0, 0xf3bf8f40, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* DSB */
	{ 0xfffffff0, 0xf3bf8f50, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* DMB */
	{ 0xfffffffe, 0xf3af8002, SL_LAST_WFI, SL_BRANCH_PLAIN, NO_TARGET, WAITS },	  /* WFE.W, WFI.W */
	{ 0xfff0d000, 0xf3c08000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* BXJ */
	{ 0xfff0d000, 0xf3d08000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* SUBS PC, LR; ERET */
	{ 0xfb80d000, 0xf3808000, SL_LAST_OTHER, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* MSR, HVC, UDF: conditions 14, 15 */
	{ 0xf800d000, 0xf0008000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, WORD_20, CONDITIONAL }, /* B<c>.W */
	{ 0xffd00000, 0xe8100000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* RFEDB */
	{ 0xffd00000, 0xe9900000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* RFEIA */
	{ 0xffff8000, 0xe8bd8000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 }, /* POP.W with PC */
	{ 0xffd08000, 0xe8908000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* LDM with PC */
	{ 0xffd08000, 0xe9108000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* LDMDB with PC */
	{ 0xfff0ffe0, 0xe8d0f000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* TBB, TBH */
	{ 0xffffff00, 0xf85dfb00, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, NO_TARGET, 0 }, /* LDR PC, [SP], # */
	{ 0xff7ff000, 0xf85ff000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* LDR PC, literal */
	{ 0xfff0f000, 0xf8d0f000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* LDR PC, offset of 12 bits */
	{ 0xfff0f800, 0xf850f800, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* ... of 8 bits */
	{ 0xfff0ffc0, 0xf850f000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, NO_TARGET, 0 },	  /* ... a register */
	{ 0xffff0fff, 0xee070f95, SL_LAST_ISB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* MCR: CP15ISB */
	{ 0xffff0fff, 0xee070f9a, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* MCR: CP15DSB */
	{ 0xffff0fff, 0xee070fba, SL_LAST_DSB, SL_BRANCH_PLAIN, NO_TARGET, 0 },		  /* MCR: CP15DMB */
};

static uint32_t extend(uint32_t value, unsigned bits)
{
	uint32_t sign = UINT32_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

/* Branches of 24 and 20 bits (A8.8.18): J1 and J2 stand below the sign, of the long form inverted where S is 0. */
static uint32_t wide_distance(uint32_t op, bool is_long)
{
	uint32_t s = op >> 26 & 1, j1 = op >> 13 & 1, j2 = op >> 11 & 1, low = (op & 0x7ff) << 1;

	if (!is_long)
		return extend(s << 20 | j2 << 19 | j1 << 18 | (op >> 16 & 0x3f) << 12 | low, 21);
	return extend(s << 24 | (j1 ^ s ^ 1) << 23 | (j2 ^ s ^ 1) << 22 | (op >> 16 & 0x3ff) << 12 | low, 25);
}

/* LE, LETP, WLS, WLSTP: immh:imml:0, never signed. */
static uint32_t loop_distance(uint32_t op)
{
	return (op >> 1 & 0x3ff) << 2 | (op >> 11 & 1) << 1;
}

/* The PC reads as 4 bytes on; BLX begins at a whole word. Addresses have 32 bits. */
static uint32_t target_of(unsigned form, uint32_t op, uint32_t pc)
{
	switch (form) {
	case HALF_8:
		return pc + extend((op & 0xff) << 1, 9);
	case HALF_11:
		return pc + extend((op & 0x7ff) << 1, 12);
	case HALF_CB:
		return pc + ((op >> 9 & 1) << 6 | (op >> 3 & 0x1f) << 1);
	case WORD_20:
		return pc + wide_distance(op, false);
	case WORD_24:
		return pc + wide_distance(op, true);
	case WORD_BLX:
		return (pc & ~UINT32_C(3)) + (wide_distance(op, true) & ~UINT32_C(3));
	case LOOP_BACK:
		return pc - loop_distance(op);
	default:
		return pc + loop_distance(op);
	}
}

static const struct t32_row *search(const struct t32_row *rows, size_t count, uint32_t op, bool m_profile)
{
	for (size_t i = 0; i < count; i++) {
		if ((op & rows[i].mask) == rows[i].value && (m_profile || !(rows[i].flags & M_ONLY)))
			return &rows[i];
	}
	return NULL;
}

static void fill(const struct t32_row *row, uint32_t op, uint64_t pc, struct isa_insn *ret)
{
	ret->last = row->last;
	ret->branch = row->branch;
	ret->link = row->flags & LINK;
	ret->conditional = row->flags & CONDITIONAL;
	if (row->target == NO_TARGET)
		return;
	ret->target = target_of(row->target, op, (uint32_t)pc + 4);
	ret->target_isa = row->target == WORD_BLX ? SL_ISA_A32 : SL_ISA_T32;
}

/* IT: instructions that it governs, by the lowest bit set of its mask; 0 where op is none. */
static unsigned it_length(uint32_t op)
{
	unsigned length = 4;

	if ((op & 0xff00) != 0xbf00 || !(op & 0xf))
		return 0;
	while (!(op >> (4 - length) & 1))
		length--;
	return length;
}

static bool is_undefined(uint32_t op, unsigned size)
{
	return size == 2 ? (op & 0xff00) == 0xde00 : (op & 0xfff0f000) == 0xf7f0a000;
}

void isa_t32(const struct isa_options *options, const uint8_t *code, size_t len, uint64_t pc, unsigned *it,
	     struct isa_insn *ret)
{
	uint32_t op = len >= 2 ? (uint32_t)code[0] | (uint32_t)code[1] << 8 : 0;
	bool is_wide = op >> 11 >= 0x1d, governed = *it > 0;
	const struct t32_row *row;

	*ret = (struct isa_insn){ 0 };
	if (len < (is_wide ? 4 : 2))
		return;
	if (is_wide)
		op = op << 16 | (uint32_t)code[2] | (uint32_t)code[3] << 8;
	row = is_wide ? search(wide, sizeof(wide) / sizeof(wide[0]), op, options->m_profile)
		      : search(narrow, sizeof(narrow) / sizeof(narrow[0]), op, options->m_profile);
	if (row && !(row->flags & WAITS && !options->wfi_is_waypoint))
		fill(row, op, pc, ret);
	ret->size = is_wide ? 4 : 2;
	ret->undefined = is_undefined(op, ret->size);
	ret->conditional |= governed;
	*it = governed ? *it - 1 : is_wide ? 0 : it_length(op);
}
