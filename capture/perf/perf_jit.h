/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_JIT_H
#define PERF_JIT_H
/* Code that the recorded processes compiled, by their jitdumps. Inside of capture/perf/ only. */
#include "jitdump.h"
#include "sl_file.h"

struct sl_capture;

struct perf_jit {
	char *path;	     /* of the jitdump on this machine */
	uint32_t core;	     /* the process, by index */
	struct sl_file file; /* names of codes point into it */
	struct jitdump dump; /* times are in ns where they are comparable */
	bool comparable;     /* its times are of the clock of the recording's records */
};

struct perf_jits {
	struct perf_jit *items;
	size_t len, cap;
};
void perf_jits_release(struct perf_jits *jits);

/* What a JIT maps to mark that it writes a jitdump: .../jit-PID.dump. Nothing of that map is executed. */
bool perf_jit_is_marker(const char *name);

/*
 * Reads the jitdump that marks process number core's map marker. SL_OK; SL_END where it is not here or of no use, which is
 * noted; SL_ERR_NOMEM. Release ret after SL_OK.
 */
int perf_jit_open(const struct sl_capture *cap, uint32_t core, const char *marker, struct sl_notes *notes, struct perf_jit *ret);
void perf_jit_release(struct perf_jit *jit);

/* Reads the jitdumps of all processes, whose code joins the maps of its process, in order of time where that is known.
 * SL_OK or SL_ERR_NOMEM. */
int perf_jits_read(struct sl_capture *cap, struct sl_notes *notes);
#endif
