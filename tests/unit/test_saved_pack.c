/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a kept profile: what is packed is unpacked, and what is damaged, or unpacks to more than may be, is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/saved_pack.h"

enum { LEN = 300000, MOST = 64 << 20 };

static void pack(uint8_t **ret, size_t *ret_len)
{
	char *text = malloc(LEN);

	assert_non_null(text);
	for (size_t i = 0; i < LEN; i++)
		text[i] = "0123456789,"[i * i / 7 % 11];
	assert_int_equal(saved_pack((struct sl_bytes){ (const uint8_t *)text, LEN, 0 }, ret, ret_len), SL_OK);
	free(text);
}

void test_saved_pack__what_is_packed_is_unpacked(void **state)
{
	uint8_t *bytes;
	char *text;
	size_t len, text_len;

	(void)state;
	pack(&bytes, &len);
	assert_true(saved_is_xz((struct sl_bytes){ bytes, len, 0 }));
	assert_true(len < LEN / 10);
	assert_int_equal(saved_unpack((struct sl_bytes){ bytes, len, 0 }, LEN, &text, &text_len), SL_OK);
	assert_int_equal(text_len, LEN);
	for (size_t i = 0; i < LEN; i++)
		assert_true(text[i] == "0123456789,"[i * i / 7 % 11]);
	free(text);
	free(bytes);
}

void test_saved_pack__nothing_is_text_too(void **state)
{
	uint8_t *bytes;
	char *text;
	size_t len, text_len;

	(void)state;
	assert_int_equal(saved_pack((struct sl_bytes){ (const uint8_t *)"", 0, 0 }, &bytes, &len), SL_OK);
	assert_int_equal(saved_unpack((struct sl_bytes){ bytes, len, 0 }, LEN, &text, &text_len), SL_OK);
	assert_int_equal(text_len, 0);
	free(text);
	free(bytes);
}

void test_saved_pack__damage_is_refused(void **state)
{
	uint8_t *bytes;
	char *text;
	size_t len, text_len;

	(void)state;
	pack(&bytes, &len);
	for (size_t cut = 6; cut < len; cut += 1 + len / 50)
		assert_int_equal(saved_unpack((struct sl_bytes){ bytes, cut, 0 }, MOST, &text, &text_len), SL_ERR_FORMAT);
	for (size_t at = 6; at < len; at += 1 + len / 50) {
		bytes[at] ^= 0x10;
		assert_int_equal(saved_unpack((struct sl_bytes){ bytes, len, 0 }, MOST, &text, &text_len), SL_ERR_FORMAT);
		bytes[at] ^= 0x10;
	}
	bytes = realloc(bytes, len + 1);
	assert_non_null(bytes);
	bytes[len] = 0;
	assert_int_equal(saved_unpack((struct sl_bytes){ bytes, len + 1, 0 }, MOST, &text, &text_len), SL_ERR_FORMAT);
	free(bytes);
}

void test_saved_pack__more_than_may_be_is_refused(void **state)
{
	uint8_t *bytes;
	char *text;
	size_t len, text_len;

	(void)state;
	pack(&bytes, &len);
	assert_int_equal(saved_unpack((struct sl_bytes){ bytes, len, 0 }, LEN - 1, &text, &text_len), SL_ERR_LIMIT);
	free(bytes);
}
