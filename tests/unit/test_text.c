/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sl_text.h"

void test_text__parse_u64_accepts(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "0x10", 16 },
		{ "0XfF", 255 },
		{ "010", 8 },
		{ "00", 0 },
		{ " \t42\r\n", 42 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX },
		{ "01777777777777777777777", UINT64_MAX },
		{ "0x00000000000000000001", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t value = 77;

		assert_int_equal(sl_parse_u64(rows[i].text, &value), SL_OK);
		assert_int_equal(value, rows[i].value);
	}
}

void test_text__parse_u64_refuses(void **state)
{
	static const char *const rows[] = {
		"", " ", "x", "0x", "0xg", "08", "-1", "+1", "1 2", "1x", "1.5", "0x1_0", "18446744073709551616",
		"0x10000000000000000", "02000000000000000000000", "99999999999999999999999999999999",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t value = 77;

		assert_int_equal(sl_parse_u64(rows[i], &value), SL_ERR_FORMAT);
		assert_int_equal(value, 77);
	}
}

void test_text__parse_hex(void **state)
{
	uint64_t value = 77;

	assert_int_equal(sl_parse_hex("ffff", 2, &value), SL_OK);
	assert_int_equal(value, 255);
	assert_int_equal(sl_parse_hex("FFFFffffffffFFFF", 16, &value), SL_OK);
	assert_int_equal(value, UINT64_MAX);
	assert_int_equal(sl_parse_hex("000000000000000001", 18, &value), SL_OK);
	assert_int_equal(value, 1);
	assert_int_equal(sl_parse_hex("1ffffffffffffffff", 17, &value), SL_ERR_FORMAT);
	assert_int_equal(sl_parse_hex("12", 3, &value), SL_ERR_FORMAT);
	assert_int_equal(sl_parse_hex("0x12", 4, &value), SL_ERR_FORMAT);
	assert_int_equal(sl_parse_hex("12", 0, &value), SL_ERR_FORMAT);
	assert_int_equal(value, 1);
}

void test_text__trim(void **state)
{
	char padded[] = " \t a b \r\n", blank[] = " \n ", bare[] = "ab", empty[] = "";

	assert_string_equal(sl_trim(padded), "a b");
	assert_string_equal(sl_trim(blank), "");
	assert_string_equal(sl_trim(bare), "ab");
	assert_string_equal(sl_trim(empty), "");
}

void test_text__printable_replaces(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "main", "main" },
		{ "", "" },
		{ "a\x1b[31mb\x7f\n", "a?[31mb??" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\x80\xff" "a", "??a" },
		{ "\xc3", "?" },
		{ "\xe2\x82", "??" },
		{ "\xc0\xaf", "??" },		  /* overlong '/' */
		{ "\xed\xa0\x80", "???" },	  /* a surrogate */
		{ "\xf4\x90\x80\x80", "????" },	  /* beyond U+10FFFF */
		{ "a\xc2\x9b" "b", "a?b" },	  /* C1: a terminal's CSI */
		{ "a\xe2\x80\xae" "b", "a?b" },	  /* right-to-left override */
	};
	char shown[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(sl_printable(rows[i].text, shown, sizeof(shown)), rows[i].shown);
}

void test_text__printable_cuts_between_characters(void **state)
{
	char shown[8];

	memset(shown, 'x', sizeof(shown));
	assert_string_equal(sl_printable("abc\xe2\x82\xac", shown, 6), "abc");
	assert_string_equal(sl_printable("abc\xe2\x82\xac", shown, 7), "abc\xe2\x82\xac");
	assert_string_equal(sl_printable("abc", shown, 1), "");
	assert_int_equal(shown[7], 'x');
	shown[0] = 'x';
	assert_ptr_equal(sl_printable("abc", shown, 0), shown);
	assert_int_equal(shown[0], 'x');
}

void test_text__hex(void **state)
{
	const uint8_t data[] = { 0x00, 0x9f, 0xa0, 0xff };
	char text[10] = "xxxxxxxxx";

	sl_hex(data, sizeof(data), text);
	assert_string_equal(text, "009fa0ff");
	assert_int_equal(text[8], '\0');
	sl_hex(data, 0, text);
	assert_string_equal(text, "");
}
