/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etm4/e4_pending.h"

/* Letters: a number is so many E atoms, a an address, t a timestamp, x an exception. */
static void push(struct e4_pending *p, const char *elems)
{
	for (; *elems; elems++) {
		struct e4_pend e = { .kind = E4_P_ADDRESS };

		if (*elems >= '1' && *elems <= '9')
			e = (struct e4_pend){ .kind = E4_P_ATOMS, .is_p0 = true, .count = (uint8_t)(*elems - '0'), .bits = 0xff };
		else if (*elems == 't')
			e.kind = E4_P_TIME;
		else if (*elems == 'x')
			e = (struct e4_pend){ .kind = E4_P_EXCEPTION, .is_p0 = true };
		assert_int_equal(e4_pending_push(p, &e), SL_OK);
	}
}

static const char *text(const struct e4_pending *p)
{
	static char ret[64];
	size_t n = 0;

	for (size_t i = p->head; i < p->end; i++) {
		const struct e4_pend *e = &p->elems[i];

		ret[n++] = e->kind == E4_P_ATOMS ? (char)('0' + e->count) : e->kind == E4_P_TIME ? 't' :
			   e->kind == E4_P_EXCEPTION ? 'x' : 'a';
	}
	ret[n] = '\0';
	return ret;
}

static void expect_cancel(const char *before, uint32_t count, const char *after, uint32_t left)
{
	struct e4_pending p = { 0 };

	push(&p, before);
	assert_int_equal(e4_pending_cancel(&p, count), left);
	assert_string_equal(text(&p), after);
	e4_pending_free(&p);
}

void test_e4_pending__cancel(void **state)
{
	(void)state;
	expect_cancel("a3", 1, "a2", 0);
	expect_cancel("a3", 3, "a", 0);
	expect_cancel("2a2", 3, "1", 0);    /* the address between them goes */
	expect_cancel("2t2t", 3, "1tt", 0); /* timestamps stay */
	expect_cancel("2xa", 1, "2", 0);
	expect_cancel("t1", 3, "t", 2);	    /* more than there is */
}

void test_e4_pending__mispredict(void **state)
{
	struct e4_pending p = { 0 };

	(void)state;
	push(&p, "a2taa");
	assert_true(e4_pending_mispredict(&p));
	assert_string_equal(text(&p), "a2t");
	assert_int_equal(p.elems[1].bits, 0xfd);
	e4_pending_clear(&p);
	push(&p, "at");
	assert_false(e4_pending_mispredict(&p));
	e4_pending_free(&p);
}

void test_e4_pending__does_not_grow_with_what_has_left(void **state)
{
	struct e4_pending p = { 0 };

	(void)state;
	push(&p, "tt");
	for (unsigned i = 0; i < 10000; i++) {
		push(&p, "t");
		e4_pending_drop_oldest(&p);
	}
	assert_int_equal(e4_pending_len(&p), 2);
	assert_true(p.cap < 100);
	e4_pending_free(&p);
}
