/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sl_notes.h"

void test_notes__equal_texts_are_counted(void **state)
{
	struct sl_notes notes = SL_NOTES_INIT;

	sl_notes_add(&notes, "no image at 0x%x", 16);
	sl_notes_add(&notes, "other");
	sl_notes_add(&notes, "no image at 0x%x", 16);
	assert_int_equal(notes.len, 2);
	assert_string_equal(notes.items[0].text, "no image at 0x10");
	assert_int_equal(notes.items[0].count, 2);
	assert_string_equal(notes.items[1].text, "other");
	assert_int_equal(notes.items[1].count, 1);
	sl_notes_release(&notes);
	assert_int_equal(notes.len, 0);
}

void test_notes__null_is_fine(void **state)
{
	sl_notes_add(NULL, "nobody listens");
}

void test_notes__a_long_text_is_cut(void **state)
{
	struct sl_notes notes = SL_NOTES_INIT;
	char text[2000];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	sl_notes_add(&notes, "%s", text);
	assert_int_equal(notes.len, 1);
	assert_int_equal(strlen(notes.items[0].text), 511);
	sl_notes_release(&notes);
}

void test_notes__beyond_the_limit_is_dropped(void **state)
{
	struct sl_notes notes = SL_NOTES_INIT;

	for (int i = 0; i < 1010; i++)
		sl_notes_add(&notes, "%d", i);
	sl_notes_add(&notes, "%d", 999);
	assert_int_equal(notes.len, 1000);
	assert_int_equal(notes.dropped, 10);
	assert_int_equal(notes.items[999].count, 2);
	sl_notes_release(&notes);
}

void test_notes__merge_adds_counts(void **state)
{
	struct sl_notes into = SL_NOTES_INIT, from = SL_NOTES_INIT;

	sl_notes_add(&into, "a");
	sl_notes_add(&from, "b");
	sl_notes_add(&from, "a");
	sl_notes_add(&from, "a");
	from.dropped = 3;
	sl_notes_merge(&into, &from);
	sl_notes_release(&from);
	assert_int_equal(into.len, 2);
	assert_string_equal(into.items[0].text, "a");
	assert_int_equal(into.items[0].count, 3);
	assert_string_equal(into.items[1].text, "b");
	assert_int_equal(into.dropped, 3);
	sl_notes_release(&into);
}
