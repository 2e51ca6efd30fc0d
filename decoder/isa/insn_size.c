/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_insn.h"

#include "isa.h"

/* A T32 instruction has 4 bytes where the top five bits of its first halfword are 0b11101, 0b11110 or 0b11111. */
unsigned sl_insn_size(enum sl_isa isa, struct sl_bytes code)
{
	struct isa_insn insn;

	switch (isa) {
	case SL_ISA_T32:
		return code.len >= 2 && code.data[1] >= 0xe8 ? 4 : 2;
	case SL_ISA_X86_64: case SL_ISA_X86_32: case SL_ISA_X86_16:
		isa_x86(isa, code.data, code.len, 0, &insn);
		return insn.size ? insn.size : 1;
	default:
		return 4;
	}
}
