/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CODE_H
#define CODE_H
/* Reads instructions of an image one after another. Inside of decoder/ only. */
#include "isa/isa.h"
#include "sl_image.h"

struct code {
	const struct sl_image *image;
	struct isa_options isa; /* of Arm */
	bool barriers;	      /* DSB and DMB are waypoints, which depends on the PTM (IHI 0035B, 2.3) */
	bool merge;	      /* ranges of one symbol may be merged: runs know theirs */
	bool single;	      /* every instruction ends a run, as ETMv3 has an atom for each */
	uint32_t core;	      /* whose memory, and of which space: change them by code_set() */
	uint8_t space;
	struct sl_bytes run;  /* of the image, that was read last, and where it lies */
	uint64_t run_address;
	uint64_t budget;      /* bytes that may still be read */
	bool exhausted;	      /* they were used up */
	bool ran_out;	      /* the same, and stays */
	uint64_t read;	      /* bytes, in all */
};

static inline void code_set(struct code *code, uint32_t core, uint8_t space)
{
	if (core == code->core && space == code->space)
		return;
	code->core = core;
	code->space = space;
	code->run = (struct sl_bytes){ 0 };
}

/* What stopped a walk. */
enum code_stop { CODE_WAYPOINT, CODE_NO_BYTES, CODE_UNKNOWN_ISA, CODE_BAD_INSN };

/* Instructions from start to before end; last is the last of them. */
struct code_walk {
	uint64_t start, end;
	uint32_t count;
	struct isa_insn last;
};

/*
 * The instruction at pc: CODE_WAYPOINT where there is one, whatever it is. IT blocks are not followed, as OpenCSD 1.3.3 does
 * not: an instruction in one is conditional only where it says so itself.
 */
enum code_stop code_insn(struct code *code, uint8_t isa, uint64_t pc, struct isa_insn *ret);
/* From start to the first branch or other waypoint. */
enum code_stop code_walk(struct code *code, uint8_t isa, uint64_t start, struct code_walk *ret);
/* Whether a WFI or WFE lies there, as far as the image knows: the flags of the range that say so, or 0. */
uint8_t code_sleeps(struct code *code, uint8_t isa, uint64_t start, uint64_t end);
/* Whether until can be come to from start without a branch or other waypoint between; also true where the image does not say. */
bool code_leads_to(struct code *code, uint8_t isa, uint64_t start, uint64_t until);
/* From start to where the next instruction would lie at until, past all branches between. */
enum code_stop code_walk_until(struct code *code, uint8_t isa, uint64_t start, uint64_t until,
			       struct code_walk *ret);
#endif
