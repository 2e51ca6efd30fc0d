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

/* Numbers as digits, the first one first. */
static uint32_t digits(const uint32_t *items, size_t len)
{
	uint32_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value * 10 + items[i];
	return value;
}

void test_array__splice_replaces_what_lies_between(void **state)
{
	static const uint32_t others[] = { 7, 8, 9 };
	static const struct {
		size_t first, last, count;
		uint32_t expected;
	} rows[] = {
		{ 0, 0, 3, 7891234 }, { 4, 4, 2, 123478 }, { 1, 3, 1, 174 },  { 1, 2, 3, 178934 },
		{ 0, 4, 1, 7 },	      { 2, 4, 0, 12 },	   { 0, 4, 0, 0 },    { 1, 1, 0, 1234 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t *items = NULL;
		size_t len = 0, cap = 0;

		for (uint32_t n = 1; n <= 4; n++)
			assert_int_equal(SL_ARRAY_PUSH(&items, &len, &cap, n), SL_OK);
		assert_int_equal(SL_ARRAY_SPLICE(&items, &len, &cap, rows[i].first, rows[i].last, others, rows[i].count), SL_OK);
		assert_int_equal(len, 4 - (rows[i].last - rows[i].first) + rows[i].count);
		assert_int_equal(digits(items, len), rows[i].expected);
		assert_int_equal(SL_ARRAY_SPLICE(&items, &len, &cap, 0, 0, others, SIZE_MAX), SL_ERR_NOMEM);
		assert_int_equal(digits(items, len), rows[i].expected);
		free(items);
	}
}
