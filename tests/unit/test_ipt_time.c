/* SPDX-License-Identifier: Apache-2.0 */
/* The TSC that packets of Intel PT tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ipt/ipt_time.h"

static struct ipt_time make(unsigned mtc_shift, uint32_t numerator, uint32_t denominator)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_IPT };
	struct ipt_time time;

	sl_config_set(&config, SL_REG_RTIT_CTL, mtc_shift << 14);
	sl_config_set(&config, SL_REG_CPUID_15_EBX, numerator);
	sl_config_set(&config, SL_REG_CPUID_15_EAX, denominator);
	ipt_time_init(&time, &config);
	return time;
}

static bool take_tsc(struct ipt_time *time, uint64_t tsc, uint64_t *ret)
{
	return ipt_time_take(time, &(struct pt_packet){ .type = ppt_tsc, .payload.tsc.tsc = tsc }, ret);
}

static void take_tma(struct ipt_time *time, uint16_t ctc, uint16_t fc)
{
	uint64_t unused;
	struct pt_packet packet = { .type = ppt_tma, .payload.tma = { ctc, fc } };

	assert_false(ipt_time_take(time, &packet, &unused));
}

static bool take_mtc(struct ipt_time *time, uint8_t ctc, uint64_t *ret)
{
	return ipt_time_take(time, &(struct pt_packet){ .type = ppt_mtc, .payload.mtc.ctc = ctc }, ret);
}

/* 308 ticks of the TSC are 2 of the crystal clock, and an MTC packet comes each 8 of these. */
void test_ipt_time__mtc_behind_tma(void **state)
{
	struct ipt_time time = make(3, 308, 2);
	uint64_t tsc = 0;

	assert_true(take_tsc(&time, 1000000, &tsc));
	assert_int_equal(tsc, 1000000);
	assert_false(take_mtc(&time, 1, &tsc)); /* no TMA yet */
	take_tma(&time, 0x1235, 100);
	assert_true(take_mtc(&time, 0x47, &tsc)); /* crystal clock 0x1238: 3 ticks behind 0x1235 */
	assert_int_equal(tsc, 1000000 - 100 + 3 * 154);
	assert_true(take_mtc(&time, 0x49, &tsc)); /* one was lost */
	assert_int_equal(tsc, 1000000 - 100 + (3 + 16) * 154);
	assert_true(take_mtc(&time, 0x48, &tsc)); /* 255 later */
	assert_int_equal(tsc, 1000000 - 100 + (3 + 16 + 255 * 8) * 154);
	assert_true(take_tsc(&time, 2000000, &tsc));
	assert_false(take_mtc(&time, 0x49, &tsc));
}

/* Of a TMA's 16 bits fewer than an MTC's eight are left. */
void test_ipt_time__long_periods(void **state)
{
	struct ipt_time time = make(10, 1, 1);
	uint64_t tsc = 0;

	assert_true(take_tsc(&time, 500000, &tsc));
	take_tma(&time, 0xfc10, 0);
	assert_true(take_mtc(&time, 0xc0, &tsc)); /* 0x3f, of which six bits are known, and one more */
	assert_int_equal(tsc, 500000 + 0x400 - 0x10);
	assert_true(take_mtc(&time, 0xc2, &tsc));
	assert_int_equal(tsc, 500000 + 3 * 0x400 - 0x10);
}

void test_ipt_time__no_ratio(void **state)
{
	struct ipt_time time = make(3, 0, 0);
	uint64_t tsc = 0;

	assert_true(take_tsc(&time, 1000, &tsc));
	take_tma(&time, 0, 0);
	assert_false(take_mtc(&time, 1, &tsc));
	ipt_time_reset(&time);
	assert_false(take_mtc(&time, 2, &tsc));
}
