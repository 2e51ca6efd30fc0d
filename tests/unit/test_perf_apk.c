/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that were run out of an APK. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "find_fixture.h"
#include "zip_write.h"

#define APK	"/data/app/app-1/base.apk"
#define LIBRARY "lib/arm64-v8a/libx.so"
#define INSIDE	"symfs" APK "!/" LIBRARY

enum { PID = 100, CODE = 0x7f0000, ALIGN = 4096 };

static uint64_t library_at, library_len, packed_at;

/* The APK below symfs, with one library in it that has a build id, and one that is compressed. */
static void write_apk(void)
{
	struct zip_writer zip = { 0 };
	size_t len;
	uint8_t *library = make_elf((struct find_elf){ .fill = 0x51, .address = 0x1000, .symbol = "inside",
						       .symbol_at = 0x1010 }, &len);
	uint8_t *whole;

	zip_write_file(&zip, "AndroidManifest.xml", "<manifest/>", 11, 0, true);
	library_at = zip_write_file(&zip, LIBRARY, library, len, ALIGN, false);
	library_len = len;
	packed_at = zip_write_file(&zip, "lib/arm64-v8a/libpacked.so", library, len, 0, true);
	free(library);
	whole = zip_write_finish(&zip, "", &len);
	temp_write("symfs" APK, whole, len);
	free(whole);
}

int group_setup(void **state)
{
	int result = find_group_setup(state);

	write_apk();
	return result;
}

int group_teardown(void **state)
{
	return find_group_teardown(state);
}

int case_setup(void **state)
{
	return find_setup(state);
}

int case_teardown(void **state)
{
	return find_teardown(state);
}

static void put_library(const char *name, uint64_t pgoff, uint8_t fill)
{
	put_find_map((struct find_map){ .pid = PID, .name = name, .start = CODE, .len = 0x2000, .pgoff = pgoff, .fill = fill });
}

static void check_offset(uint64_t offset)
{
	const struct sl_mapping *maps;

	assert_int_equal(sl_image_mappings(image, &maps), 1);
	assert_int_equal(maps[0].offset, offset);
}

/* simpleperf: the name has both, offsets are the library's own. */
void test_perf_apk__named_by_simpleperf(void **state)
{
	struct sl_symbol_range range;

	put_library(APK "!/" LIBRARY, 0x1000, 0);
	put_build_id(USER_MODE, APK "!/" LIBRARY, 0x51);
	load("symfs");
	check_file_at(CODE, INSIDE);
	check_offset(0x1000);
	range = sl_image_symbol_at(image, 0, CODE + 0x10);
	assert_string_equal(sl_image_symbol(image, range.id)->name, "inside");
	assert_string_equal(sl_image_module(image, sl_image_symbol(image, range.id)->module)->name, "libx.so");
	assert_int_equal(notes.len, 0);
}

/* The kernel: the APK's name, offsets in it. */
void test_perf_apk__named_by_the_kernel(void **state)
{
	put_library(APK, library_at + 0x1000, 0);
	load("symfs");
	check_file_at(CODE, INSIDE);
	check_offset(0x1000);
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, CODE + 0x10).id)->name, "inside");
}

/* The name has both, but the offset is beyond the library: it is the APK's. */
void test_perf_apk__offsets_in_the_apk(void **state)
{
	assert_true(library_at + 0x1000 >= library_len);
	put_library(APK "!/" LIBRARY, library_at + 0x1000, 0);
	load("symfs");
	check_offset(0x1000);
}

/* Unpacked: by the whole name, or by the library's. */
void test_perf_apk__unpacked(void **state)
{
	write_elf("unpacked/libx.so", (struct find_elf){ .fill = 0x51 });
	put_library(APK "!/" LIBRARY, 0, 0x51);
	load("unpacked");
	check_file_at(CODE, "unpacked/libx.so");
}

void test_perf_apk__refused(void **state)
{
	put_library(APK "!/" LIBRARY, 0, 0x52);
	load("symfs");
	assert_true(noted("base.apk!/lib/arm64-v8a/libx.so has build id 5151"));
	assert_int_equal(missing(APK "!/" LIBRARY), 1);
}

void test_perf_apk__compressed(void **state)
{
	put_library(APK "!/lib/arm64-v8a/libpacked.so", 0, 0);
	load("symfs");
	assert_true(noted("base.apk has the library compressed: unpack it (unzip)"));
	assert_int_equal(missing(APK "!/lib/arm64-v8a/libpacked.so"), 1);
}

void test_perf_apk__not_in_it(void **state)
{
	put_library(APK "!/lib/arm64-v8a/libnone.so", 0, 0);
	put_find_map((struct find_map){ .pid = PID, .name = APK, .start = CODE + 0x10000, .len = 0x1000, .pgoff = 1 << 30 });
	temp_write("symfs/other.apk", "no archive", 10);
	put_find_map((struct find_map){ .pid = PID, .name = "/other.apk", .start = CODE + 0x20000, .len = 0x1000 });
	load("symfs");
	assert_true(noted("base.apk has no lib/arm64-v8a/libnone.so"));
	assert_true(noted("base.apk has no file at offset 0x40000000"));
	assert_true(noted("other.apk is no zip archive"));
	assert_int_equal(missing(APK), 1);
}
