/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_JIT_H
#define PERF_JIT_H
/* Code that the recorded processes compiled, by their jitdumps. Inside of capture/perf/ only. */
#include "jitdump.h"
#include "perf_capture.h"
#include "sl_file.h"

struct perf_jit {
	char *path;	     /* of the jitdump on this machine */
	uint32_t core;	     /* the process, by index */
	struct sl_file file; /* names of codes point into it */
	struct jitdump dump; /* times are in ns where they are comparable */
	bool comparable;     /* its times are of the clock of the recording's records */
};

/* What a JIT maps to mark that it writes a jitdump: .../jit-PID.dump. Nothing of that map is executed. */
bool perf_jit_is_marker(const char *name);

/*
 * Reads the jitdump that marks process number core's map marker. SL_OK; SL_END where it is not here or of no use, which is
 * noted; SL_ERR_NOMEM. Release ret after SL_OK.
 */
int perf_jit_open(const struct sl_capture *cap, uint32_t core, const char *marker, struct sl_notes *notes, struct perf_jit *ret);
void perf_jit_release(struct perf_jit *jit);

/* Adds all code and its names to the image of its process; of what overlaps the last has the addresses, and a note tells
 * how much that was. SL_OK or SL_ERR_NOMEM. */
int perf_jit_add_codes(struct sl_image *image, const struct perf_jit *jit, struct sl_notes *notes);
/* All of the above for each process. SL_OK or SL_ERR_NOMEM. */
int perf_jit_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes);
#endif
