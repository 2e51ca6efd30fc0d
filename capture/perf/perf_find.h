/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_FIND_H
#define PERF_FIND_H
/* One search for the file of a map. Inside of perf_find*.c only. */
#include "perf_capture.h"

struct find {
	const struct sl_capture *cap;
	const struct perf_map *map;
	const char *name;     /* of the file; without what lies in it */
	const char *entry;    /* of the archive that the file is; NULL: it is none, or the map's offset tells */
	char hex[2 * 20 + 1]; /* of the build id; empty where it is not known */
	struct perf_found *ret;
	bool out_of_memory;
};

char *perf_join(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Takes the path, if it is the file and none was found yet. SL_OK or SL_ERR_NOMEM, also where path is NULL. */
int perf_find_try(struct find *find, char *path);
/* A name below --symfs, which must be given. SL_OK or SL_ERR_NOMEM. */
int perf_find_below(struct find *find, const char *name);
/* Notes why a file is not it; false. */
bool perf_find_refuse(struct find *find, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a file (part: NULL), or a part of it, is the one: whose machine, whose build id; if not, notes why. */
bool perf_find_check(struct find *find, const char *path, const struct sl_part *part);

/* perf_find_apk.c: whether the map is of an archive itself, so that its offset tells the file in it. */
bool perf_is_archive(const struct perf_map *map);
/* Whether a path is an archive with what is looked for, which is then the answer's part. */
bool perf_find_in_archive(struct find *find, const char *path);

/* perf_find_kernel.c: where distributions put kernels, modules and vdsos. SL_OK or SL_ERR_NOMEM. */
int perf_find_kernel(struct find *find);
#endif
