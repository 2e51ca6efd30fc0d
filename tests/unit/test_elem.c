/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sl_elem.h"

/* Elements of a kind whose every byte is set, but that the last `spare` bytes differ. */
static bool same_but_for(unsigned kind, size_t spare)
{
	struct sl_elem a, b;

	memset(&a, 0x11, sizeof(a));
	memset(&b, 0x11, sizeof(b));
	memset((uint8_t *)&b + sizeof(b) - spare, 0x22, spare);
	a.kind = b.kind = (uint8_t)kind;
	return sl_elem_same(&a, &b);
}

/* All that a kind has counts, and nothing else. */
void test_elem__same(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < SL_ELEM_KINDS; kind++) {
		size_t spare = kind == SL_ELEM_RANGE || kind == SL_ELEM_RANGE_NO_PATH ? 0 :
			       kind == SL_ELEM_CONTEXT || kind == SL_ELEM_MESSAGE     ? 4 :
											8;

		for (size_t n = 0; n <= sizeof(struct sl_elem); n++)
			assert_int_equal(same_but_for(kind, n), n <= spare);
	}
}

void test_elem__of_other_kinds(void **state)
{
	const struct sl_elem a = { .kind = SL_ELEM_TIME }, b = { .kind = SL_ELEM_MARKER };

	(void)state;
	assert_false(sl_elem_same(&a, &b));
}
