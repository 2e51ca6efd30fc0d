/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_PROCESS_H
#define PERF_PROCESS_H
/* Processes and threads of a recording, and what was mapped into them when. Inside of capture/ only. */
#include "perf_file.h"

struct perf_map {
	uint64_t start, len, pgoff;
	uint64_t from, to;	     /* times between which it was there; to UINT64_MAX: until the end */
	const char *name;	     /* as the record names it; of code of a jitdump: the jitdump's path on this machine */
	const char *symbol;	     /* of code of a jitdump; else NULL */
	uint8_t build_id[20];
	uint8_t build_id_len;
	bool kernel, executable;
	uint64_t record_offset;
};

struct perf_process {
	uint32_t pid;
	const char *comm;	     /* the last one; NULL not known */
	struct perf_map *maps;	     /* in order of from */
	size_t map_count, map_cap;
};

struct perf_thread {
	uint32_t tid, pid;
	const char *comm;
	bool traced;		     /* ITRACE_START, or owner of an AUX piece */
};

struct perf_processes {
	struct perf_process *items;  /* by pid; the kernel's maps are those of pid UINT32_MAX */
	size_t len, cap;
	struct perf_thread *threads; /* by tid */
	size_t thread_len, thread_cap;
	uint64_t lost_records;	     /* LOST and LOST_SAMPLES: maps may be missing */
};

/* SL_OK or SL_ERR_NOMEM. Notes name what is inconsistent. */
int perf_processes_read(const struct perf_file *file, struct sl_notes *notes, struct perf_processes *ret);
void perf_processes_release(struct perf_processes *processes);
const struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t pid);
const struct perf_thread *perf_thread_find(const struct perf_processes *processes, uint32_t tid);
#endif
