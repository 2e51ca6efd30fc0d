/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window.h"

/* len elements, each with its number as offset; every tenth is a timestamp. */
static void add(struct window *w, uint64_t *number, size_t len)
{
	struct sl_elem elems[100];

	for (size_t i = 0; i < len; i++, ++*number)
		elems[i] = (struct sl_elem){ .offset = *number, .kind = *number % 10 ? SL_ELEM_RANGE : SL_ELEM_TIME };
	assert_int_equal(window_add(w, elems, len), SL_OK);
}

void test_window__opens_an_epoch_at_a_time(void **state)
{
	struct window w = { 0 };
	uint64_t number = 0;

	(void)state;
	add(&w, &number, 25);
	assert_true(window_is_empty(&w));
	assert_int_equal(window_end_epoch(&w), SL_OK);
	add(&w, &number, 30);
	assert_int_equal(window_end_epoch(&w), SL_OK);
	assert_true(window_is_empty(&w));
	assert_int_equal(window_open(&w), SL_OK);
	assert_int_equal(w.open, 25);
	assert_int_equal(window_cut(&w, 2)->at, 20);
	assert_null(window_cut(&w, 3));
	assert_int_equal(window_open(&w), SL_OK);
	assert_int_equal(w.open, 55);
	assert_int_equal(window_cut(&w, 5)->at, 50);
	assert_int_equal(window_open(&w), SL_OK);
	assert_int_equal(w.open, 55);
	window_release(&w);
}

static void keep_what_is_not_taken(bool apart)
{
	struct window w = { .apart = apart };
	uint64_t number = 0;

	for (int round = 0; round < 200; round++) {
		add(&w, &number, 99);
		assert_int_equal(window_end_epoch(&w), SL_OK);
		assert_int_equal(window_open(&w), SL_OK);
		for (uint64_t i = w.taken; i < w.open; i++)
			assert_int_equal(window_at(&w, i)->offset, i);
		window_take(&w, w.taken + (uint64_t)(round % 3 ? 98 : 90));
		assert_int_equal(window_cut(&w, 0)->at, (w.taken + 9) / 10 * 10);
	}
	assert_true(w.kept.len < 3000);
	window_release(&w);
}

void test_window__keeps_what_is_not_taken(void **state)
{
	(void)state;
	keep_what_is_not_taken(false);
	keep_what_is_not_taken(true);
}

void test_window__takes_while_adding(void **state)
{
	struct window w = { .apart = true };
	const struct sl_elem *first;
	uint64_t number = 0;

	(void)state;
	for (int round = 0; round < 20; round++) {
		add(&w, &number, 99);
		assert_int_equal(window_end_epoch(&w), SL_OK);
		assert_int_equal(window_open(&w), SL_OK);
		first = window_at(&w, w.taken);
		for (int i = 0; i < 30; i++)
			add(&w, &number, 100);
		/* what is open stays where it is */
		assert_ptr_equal(window_at(&w, w.taken), first);
		for (uint64_t i = w.taken; i < w.open; i++)
			assert_int_equal(window_at(&w, i)->offset, i);
		window_take(&w, w.open - (uint64_t)(round % 2));
	}
	window_release(&w);
}

void test_window__a_stretch_begins_with_its_first_element(void **state)
{
	static const struct sl_stretch stretch = { .offset = 5 };
	struct window w = { 0 };
	uint64_t number = 1;

	(void)state;
	add(&w, &number, 5);
	assert_int_equal(window_stretch(&w, &stretch), SL_OK);
	assert_int_equal(window_end_epoch(&w), SL_OK);
	assert_int_equal(window_open(&w), SL_OK);
	assert_null(window_cut(&w, 0)); /* nothing has come of it yet */
	add(&w, &number, 1);
	assert_int_equal(window_end_epoch(&w), SL_OK);
	assert_int_equal(window_open(&w), SL_OK);
	assert_ptr_equal(window_cut(&w, 0)->stretch, &stretch);
	assert_int_equal(window_cut(&w, 0)->at, 5);
	window_release(&w);
}
