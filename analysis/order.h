/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_H
#define ORDER_H
/*
 * Which lane's elements come next, where a sink wants them in order of time. What is known of a lane's time is what its
 * timestamps and the container's windows say; it has passed what it has passed. The lane that is behind goes on. Inside of
 * analysis/ only.
 *
 * Lanes of one buffer come with its bytes. One that is silent there would hold up all others: once it has told no time for
 * some epochs (rounds of the run) nobody waits for it; nor within a buffer where the container's windows are all that tells times: there the
 * order is the file's. What is decided depends on what was opened (order_more_fn) and
 * when that was asked for, and so on the capture alone.
 *
 * A task that comes to a lane must not come before it has left another one. So it waits until every lane has passed the time by which
 * it must have come: the first time behind it. Two lanes that wait for one task are told apart by when its stays there end.
 */
#include "lane.h"

struct order;
/* capture tells timestamps in the container's time; it may be NULL where none are to be told. SL_OK or SL_ERR_NOMEM. */
int order_new(const struct sl_capture *capture, struct order **ret);
void order_free(struct order *order);
/* The lanes of the next buffer, and what it consists of; they are borrowed. SL_OK or SL_ERR_NOMEM. */
int order_add(struct order *order, struct lane *const *lanes, size_t count, const struct sl_stretch *stretches, size_t stretch_count);
/* Opens the next epoch of a buffer in its lanes' windows: SL_OK; SL_END where there is none; an error. */
typedef int order_more_fn(void *ctx, size_t buffer);
/* Everything in order. SL_OK, or the first error. */
int order_run(struct order *order, order_more_fn *more, void *ctx);
/* Where times did not tell what has to be known. */
struct order_doubts {
	uint64_t orders; /* two stays of a task on two lanes might have come in either order: who left first went first */
	uint64_t places; /* a task came to a lane while another one had not told that it left: apart */
	uint64_t unread; /* a lane was not waited for, since too much would have had to be kept */
	uint64_t several; /* ids that ran on two lanes at once: they name more than a task, and have a stack a lane */
	uint64_t several_id; /* the last of them: context id in the high, VMID in the low 32 bits */
};
const struct order_doubts *order_doubts(const struct order *order);
#endif
