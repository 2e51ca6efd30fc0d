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

static char dir[64];

static void touch(const char *name)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fclose(file);
}

/* top/snap holds in.bin and sub/deep.bin; beside it lie top/out.bin and top/snap2/. Runs in top. */
int group_setup(void **state)
{
	strcpy(dir, "/tmp/sl_path_XXXXXX");
	if (!mkdtemp(dir) || chdir(dir) != 0 || mkdir("snap", 0700) != 0 || mkdir("snap/sub", 0700) != 0 ||
	    mkdir("snap2", 0700) != 0)
		return -1;
	touch("snap/in.bin");
	touch("snap/sub/deep.bin");
	touch("out.bin");
	touch("snap2/near.bin");
	return symlink("../out.bin", "snap/leak") | symlink("sub/deep.bin", "snap/alias") |
	       symlink("..", "snap/up") | symlink("../snap2/near.bin", "snap/near") | symlink("loop", "snap/loop") |
	       symlink("snap", "link");
}

int group_teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return chdir("/") || system(command);
}

static void expect_path(const char *in, const char *name, bool allow, const char *wanted)
{
	struct sl_diag diag = { "" };
	char *path = NULL;

	assert_int_equal(sl_path_inside(in, name, allow, &path, &diag), SL_OK);
	assert_string_equal(path, wanted);
	free(path);
}

static void expect_refused(const char *in, const char *name)
{
	struct sl_diag diag = { "" };
	char *path = NULL;

	assert_int_equal(sl_path_inside(in, name, false, &path, &diag), SL_ERR_FORMAT);
	assert_null(path);
	assert_non_null(strstr(diag.text, name));
	assert_non_null(strstr(diag.text, "--allow-outside"));
	assert_int_equal(sl_path_inside(in, name, false, &path, NULL), SL_ERR_FORMAT);
}

void test_path__inside(void **state)
{
	expect_path("snap", "in.bin", false, "snap/in.bin");
	expect_path("snap/", "sub/deep.bin", false, "snap/sub/deep.bin");
	expect_path("snap", "./sub/../in.bin", false, "snap/./sub/../in.bin");
	expect_path("snap", "alias", false, "snap/alias");
	expect_path("link", "in.bin", false, "link/in.bin");
	expect_path("", "out.bin", false, "./out.bin");
	expect_path("/", "tmp", false, "/tmp");
}

void test_path__absent_file_is_for_the_opener(void **state)
{
	expect_path("snap", "none.bin", false, "snap/none.bin");
	expect_path("snap", "none/none.bin", false, "snap/none/none.bin");
	expect_path("nodir", "none.bin", false, "nodir/none.bin");
}

void test_path__outside_is_refused(void **state)
{
	expect_refused("snap", "../out.bin");
	expect_refused("snap", "sub/../../out.bin");
	expect_refused("snap", "..");
	expect_refused("snap", "/etc/passwd");
	expect_refused("snap", "./../snap/in.bin");
}

void test_path__links_out_are_refused(void **state)
{
	expect_refused("snap", "leak");
	expect_refused("snap", "up/out.bin");
	expect_refused("snap", "near");  /* snap2 begins with snap and is another directory */
	expect_refused("snap", "loop");
}

void test_path__allow_outside(void **state)
{
	expect_path("snap", "../out.bin", true, "snap/../out.bin");
	expect_path("snap", "/etc/passwd", true, "/etc/passwd");
	expect_path("snap", "leak", true, "snap/leak");
}
