/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "etm4/e4_sync.h"

/* Zeros as many as the letter says (a: 1), and 1 or 8 for 01 and 80. What comes out, in order: s skipped, b bad, f found, with
 * the offset of the piece. */
static const char *search(const char *bytes)
{
	static char ret[256];
	struct e4_sync sync;
	uint64_t offset = 0, start;
	size_t n = 0;

	e4_sync_reset(&sync);
	ret[0] = '\0';
	for (; *bytes; bytes++) {
		unsigned count = *bytes >= 'a' ? (unsigned)(*bytes - 'a') + 1 : 1;

		for (; count--; offset++) {
			enum e4_sync_step step =
				e4_sync_take(&sync, *bytes == '1' ? 1 : *bytes == '8' ? 0x80 : 0, offset, &start);

			if (step != E4_SYNC_MORE)
				n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%c%u ", "?sbf"[step], (unsigned)start);
		}
	}
	return ret;
}

void test_e4_sync__finds(void **state)
{
	(void)state;
	assert_string_equal(search("k8"), "f0 ");
	assert_string_equal(search("111k8"), "s0 f3 ");
	assert_string_equal(search("1111111111k8"), "s0 s8 f10 ");
	assert_string_equal(search("c1k8"), "s0 f4 ");	    /* three zeros are no beginning */
}

void test_e4_sync__zeros_too_many(void **state)
{
	(void)state;
	assert_string_equal(search("m8"), "s0 s0 f0 ");
	assert_string_equal(search("j8k8"), "s0 f11 ");	    /* ten are too few */
}

void test_e4_sync__what_ends_in_something_else(void **state)
{
	(void)state;
	assert_string_equal(search("k1k8"), "b0 f12 ");
}
