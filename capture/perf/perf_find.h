/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_FIND_H
#define PERF_FIND_H
/* One search for the file of a map. Inside of perf_find*.c only. */
#include "perf_capture.h"

struct find {
	const struct sl_capture *cap;
	const struct perf_map *map;
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

/* perf_find_kernel.c: where distributions put kernels, modules and vdsos. SL_OK or SL_ERR_NOMEM. */
int perf_find_kernel(struct find *find);
#endif
