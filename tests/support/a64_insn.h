/* SPDX-License-Identifier: Apache-2.0 */
#ifndef A64_INSN_H
#define A64_INSN_H
/* The A64 instructions that a trace unit cares for: recognised, and assembled for tests. */
#include <stdbool.h>
#include <stdint.h>

enum a64_kind {
	A64_OTHER,
	A64_BRANCH,	   /* B */
	A64_CONDITIONAL,   /* B.cond, CBZ, CBNZ, TBZ, TBNZ */
	A64_CALL,	   /* BL */
	A64_INDIRECT,	   /* BR */
	A64_INDIRECT_CALL, /* BLR */
	A64_RETURN,	   /* RET */
	A64_EXCEPTION_RETURN,
	A64_BARRIER,	 /* ISB */
	A64_SYSTEM_CALL, /* SVC, HVC, SMC */
};

/* What the instruction word at pc is; its target where it is a direct branch. Pointer authentication's
 * variants count as what they are without it. */
enum a64_kind a64_classify(uint32_t word, uint64_t pc, uint64_t *ret_target);

#define A64_NOP	    UINT32_C(0xd503201f)
#define A64_RET_X30 UINT32_C(0xd65f03c0)
#define A64_ERET    UINT32_C(0xd69f03e0)
#define A64_ISB	    UINT32_C(0xd5033fdf)
#define A64_SVC_0   UINT32_C(0xd4000001)
uint32_t a64_b(uint64_t from, uint64_t to);
uint32_t a64_bl(uint64_t from, uint64_t to);
uint32_t a64_b_ne(uint64_t from, uint64_t to);
uint32_t a64_br(unsigned reg);
uint32_t a64_blr(unsigned reg);
#endif
