/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_PARTS_H
#define E4_PARTS_H
/* What the fast engine's decoder knows at a place of the lane, to go on from there or to compare. Inside of decoder/etm4 only. */
#include "e4_decoder.h"

struct e4_mark {
	struct sl_seam base;
	struct e4_decoder state; /* of which what it points to is somebody else's, and perhaps gone */
	struct e4_pending pending;
	uint8_t *carry;
	size_t carry_cap;
};

/* Whether the same elements follow, whatever bytes come: not where one is in the midst of something. */
bool e4_mark_same(const struct e4_mark *a, const struct e4_mark *b);
#endif
