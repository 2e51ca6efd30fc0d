/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sl_file.h"

static char path[64];

static void write_file(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

int group_setup(void **state)
{
	int fd;

	strcpy(path, "/tmp/sl_file_XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

int group_teardown(void **state)
{
	return unlink(path);
}

void test_file__map(void **state)
{
	struct sl_file file;

	write_file("hello\0world", 11);
	assert_int_equal(sl_file_map(path, &file, NULL), SL_OK);
	assert_int_equal(file.len, 11);
	assert_memory_equal(file.data, "hello\0world", 11);
	sl_file_unmap(&file);
	assert_null(file.data);
	assert_int_equal(file.len, 0);
	sl_file_unmap(&file);
}

void test_file__map_empty(void **state)
{
	struct sl_file file = { .data = (const uint8_t *)"x", .len = 1 };

	write_file("", 0);
	assert_int_equal(sl_file_map(path, &file, NULL), SL_OK);
	assert_null(file.data);
	assert_int_equal(file.len, 0);
	sl_file_unmap(&file);
}

static void expect_refused(const char *name, const char *why)
{
	struct sl_file file = { .data = NULL, .len = 99 };
	struct sl_diag diag = { "" };
	char *text = NULL;
	size_t len = 99;

	assert_int_equal(sl_file_map(name, &file, &diag), SL_ERR_IO);
	assert_non_null(strstr(diag.text, name));
	assert_non_null(strstr(diag.text, why));
	assert_int_equal(file.len, 99);
	assert_int_equal(sl_file_read_text(name, 100, &text, &len, &diag), SL_ERR_IO);
	assert_null(text);
	assert_int_equal(len, 99);
}

void test_file__a_part_is_mapped(void **state)
{
	uint8_t bytes[9000];
	struct sl_file file;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i / 7);
	write_file((const char *)bytes, sizeof(bytes));
	for (size_t at = 0; at < 9000; at += 999) {
		assert_int_equal(sl_file_map_part(path, at, sizeof(bytes) - at, &file, NULL), SL_OK);
		assert_int_equal(file.len, sizeof(bytes) - at);
		assert_memory_equal(file.data, bytes + at, file.len);
		sl_file_unmap(&file);
	}
	assert_int_equal(sl_file_map_part(path, 9000, 0, &file, NULL), SL_OK);
	assert_int_equal(file.len, 0);
	assert_int_equal(sl_file_map_part(path, 8999, 2, &file, NULL), SL_ERR_IO);
	assert_int_equal(sl_file_map_part(path, UINT64_MAX, 2, &file, NULL), SL_ERR_IO);
	assert_int_equal(sl_file_map_part(path, 2, UINT64_MAX, &file, NULL), SL_ERR_IO);
}

void test_file__only_regular_files(void **state)
{
	char fifo[80];

	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_refused("/tmp", "a directory");
	expect_refused("/dev/zero", "no regular file");
	expect_refused(fifo, "no regular file");
	expect_refused("/tmp/none/none", "No such file");
	unlink(fifo);
}

void test_file__read_text(void **state)
{
	char *text;
	size_t len;

	write_file("a=1\n", 4);
	assert_int_equal(sl_file_read_text(path, 4, &text, &len, NULL), SL_OK);
	assert_int_equal(len, 4);
	assert_string_equal(text, "a=1\n");
	free(text);
	write_file("", 0);
	assert_int_equal(sl_file_read_text(path, 0, &text, &len, NULL), SL_OK);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
}

void test_file__read_text_longer_than_a_block(void **state)
{
	enum { LEN = 100000 };
	char *wanted = malloc(LEN), *text;
	size_t len;

	assert_non_null(wanted);
	for (size_t i = 0; i < LEN; i++)
		wanted[i] = (char)('a' + i % 23);
	write_file(wanted, LEN);
	assert_int_equal(sl_file_read_text(path, LEN, &text, &len, NULL), SL_OK);
	assert_int_equal(len, LEN);
	assert_memory_equal(text, wanted, LEN);
	assert_int_equal(text[LEN], 0);
	free(text);
	free(wanted);
}

void test_file__read_text_limit(void **state)
{
	struct sl_diag diag = { "" };
	char *text = NULL;
	size_t len = 99;

	write_file("12345", 5);
	assert_int_equal(sl_file_read_text(path, 4, &text, &len, &diag), SL_ERR_LIMIT);
	assert_null(text);
	assert_int_equal(len, 99);
	assert_non_null(strstr(diag.text, path));
}

/* Its size is 0 for stat(2). */
void test_file__read_text_of_proc(void **state)
{
	char *text;
	size_t len;

	assert_int_equal(sl_file_read_text("/proc/self/status", 1 << 20, &text, &len, NULL), SL_OK);
	assert_true(len > 0);
	free(text);
}
