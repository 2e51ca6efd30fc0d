/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPT_PARTS_H
#define IPT_PARTS_H
/* What a decoder of Intel PT knows at a place of the lane, to go on from there or to compare. Inside of decoder/ipt/ only. */
#include "ipt.h"

struct ipt_seam {
	struct sl_seam base;
	struct ipt state;	/* of which what it points to is somebody else's, and perhaps gone */
	struct ipt_bytes bytes; /* what was held, in memory of its own */
};
#endif
