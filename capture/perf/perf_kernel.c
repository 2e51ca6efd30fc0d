/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's code and its modules: as they ran, out of the recording's kcore_dir, else from files. */
#include "perf_images.h"

#include "sl_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * The kernel's text, of which the recording tells only where it begins, and its modules. What the user names is believed
 * to be it: nothing tells which of the two a --image is.
 */
int perf_kernel_add_map(const struct sl_capture *cap, struct perf_finder *finder, struct sl_image *image,
			const struct perf_map *map, struct sl_notes *notes)
{
	bool is_kernel = strncmp(map->name, "[kernel", 7) == 0;
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = is_kernel ? map->pgoff : map->start,
				  .len = map->len };
	struct sl_diag diag = { "" };
	struct perf_found *found;
	int result = perf_find_file(finder, map, &found);

	place.address_known = place.address != 0;
	if (result == SL_OK && found->path)
		result = sl_image_add_elf(image, found->path, &place, NULL, notes, &diag);
	else if (result == SL_OK && !cap->image_count)
		result = perf_map_missing(image, map, &(struct sl_place){ .core = SL_CORE_ANY, .address = map->start, .len = map->len },
				     found, notes);
	return perf_map_note_unused(map, result, &diag, notes);
}

/* Path of a file in the directory of a recording, or NULL where it is not there, or may not be read. */
static char *recorded_file(const struct sl_capture *cap, const char *name)
{
	const char *dir = perf_file_dir(cap->perf->file);
	char *path = NULL;
	struct stat st;

	if (!dir || sl_path_inside(dir, name, cap->allow_outside, &path, NULL) < 0)
		return NULL;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

/*
 * kcore_dir (perf record --kcore): kernel and modules as they ran, with all that was patched, and their names. Whether
 * it was there into ret.
 */
int perf_kernel_add_kcore(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes, bool *ret)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };
	char *kcore = recorded_file(cap, "kcore_dir/kcore"), *kallsyms = recorded_file(cap, "kcore_dir/kallsyms");
	struct sl_diag diag = { "" };
	int result = kcore ? sl_image_add_elf(image, kcore, &place, NULL, notes, &diag) : SL_END;

	*ret = result == SL_OK;
	if (result == SL_OK && kallsyms)
		result = sl_image_add_symbol_text(image, kallsyms, 0, notes, &diag);
	if (result < 0 && result != SL_ERR_NOMEM) {
		sl_notes_add(notes, "%s", diag.text);
		result = SL_OK;
	}
	free(kcore);
	free(kallsyms);
	return result == SL_ERR_NOMEM ? result : SL_OK;
}
