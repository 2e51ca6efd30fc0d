/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gen_image.h"

struct change {
	uint64_t address;
	size_t len, count;
};

static void note(void *ctx, uint64_t address, const uint8_t *bytes, size_t len)
{
	struct change *change = ctx;

	change->address = address;
	change->len = len;
	change->count++;
}

static struct change put(struct gen_image *image, uint64_t address, const char *bytes)
{
	struct change change = { 0 };

	assert_int_equal(gen_image_put(image, address, (const uint8_t *)bytes, strlen(bytes), note, &change),
			 SL_OK);
	return change;
}

static void expect_run(const struct gen_image_runs *runs, size_t i, uint64_t address, const char *bytes,
		       size_t len)
{
	assert_true(i < runs->len);
	assert_int_equal(runs->items[i].address, address);
	assert_int_equal(runs->items[i].len, len);
	assert_memory_equal(runs->items[i].bytes, bytes, len);
}

void test_gen_image__tells_changes(void **state)
{
	struct gen_image *image;
	struct change change;

	assert_int_equal(gen_image_new(&image), SL_OK);
	assert_int_equal(put(image, 0x1000, "abcdefgh").count, 0);
	assert_int_equal(put(image, 0x1004, "efghijkl").count, 0);
	assert_int_equal(gen_image_changes(image), 0);
	change = put(image, 0x1000, "abXXefgh");
	assert_int_equal(change.count, 1);
	assert_int_equal(change.address, 0x1002);
	assert_int_equal(change.len, 2);
	assert_int_equal(put(image, 0x1000, "YbXXefgY").count, 2);
	assert_int_equal(gen_image_changes(image), 3);
	gen_image_free(image);
}

void test_gen_image__runs_in_order(void **state)
{
	struct gen_image_runs runs;
	struct gen_image *image;

	assert_int_equal(gen_image_new(&image), SL_OK);
	put(image, 0x5000, "late");
	put(image, 0x1ffe, "across");
	put(image, 0x1ffe, "AC");
	assert_int_equal(gen_image_runs(image, true, 0, &runs), SL_OK);
	assert_int_equal(runs.len, 2);
	expect_run(&runs, 0, 0x1ffe, "across", 6);
	expect_run(&runs, 1, 0x5000, "late", 4);
	gen_image_runs_release(&runs);
	assert_int_equal(gen_image_runs(image, false, 0, &runs), SL_OK);
	expect_run(&runs, 0, 0x1ffe, "ACross", 6);
	gen_image_runs_release(&runs);
	gen_image_free(image);
}

void test_gen_image__fills_gaps(void **state)
{
	struct gen_image_runs runs;
	struct gen_image *image;

	assert_int_equal(gen_image_new(&image), SL_OK);
	put(image, 0x1000, "ab");
	put(image, 0x1004, "cd");
	put(image, 0x100a, "ef");
	assert_int_equal(gen_image_runs(image, true, 2, &runs), SL_OK);
	assert_int_equal(runs.len, 2);
	expect_run(&runs, 0, 0x1000, "ab\0\0cd", 6);
	expect_run(&runs, 1, 0x100a, "ef", 2);
	assert_memory_equal(runs.items[0].bytes + 6, "\0\0", GEN_IMAGE_TAIL);
	assert_memory_equal(runs.items[1].bytes + 2, "\0\0", GEN_IMAGE_TAIL);
	gen_image_runs_release(&runs);
	gen_image_free(image);
}

void test_gen_image__empty(void **state)
{
	struct gen_image_runs runs;
	struct gen_image *image;

	assert_int_equal(gen_image_new(&image), SL_OK);
	assert_int_equal(gen_image_runs(image, true, 0, &runs), SL_OK);
	assert_int_equal(runs.len, 0);
	gen_image_runs_release(&runs);
	gen_image_free(image);
	gen_image_free(NULL);
}
