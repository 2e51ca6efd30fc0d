/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody may have meant who gave a directory that is no capture. */
#include "near.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perf/perf_data.h"

enum { ENTRIES_MAX = 1000 /* a directory of more is not looked through */ };

static bool has_ini(const char *dir)
{
	struct stat st;
	char *file;
	bool found;

	if (asprintf(&file, "%s/snapshot.ini", dir) < 0)
		return false;
	found = stat(file, &st) == 0;
	free(file);
	return found;
}

static bool is_capture(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	return perf_is_file(path) || (S_ISDIR(st.st_mode) && has_ini(path));
}

char *capture_near(const char *dir)
{
	DIR *entries = opendir(dir);
	char *ret = NULL, *path;
	struct dirent *entry;

	for (unsigned n = 0; entries && n < ENTRIES_MAX && (entry = readdir(entries)); n++) {
		if (entry->d_name[0] == '.' || asprintf(&path, "%s/%s", dir, entry->d_name) < 0)
			continue;
		if (is_capture(path) && (!ret || strcmp(path, ret) < 0)) {
			free(ret);
			ret = path;
		} else {
			free(path);
		}
	}
	if (entries)
		closedir(entries);
	return ret;
}
