/* SPDX-License-Identifier: Apache-2.0 */
#include "aarch32_return.h"

/* DDI 0406C.d A8 and B9: the encodings that write both PC and CPSR. */
static bool is_a32(uint32_t op)
{
	unsigned opcode = op >> 21 & 0xf;

	if ((op & 0xfe50ffff) == 0xf8100a00) /* RFE */
		return true;
	if (op >> 28 == 0xf)
		return false;
	if ((op & 0x0fffffff) == 0x0160006e) /* ERET */
		return true;
	if ((op & 0x0e508000) == 0x08508000) /* LDM with PC and ^ */
		return true;
	/* MOVS, SUBS and the like to PC; but no compare (opcodes 8 to 11), no multiply (bits 7 and 4 of a register form) */
	if ((op & 0x0c10f000) != 0x0010f000 || (opcode >= 8 && opcode <= 11))
		return false;
	return op & 0x02000000 || (op & 0x90) != 0x90;
}

static bool is_t32(uint32_t first, uint32_t second)
{
	if ((first & 0xffd0) == 0xe810 && second == 0xc000) /* RFEDB */
		return true;
	if ((first & 0xffd0) == 0xe990 && second == 0xc000) /* RFEIA */
		return true;
	return first == 0xf3de && (second & 0xff00) == 0x8f00; /* SUBS PC, LR, #imm; ERET */
}

bool aarch32_is_exception_return(enum sl_isa isa, struct sl_bytes code)
{
	const uint8_t *p = code.data;

	if (code.len < 4)
		return false;
	if (isa == SL_ISA_A32)
		return is_a32((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
	if (isa == SL_ISA_T32)
		return is_t32((uint32_t)p[0] | (uint32_t)p[1] << 8, (uint32_t)p[2] | (uint32_t)p[3] << 8);
	return false;
}
