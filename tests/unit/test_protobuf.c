/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/protobuf.h"

static const uint8_t whole[] = {
	0x08, 0x96, 0x01,			     /* 1: 150 */
	0x12, 0x03, 'a', 'b', 'c',		     /* 2: "abc" */
	0x1d, 0x04, 0x03, 0x02, 0x01,		     /* 3: 32 bits */
	0x21, 1, 2, 3, 4, 5, 6, 7, 8,		     /* 4: 64 bits */
	0x82, 0x01, 0x00,			     /* 16: "" */
	0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* 5: 2^64 - 1 */
};

static void check_number(struct sl_bytes *message, uint64_t number, uint64_t value)
{
	struct pb_field field;

	assert_int_equal(pb_next(message, &field), SL_OK);
	assert_int_equal(field.number, number);
	assert_false(field.is_bytes);
	assert_int_equal(field.value, value);
}

static void check_text(struct sl_bytes *message, uint64_t number, const char *text, uint64_t offset)
{
	struct pb_field field;

	assert_int_equal(pb_next(message, &field), SL_OK);
	assert_int_equal(field.number, number);
	assert_true(field.is_bytes);
	assert_int_equal(field.bytes.len, strlen(text));
	assert_memory_equal(field.bytes.data, text, strlen(text));
	assert_int_equal(field.bytes.offset, offset);
}

void test_protobuf__all_kinds_of_fields(void **state)
{
	struct sl_bytes message = { whole, sizeof(whole), 100 };
	struct pb_field field;

	(void)state;
	check_number(&message, 1, 150);
	check_text(&message, 2, "abc", 105);
	check_number(&message, 3, 0x01020304);
	check_number(&message, 4, 0x0807060504030201);
	check_text(&message, 16, "", 125);
	check_number(&message, 5, UINT64_MAX);
	assert_int_equal(pb_next(&message, &field), SL_END);
}

/* Where it is cut inside of a field nothing beyond its end is read. */
void test_protobuf__cut_anywhere(void **state)
{
	static const size_t ends[] = { 3, 8, 13, 22, 25, 36 };
	size_t next = 0;

	(void)state;
	for (size_t len = 1; len < sizeof(whole); len++) {
		struct sl_bytes message = { whole, len, 0 };
		struct pb_field field;
		int result;

		while ((result = pb_next(&message, &field)) == SL_OK)
			;
		next += len > ends[next];
		assert_int_equal(result, len == ends[next] ? SL_END : SL_ERR_FORMAT);
	}
}

void test_protobuf__what_is_no_field(void **state)
{
	static const uint8_t group[] = { 0x0b, 0x0c }, endless[] = { 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };
	struct sl_bytes message = { group, sizeof(group), 0 };
	struct pb_field field;

	(void)state;
	assert_int_equal(pb_next(&message, &field), SL_ERR_FORMAT);
	message = (struct sl_bytes){ endless, sizeof(endless), 0 };
	assert_int_equal(pb_next(&message, &field), SL_ERR_FORMAT);
}
