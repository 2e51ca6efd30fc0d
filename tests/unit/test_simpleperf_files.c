/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/simpleperf_files.h"
#include "simpleperf_write.h"

static const struct sp_file lib = { "/system/lib64/libc.so", SIMPLEPERF_ELF, 0x1000, 0x400,
				    { { 0x1010, 0x20, "open" }, { 0x2000, 8, "close" } } };
static const struct sp_file module = { "/vendor/lib/modules/wlan.ko", SIMPLEPERF_MODULE, 0, 0x1000, { { 0, 0, NULL } } };

static void check_symbol(struct simpleperf_file *file, uint64_t vaddr, uint64_t len, const char *name)
{
	struct simpleperf_symbol symbol;

	assert_int_equal(simpleperf_next_symbol(file, &symbol), SL_OK);
	assert_int_equal(symbol.vaddr, vaddr);
	assert_int_equal(symbol.len, len);
	assert_int_equal(symbol.name_len, strlen(name));
	assert_memory_equal(symbol.name, name, symbol.name_len);
}

static void check_file(struct sl_bytes *list, enum simpleperf_form form, const struct sp_file *want, bool offset_known)
{
	struct simpleperf_file file;
	struct simpleperf_symbol symbol;

	assert_int_equal(simpleperf_next_file(list, form, false, &file), SL_OK);
	assert_int_equal(file.path_len, strlen(want->path));
	assert_memory_equal(file.path, want->path, file.path_len);
	assert_int_equal(file.type, want->type);
	assert_int_equal(file.min_vaddr, want->min_vaddr);
	assert_int_equal(file.offset_known, offset_known);
	assert_int_equal(file.offset, offset_known ? want->offset : 0);
	for (size_t i = 0; i < 3 && want->symbols[i].name; i++)
		check_symbol(&file, want->symbols[i].vaddr, want->symbols[i].len, want->symbols[i].name);
	assert_int_equal(simpleperf_next_symbol(&file, &symbol), SL_END);
}

void test_simpleperf_files__both_forms(void **state)
{
	struct perf_bytes out = { 0 };
	struct simpleperf_file file;
	struct sl_bytes list;

	(void)state;
	sp_put_file2(&out, &lib);
	sp_put_file2(&out, &module);
	list = (struct sl_bytes){ out.data, out.len, 0 };
	check_file(&list, SIMPLEPERF_FILE2, &lib, true);
	check_file(&list, SIMPLEPERF_FILE2, &module, true);
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE2, false, &file), SL_END);
	perf_bytes_release(&out);
	out = (struct perf_bytes){ 0 };
	sp_put_file(&out, &lib, false);
	sp_put_file(&out, &module, true);
	list = (struct sl_bytes){ out.data, out.len, 0 };
	check_file(&list, SIMPLEPERF_FILE, &lib, false);
	check_file(&list, SIMPLEPERF_FILE, &module, true);
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE, false, &file), SL_END);
	perf_bytes_release(&out);
}

/* One that is damaged does not hide those behind it; one that is cut ends the list. */
void test_simpleperf_files__damage(void **state)
{
	struct perf_bytes out = { 0 };
	struct simpleperf_file file;
	struct sl_bytes list;
	size_t second;

	(void)state;
	sp_put_file2(&out, &lib);
	out.data[5] = 0x7f; /* the length of its path */
	second = out.len;
	sp_put_file2(&out, &module);
	list = (struct sl_bytes){ out.data, out.len, 0 };
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE2, false, &file), SL_ERR_FORMAT);
	assert_int_equal(list.offset, second);
	check_file(&list, SIMPLEPERF_FILE2, &module, true);
	list = (struct sl_bytes){ out.data + second, out.len - second - 1, 0 };
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE2, false, &file), SL_ERR_FORMAT);
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE2, false, &file), SL_END);
	perf_bytes_release(&out);
	out = (struct perf_bytes){ 0 };
	sp_put_file(&out, &lib, false);
	out.data[4 + strlen(lib.path) + 1 + 12] = 3; /* more symbols than it has */
	list = (struct sl_bytes){ out.data, out.len, 0 };
	assert_int_equal(simpleperf_next_file(&list, SIMPLEPERF_FILE, false, &file), SL_ERR_FORMAT);
	perf_bytes_release(&out);
}
