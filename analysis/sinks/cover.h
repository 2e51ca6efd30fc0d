/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COVER_H
#define COVER_H
/* What the cover sink counts. Inside of analysis/sinks only. */
#include "sl_export.h"
#include "sl_map.h"

#define COVER_NONE UINT32_MAX

/* A run of instructions without a branch between. */
struct cover_piece {
	uint64_t start, end; /* where it ran first */
	uint64_t times, taken; /* taken: of times, where it ends with a branch */
	uint32_t core, symbol, next; /* next: of the same start; COVER_NONE */
	uint8_t isa;
	uint8_t last_size;   /* of its last instruction; of x86, whose sizes no element tells: 1, and so within it */
	bool conditional;    /* branch */
};

/* A branch that was taken: from the last instruction of a piece. */
struct cover_edge {
	uint64_t start, from, to, times; /* start: of the piece */
	uint32_t core, from_symbol, to_symbol, next;
	uint8_t isa;
};

/* Where a lane's last piece ended with a branch that was taken. */
struct cover_lane {
	bool branched;
	uint8_t isa;
	uint64_t start, from;
	uint32_t symbol, core;
};

struct sl_cover {
	const struct sl_image *image;
	struct sl_sieve *sieve; /* borrowed; NULL: everything counts */
	struct cover_piece *pieces;
	size_t len, cap;
	struct sl_map by_start;	/* index + 1 */
	struct cover_edge *edges;
	size_t edge_count, edge_cap;
	struct sl_map by_edge;	/* by a hash of both ends: index + 1 */
	struct cover_lane *lanes;
	size_t lane_count, lane_cap;
	uint64_t *calls;	/* by symbol */
	bool failed;
	struct sl_executed_range *ranges; /* of sl_cover_executed */
	struct sl_executed_branch *branches;
};

/* The address of the last instruction; of x86: of its last byte. */
static inline uint64_t cover_last(const struct cover_piece *piece)
{
	return piece->end - piece->last_size;
}
/* The bytes to step by that no instruction is smaller than. */
static inline unsigned cover_step(unsigned isa)
{
	return isa == SL_ISA_A64 || isa == SL_ISA_A32 ? 4 : isa == SL_ISA_T32 ? 2 : 1;
}
#endif
