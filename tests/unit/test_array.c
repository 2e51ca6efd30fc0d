/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sl_array.h"

void test_array__push_grows(void **state)
{
	uint32_t *items = NULL;
	size_t len = 0, cap = 0;

	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(SL_ARRAY_PUSH(&items, &len, &cap, i * 3), SL_OK);
	assert_int_equal(len, 1000);
	assert_true(cap >= len && cap < 4096);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i * 3);
	free(items);
}

void test_array__reserve_keeps_what_suffices(void **state)
{
	void *data = NULL, *before;
	size_t cap = 0;

	assert_int_equal(sl_array_reserve(&data, &cap, 16, 100), SL_OK);
	assert_true(cap >= 100);
	before = data;
	assert_int_equal(sl_array_reserve(&data, &cap, 16, cap), SL_OK);
	assert_ptr_equal(data, before);
	free(data);
}

void test_array__overflow_leaves_it_untouched(void **state)
{
	void *data = NULL, *before;
	size_t cap = 0, cap_before;

	assert_int_equal(sl_array_reserve(&data, &cap, 16, 10), SL_OK);
	before = data;
	cap_before = cap;
	assert_int_equal(sl_array_reserve(&data, &cap, 16, SIZE_MAX), SL_ERR_NOMEM);
	assert_int_equal(sl_array_reserve(&data, &cap, 16, SIZE_MAX / 16), SL_ERR_NOMEM);
	assert_int_equal(sl_array_reserve(&data, &cap, SIZE_MAX, 20), SL_ERR_NOMEM);
	assert_ptr_equal(data, before);
	assert_int_equal(cap, cap_before);
	free(data);
}
