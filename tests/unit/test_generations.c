/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sl_image.h"

/* Every view once, and each row of generations in the smallest view that holds it. */
static void check_views(size_t generations)
{
	uint64_t changes[32];
	struct sl_image *image;

	assert_int_equal(sl_image_new(&image), SL_OK);
	for (size_t i = 0; i + 1 < generations; i++)
		changes[i] = 10 * (i + 1);
	assert_int_equal(sl_image_add_changes(image, 3, changes, generations - 1, 100), SL_OK);
	for (size_t i = 0; i < sl_view_count(generations); i++) {
		struct sl_view view = sl_view_at(generations, i);
		struct sl_window window = { 10 * view.first, 10 * view.last + 9 };

		assert_true(view.first <= view.last && view.last < generations);
		assert_int_equal(sl_image_core_within(image, 3, window), 100 + i);
	}
	for (size_t first = 0; first < generations; first++) {
		for (size_t last = first; last < generations; last++) {
			struct sl_window window = { 10 * first, 10 * last };
			struct sl_view view = sl_view_at(generations, sl_image_core_within(image, 3, window) - 100);

			assert_true(view.first <= first && last <= view.last);
			if (generations <= 8 || last - first <= 1)
				assert_true(view.first == first && view.last == last);
		}
	}
	sl_image_free(image);
}

void test_generations__views(void **state)
{
	(void)state;
	for (size_t generations = 1; generations <= 32; generations++)
		check_views(generations);
	assert_int_equal(sl_view_count(8), 36);
	assert_int_equal(sl_view_count(9), 18);
}

void test_generations__cores(void **state)
{
	const uint64_t changes[] = { 50 };
	struct sl_image *image;

	(void)state;
	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_false(sl_image_changes(image));
	assert_int_equal(sl_image_core_within(image, 4, SL_WINDOW_ANY), 4);
	assert_int_equal(sl_image_add_changes(image, 4, changes, 1, 9), SL_OK);
	assert_true(sl_image_changes(image));
	assert_int_equal(sl_image_core_within(image, 5, SL_WINDOW_ANY), 5);
	assert_int_equal(sl_image_core_within(image, SL_CORE_ANY, SL_WINDOW_ANY), SL_CORE_ANY);
	assert_int_equal(sl_image_core_within(image, 4, (struct sl_window){ 0, 49 }), 9);
	assert_int_equal(sl_image_core_within(image, 4, (struct sl_window){ 50, 60 }), 10);
	assert_int_equal(sl_image_core_within(image, 4, SL_WINDOW_ANY), 11);
	assert_int_equal(sl_image_core_within(image, 4, (struct sl_window){ 60, 40 }), 10);
	sl_image_free(image);
}
