/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARTS_TRIAL_H
#define PARTS_TRIAL_H
/* A lane through one decoder from end to end, and through analysis/decode.h in parts at once: the same elements? */
#include "decode.h"

struct parts_trial {
	struct sl_trace_config config;
	const struct sl_image *image;
	uint32_t core;
	const struct moments *moments; /* or NULL; copied for each of the two */
	struct sl_bytes lane;
	size_t piece;	   /* fed in pieces of so many bytes; 0: at once */
	size_t restart_at; /* restarted there; 0: nowhere */
	struct sl_pool *pool;
	size_t part_bytes;
	bool merge; /* ranges, instructions and other elements are counted, as merged ranges may be cut anywhere */
	void (*spoil)(void *ctx, struct sl_seam *begin);
	void *spoil_ctx;
};
struct parts_result {
	bool refused; /* no decoder for this configuration */
	bool same;
	size_t elems; /* of the one decoder */
	struct decode_stats stats;
	char text[300]; /* what differs */
};
/* Want of memory aborts. */
void parts_trial_run(const struct parts_trial *trial, struct parts_result *ret);
#endif
