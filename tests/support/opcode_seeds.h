/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPCODE_SEEDS_H
#define OPCODE_SEEDS_H
/* Random instruction words, most of them near to those that decide where a program goes. */
#include "sl_image.h"

/* A64 and A32: a word. T32: two halfwords, the first in the upper half; one instruction of both, or two. */
uint32_t opcode_random(enum sl_isa isa, uint64_t *random);
/* Instructions that OpenCSD 1.3.3 takes for no branch: which of them a word is (T32: one of two halfwords), or -1. */
int opcode_unknown(enum sl_isa isa, uint32_t word);
/* The name of the i-th; NULL beyond the last. */
const char *opcode_unknown_name(unsigned i);
/* Stores such a word as it lies in memory. */
void opcode_store(enum sl_isa isa, uint32_t word, uint8_t *ret);
#endif
