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
	bool stop;
	/* the batch that runs now */
	void (*fn)(void *ctx, size_t i);
	void *ctx;
	size_t next, count, finished;
};

/* Takes indices until none is left. Called and left with the lock held. */
static void drain(struct sl_pool *pool)
{
	while (pool->next < pool->count) {
		size_t i = pool->next++;

		pthread_mutex_unlock(&pool->lock);
		pool->fn(pool->ctx, i);
		pthread_mutex_lock(&pool->lock);
		if (++pool->finished == pool->count)
			pthread_cond_signal(&pool->done);
	}
}

static void *worker(void *arg)
{
	struct sl_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		drain(pool);
		if (!pool->stop)
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

void sl_pool_run(struct sl_pool *pool, size_t count, void (*fn)(void *ctx, size_t i), void *ctx)
{
	if (!pool->thread_count || count < 2) {
		for (size_t i = 0; i < count; i++)
			fn(ctx, i);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->fn = fn;
	pool->ctx = ctx;
	pool->next = pool->finished = 0;
	pool->count = count;
	pthread_cond_broadcast(&pool->work);
	drain(pool);
	while (pool->finished < count)
		pthread_cond_wait(&pool->done, &pool->lock);
	pool->count = 0;
	pthread_mutex_unlock(&pool->lock);
}

unsigned sl_cpu_count(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) < 1)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}
