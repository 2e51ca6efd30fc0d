/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CS_ETM_RINGS_H
#define CS_ETM_RINGS_H
/*
 * The ring buffers of a recording, in positions that only grow: chunks are what perf copied out of them
 * (AUXTRACE), sessions what the hardware wrote between a start and a stop (AUX). Both are needed to find
 * pieces.
 */
#include "cs_etm.h"

struct cs_etm_chunk {
	uint64_t start, end;  /* in the ring */
	uint64_t file_offset; /* of start */
	uint64_t record_offset;
	size_t ring, order;
	bool cut; /* a later copy has the rest: no padding at its end */
};

struct cs_etm_session {
	uint64_t start, end;
	const struct perf_record *record;
	size_t ring, order;
	uint32_t flags;
};

struct cs_etm_ring {
	uint32_t idx;
	int32_t cpu, tid;	    /* -1: per-thread, per-cpu */
	size_t chunks, chunk_count; /* in rings->chunks */
	size_t sessions, session_count;
};

struct cs_etm_rings {
	struct cs_etm_ring
		*items; /* in order of cpu, tid, idx; those without chunks have lost all their trace */
	size_t len, cap;
	struct cs_etm_chunk *chunks; /* by ring and start; none overlaps the next */
	size_t chunk_len, chunk_cap;
	struct cs_etm_session *sessions; /* by ring and start */
	size_t session_len, session_cap;
};

/* PERF_AUX_FLAG_... */
enum { AUX_TRUNCATED = 1, AUX_OVERWRITE = 2, AUX_PARTIAL = 4, AUX_COLLISION = 8, AUX_RAW = 0x100 };

/* SL_OK or SL_ERR_NOMEM; release it in both cases. */
int cs_etm_rings_read(const struct perf_file *file, const struct cs_etm_index *index,
		      struct cs_etm_rings *ret);
void cs_etm_rings_release(struct cs_etm_rings *rings);
#endif
