/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GAPS_H
#define GAPS_H
/* What gaps mean to those that measure between calls. Inside of analysis/ only. */
#include "sl_elem.h"

/* Whether trace was lost in it; other gaps are the trace's ordinary business. gap: enum sl_gap */
static inline bool gap_is_loss(unsigned gap)
{
	return gap != SL_GAP_START && gap != SL_GAP_FILTER && gap != SL_GAP_NO_IMAGE && gap != SL_GAP_NO_ADDRESS;
}
#endif
