/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPARE_H
#define COMPARE_H
/*
 * Two streams of elements that should be the same, as they come: batches of any size, of the one or of the other. Kept is
 * what one stream is ahead, and, once they differ, a few elements from before and after that. Inside of analysis/ only.
 */
#include "purpose.h"

enum { COMPARE_BEFORE = 4, COMPARE_AFTER = 4, COMPARE_AHEAD_MAX = 1 << 20 };

struct compare {
	struct purposes purposes; /* one stream is the fast engine's, the other OpenCSD's; no image: nothing differs on purpose */
	unsigned fast;		  /* which */

	uint64_t same;		/* elements of each, up to the difference */
	bool differs;
	bool held_back;		/* it is that one stream is further ahead than decoders may be */
	struct sl_elem before[COMPARE_BEFORE]; /* the last ones that are the same */
	size_t before_len;
	struct sl_elem after[2][COMPARE_AFTER]; /* from the first that differs on; fewer where the stream ended */
	size_t after_len[2];

	struct sl_elem *ahead;	/* of the stream ahead_of: what the other one has not had yet */
	size_t ahead_head, ahead_len, ahead_cap;
	unsigned ahead_of;
};
/*
 * All of them is the same, but for what makes a T32 instruction conditional: OpenCSD 1.3.3 does not follow IT blocks
 * (docs/opencsd-quirks.md, 48).
 */
bool compare_same(const struct sl_elem *a, const struct sl_elem *b);
/* The next elements of stream 0 or 1. SL_OK or SL_ERR_NOMEM. */
int compare_add(struct compare *c, unsigned stream, const struct sl_elem *elems, size_t len);
/* Both have ended: where one has more it is a difference. */
void compare_finish(struct compare *c);
void compare_release(struct compare *c);
/* Offset of the first element that differs, of whichever stream it lies earlier in. */
uint64_t compare_offset(const struct compare *c);
#endif
