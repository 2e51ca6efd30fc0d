/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's memory as it was: out of the recording's kcore_dir (perf record --kcore), else from perf's cache (perf
 * buildid-cache --kcore), where each boot of a kernel has another copy.
 */
#include "perf_images.h"

#include "sl_file.h"
#include "sl_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MODULES_MAX = 16 << 20 };

/* dir/name, or NULL where it is no file, or may not be read. */
static char *file_in(const struct sl_capture *cap, const char *dir, const char *name)
{
	char *path = NULL;
	struct stat st;

	if (!dir || sl_path_inside(dir, name, cap->allow_outside, &path, NULL) < 0)
		return NULL;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

/* The address of a module by /proc/modules: name size references users state address; 0 where it has none. */
static uint64_t module_address(const char *modules, const struct perf_name *wanted)
{
	for (const char *line = modules; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		struct perf_name name = { line, strcspn(line, " \n"), true };
		size_t len = strcspn(line, "\n");
		const char *address;

		if (perf_name_compare(&name, wanted) != 0)
			continue;
		address = memmem(line, len, " 0x", 3);
		return address ? strtoull(address + 3, NULL, 16) : 0;
	}
	return 0;
}

static bool is_module(const struct perf_map *map)
{
	return map->executable && !perf_is_kernel(map) && (map->name[0] == '[' || strstr(map->name, ".ko"));
}

/* Whether the modules of the recording were where a copy has them. */
static bool same_modules(const struct sl_capture *cap, const char *modules)
{
	const struct perf_process *kernel = perf_process_find(&cap->perf->processes, UINT32_MAX);

	for (size_t i = 0; kernel && i < kernel->map_count; i++) {
		struct perf_name name = perf_name_of_module(kernel->maps[i].name);

		if (is_module(&kernel->maps[i]) && module_address(modules, &name) != kernel->maps[i].start)
			return false;
	}
	return true;
}

/* Whether a copy is of the boot that was recorded: its kernel and its modules lay where the recording has them. */
static bool is_same_boot(const struct sl_capture *cap, const char *dir)
{
	char *kallsyms = file_in(cap, dir, "kallsyms"), *path = file_in(cap, dir, "modules"), *modules = NULL;
	struct perf_reference at;
	uint64_t address = 0;
	size_t len;
	bool same;

	same = kallsyms && perf_reference_of(perf_kernel_map(cap), &at) &&
	       sl_symbol_text_find(kallsyms, at.symbol, &address) == SL_OK && address == at.address;
	if (same && path)
		sl_file_read_text(path, MODULES_MAX, &modules, &len, NULL);
	same = same && same_modules(cap, modules ? modules : "");
	free(modules);
	free(path);
	free(kallsyms);
	return same;
}

/* Adds the kcore of dir, and its names. SL_END where it is not there. */
static int add_dir(const struct sl_capture *cap, struct sl_image *image, const char *dir, struct sl_notes *notes)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };
	char *kcore = file_in(cap, dir, "kcore"), *kallsyms = file_in(cap, dir, "kallsyms");
	struct sl_diag diag = { "" };
	int result = kcore ? sl_image_add_elf(image, kcore, &place, NULL, notes, &diag) : SL_END;
	int named = result == SL_OK && kallsyms ? sl_image_add_symbol_text(image, kallsyms, 0, notes, &diag) : SL_OK;

	if (diag.text[0])
		sl_notes_add(notes, "%s", diag.text);
	free(kcore);
	free(kallsyms);
	if (result == SL_ERR_NOMEM || named == SL_ERR_NOMEM)
		return SL_ERR_NOMEM;
	return result == SL_OK ? SL_OK : SL_END;
}

/* The recording's own. */
static int add_recorded(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	const char *recording = perf_file_dir(cap->perf->file);
	char *dir = NULL;
	int result = recording ? sl_path_inside(recording, "kcore_dir", cap->allow_outside, &dir, NULL) : SL_END;

	if (result == SL_OK)
		result = add_dir(cap, image, dir, notes);
	free(dir);
	return result == SL_ERR_NOMEM ? result : result == SL_OK ? SL_OK : SL_END;
}

/* perf's folder of the copies of a kernel by build id, or NULL. */
static char *cache_of(const struct perf_map *map)
{
	const char *home = getenv("HOME");
	char hex[2 * sizeof(map->build_id) + 1], *path;

	if (!home || !map->build_id_len)
		return NULL;
	sl_hex(map->build_id, map->build_id_len, hex);
	return asprintf(&path, "%s/.debug/[kernel.kcore]/%s", home, hex) < 0 ? NULL : path;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Their names are dates: the newest first. */
static int newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int add_newest(const struct sl_capture *cap, struct sl_image *image, const char *cache, struct sl_notes *notes)
{
	struct dirent **dates = NULL;
	int count = scandir(cache, &dates, is_visible, newest_first), result = SL_END;
	char shown[256];

	for (int i = 0; i < count; i++) {
		char *dir = NULL;

		if (result == SL_END && asprintf(&dir, "%s/%s", cache, dates[i]->d_name) < 0)
			result = SL_ERR_NOMEM;
		if (result == SL_END && is_same_boot(cap, dir))
			result = add_dir(cap, image, dir, notes);
		free(dir);
		free(dates[i]);
	}
	free(dates);
	if (count > 0 && result == SL_END)
		sl_notes_add(notes, "%s: of %d copies of the kernel's memory none is of the boot that was recorded: kernel or "
			     "modules lay elsewhere", sl_printable(cache, shown, sizeof(shown)), count);
	return result;
}

/* The cached copy of the boot that was recorded. */
static int add_cached(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	const struct perf_map *map = perf_kernel_map(cap);
	char *cache = map ? cache_of(map) : NULL;
	int result = cache ? add_newest(cap, image, cache, notes) : SL_END;

	free(cache);
	return result;
}

int perf_kernel_add_kcore(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes, bool *ret)
{
	int result = add_recorded(cap, image, notes);

	if (result == SL_END)
		result = add_cached(cap, image, notes);
	*ret = result == SL_OK;
	return result < 0 ? result : SL_OK;
}
