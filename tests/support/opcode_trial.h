/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPCODE_TRIAL_H
#define OPCODE_TRIAL_H
/*
 * What OpenCSD makes of code: small slots of it, each traced by a branch that is taken at its first waypoint, and what
 * decoder/isa makes of the same bytes.
 */
#include "isa/isa.h"
#include "sl_decoder.h"

enum { SLOT_BYTES = 16, SLOT_CODE = 8 /* the rest of a slot is a branch to itself */, SLOT_COUNT = 1 << 15 };

struct opcode_trial {
	enum sl_isa isa;
	struct isa_options options;
	uint64_t base;			/* address of the first slot */
	uint8_t code[SLOT_COUNT * SLOT_BYTES];
};
/* Fills code with slots of nothing but the branch to itself. */
void opcode_trial_init(struct opcode_trial *trial, enum sl_isa isa, enum sl_arch arch, bool m_profile);

struct opcode_found {
	uint32_t count;			/* instructions up to and with the waypoint; 0: OpenCSD told of no range */
	uint8_t bytes;			/* of them */
	uint8_t size;			/* of the last one */
	uint8_t last, branch;
	bool conditional;
	bool target_known;
	uint64_t target;		/* of a direct branch */
};
/* By decoder/isa: walks the slot as a trace unit without DSB waypoints would. */
void opcode_walk(const struct opcode_trial *trial, size_t slot, struct opcode_found *ret);
/* By OpenCSD, all slots. Failures abort. */
void opcode_trace(const struct opcode_trial *trial, struct opcode_found *ret);
/* "slot: bytes: OpenCSD says .., decoder/isa says ..", where they differ. */
bool opcode_same(const struct opcode_found *a, const struct opcode_found *b);
void opcode_text(const struct opcode_found *found, char *ret, size_t cap);
#endif
