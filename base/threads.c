/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct sl_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;
	unsigned thread_count;
	unsigned busy; /* threads that wait, and would rather work */
	bool stop;
	struct sl_batch *newest; /* of those that wait is not over for */
};

/* Does one call of the batch. Called and left with the lock held. */
static void do_one(struct sl_pool *pool, struct sl_batch *batch)
{
	size_t i = batch->next++;

	pthread_mutex_unlock(&pool->lock);
	batch->fn(batch->ctx, i);
	pthread_mutex_lock(&pool->lock);
	if (++batch->finished == batch->count)
		pthread_cond_broadcast(&pool->done);
}

/* The newest batch that has calls left: what others wait for in the midst of a call of theirs. */
static struct sl_batch *find_work(const struct sl_pool *pool)
{
	struct sl_batch *batch = pool->newest;

	while (batch && batch->next == batch->count)
		batch = batch->older;
	return batch;
}

static void *worker(void *arg)
{
	struct sl_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		struct sl_batch *batch = find_work(pool);

		if (batch)
			do_one(pool, batch);
		else
			pthread_cond_wait(&pool->work, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int sl_pool_new(unsigned jobs, struct sl_pool **ret)
{
	struct sl_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return SL_ERR_NOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->done, NULL);
	pool->threads = calloc(jobs, sizeof(*pool->threads));
	if (!pool->threads) {
		sl_pool_free(pool);
		return SL_ERR_NOMEM;
	}
	/* A thread that cannot be started is no failure: the caller does its share. */
	while (pool->thread_count + 1 < jobs) {
		if (pthread_create(&pool->threads[pool->thread_count], NULL, worker, pool) != 0)
			break;
		pool->thread_count++;
	}
	*ret = pool;
	return SL_OK;
}

void sl_pool_free(struct sl_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool->threads);
	free(pool);
}

void sl_pool_start(struct sl_pool *pool, struct sl_batch *batch, size_t count, void (*fn)(void *ctx, size_t i), void *ctx)
{
	*batch = (struct sl_batch){ .fn = fn, .ctx = ctx, .count = count };
	pthread_mutex_lock(&pool->lock);
	batch->older = pool->newest;
	pool->newest = batch;
	pthread_cond_broadcast(&pool->work);
	if (pool->busy)
		pthread_cond_broadcast(&pool->done);
	pthread_mutex_unlock(&pool->lock);
}

static void take_out(struct sl_pool *pool, const struct sl_batch *batch)
{
	struct sl_batch **at = &pool->newest;

	while (*at != batch)
		at = &(*at)->older;
	*at = batch->older;
}

void sl_pool_wait(struct sl_pool *pool, struct sl_batch *batch)
{
	pthread_mutex_lock(&pool->lock);
	while (batch->next < batch->count)
		do_one(pool, batch);
	while (batch->finished < batch->count)
		pthread_cond_wait(&pool->done, &pool->lock);
	take_out(pool, batch);
	pthread_mutex_unlock(&pool->lock);
}

void sl_pool_wait_busy(struct sl_pool *pool, struct sl_batch *batch)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy++;
	while (batch->finished < batch->count) {
		struct sl_batch *work = batch->next < batch->count ? batch : find_work(pool);

		if (work)
			do_one(pool, work);
		else
			pthread_cond_wait(&pool->done, &pool->lock);
	}
	pool->busy--;
	take_out(pool, batch);
	pthread_mutex_unlock(&pool->lock);
}

void sl_pool_run(struct sl_pool *pool, size_t count, void (*fn)(void *ctx, size_t i), void *ctx)
{
	struct sl_batch batch;

	if (!pool->thread_count || count < 2) {
		for (size_t i = 0; i < count; i++)
			fn(ctx, i);
		return;
	}
	sl_pool_start(pool, &batch, count, fn, ctx);
	sl_pool_wait(pool, &batch);
}

unsigned sl_pool_jobs(const struct sl_pool *pool)
{
	return pool->thread_count + 1;
}

unsigned sl_cpu_count(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) < 1)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}
