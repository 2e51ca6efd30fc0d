/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sl_image.h"

static void check(enum sl_isa isa, const char *code, size_t len, unsigned size, const char *expected)
{
	struct sl_disasm *disasm;
	char text[64];

	assert_int_equal(sl_disasm_new(&disasm), SL_OK);
	assert_int_equal(sl_disasm_one(disasm, isa, (struct sl_bytes){ (const uint8_t *)code, len, 0 },
				       0x1000, text, sizeof(text)),
			 size);
	assert_string_equal(text, expected);
	sl_disasm_free(disasm);
}

void test_disasm__each_instruction_set(void **state)
{
	check(SL_ISA_A64, "\xc0\x03\x5f\xd6", 4, 4, "ret");
	check(SL_ISA_A64, "\x02\x00\x00\x94", 4, 4, "bl #0x1008");
	check(SL_ISA_A32, "\x1e\xff\x2f\xe1", 4, 4, "bx lr");
	check(SL_ISA_T32, "\x70\x47\x00\x00", 4, 2, "bx lr");
	check(SL_ISA_T32, "\x00\xf0\x02\xf8", 4, 4, "bl #0x1008");
	check(SL_ISA_X86_64, "\xc3\x90", 2, 1, "ret");
}

void test_disasm__system_registers_of_m_profile(void **state)
{
	check(SL_ISA_T32, "\xef\xf3\x10\x80", 4, 4, "mrs r0, primask");
}

void test_disasm__what_is_no_instruction(void **state)
{
	check(SL_ISA_A64, "\x00\x00\x00\x00", 4, 0, ".inst 0x00000000");
	check(SL_ISA_T32, "\xff\xff\xff\xff", 4, 0, ".inst.w 0xffffffff");
	check(SL_ISA_X86_64, "\x06", 1, 0, ".inst 0x06");
	check(SL_ISA_UNKNOWN, "\x01\x02\x03\x04", 4, 0, ".inst 0x04030201");
	check(SL_ISA_JAZELLE, "\x01\x02\x03\x04", 4, 0, ".inst 0x04030201");
}

void test_disasm__code_that_is_cut_short(void **state)
{
	check(SL_ISA_A64, "\xc0\x03", 2, 0, ".inst 0x03c0");
	check(SL_ISA_T32, "\x00\xf0", 2, 0, ".inst 0xf000");
	check(SL_ISA_A64, "", 0, 0, ".inst 0x00");
}

void test_disasm__one_object_serves_all_sets(void **state)
{
	struct sl_disasm *disasm;
	char text[8];

	assert_int_equal(sl_disasm_new(&disasm), SL_OK);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(sl_disasm_one(disasm, SL_ISA_A64,
					       (struct sl_bytes){ (const uint8_t *)"\xc0\x03\x5f\xd6", 4, 0 },
					       0, text, sizeof(text)),
				 4);
		assert_int_equal(sl_disasm_one(disasm, SL_ISA_T32,
					       (struct sl_bytes){ (const uint8_t *)"\x70\x47", 2, 0 }, 0,
					       text, sizeof(text)),
				 2);
	}
	/* The text is cut to what the caller has room for. */
	sl_disasm_one(disasm, SL_ISA_A64, (struct sl_bytes){ (const uint8_t *)"\x02\x00\x00\x94", 4, 0 },
		      0x1000, text, sizeof(text));
	assert_string_equal(text, "bl #0x1");
	sl_disasm_free(disasm);
}
