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

/* perf_kernel.c: a map of the kernel's text or of a module, and the recording's own kcore; whether there is one into
 * ret. SL_OK or SL_ERR_NOMEM. */
int perf_kernel_add_map(const struct sl_capture *cap, struct perf_finder *finder, struct sl_image *image,
			const struct perf_map *map, struct sl_notes *notes);
int perf_kernel_add_kcore(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes, bool *ret);
#endif
