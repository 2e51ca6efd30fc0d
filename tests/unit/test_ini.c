/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sl_ini.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static int parse(const char *text, struct sl_ini *ret, struct sl_diag *diag)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return sl_ini_parse("dir/a.ini", copy, strlen(text), ret, diag);
}

/* The value of [s] k in text, or "(none)"; in static storage. */
static const char *value_of(const char *text)
{
	static char value[64];
	struct sl_ini ini;
	struct sl_diag diag;
	const struct sl_ini_key *key;

	assert_int_equal(parse(text, &ini, &diag), SL_OK);
	key = sl_ini_find(&ini, "s", "k");
	snprintf(value, sizeof(value), "%s", key ? key->value : "(none)");
	sl_ini_release(&ini);
	return value;
}

void test_ini__values_are_cut_and_trimmed(void **state)
{
	static const struct {
		const char *text, *value;
	} rows[] = {
		{ "[s]\nk=v\n", "v" },
		{ "[s]\nk=v", "v" },
		{ "  [ s ] \r\n\t k \t=  v w  \r\n", "v w" },
		{ "[s]\nk=v;comment\n", "v" },
		{ "[s]\nk=v # comment\n", "v" },
		{ "; first\n\n# second\n[s] ; third\nk=v\n", "v" },
		{ "[s]\nk=a=b\n", "a=b" },
		{ "[s]\nk=\n", "" },
		{ "[s]\nk=\"a b\"\n", "a b" },
		{ "[s]\nk='a b'\n", "a b" },
		{ "[s]\nk=\"\n", "\"" },
		{ "[s]\nk=\"a'\n", "\"a'" },
		{ "\xef\xbb\xbf[s]\nk=v\n", "v" },
		{ "[S]\nK=v\n", "v" },
		{ "[s]\nk=1\nk=2\n", "2" },
		{ "[s]\nk=1\n[t]\nk=2\n[s]\nj=3\n", "1" },
		{ "[t]\nk=2\n", "(none)" },
		{ "", "(none)" },
		{ "[s]\nk=v\rk=w\n", "v" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(value_of(rows[i].text), rows[i].value);
}

void test_ini__bad_lines_are_named(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} rows[] = {
		{ "k=v\n", "dir/a.ini:1:", "section" },
		{ "\n; c\nk=v\n", "dir/a.ini:3:", "section" },
		{ "[s]\nk=v\nrubbish\n", "dir/a.ini:3:", "'rubbish': expected key=value" },
		{ "[s]\n=v\n", "dir/a.ini:2:", "key=value" },
		{ "[s\nk=v\n", "dir/a.ini:1:", "[section]" },
		{ "[]\nk=v\n", "dir/a.ini:1:", "[section]" },
		{ "[s]x\n", "dir/a.ini:1:", "[section]" },
	};
	struct sl_ini ini;
	struct sl_diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(rows[i].text, &ini, &diag), SL_ERR_FORMAT);
		assert_non_null(strstr(diag.text, rows[i].where));
		assert_non_null(strstr(diag.text, rows[i].what));
	}
}

void test_ini__control_characters_stay_out_of_messages(void **state)
{
	struct sl_ini ini;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(parse("[s]\n\033[31mred\n", &ini, &diag), SL_ERR_FORMAT);
	assert_null(strchr(diag.text, '\033'));
}

void test_ini__zero_bytes_are_no_text(void **state)
{
	static const char text[] = "[s]\0k=v\n";
	char *copy = malloc(sizeof(text));
	struct sl_ini ini;
	struct sl_diag diag;

	(void)state;
	assert_non_null(copy);
	memcpy(copy, text, sizeof(text));
	assert_int_equal(sl_ini_parse("a.ini", copy, sizeof(text) - 1, &ini, &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "offset 0x3"));
}

void test_ini__sections_repeat_in_order(void **state)
{
	struct sl_ini ini;
	const struct sl_ini_section *section;
	size_t at = 0;

	(void)state;
	assert_int_equal(parse("[a]\nx=1\ny=2\n[b]\n[A]\nx=3\n", &ini, NULL), SL_OK);
	section = sl_ini_next(&ini, "a", &at);
	assert_non_null(section);
	assert_int_equal(section->count, 2);
	assert_string_equal(ini.keys[section->first + 1].name, "y");
	section = sl_ini_next(&ini, "a", &at);
	assert_non_null(section);
	assert_int_equal(section->line, 5);
	assert_string_equal(ini.keys[section->first].value, "3");
	assert_null(sl_ini_next(&ini, "a", &at));
	sl_ini_release(&ini);
}

void test_ini__numbers_have_a_base_and_a_limit(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} rows[] = {
		{ "[s]\nk=0x10\n", SL_OK, 16 },
		{ "[s]\nk=010\n", SL_OK, 8 },
		{ "[s]\nk=10\n", SL_OK, 10 },
		{ "[s]\nk=\"0xffffffff\"\n", SL_OK, 0xffffffff },
		{ "[s]\nk=0x100000000\n", SL_ERR_FORMAT, 0 },
		{ "[s]\nk=-1\n", SL_ERR_FORMAT, 0 },
		{ "[s]\nk=12z\n", SL_ERR_FORMAT, 0 },
		{ "[s]\nk=\n", SL_ERR_FORMAT, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sl_ini ini;
		struct sl_diag diag;
		uint64_t value = 0;

		assert_int_equal(parse(rows[i].text, &ini, &diag), SL_OK);
		assert_int_equal(sl_ini_number(&ini, sl_ini_find(&ini, "s", "k"), UINT32_MAX, &value, &diag),
				 rows[i].result);
		assert_int_equal(value, rows[i].value);
		if (rows[i].result < 0)
			assert_non_null(strstr(diag.text, "dir/a.ini:2: k="));
		sl_ini_release(&ini);
	}
}
