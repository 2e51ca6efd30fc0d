/* SPDX-License-Identifier: Apache-2.0 */
/* Code that programs compile while they run: names and bytes by what they leave in files, and whose files are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "names_fixture.h"

enum { FIRST = 100, SECOND = 200, JIT = 0x7f0000 };

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
