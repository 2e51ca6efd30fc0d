/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H
/*
 * A seeded random program and a seeded walk through it: what a property test feeds to an encoder, and what a decoder has
 * to find again. User functions that branch, call each other and make system calls, some of them far away;
 * a kernel with handlers that interrupt them anywhere, change contexts and return.
 */
#include "gen_event.h"

enum program_arch { PROGRAM_A64, PROGRAM_A32 /* A32 and T32 */, PROGRAM_X86 };

enum program_kind {
	BLOCK_NOT_TAKEN_OR_JUMP, /* conditional branch inside the function */
	BLOCK_JUMP, BLOCK_CALL, BLOCK_INDIRECT_CALL, BLOCK_INDIRECT_JUMP, BLOCK_BARRIER, BLOCK_SYSCALL,
	BLOCK_CONDITIONAL_RETURN, /* A32 */
	BLOCK_RETURN, BLOCK_ERET, BLOCK_SYSRET /* x86 */,
};

#define BLOCK_INSNS 8
struct program_block {
	uint64_t start;
	uint8_t offsets[BLOCK_INSNS + 1]; /* of its instructions; the last one is its size */
	unsigned insns, function, target;  /* a block, or a function */
	enum program_kind kind;
	enum gen_isa isa;
};
struct program_function {
	unsigned first, count; /* blocks */
};
#define PROGRAM_FUNCTIONS 24
#define PROGRAM_BLOCKS 256
#define PROGRAM_CODE 0x4000 /* bytes of each part */
enum program_part { PROGRAM_USER, PROGRAM_FAR /* reached indirectly only */, PROGRAM_KERNEL, PROGRAM_PARTS };

struct program {
	enum program_arch arch;
	uint64_t parts[PROGRAM_PARTS]; /* their addresses */
	uint8_t code[PROGRAM_PARTS][PROGRAM_CODE];
	struct program_block blocks[PROGRAM_BLOCKS];
	struct program_function functions[PROGRAM_FUNCTIONS];
	unsigned block_count;
};

/* The parts lie where parts says, in multiples of 4096. */
void program_make(struct program *program, enum program_arch arch, uint64_t seed,
		  const uint64_t parts[PROGRAM_PARTS]);
/* The byte at address. */
const uint8_t *program_bytes(const struct program *program, uint64_t address);

struct walk_options {
	uint64_t seed;
	unsigned runs;		   /* how many, at least */
	unsigned interrupts_every; /* one in so many runs is interrupted; 0: none */
	bool contexts;		   /* the kernel changes context id (and VMID) */
	unsigned cpu;
	uint8_t kernel_el;	   /* 0 is taken as 1 */
	uint8_t security;	   /* enum sl_security, of both */
};
/* Tells the sink all that happens from the start of the program on, ending with GEN_END. */
void program_walk(const struct program *program, const struct walk_options *options, const struct gen_sink *sink);
#endif
