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
/* CPUs that this process may use; at least 1. */
unsigned sl_cpu_count(void);
#endif
