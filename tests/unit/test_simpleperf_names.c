/* SPDX-License-Identifier: Apache-2.0 */
/* Names that simpleperf recorded, for files that are not here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mini_elf.h"
#include "names_fixture.h"
#include "perf/simpleperf_files.h"
#include "simpleperf_write.h"

#define KERNEL 0xffff800008000000ull
#define MODULE 0xffff800001000000ull
enum { FIRST = 100, SECOND = 200, KERNEL_SYMBOL = 32769, DSO = 32770, SYMBOL = 32771 };

static struct recording rec;

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static void put2(const struct sp_file *file)
{
	sp_put_file2(perf_write_feature(&rec.writer, SIMPLEPERF_FILE2), file);
}

static void open_it(void)
{
	rec_open(&rec, rec_write(&rec, "perf.data"), NULL);
}

/* In each process that has the file, by what of it is mapped. */
void test_simpleperf_names__of_files(void **state)
{
	(void)state;
	rec_start(&rec);
	rec_map(&rec, FIRST, 0x7000000, 0x2000, 0x1000, "/system/lib64/libc.so");
	rec_map(&rec, SECOND, 0x8000000, 0x1000, 0x2000, "/system/lib64/libc.so");
	rec_map(&rec, SECOND, 0x9000000, 0x1000, 0, "/data/jit_app_cache:0");
	rec_map(&rec, SECOND, 0x9100000, 0x1000, 0, "/data/app.dex");
	put2(&(struct sp_file){ "/system/lib64/libc.so", SIMPLEPERF_ELF, 0x41000, 0x1000,
				{ { 0x41010, 0x20, "open" }, { 0x42000, 0x2000, "close" }, { 0x40000, 4, "before" } } });
	put2(&(struct sp_file){ "/data/jit_app_cache:0", SIMPLEPERF_SYMBOL_MAP, 0, 0, { { 0x9000100, 0x10, "java.run" } } });
	put2(&(struct sp_file){ "/data/app.dex", SIMPLEPERF_DEX, 0, 0, { { 0x100, 0x10, "no.machine.code" } } });
	put2(&(struct sp_file){ "/elsewhere", SIMPLEPERF_ELF, 0, 0, { { 0x100, 0x10, "unmapped" } } });
	open_it();
	rec_check(&rec, 0, 0x7000010, "open", 0x7000010, 0x7000030);
	rec_check(&rec, 0, 0x7001000, "close", 0x7001000, 0x7002000);
	rec_check(&rec, 1, 0x8000000, "close", 0x8000000, 0x8001000);
	rec_check_none(&rec, 1, 0x7000010);
	rec_check(&rec, 1, 0x9000108, "java.run", 0x9000100, 0x9000110);
	rec_check_none(&rec, 1, 0x9100100);
	assert_string_equal(sl_image_module(rec.image, sl_image_symbol(rec.image, sl_image_symbol_at(rec.image, 0, 0x7000010).id)
						       ->module)->name, "libc.so");
	assert_int_equal(rec.notes.len, 0);
	rec_close(&rec);
}

/* The kernel as it lay, or from where its first symbol was moved; modules by their memory. */
void test_simpleperf_names__of_the_kernel(void **state)
{
	(void)state;
	for (unsigned moved = 0; moved < 2; moved++) {
		uint64_t base = moved ? 0xffffffc010080000 : KERNEL;

		rec_start(&rec);
		rec_map(&rec, UINT32_MAX, KERNEL, 0x10000, 0, "[kernel.kallsyms]_stext");
		rec_map(&rec, UINT32_MAX, MODULE, 0x3000, 0, "/vendor/lib/modules/wlan.ko");
		put2(&(struct sp_file){ "[kernel.kallsyms]", SIMPLEPERF_KERNEL, 0, 0,
					{ { base + 0x100, 0x40, "do_idle" }, { moved ? base : base + 0x200, 0x40, moved ? "_stext" : "vfs_read" } } });
		put2(&(struct sp_file){ "/vendor/lib/modules/wlan.ko", SIMPLEPERF_MODULE, 0x40, 0x1000, { { 0x50, 0x8, "wlan_tx" } } });
		open_it();
		rec_check(&rec, 0, KERNEL + 0x100, "do_idle", KERNEL + 0x100, KERNEL + 0x140);
		rec_check(&rec, 0, MODULE + 0x1010, "wlan_tx", MODULE + 0x1010, MODULE + 0x1018);
		assert_int_equal(rec.notes.len, 0);
		rec_close(&rec);
	}
}

/* The older form, with the offset of the first code or, before that, without. */
void test_simpleperf_names__of_old_recordings(void **state)
{
	struct perf_bytes *list;

	(void)state;
	rec_start(&rec);
	rec_map(&rec, FIRST, 0x7000000, 0x1000, 0x3000, "/lib/old.so");
	rec_map(&rec, FIRST, 0x8000000, 0x1000, 0x3000, "/lib/newer.so");
	list = perf_write_feature(&rec.writer, SIMPLEPERF_FILE);
	sp_put_file(list, &(struct sp_file){ "/lib/old.so", SIMPLEPERF_ELF, 0x1000, 0, { { 0x1010, 8, "old" } } }, false);
	sp_put_file(list, &(struct sp_file){ "/lib/newer.so", SIMPLEPERF_ELF, 0x1000, 0x3000, { { 0x1010, 8, "newer" } } }, true);
	open_it();
	rec_check(&rec, 0, 0x7000010, "old", 0x7000010, 0x7000018);
	rec_check(&rec, 0, 0x8000010, "newer", 0x8000010, 0x8000018);
	rec_close(&rec);
}

static void put_record(uint32_t type, const uint64_t *words, size_t count, const char *text)
{
	perf_write_begin(&rec.writer, type, 0);
	for (size_t i = 0; i < count; i++)
		perf_put64(&rec.writer.records, words[i]);
	perf_put_text(&rec.writer.records, text);
	perf_write_end(&rec.writer);
}

/* --dump-symbols of before: records between the others. */
void test_simpleperf_names__of_records(void **state)
{
	static const char kallsyms[] = "ffff800008000000 T do_it\nffff800008000100 T other\n";
	static const uint8_t code[0x200];
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_CORE);
	char folder[300];

	(void)state;
	temp_write("recording/kcore_dir/kcore", "", 0);
	mini_elf_segment(elf, mini_elf_section(elf, &(struct mini_section){ .name = ".text", .addr = KERNEL, .align = 4096,
									   .flags = SHF_ALLOC | SHF_EXECINSTR, .data = code,
									   .len = sizeof(code) }), PF_R | PF_X);
	mini_elf_write(elf, temp_path("recording/kcore_dir/kcore"));
	rec_start(&rec);
	rec_map(&rec, FIRST, 0x7000000, 0x1000, 0x3000, "/lib/a.so");
	put_record(DSO, (const uint64_t[]){ SIMPLEPERF_ELF, 7, 0x1000 }, 3, "/lib/a.so");
	put_record(SYMBOL, (const uint64_t[]){ 0x1010, 8, 7 }, 3, "recorded");
	put_record(SYMBOL, (const uint64_t[]){ 0x1020, 8, 9 }, 3, "of_no_dso");
	perf_write_begin(&rec.writer, KERNEL_SYMBOL, 0);
	perf_put32(&rec.writer.records, sizeof(kallsyms) - 1);
	perf_put(&rec.writer.records, kallsyms, sizeof(kallsyms));
	perf_write_end(&rec.writer);
	rec_write(&rec, "recording/data");
	snprintf(folder, sizeof(folder), "%s", temp_path("recording"));
	rec_open(&rec, folder, NULL);
	rec_check(&rec, 0, 0x7000010, "recorded", 0x7000010, 0x7000018);
	rec_check_none(&rec, 0, 0x7000020);
	rec_check(&rec, 0, KERNEL + 0x10, "do_it", KERNEL, KERNEL + 0x100);
	rec_close(&rec);
}

void test_simpleperf_names__what_is_wrong_is_told(void **state)
{
	struct perf_bytes *list;

	(void)state;
	rec_start(&rec);
	rec_map(&rec, FIRST, 0x7000000, 0x1000, 0, "/lib/a.so");
	put2(&(struct sp_file){ "/lib/a.so", SIMPLEPERF_ELF, 0, 0, { { 0x1000, 8, "outside" } } });
	list = perf_write_feature(&rec.writer, SIMPLEPERF_FILE2);
	perf_put32(list, 1000);
	open_it();
	assert_true(rec_noted(&rec, "simpleperf's list of files is damaged: 1 entries cannot be read"));
	assert_true(rec_noted(&rec, "simpleperf's symbols of 1 files lie outside of their maps"));
	rec_close(&rec);
}

/* Many files of one name that many processes have: the recording's size bounds what is tried. */
void test_simpleperf_names__are_bounded(void **state)
{
	(void)state;
	rec_start(&rec);
	for (unsigned i = 0; i < 300; i++)
		rec_map(&rec, FIRST + i, 0x1000, 0x1000, 0, "a");
	for (unsigned i = 0; i < 300; i++)
		put2(&(struct sp_file){ "a", SIMPLEPERF_ELF, 0, 0, { { i, 1, "x" } } });
	open_it();
	assert_true(rec_noted(&rec, "simpleperf's symbols are more than can be true for a recording of its size"));
	rec_check(&rec, 0, 0x1000, "x", 0x1000, 0x1001);
	rec_close(&rec);
}

/* A Pixel 5's modules: all entries can be read, and none has symbols. */
void test_simpleperf_names__perf_kernel(void **state)
{
	const char *path = shared_path("captures/simpleperf/perf_kernel/perf_kernel.data");
	struct simpleperf_file file;
	struct simpleperf_symbol symbol;
	struct perf_file *recording;
	struct sl_bytes list;
	size_t modules = 0;

	(void)state;
	if (!path)
		skip();
	assert_int_equal(perf_file_open(path, NULL, &recording, NULL), SL_OK);
	list = perf_file_feature(recording, SIMPLEPERF_FILE2);
	assert_int_equal(list.len, 15663);
	while (simpleperf_next_file(&list, SIMPLEPERF_FILE2, false, &file) == SL_OK) {
		modules++;
		assert_int_equal(file.type, SIMPLEPERF_MODULE);
		assert_true(file.offset_known && file.offset >= 0x1000);
		assert_int_equal(simpleperf_next_symbol(&file, &symbol), SL_END);
	}
	assert_int_equal(list.len, 0);
	assert_int_equal(modules, 328);
	perf_file_close(recording);
}

/* META_INFO: what tells something is shown, a pair that is cut is not. */
void test_simpleperf_names__facts_of_the_device(void **state)
{
	static const char info[] = "timestamp\0" "1634150800\0" "event_type_info\0" "cs-etm,8,0\0" "android_version\0" "12\0"
				   "product_props\0" "Google:Pixel 5:redfin\0" "simpleperf_version\0" "cut";
	static const char *const expected[][2] = { { "recorded at", "2021-10-13 18:46:40 UTC" }, { "Android", "12" },
						   { "product", "Google:Pixel 5:redfin" } };
	const struct sl_fact *facts;
	size_t count, found = 0;

	(void)state;
	rec_start(&rec);
	perf_put(perf_write_feature(&rec.writer, 129), info, sizeof(info) - 1);
	open_it();
	count = sl_capture_facts(rec.capture, &facts);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < 3; k++)
			found += strcmp(facts[i].name, expected[k][0]) == 0 && strcmp(facts[i].value, expected[k][1]) == 0;
		assert_string_not_equal(facts[i].name, "simpleperf");
	}
	assert_int_equal(found, 3);
	rec_close(&rec);
}
