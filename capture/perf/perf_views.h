/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_VIEWS_H
#define PERF_VIEWS_H
/*
 * A process's code over time. Where other code came to an address that had code before (exec, dlclose and dlopen, a JIT
 * compiler), the process has generations; what lies where nothing else ever was belongs to all of them. Inside of
 * capture/ only.
 */
#include "perf_process.h"

struct perf_changes {
	uint64_t *times_ns; /* ascending, one a new generation; free() it */
	size_t count;
	size_t merged;	    /* earlier changes that were too many to be told apart */
};
/* The changes of a process that was traced from start on. SL_OK or SL_ERR_NOMEM. */
int perf_changes_find(const struct perf_process *process, uint64_t start, struct perf_changes *ret);

/* Functions of a JIT compiler, in order of from: each ends when another one comes to any of its addresses. SL_OK or
 * SL_ERR_NOMEM. */
int perf_maps_end_replaced(struct perf_map *maps, size_t count);

/* A piece of a process's code as seen between two times. */
struct perf_seen {
	uint64_t start, end;
	const struct perf_map *map;   /* whose code it is, or the latest of those that it may be */
	const struct perf_map *other; /* NULL; else it is not known which of the two, or more, was there */
};
struct perf_layout {
	struct perf_seen *items; /* by address */
	size_t len, cap;
};
/* All code of a process that was there at some time from from_ns to before to_ns. SL_OK or SL_ERR_NOMEM; release it in
 * both cases. */
int perf_layout_read(const struct perf_process *process, uint64_t from_ns, uint64_t to_ns, struct perf_layout *ret);
void perf_layout_release(struct perf_layout *layout);
#endif
