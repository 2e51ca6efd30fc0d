/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_INSN_H
#define RANDOM_INSN_H
/* The instructions that random programs are made of. */
#include "random_program.h"

struct insn {
	uint8_t bytes[15];
	unsigned len;
};

/* One that goes on to the next. */
struct insn insn_filler(enum gen_isa isa, uint64_t *random);
/* Bytes of an instruction that ends a block of this kind. */
unsigned insn_size(enum gen_isa isa, enum program_kind kind);
/* The one at pc that ends block and goes to target, where it is a direct branch. */
struct insn insn_end(const struct program_block *block, uint64_t pc, const struct program_block *target,
		     uint64_t *random);
#endif
