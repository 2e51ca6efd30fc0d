/* SPDX-License-Identifier: Apache-2.0 */
#include "temp_files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char paths[8][4096];
static unsigned next_path;

static const char *make_path(const char *dir, const char *name)
{
	char *path = paths[next_path++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

void temp_setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/sightline-test-XXXXXX");
	if (!mkdtemp(folder))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void temp_teardown(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *temp_path(const char *name)
{
	return make_path(folder, name);
}

const char *temp_write(const char *name, const void *data, size_t len)
{
	const char *path = temp_path(name);
	char *copy = strdup(path);
	FILE *file;

	if (!copy)
		abort();
	for (char *slash = strchr(copy + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
		abort();
	return path;
}

const char *shared_path(const char *name)
{
	const char *dir = getenv("SIGHTLINE_SHARED");
	const char *path = make_path(dir ? dir : SL_SOURCE_DIR "/../shared", name);

	return access(path, R_OK) == 0 ? path : NULL;
}
