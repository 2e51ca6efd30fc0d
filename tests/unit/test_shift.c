/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/gray.h"
#include "clock/shift.h"

void test_shift__moves_timestamps_only(void **state)
{
	const struct sl_trace_config config = { .protocol = SL_PROTOCOL_ETMV4 };
	struct sl_elem elems[] = { { .kind = SL_ELEM_TIME, .value = 100 }, { .kind = SL_ELEM_CYCLES, .count = 7 }, { .kind = SL_ELEM_TIME },
				   { .kind = SL_ELEM_TIME, .value = 40 }, { .kind = SL_ELEM_TIME, .value = UINT64_MAX } };

	(void)state;
	shift_times(&config, -40, elems, 5);
	assert_int_equal(elems[0].value, 60);
	assert_int_equal(elems[1].count, 7);
	assert_int_equal(elems[2].value, 0); /* not available */
	assert_int_equal(elems[3].value, 0);
	assert_int_equal(elems[4].value, UINT64_MAX - 40);
	elems[4].value = UINT64_MAX;
	shift_times(&config, 5, elems, 5);
	assert_int_equal(elems[0].value, 65);
	assert_int_equal(elems[4].value, 0); /* no such time */
	shift_times(&config, INT64_MIN, elems, 1);
	assert_int_equal(elems[0].value, 0);
}

/* PTM and ETMv3 without ETMCCER bit 28. */
void test_shift__gray_code(void **state)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_PTM };
	struct sl_elem time = { .kind = SL_ELEM_TIME, .value = to_gray(1000) };

	(void)state;
	sl_config_set(&config, SL_REG_ETMCCER, 0);
	assert_int_equal(from_gray(to_gray(UINT64_C(0x123456789abcdef0))), UINT64_C(0x123456789abcdef0));
	shift_times(&config, 24, &time, 1);
	assert_int_equal(from_gray(time.value), 1024);
}
