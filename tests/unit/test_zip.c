/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sl_zip.h"
#include "zip_write.h"

static struct sl_zip zip;
static struct sl_zip_entry entry;
static uint8_t *bytes;
static size_t len, library_at, directory_at;

/* Two stored files and a compressed one. */
static void write_archive(const char *comment)
{
	struct zip_writer writer = { 0 };

	zip_write_file(&writer, "AndroidManifest.xml", "manifest", 8, 0, true);
	library_at = zip_write_file(&writer, "lib/arm64-v8a/libx.so", "library", 7, 4096, false);
	zip_write_file(&writer, "res/empty", "", 0, 4, false);
	directory_at = writer.files_len;
	free(bytes);
	bytes = zip_write_finish(&writer, comment, &len);
}

static int open_archive(void)
{
	return sl_zip_open((struct sl_bytes){ bytes, len, 0 }, &zip);
}

int case_setup(void **state)
{
	(void)state;
	write_archive("");
	return 0;
}

int case_teardown(void **state)
{
	(void)state;
	free(bytes);
	bytes = NULL;
	return 0;
}

void test_zip__by_name(void **state)
{
	assert_int_equal(open_archive(), SL_OK);
	assert_true(sl_zip_find_name(&zip, "lib/arm64-v8a/libx.so", &entry));
	assert_int_equal(entry.offset, library_at);
	assert_int_equal(entry.offset % 4096, 0);
	assert_int_equal(entry.len, 7);
	assert_true(entry.stored);
	assert_memory_equal(bytes + entry.offset, "library", 7);
	assert_true(sl_zip_find_name(&zip, "AndroidManifest.xml", &entry));
	assert_false(entry.stored);
	assert_false(sl_zip_find_name(&zip, "lib/arm64-v8a/libx", &entry));
	assert_false(sl_zip_find_name(&zip, "", &entry));
}

void test_zip__by_offset(void **state)
{
	assert_int_equal(open_archive(), SL_OK);
	assert_true(sl_zip_find_offset(&zip, library_at, &entry));
	assert_true(sl_zip_find_offset(&zip, library_at + 6, &entry));
	assert_int_equal(entry.offset, library_at);
	assert_false(sl_zip_find_offset(&zip, library_at + 7, &entry));
	assert_false(sl_zip_find_offset(&zip, library_at - 1, &entry));
	assert_false(sl_zip_find_offset(&zip, UINT64_MAX, &entry));
}

/* A comment may be there, and may look like an end itself. */
void test_zip__a_comment(void **state)
{
	write_archive("a comment");
	assert_int_equal(open_archive(), SL_OK);
	assert_true(sl_zip_find_name(&zip, "res/empty", &entry));
	write_archive("PK\5\6 and so on and on and on");
	assert_int_equal(open_archive(), SL_OK);
	assert_true(sl_zip_find_name(&zip, "res/empty", &entry));
}

void test_zip__no_archive(void **state)
{
	len = 21;
	assert_int_equal(open_archive(), SL_ERR_FORMAT);
	len = 0;
	assert_int_equal(open_archive(), SL_ERR_FORMAT);
}

static void set32(size_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* Where the directory is said to be where it cannot be, or in a record of 64 bits. */
void test_zip__a_directory_elsewhere(void **state)
{
	set32(len - 6, (uint32_t)len - 22 + 1);
	assert_int_equal(open_archive(), SL_ERR_FORMAT);
	set32(len - 6, (uint32_t)directory_at + 1);
	assert_int_equal(open_archive(), SL_ERR_FORMAT);
	set32(len - 6, UINT32_MAX);
	assert_int_equal(open_archive(), SL_ERR_UNSUPPORTED);
}

/* An entry whose bytes are not in the archive is passed over; a damaged directory ends. */
void test_zip__damage(void **state)
{
	size_t second = directory_at + 46 + strlen("AndroidManifest.xml");

	set32(directory_at + 42, 1);
	set32(second + 20, (uint32_t)len);
	assert_int_equal(open_archive(), SL_OK);
	assert_false(sl_zip_find_name(&zip, "AndroidManifest.xml", &entry));
	assert_false(sl_zip_find_name(&zip, "lib/arm64-v8a/libx.so", &entry));
	assert_true(sl_zip_find_name(&zip, "res/empty", &entry));
	bytes[second]++;
	assert_false(sl_zip_find_name(&zip, "res/empty", &entry));
	bytes[second]--;
	bytes[second + 29] = 0xff;
	assert_false(sl_zip_find_name(&zip, "res/empty", &entry));
}
