/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_H
#define ISA_H
/*
 * What an instruction means to a trace unit: whether it is a waypoint (where trace is made), where it leads, and whether
 * that depends on anything. Written from the Arm Architecture Reference Manuals (A64: DDI 0487, C4; A32 and T32: DDI 0406C
 * and DDI 0487, F; low-overhead branches: DDI 0553B; x86: Intel SDM). Inside of decoder/ only.
 *
 * Which instructions are waypoints is the trace unit's matter (ETMv4: IHI 0064H, 4.2; PTM: IHI 0035B, 2.3): DSB, DMB and
 * WFI are told apart here, and it is the follower that asks its configuration what counts.
 */
#include "sl_config.h"
#include "sl_elem.h"

/* What of x86 an instruction is besides: it ends a run, for packets bind to it. */
enum isa_x86 {
	X86_NONE,
	X86_SYSCALL, X86_SYSENTER, X86_INTERRUPT, X86_VMCALL, /* as taken exceptions */
	X86_FAR_RETURN, /* IRET, SYSRET, SYSEXIT, VMLAUNCH, VMRESUME, RSM, UIRET, ERETS, ERETU */
	X86_FAR_JUMP,	/* and far CALL, RET */
	X86_PAGING,	/* MOV to CR3 */
	X86_VMPTRLD, X86_PTWRITE,
};

struct isa_insn {
	uint64_t target;   /* of a direct branch */
	uint8_t size;	   /* bytes: 2 or 4, x86: to 15; 0: code holds too few */
	uint8_t last;	   /* enum sl_last: what it is as the end of a range */
	uint8_t branch;	   /* enum sl_branch */
	uint8_t target_isa;/* enum sl_isa: of a direct branch */
	bool conditional;  /* by its condition, by a compare or a test in it, or by an IT block around it */
	bool link;	   /* it leaves a return address */
	bool undefined;	   /* no code: A64 words with the upper half 0 (UDF), A32 UDF, T32 UDF, x86 holes in opcode maps */
	uint8_t x86;	   /* enum isa_x86 */
	uint8_t vector;	   /* of X86_INTERRUPT */
};

/* Architecture details that change what words mean. */
struct isa_options {
	enum sl_arch arch;  /* AA64: pointer authentication and what came later */
	bool m_profile;	    /* T32 of ARMv6-M to v8.1-M */
	bool wfi_is_waypoint; /* WFI and WFE end a range (TRCIDR2.WFXMODE, IHI 0064H 7.3.36) */
};

/* The A64 instruction word at pc. */
void isa_a64(const struct isa_options *options, uint32_t word, uint64_t pc, struct isa_insn *ret);
/* The A32 instruction word at pc. */
void isa_a32(const struct isa_options *options, uint32_t word, uint64_t pc, struct isa_insn *ret);

/*
 * Whether one of the instructions in code waits for an event or an interrupt, waypoint or not: WFE, WFI, and those with a timeout; of
 * x86 never. SL_FLAG_SLEEPS and SL_FLAG_WFI as in an element. A range longer than ISA_SLEEP_BYTES is not looked at: what is asked again and again has to be bounded.
 */
enum { ISA_SLEEP_BYTES = 4096 };
uint8_t isa_sleeps(uint8_t isa, const uint8_t *code, size_t len);

/*
 * T32: the instruction at pc, of which code holds len bytes. it: instructions that are left of an IT block, as a follower
 * that begins somewhere knows them (0 where it does not); an IT instruction sets it, each other one counts it down.
 */
void isa_t32(const struct isa_options *options, const uint8_t *code, size_t len, uint64_t pc, unsigned *it,
	     struct isa_insn *ret);

/* x86: the instruction at pc, of which code holds len bytes; isa: SL_ISA_X86_64, _32 or _16. */
void isa_x86(enum sl_isa isa, const uint8_t *code, size_t len, uint64_t pc, struct isa_insn *ret);
#endif
