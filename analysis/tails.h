/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAILS_H
#define TAILS_H
/*
 * Tail calls told as calls: a function that ends by jumping to another one lasts until that returns, and is its caller. What
 * comes from the stage goes through here to a call sink, which sees stacks as if the jumps had been calls. Inside of
 * analysis/ only.
 */
#include "sl_calls.h"

struct tails;
/* inner is borrowed. SL_OK or SL_ERR_NOMEM. */
int tails_new(const struct sl_call_sink *inner, struct tails **ret);
void tails_free(struct tails *tails);
void tails_sink(struct tails *tails, struct sl_call_sink *ret);
#endif
