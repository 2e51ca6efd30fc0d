/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_INSN_H
#define SL_INSN_H
/* How long instructions are, for who goes through the ranges that a decoder yields. */
#include "sl_image.h"

/* Bytes of the instruction that code begins with, as the engines count them; what is none, or is cut, has the least size that one
 * can have: never 0. */
unsigned sl_insn_size(enum sl_isa isa, struct sl_bytes code);
#endif
