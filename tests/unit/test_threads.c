/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sl_threads.h"

enum { COUNT = 1000 };

struct work {
	unsigned calls[COUNT];	/* each index is one call's own */
	pthread_t caller;
	bool elsewhere;
};

static void work_item(void *ctx, size_t i)
{
	struct work *work = ctx;

	work->calls[i]++;
}

static void work_where(void *ctx, size_t i)
{
	struct work *work = ctx;

	work->calls[i]++;
	if (!pthread_equal(pthread_self(), work->caller))
		work->elsewhere = true;
}

static void expect_each_once(unsigned jobs, size_t count, unsigned rounds)
{
	struct work work = { .calls = { 0 } };
	struct sl_pool *pool;

	assert_int_equal(sl_pool_new(jobs, &pool), SL_OK);
	for (unsigned round = 0; round < rounds; round++)
		sl_pool_run(pool, count, work_item, &work);
	sl_pool_free(pool);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(work.calls[i], i < count ? rounds : 0);
}

void test_threads__each_index_once(void **state)
{
	for (unsigned jobs = 1; jobs <= 8; jobs++) {
		expect_each_once(jobs, COUNT, 1);
		expect_each_once(jobs, 1, 3);
		expect_each_once(jobs, 0, 3);
	}
}

/* What one batch wrote, without atomics, is there for the next: TSan watches. */
void test_threads__batches_follow_each_other(void **state)
{
	expect_each_once(4, 7, 2000);
	expect_each_once(2, 2, 2000);
}

void test_threads__one_job_stays_with_the_caller(void **state)
{
	struct work work = { .caller = pthread_self() };
	struct sl_pool *pool;

	assert_int_equal(sl_pool_new(1, &pool), SL_OK);
	sl_pool_run(pool, COUNT, work_where, &work);
	sl_pool_free(pool);
	assert_false(work.elsewhere);
	assert_int_equal(work.calls[COUNT - 1], 1);
}

static void meet(void *ctx, size_t i)
{
	pthread_barrier_wait(ctx);
}

/* Ends only where three calls run at the same time. */
void test_threads__calls_run_side_by_side(void **state)
{
	pthread_barrier_t barrier;
	struct sl_pool *pool;

	pthread_barrier_init(&barrier, NULL, 3);
	assert_int_equal(sl_pool_new(3, &pool), SL_OK);
	sl_pool_run(pool, 3, meet, &barrier);
	sl_pool_free(pool);
	pthread_barrier_destroy(&barrier);
}

struct nest {
	struct sl_pool *pool;
	struct work inner[16];
};

static void run_inner(void *ctx, size_t i)
{
	struct nest *nest = ctx;

	sl_pool_run(nest->pool, 50, work_item, &nest->inner[i]);
}

/* Calls run batches of their own; nobody waits for ever, and each inner call is done once. */
void test_threads__batches_in_calls(void **state)
{
	for (unsigned jobs = 1; jobs <= 5; jobs++) {
		struct nest *nest = calloc(1, sizeof(*nest));

		assert_non_null(nest);
		assert_int_equal(sl_pool_new(jobs, &nest->pool), SL_OK);
		for (unsigned round = 0; round < 20; round++)
			sl_pool_run(nest->pool, 16, run_inner, nest);
		sl_pool_free(nest->pool);
		for (size_t i = 0; i < 16 * 50; i++)
			assert_int_equal(nest->inner[i / 50].calls[i % 50], 20);
		free(nest);
	}
}

/* Of a batch that was started, what others do not get to is done by who waits. */
void test_threads__start_and_wait(void **state)
{
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		struct work first = { .calls = { 0 } }, second = { .calls = { 0 } };
		struct sl_batch a, b;
		struct sl_pool *pool;

		assert_int_equal(sl_pool_new(jobs, &pool), SL_OK);
		assert_int_equal(sl_pool_jobs(pool), jobs);
		sl_pool_start(pool, &a, COUNT, work_item, &first);
		sl_pool_start(pool, &b, COUNT, work_item, &second);
		sl_pool_wait(pool, &a);
		assert_int_equal(first.calls[COUNT - 1], 1);
		sl_pool_wait(pool, &b);
		sl_pool_free(pool);
		for (size_t i = 0; i < COUNT; i++)
			assert_int_equal(first.calls[i] + second.calls[i], 2);
	}
}

/* Who waits busily does what calls of the batch have begun, and other batches; each call is done once. */
void test_threads__wait_busy(void **state)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct nest *nest = calloc(1, sizeof(*nest));
		struct work other = { .calls = { 0 } };
		struct sl_batch outer, b;

		assert_non_null(nest);
		assert_int_equal(sl_pool_new(jobs, &nest->pool), SL_OK);
		for (unsigned round = 0; round < 50; round++) {
			sl_pool_start(nest->pool, &outer, 2, run_inner, nest);
			sl_pool_start(nest->pool, &b, COUNT, work_item, &other);
			sl_pool_wait_busy(nest->pool, &outer);
			assert_int_equal(nest->inner[1].calls[49], round + 1);
			sl_pool_wait_busy(nest->pool, &b);
			assert_int_equal(other.calls[COUNT - 1], round + 1);
		}
		sl_pool_free(nest->pool);
		for (size_t i = 0; i < 2 * 50; i++)
			assert_int_equal(nest->inner[i / 50].calls[i % 50], 50);
		free(nest);
	}
}

void test_threads__free_of_nothing(void **state)
{
	sl_pool_free(NULL);
}

void test_threads__cpu_count(void **state)
{
	assert_in_range(sl_cpu_count(), 1, 1024);
}
