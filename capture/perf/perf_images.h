/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_IMAGES_H
#define PERF_IMAGES_H
/* What the sources that fill an image share. Inside of capture/perf/ only; the entry is perf_images_add(). */
#include "perf_capture.h"

/* Records a map whose file is not here, or is another one, which is noted. SL_OK or SL_ERR_NOMEM. */
int perf_map_missing(struct sl_image *image, const struct perf_map *map, const struct sl_place *place,
		     struct perf_found *found, struct sl_notes *notes);
/* result is what adding a map's file gave: a file that cannot be used is noted, and the rest goes on. SL_OK or
 * SL_ERR_NOMEM. */
int perf_map_note_unused(const struct perf_map *map, int result, const struct sl_diag *diag, struct sl_notes *notes);

/* Whether a file has the build id of a map; false where one of them has none. */
bool perf_same_build_id(const struct perf_map *map, const struct sl_elf_id *id);

/* perf_kernel.c: whether a map is the kernel's own, not a module's. */
bool perf_is_kernel(const struct perf_map *map);
/* The recording's map of the kernel; NULL where there is none. */
const struct perf_map *perf_kernel_map(const struct sl_capture *cap);
/* The symbol that the name of the kernel's map ends in ([kernel.kallsyms]_text), and where it was. */
struct perf_reference {
	const char *symbol;
	uint64_t address;
};
/* False where the map does not tell. */
bool perf_reference_of(const struct perf_map *map, struct perf_reference *ret);
/* Adds a map of the kernel's text or of a module. SL_OK or SL_ERR_NOMEM. */
int perf_kernel_add_map(const struct sl_capture *cap, struct perf_finder *finder, struct sl_image *image,
			const struct perf_map *map, struct sl_notes *notes);

/* perf_kcore.c: the kernel's memory, the recording's own or a cached copy; whether there is one into ret. SL_OK or
 * SL_ERR_NOMEM. */
int perf_kernel_add_kcore(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes, bool *ret);

/* perf_ksymbol.c: names of BPF programs and the like, and where their code is wanted, unless the kernel's bytes are known.
 * SL_OK or SL_ERR_NOMEM. */
int perf_ksymbols_add(const struct sl_capture *cap, struct sl_image *image, bool kernel_known, struct sl_notes *notes);

/* perf_notes.c: notes on code that changed, and on processes whose paths are a container's. SL_OK or SL_ERR_NOMEM. */
void perf_text_pokes_note(const struct sl_capture *cap, struct sl_notes *notes);
int perf_containers_note(const struct sl_capture *cap, struct sl_notes *notes);

/*
 * perf_side.c: a file that a traced program wrote to path: below --symfs, in or beside the recording, or at path itself if
 * this host was recorded and the file is root's or the user's. The path (free() it) or NULL into ret. SL_OK or SL_ERR_NOMEM.
 */
int perf_side_file(const struct sl_capture *cap, const char *path, struct sl_notes *notes, char **ret);

/* perf_jit_names.c: whether a map's name is of memory without a file; names by perf-PID.map. SL_OK or SL_ERR_NOMEM. */
bool perf_is_anonymous(const char *name);
int perf_jit_names_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes);

/* simpleperf_names.c: names that simpleperf recorded, for what has no file here. SL_OK or SL_ERR_NOMEM. */
int simpleperf_names_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes);
#endif
