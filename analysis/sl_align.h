/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_ALIGN_H
#define SL_ALIGN_H
/*
 * The lanes of one system share the clock of their timestamps, so that what happened on two cores can be compared. Finds lanes
 * for which that cannot be: whose timestamps lie further from all others than those reach.
 */
#include "sl_base.h"

struct sl_align_lane {
	bool timed;	       /* it has timestamps; the others are left as they are */
	uint64_t first, last;  /* of them, in ticks; first <= last */
	int64_t offset;	       /* ticks to be added, as the user said */

	bool apart;	       /* found: it shares no time with the most lanes */
	int64_t away;	       /* where apart: ticks from the nearest of these; negative: it lies before them */
	int64_t shift;	       /* where apart: ticks to be added besides, if it began when they began */
};

/* SL_OK, with the number of lanes that are apart; or SL_ERR_NOMEM. */
int sl_align(struct sl_align_lane *lanes, size_t len, size_t *ret_apart);
#endif
