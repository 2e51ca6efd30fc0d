/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMP_DIR_H
#define TEMP_DIR_H
/* A directory for the files of one test, removed with all that is in it. Include behind cmocka.h. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct temp_dir {
	char path[64];
	char joined[256];
};

static inline void temp_dir_make(struct temp_dir *dir)
{
	snprintf(dir->path, sizeof(dir->path), "/tmp/sightline-test-XXXXXX");
	assert_non_null(mkdtemp(dir->path));
}

/* The path of a file in the directory; valid until the next call. */
static inline const char *temp_dir_path(struct temp_dir *dir, const char *name)
{
	snprintf(dir->joined, sizeof(dir->joined), "%s/%s", dir->path, name);
	return dir->joined;
}

static inline void temp_dir_bytes(struct temp_dir *dir, const char *name, const void *data, size_t len)
{
	FILE *out = fopen(temp_dir_path(dir, name), "w");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static inline void temp_dir_text(struct temp_dir *dir, const char *name, const char *text)
{
	temp_dir_bytes(dir, name, text, strlen(text));
}

static inline int temp_dir_remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void temp_dir_remove(struct temp_dir *dir)
{
	assert_int_equal(nftw(dir->path, temp_dir_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
#endif
