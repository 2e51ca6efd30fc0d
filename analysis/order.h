/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_H
#define ORDER_H
/*
 * Which lane's elements come next, where a sink wants them in order of time. What is known of a lane's time is what its
 * timestamps and the container's windows say; it has passed what it has passed. The lane that is behind goes on. Inside of
 * analysis/ only.
 *
 * Lanes of one buffer come with its bytes. One that is silent there would hold up all others: once it has told no time for
 * some epochs (rounds of the run) nobody waits for it. What is decided depends on what was opened (order_more_fn) and
 * when that was asked for, and so on the capture alone.
 */
#include "lane.h"

struct order;
int order_new(const struct sl_run_options *options, struct order **ret);
void order_free(struct order *order);
/* The lanes of the next buffer; they are borrowed. SL_OK or SL_ERR_NOMEM. */
int order_add(struct order *order, struct lane *const *lanes, size_t count);
/* Opens the next epoch of a buffer in its lanes' windows: SL_OK; SL_END where there is none; an error. */
typedef int order_more_fn(void *ctx, size_t buffer);
/* Everything in order. SL_OK, or the first error. */
int order_run(struct order *order, order_more_fn *more, void *ctx);
#endif
