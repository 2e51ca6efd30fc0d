/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AHEAD_H
#define AHEAD_H
/*
 * Elements that a call stack's clock has looked at, and that wait for what comes behind them: for who gets elements as they are decoded.
 * Inside of analysis/ only.
 */
#include "sl_callstack.h"

/* Of a lane. So many elements wait at most. */
struct ahead {
	struct sl_elem *elems;
	size_t len, cap;
	uint64_t fed;
};
enum { AHEAD_MOST = 1 << 16 };

/* Feeds the call stack with what can be told by now. SL_OK or SL_ERR_NOMEM. */
int ahead_feed(struct ahead *ahead, struct sl_callstack *cs, const struct sl_elem *elems, size_t len);
/* ... and with the rest. */
int ahead_finish(struct ahead *ahead, struct sl_callstack *cs);
void ahead_release(struct ahead *ahead);
#endif
