/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "queue.h"

static void add(struct elem_queue *queue, uint64_t offset)
{
	queue_add(queue, &(struct sl_elem){ .offset = offset, .kind = SL_ELEM_EVENT });
}

void test_queue__lends_what_was_added_since(void **state)
{
	struct elem_queue queue = { 0 };
	struct sl_elem *elems;
	size_t len;

	assert_int_equal(queue_lend(&queue, &elems, &len), SL_END);
	for (uint64_t i = 0; i < 100; i++)
		add(&queue, i);
	assert_false(queue_is_lent(&queue));
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_OK);
	assert_int_equal(len, 100);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(elems[i].offset, i);
	assert_true(queue_is_lent(&queue));
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_END);
	add(&queue, 1000); /* as a restart does */
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_OK);
	assert_int_equal(len, 1);
	assert_int_equal(elems[0].offset, 1000);
	queue_release(&queue);
}

void test_queue__a_slot_counts_once_len_is_raised(void **state)
{
	struct elem_queue queue = { 0 };
	struct sl_elem *slot = queue_slot(&queue), *elems;
	size_t len;

	assert_non_null(slot);
	*slot = (struct sl_elem){ .offset = 7 };
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_END);
	queue.len++;
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_OK);
	assert_ptr_equal(elems, slot);
	queue_release(&queue);
}

void test_queue__want_of_memory_sticks(void **state)
{
	struct elem_queue queue = { 0 };
	struct sl_elem *elems;
	size_t len;

	assert_true(queue_reserve(&queue, 10));
	add(&queue, 1);
	assert_false(queue_reserve(&queue, SIZE_MAX));
	assert_true(queue.no_memory);
	assert_false(queue_reserve(&queue, 1));
	assert_null(queue_slot(&queue));
	add(&queue, 2);
	assert_int_equal(queue.len, 1);
	assert_int_equal(queue_lend(&queue, &elems, &len), SL_ERR_NOMEM);
	queue_release(&queue);
}
