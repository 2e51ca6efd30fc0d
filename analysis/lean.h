/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEAN_H
#define LEAN_H
/*
 * The way of most ranges through a call stack, where who is told of calls wants sums of instructions only, and the lane has told no
 * time: calls, returns to the caller, jumps to other functions. What comes of it is what would come of callstack.c, with one axis
 * instead of three and without what only longer tales need. Whatever is not so plain is left to that.
 */
#include "callstack.h"

struct lean;
/* cs->lean, where somebody wants it: SL_OK or SL_ERR_NOMEM. */
int lean_begin(struct sl_callstack *cs);
void lean_free(struct lean *lean);
/* Where cs->lean is, and the clock is plain, as it stays until it looks at more: the first of the elements that is not taken; end
 * where all are. */
const struct sl_elem *lean_run(struct sl_callstack *cs, const struct sl_elem *elem, const struct sl_elem *end);
/* Tells of the calls that have left. */
void lean_tell(struct sl_callstack *cs);
#endif
