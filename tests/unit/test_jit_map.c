/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/jit_map.h"

static struct sl_bytes text_of(const char *text)
{
	return (struct sl_bytes){ (const uint8_t *)text, strlen(text), 0 };
}

static void check(struct sl_bytes *text, uint64_t address, uint64_t size, const char *name)
{
	struct jit_name got;
	uint64_t others = 0;

	assert_int_equal(jit_map_next(text, &got, &others), SL_OK);
	assert_int_equal(got.address, address);
	assert_int_equal(got.size, size);
	assert_int_equal(got.len, strlen(name));
	assert_memory_equal(got.name, name, got.len);
	assert_int_equal(others, 0);
}

void test_jit_map__names_may_have_blanks(void **state)
{
	struct sl_bytes text = text_of("7f00 40 LazyCompile:~f a.js:1 \r\n\n0x7f40 0x8 g\nFFFFFFFFFFFFFF00 10 last");
	struct jit_name got;
	uint64_t others = 0;

	(void)state;
	check(&text, 0x7f00, 0x40, "LazyCompile:~f a.js:1");
	check(&text, 0x7f40, 8, "g");
	check(&text, 0xffffffffffffff00, 0x10, "last");
	assert_int_equal(jit_map_next(&text, &got, &others), SL_END);
	assert_int_equal(others, 0);
}

void test_jit_map__other_lines_are_counted(void **state)
{
	static const char *const lines[] = { "7f00 40", "7f00 40 ", "name", "7f00", "x 1 f", "7f00 0 empty", "ffffffffffffffff 2 beyond",
					     "00000000000000001 1 long", "0x 1 f", "7f00 1g f" };
	struct jit_name got;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct sl_bytes text = text_of(lines[i]);
		uint64_t others = 0;

		assert_int_equal(jit_map_next(&text, &got, &others), SL_END);
		assert_int_equal(others, 1);
	}
}
