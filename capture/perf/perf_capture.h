/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_CAPTURE_H
#define PERF_CAPTURE_H
/* A perf.data as a capture: its CPUs are the streams, its AUX pieces the stretches, its processes the address spaces. */
#include "capture.h"
#include "cs_etm.h"
#include "perf_jit.h"
#include "perf_process.h"
#include "perf_switches.h"
#include "perf_views.h"

struct perf_capture {
	struct perf_file *file;
	struct cs_etm etm;
	struct perf_processes processes;
	struct perf_changes *changes; /* of each process */
	uint32_t *first_views;	      /* of each process that changes: the core that is its first view */
	uint32_t nobody;	      /* the core of tasks of which only records of switches tell: it has no memory */
	uint64_t start;		      /* when the first task began to be traced; 0 not known */
	struct perf_switches switches;
	struct perf_jits jits;
	uint32_t home; /* index of the process whose code it is where nothing tells, or SL_CORE_ANY */
	bool several;  /* processes have code: that is why home is SL_CORE_ANY */
	char *path;    /* as it was given; "-" for standard input */
	char *symfs;   /* NULL: files are where the target had them */
};

/* Opens path into cap, which is otherwise empty. SL_OK, or what perf_file_open() and cs_etm_read() say. */
int perf_capture_open(struct sl_capture *cap, const char *path, const char *symfs, struct sl_notes *notes,
		      struct sl_diag *diag);
/* As sl_capture_core_of(). */
uint32_t perf_core_of(const struct perf_capture *perf, uint32_t core);
/* As sl_capture_read(). */
ptrdiff_t perf_capture_read(const struct perf_capture *perf, uint64_t offset, void *dst, size_t len);
/* NULL is allowed. */
void perf_capture_free(struct perf_capture *perf);

/* perf_clock.c: the virtual counter's ticks in ns of the recording; as sl_capture_time(), for a CPU. */
uint64_t perf_ticks_to_ns(const struct cs_etm_time_conv *conv, uint64_t ticks);
bool perf_time_ns(const struct perf_capture *perf, int32_t cpu, uint64_t ticks, uint64_t *ret_ns);

/* perf_lanes.c: makes cap's buffers, streams and stretches. SL_OK or SL_ERR_NOMEM. */
int perf_lanes_build(struct sl_capture *cap, struct sl_notes *notes);
/* How many stretches do not tell whose they are. */
size_t perf_unknown_pieces(const struct sl_capture *cap);
/* perf_images.c: what was mapped into the processes, and which tasks run in them. SL_OK or SL_ERR_NOMEM. */
int perf_images_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes);

/* perf_build_ids.c: gives the build ids that the recording lists by name to maps without one. SL_OK or SL_ERR_NOMEM. */
int perf_build_ids_give(const struct perf_file *file, struct perf_processes *processes, struct sl_notes *notes);
/* What files are listed under; not terminated. Names of modules have no folder, no suffix and no brackets. */
struct perf_name {
	const char *text;
	size_t len;
	bool kernel;
};
struct perf_name perf_name_of_module(const char *path);
int perf_name_compare(const struct perf_name *a, const struct perf_name *b);

/* perf_kernel.c: moves a file of the user's that is the kernel to where the recording says that it lay. */
void perf_kernel_place(const struct sl_capture *cap, const char *path, struct sl_place *place, struct sl_notes *notes);

/* perf_facts.c: what the recording says of itself. SL_OK or SL_ERR_NOMEM. */
int perf_facts_add(struct sl_capture *cap);
/* perf_wishes.c: what it lacks. SL_OK or SL_ERR_NOMEM. */
int perf_wishes_add(struct sl_capture *cap);
/* perf_tables.c: its processes, for people. SL_OK or SL_ERR_NOMEM. */
int perf_processes_describe(struct sl_capture *cap);
/* Writes the table "cpus". */
void perf_tables_write(const struct perf_capture *perf, const struct sl_table *out);

/* perf_find.c: where the file of a map lies on this machine. Each is looked for once, however many processes map it. */
struct perf_found {
	char *path;	/* NULL: nowhere */
	char *mismatch; /* why a file that is there is not it; NULL: none is there */
	bool noted;	/* the mismatch has been told */
	struct sl_part part; /* with a name: what of path it is */
};
struct perf_finder;
/* SL_OK or SL_ERR_NOMEM. The capture must outlive it. */
int perf_finder_new(const struct sl_capture *cap, struct perf_finder **ret);
void perf_finder_free(struct perf_finder *finder);
/* The answer is the finder's, and the same one for each map of that name and build id. SL_OK or SL_ERR_NOMEM. */
int perf_find_file(struct perf_finder *finder, const struct perf_map *map, struct perf_found **ret);
/* perf_find_apk.c: where in the file that was found a map begins. */
uint64_t perf_found_offset(const struct perf_found *found, const struct perf_map *map);
#endif
