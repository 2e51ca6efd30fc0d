/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOMENTS_H
#define MOMENTS_H
/*
 * When each part of a lane was traced, as closely as the container and the trace's own timestamps tell: a timestamp is
 * later than all before it and earlier than all behind it in its stretch. Inside of analysis/ only.
 */
#include "sl_capture.h"
#include "sl_decoder.h"

struct moments {
	const struct sl_capture *capture;
	const struct sl_stream *stream;
	const struct sl_stretch *stretch; /* that is at work; NULL: nothing is known */
	const struct sl_stretch *chain;	  /* the one that decoding began anew with; a decoder may be behind by some of those since */
	struct moment_time {
		uint64_t offset; /* of the packet in the lane */
		uint64_t time_ns;
		const struct sl_stretch *chain;
	} *times; /* in order of offset */
	size_t len, cap;
	size_t next;	  /* the first that no packet has passed yet */
	uint64_t strange; /* timestamps that no time of their stretch fits: the clocks do not go together */
};
void moments_init(struct moments *m, const struct sl_capture *capture, const struct sl_stream *stream);
void moments_release(struct moments *m);
/* What is fed from now on is of this stretch. */
void moments_begin(struct moments *m, const struct sl_stretch *stretch);
/* Whether timestamps of the stream can be dated at all. */
bool moments_can_date(const struct moments *m);
/* Takes a timestamp of the stretch at work, in ticks. SL_OK or SL_ERR_NOMEM. */
int moments_add(struct moments *m, uint64_t offset, uint64_t ticks);
/* From the first byte again. */
void moments_rewind(struct moments *m);
/* A sl_moment_fn; ctx is a struct moments. */
void moments_at(void *ctx, uint64_t offset, struct sl_moment *ret);
#endif
