/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aarch32_return.h"

static bool ends_exception(enum sl_isa isa, uint32_t op)
{
	uint8_t bytes[4] = { (uint8_t)op, (uint8_t)(op >> 8), (uint8_t)(op >> 16), (uint8_t)(op >> 24) };

	return aarch32_is_exception_return(isa, (struct sl_bytes){ bytes, 4, 0 });
}

/* A T32 instruction as it is written, first halfword high. */
static bool t32(uint32_t op)
{
	return ends_exception(SL_ISA_T32, op << 16 | op >> 16);
}

void test_aarch32_return__a32(void **state)
{
	(void)state;
	assert_true(ends_exception(SL_ISA_A32, 0xe25ef004)); /* subs pc, lr, #4 */
	assert_true(ends_exception(SL_ISA_A32, 0xe1b0f00e)); /* movs pc, lr */
	assert_true(ends_exception(SL_ISA_A32, 0xf8bd0a00)); /* rfeia sp! */
	assert_true(ends_exception(SL_ISA_A32, 0xe8fd9fff)); /* ldm sp!, {r0-r12, pc}^ */
	assert_true(ends_exception(SL_ISA_A32, 0xe160006e)); /* eret */
	assert_false(ends_exception(SL_ISA_A32, 0xe12fff1e)); /* bx lr */
	assert_false(ends_exception(SL_ISA_A32, 0xe8bd8010)); /* pop {r4, pc} */
	assert_false(ends_exception(SL_ISA_A32, 0xe1a0f00e)); /* mov pc, lr */
	assert_false(ends_exception(SL_ISA_A32, 0xe49df004)); /* pop {pc} */
	assert_false(ends_exception(SL_ISA_A32, 0xe11f0001)); /* tst pc, r1: a compare */
	assert_false(ends_exception(SL_ISA_A32, 0xf57ff06f)); /* isb */
}

void test_aarch32_return__t32(void **state)
{
	(void)state;
	assert_true(t32(0xf3de8f04));  /* subs pc, lr, #4 */
	assert_true(t32(0xf3de8f00));  /* eret */
	assert_true(t32(0xe9bdc000));  /* rfeia sp! */
	assert_true(t32(0xe83dc000));  /* rfedb sp! */
	assert_false(t32(0xe8bd8010)); /* pop {r4, pc} */
	assert_false(t32(0x4770bf00)); /* bx lr; nop */
}

void test_aarch32_return__other_sets_and_short_code(void **state)
{
	uint8_t bytes[2] = { 0xde, 0xf3 };

	(void)state;
	assert_false(ends_exception(SL_ISA_A64, 0xe25ef004));
	assert_false(aarch32_is_exception_return(SL_ISA_T32, (struct sl_bytes){ bytes, 2, 0 }));
}
