/* SPDX-License-Identifier: Apache-2.0 */
#ifndef V7_DIFF_H
#define V7_DIFF_H
/* One property: the fast engine yields the elements (and packets) that the OpenCSD engine yields, in the same order. */
#include "sl_decoder.h"

struct v7_diff {
	const struct sl_trace_config *config;
	const struct sl_decoder_options *options; /* engine and packet are not looked at */
	struct sl_bytes lane;
	size_t piece;	   /* bytes fed at a time; 0: all */
	size_t restart_at; /* 0: nowhere */
	bool packets;	   /* compare these too, but for bytes before a sync point */
	uint64_t elems, ranges, instructions, gaps; /* of OpenCSD, added to */
	uint64_t differ_at; /* lane offset of the first difference */
};
/* False where they differ; the text says where first. Failures abort. */
bool v7_diff(struct v7_diff *diff, char *ret_text, size_t cap);
/* Decodes the lane with an engine and sums what comes out, for timing. */
uint64_t v7_sum(const struct v7_diff *diff, enum sl_engine engine);

/* A lane's bytes, to be freed. */
struct v7_bytes {
	uint8_t *data;
	size_t len, cap;
};
void v7_append(struct v7_bytes *to, const uint8_t *data, size_t len);
/* The next of a row of random numbers. */
uint64_t v7_random(uint64_t *state);
/* Changes, drops and doubles bytes here and there. */
void v7_mutate(struct v7_bytes *lane, uint64_t *state);
/* Registers, profile and architecture at random, of what both engines accept. */
void v7_scramble(struct sl_trace_config *config, uint64_t *state);
#endif
