/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sl_map.h"

void test_map__empty(void **state)
{
	struct sl_map map = SL_MAP_INIT;

	assert_null(sl_map_get(&map, 0));
	sl_map_release(&map);
}

void test_map__put_makes_zero_and_keeps(void **state)
{
	struct sl_map map = SL_MAP_INIT;
	uint64_t *value = sl_map_put(&map, 0);

	assert_non_null(value);
	assert_int_equal(*value, 0);
	*value = 5;
	assert_int_equal(*sl_map_put(&map, 0), 5);
	assert_int_equal(*sl_map_get(&map, 0), 5);
	assert_int_equal(map.len, 1);
	assert_null(sl_map_get(&map, 1));
	sl_map_release(&map);
	assert_int_equal(map.len, 0);
	assert_null(sl_map_get(&map, 0));
}

/* Page-aligned keys, which agree in their low bits, and their neighbours at the far end. */
void test_map__many(void **state)
{
	struct sl_map map = SL_MAP_INIT;
	enum { COUNT = 20000 };

	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t *low = sl_map_put(&map, i << 12), *high;

		assert_non_null(low);
		*low = i;
		high = sl_map_put(&map, UINT64_MAX - i);
		assert_non_null(high);
		*high = ~i;
	}
	assert_int_equal(map.len, 2 * COUNT);
	assert_true(map.len < map.cap);
	for (uint64_t i = 0; i < COUNT; i++) {
		assert_int_equal(*sl_map_get(&map, i << 12), i);
		assert_int_equal(*sl_map_get(&map, UINT64_MAX - i), ~i);
		assert_null(sl_map_get(&map, (i << 12) + 1));
	}
	sl_map_release(&map);
}
