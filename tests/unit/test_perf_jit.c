/* SPDX-License-Identifier: Apache-2.0 */
/* Code that programs compile while they run: names and bytes by what they leave in files, and whose files are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "jitdump_write.h"
#include "mini_elf.h"
#include "names_fixture.h"
#include "perf/perf_jit.h"

enum { FIRST = 100, SECOND = 200, JIT = 0x7f0000, USE_CLOCKID = 1 << 25, MONOTONIC = 1, RAW = 4 };

static struct recording rec;
static char root[256]; /* of the test's files */

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	snprintf(root, sizeof(root), "%s", temp_path(""));
	root[strlen(root) - 1] = '\0';
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static void put_text(const char *name, const char *text)
{
	temp_write(name, text, strlen(text));
}

static void start_two(void)
{
	rec_start(&rec);
	rec_map(&rec, FIRST, JIT, 0x1000, 0, "//anon");
	rec_map(&rec, SECOND, JIT, 0x1000, 0, "[anon:dalvik-jit-code-cache]");
}

/* By process, for its anonymous code alone; what was written last counts. */
void test_perf_jit__names_of_each_process(void **state)
{
	(void)state;
	start_two();
	rec_map(&rec, FIRST, 0x400000, 0x1000, 0, "/bin/app");
	put_text("a/perf-100.map", "7f0000 40 f\n7f0020 10 g\n400000 10 outside\n7f0ff0 100 clipped\nbad\n");
	put_text("a/perf-200.map", "7f0000 8 other\n");
	rec_open(&rec, rec_write(&rec, "a/perf.data"), NULL);
	rec_check(&rec, 0, JIT, "f", JIT, JIT + 0x20);
	rec_check(&rec, 0, JIT + 0x28, "g", JIT + 0x20, JIT + 0x30);
	rec_check(&rec, 0, JIT + 0x30, "f", JIT + 0x30, JIT + 0x40);
	rec_check(&rec, 0, JIT + 0xff0, "clipped", JIT + 0xff0, JIT + 0x1000);
	rec_check(&rec, 1, JIT, "other", JIT, JIT + 8);
	rec_check_none(&rec, 1, JIT + 8);
	rec_check_none(&rec, 0, 0x400000);
	assert_true(rec_noted(&rec, "perf-100.map: 1 of its 4 names are of no code that the recording knows"));
	assert_true(rec_noted(&rec, "perf-100.map: 1 lines are not of the form 'START SIZE name'"));
	rec_close(&rec);
}

static void check_found(const char *recording, const char *symfs, const char *name)
{
	char path[300], files[300] = "";

	start_two();
	snprintf(path, sizeof(path), "%s", temp_path(recording));
	rec_write(&rec, recording);
	if (strcmp(path + strlen(path) - 5, "/data") == 0)
		path[strlen(path) - 5] = '\0';
	if (symfs)
		snprintf(files, sizeof(files), "%s", temp_path(symfs));
	rec_open(&rec, path, symfs ? files : NULL);
	if (name)
		rec_check(&rec, 0, JIT, name, JIT, JIT + 0x40);
	else
		rec_check_none(&rec, 0, JIT);
	rec_close(&rec);
}

void test_perf_jit__where_files_are_looked_for(void **state)
{
	char link[300], to[300];

	(void)state;
	put_text("fs1/tmp/perf-100.map", "7f0000 40 target\n");
	put_text("fs2/perf-100.map", "7f0000 40 flat\n");
	put_text("b/perf-100.map", "7f0000 40 beside\n");
	put_text("c/rec/perf-100.map", "7f0000 40 inside\n");
	put_text("c/perf-100.map", "7f0000 40 beside_dir\n");
	put_text("d/perf-100.map", "7f0000 40 beside_dir\n");
	check_found("b/perf.data", NULL, "beside");
	check_found("b/perf.data", "fs1", "target");
	check_found("b/perf.data", "fs2", "flat");
	check_found("c/rec/data", NULL, "inside");
	check_found("d/rec/data", NULL, "beside_dir");
	check_found("e/perf.data", NULL, NULL);
	/* A link out of the folder is not followed. */
	snprintf(link, sizeof(link), "%s/perf-100.map", temp_path("e"));
	snprintf(to, sizeof(to), "%s", temp_path("b/perf-100.map"));
	assert_int_equal(symlink(to, link), 0);
	check_found("e/perf.data", NULL, NULL);
}

/* /tmp itself: only of this host, and no file or link of a stranger. */
void test_perf_jit__strangers_are_not_believed(void **state)
{
	char host[256], path[64], to[300];
	uint32_t pid = (uint32_t)getpid();
	FILE *out;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	unlink(path);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "7f0000 40 mine\n");
	fclose(out);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	for (unsigned round = 0; round < 3; round++) {
		rec_start(&rec);
		rec_map(&rec, pid, JIT, 0x1000, 0, "/memfd:jit (deleted)");
		perf_put_string(perf_write_feature(&rec.writer, 3), round ? host : "another-host");
		if (round == 2) {
			snprintf(to, sizeof(to), "%s", temp_write("mine", "7f0000 40 mine\n", 15));
			unlink(path);
			assert_int_equal(symlink(to, path), 0);
		}
		rec_open(&rec, rec_write(&rec, "f/perf.data"), NULL);
		if (round == 1)
			rec_check(&rec, 0, JIT, "mine", JIT, JIT + 0x40);
		else
			rec_check_none(&rec, 0, JIT);
		assert_int_equal(rec_noted(&rec, ".map is not read: it is not a file of yours or of root"), round == 2);
		rec_close(&rec);
	}
	unlink(path);
}

/* Beside a recording in a folder that many write to: another user's file is none of the recording. */
void test_perf_jit__another_users_file(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip(); /* only root can give files away */
	put_text("g/perf-100.map", "7f0000 40 beside\n");
	assert_int_equal(chown(temp_path("g/perf-100.map"), 65533, 65533), 0);
	start_two();
	rec_open(&rec, rec_write(&rec, "g/perf.data"), NULL);
	rec_check_none(&rec, 0, JIT);
	assert_true(rec_noted(&rec, "g/perf-100.map is not read: it is not a file of yours or of root"));
	rec_close(&rec);
	assert_int_equal(chown(temp_path("g/perf.data"), 65533, 65533), 0);
	rec_open(&rec, temp_path("g/perf.data"), NULL);
	rec_check(&rec, 0, JIT, "beside", JIT, JIT + 0x40);
	rec_close(&rec);
}

/* A recording that was copied to /tmp: the files there are of this machine's processes. */
void test_perf_jit__a_recording_in_a_shared_folder(void **state)
{
	char host[256];

	(void)state;
	put_text("m/perf-100.map", "7f0000 40 of_this_machine\n");
	assert_int_equal(chmod(temp_path("m"), 01777), 0);
	check_found("m/perf.data", NULL, NULL);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	start_two();
	perf_put_string(perf_write_feature(&rec.writer, 3), host);
	rec_open(&rec, rec_write(&rec, "m/perf.data"), NULL);
	rec_check(&rec, 0, JIT, "of_this_machine", JIT, JIT + 0x40);
	rec_close(&rec);
}

static void put_jitdump(const char *name, uint32_t machine, uint64_t flags)
{
	struct perf_bytes out;

	jit_start(&out, false, machine, flags);
	jit_load(&out, 100, JIT, 1, "old", 1, 0x40);
	jit_load(&out, 200, JIT, 2, "new", 2, 0x20);
	jit_move(&out, 300, JIT + 0x100, 1, 0x40);
	temp_write(name, out.data, out.len);
	perf_bytes_release(&out);
}

static void check_byte(uint32_t core, uint64_t address, int value)
{
	struct sl_bytes bytes = sl_image_bytes(rec.image, core, SL_SPACE_ANY, address);

	assert_int_equal(bytes.len ? bytes.data[0] : -1, value);
}

static void open_with_jitdump(const char *folder, bool comparable)
{
	char name[64];

	start_two();
	if (comparable) {
		rec.writer.attrs[0].flags |= USE_CLOCKID;
		rec.writer.attrs[0].clockid = MONOTONIC;
	}
	rec_map(&rec, FIRST, 0x500000, 0x1000, 0, "/home/me/.debug/jit/jit-100.dump");
	snprintf(name, sizeof(name), "%s/jit-100.dump", folder);
	put_jitdump(name, JIT_AARCH64, 0);
	snprintf(name, sizeof(name), "%s/perf.data", folder);
	rec_open(&rec, rec_write(&rec, name), NULL);
}

/* The process has the bytes and the names. Its marker is no code. Where two shared an address and nobody knows when, none
 * is taken. */
void test_perf_jit__code_of_a_jitdump(void **state)
{
	(void)state;
	open_with_jitdump("h", false);
	check_byte(0, JIT, -1);
	check_byte(0, JIT + 0x20, 1);
	check_byte(0, JIT + 0x100, 1);
	check_byte(0, 0x500000, -1);
	check_byte(1, JIT, -1);
	rec_check(&rec, 0, JIT + 0x20, "old", JIT + 0x20, JIT + 0x40);
	rec_check(&rec, 0, JIT + 0x104, "old", JIT + 0x100, JIT + 0x140);
	rec_check_none(&rec, 0, JIT);
	rec_check_none(&rec, 1, JIT);
	assert_true(rec_noted(&rec, "jit-100.dump: 1 of its 3 functions share addresses with others"));
	rec_close(&rec);
}

static uint32_t core_at(uint64_t from, uint64_t to)
{
	return sl_image_core_within(rec.image, 0, (struct sl_window){ from, to });
}

/* Times of one clock tell which was there: the first until the second came, of which nothing is left then. */
void test_perf_jit__code_by_time(void **state)
{
	(void)state;
	put_text("n/perf-100.map", "7f0020 40 named\n");
	open_with_jitdump("n", true);
	check_byte(core_at(150, 160), JIT, 1);
	check_byte(core_at(150, 160), JIT + 0x20, 1);
	check_byte(core_at(250, 260), JIT, 2);
	check_byte(core_at(250, 260), JIT + 0x20, -1);
	check_byte(core_at(150, 260), JIT, -1);
	check_byte(core_at(150, 260), JIT + 0x20, 1);
	rec_check(&rec, core_at(150, 160), JIT, "old", JIT, JIT + 0x40);
	rec_check(&rec, core_at(250, 260), JIT, "new", JIT, JIT + 0x20);
	rec_check(&rec, core_at(250, 260), JIT + 0x28, "named", JIT + 0x20, JIT + 0x60);
	assert_false(rec_noted(&rec, "share addresses"));
	rec_close(&rec);
}

void test_perf_jit__jitdumps_of_no_use(void **state)
{
	(void)state;
	start_two();
	rec_map(&rec, FIRST, 0x500000, 0x1000, 0, "/tmp/jit-100.dump");
	rec_map(&rec, FIRST, 0x502000, 0x1000, 0, "/tmp/jit-100.dump");
	rec_map(&rec, SECOND, 0x500000, 0x1000, 0, "/tmp/jit-100.dump"); /* a fork's, which the number tells */
	rec_open(&rec, rec_write(&rec, "i/perf.data"), NULL);
	assert_int_equal(rec.notes.len, 1);
	assert_string_equal(rec.notes.items[0].text, "/tmp/jit-100.dump: the code that process 100 compiled is not here; copy it "
						     "beside the recording, or below --symfs DIR");
	assert_int_equal(rec.notes.items[0].count, 1);
	rec_close(&rec);
	put_jitdump("i/jit-100.dump", 62, 0);
	rec_open(&rec, temp_path("i/perf.data"), NULL);
	assert_true(rec_noted(&rec, "jit-100.dump: has code for another machine (ELF's number 62)"));
	check_byte(0, JIT, -1);
	rec_close(&rec);
}

/* In a container the program knows itself by another number. */
void test_perf_jit__number_of_a_container(void **state)
{
	(void)state;
	start_two();
	rec_map(&rec, SECOND, 0x500000, 0x1000, 0, "/tmp/jit-7.dump");
	put_jitdump("j/jit-7.dump", JIT_AARCH64, 0);
	rec_open(&rec, rec_write(&rec, "j/perf.data"), NULL);
	check_byte(0, JIT + 0x20, -1);
	check_byte(1, JIT + 0x20, 1);
	rec_close(&rec);
}

static void check_clock(uint64_t attr_flags, uint32_t clockid, uint64_t jit_flags, bool conv, bool comparable, uint64_t time)
{
	const struct sl_capture_options how = { 0 };
	struct perf_jit jit;

	start_two();
	rec.writer.attrs[0].flags |= attr_flags;
	rec.writer.attrs[0].clockid = clockid;
	if (conv) {
		perf_write_begin(&rec.writer, PERF_TIME_CONV, 0);
		perf_put64(&rec.writer.records, 1);
		perf_put64(&rec.writer.records, 5);
		perf_put64(&rec.writer.records, 1000);
		perf_write_end(&rec.writer);
	}
	put_jitdump("k/jit-100.dump", JIT_AARCH64, jit_flags);
	rec_write(&rec, "k/perf.data");
	assert_int_equal(sl_capture_open(temp_path("k/perf.data"), &how, &rec.notes, &rec.capture, &rec.diag), SL_OK);
	assert_int_equal(perf_jit_open(rec.capture, 0, "/tmp/jit-100.dump", &rec.notes, &jit), SL_OK);
	assert_int_equal(jit.comparable, comparable);
	assert_int_equal(jit.dump.codes[0].time, time);
	assert_int_equal(jit.core, 0);
	perf_jit_release(&jit);
	rec_close(&rec);
}

/* Times can be compared where both are CLOCK_MONOTONIC, or ticks that the recording tells how to convert. */
void test_perf_jit__clocks(void **state)
{
	(void)state;
	check_clock(0, MONOTONIC, 0, false, false, 100);
	check_clock(USE_CLOCKID, MONOTONIC, 0, false, true, 100);
	check_clock(USE_CLOCKID, RAW, 0, true, false, 100);
	check_clock(0, 0, 1, false, false, 100);
	check_clock(0, 0, 1, true, true, 1000 + 100 * 5 / 2);
}

/* perf inject --jit makes files of a jitdump, which are mapped like any. */
void test_perf_jit__files_that_perf_inject_makes(void **state)
{
	const uint32_t nops[] = { 0xd503201f, 0xd503201f };
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	unsigned text = mini_elf_section(elf, &(struct mini_section){ .name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
								      .addr = 0x1000, .align = 4096, .data = nops, .len = sizeof(nops) });
	char files[300];

	(void)state;
	temp_write("l/.debug/jit/jitted-100-1.so", "", 0);
	mini_elf_segment(elf, text, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "compiled", 0x1000, 8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	mini_elf_write(elf, temp_path("l/.debug/jit/jitted-100-1.so"));
	snprintf(files, sizeof(files), "%s", temp_path("l"));
	start_two();
	rec_map(&rec, FIRST, JIT + 0x40, 8, 0x1000, "/.debug/jit/jitted-100-1.so");
	rec_open(&rec, rec_write(&rec, "l/perf.data"), files);
	rec_check(&rec, 0, JIT + 0x40, "compiled", JIT + 0x40, JIT + 0x48);
	assert_int_equal(sl_image_bytes(rec.image, 0, SL_SPACE_ANY, JIT + 0x40).len, 8);
	rec_close(&rec);
}
