/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_THREADS_H
#define SL_THREADS_H
#include "sl_base.h"

/* A pool of jobs threads (the caller is one of them). With jobs 1 nothing is started. */
struct sl_pool;
int sl_pool_new(unsigned jobs, struct sl_pool **ret);
void sl_pool_free(struct sl_pool *pool);
/*
 * Calls fn(ctx, i) once for each i below count, spread over the pool, and returns when all are done. What the
 * calls wrote is visible to the caller, and what the caller wrote before is visible to them.
 */
void sl_pool_run(struct sl_pool *pool, size_t count, void (*fn)(void *ctx, size_t i), void *ctx);

/* The same in two steps, so that the caller can do something else meanwhile. Calls may run batches of their own on the pool. */
struct sl_batch {
	void (*fn)(void *ctx, size_t i);
	void *ctx;
	size_t next, count, finished;
	struct sl_batch *older;
};
/* Lends the batch to the pool until sl_pool_wait(), which does what is left of it and returns when all is done. */
void sl_pool_start(struct sl_pool *pool, struct sl_batch *batch, size_t count, void (*fn)(void *ctx, size_t i), void *ctx);
void sl_pool_wait(struct sl_pool *pool, struct sl_batch *batch);
/* The same, and does calls of any other batch rather than nothing. For who is in no call of a batch. */
void sl_pool_wait_busy(struct sl_pool *pool, struct sl_batch *batch);

/* Threads that may work at once, with the caller; at least 1. */
unsigned sl_pool_jobs(const struct sl_pool *pool);
/* CPUs that this process may use; at least 1. */
unsigned sl_cpu_count(void);
#endif
