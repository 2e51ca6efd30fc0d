/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the file of a map lies on this machine: perf's and debuginfod's caches by build id, under --symfs, or at its own
 * path. Another file than the one that ran would lead the decoder astray: what can be checked is.
 */
#include "perf_capture.h"

#include "sl_file.h"
#include "sl_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEX_CAP = 2 * 20 + 1 };

struct find {
	const struct sl_capture *cap;
	const struct perf_map *map;
	char hex[HEX_CAP]; /* of the build id; empty where it is not known */
	struct perf_found *ret;
};

/* A 64-bit machine runs 32-bit programs too. */
static bool wrong_machine(const struct find *find, enum sl_isa isa)
{
	const char *arch = perf_file_arch(find->cap->perf->file);

	if (isa == SL_ISA_X86_64)
		return true;
	return isa == SL_ISA_A64 && arch && strncmp(arch, "arm", 3) == 0 && strcmp(arch, "arm64") != 0;
}

/* The kernel writes 20 bytes, of which a shorter id fills the first. */
static bool same_id(const struct find *find, const struct sl_elf_id *id)
{
	const struct perf_map *map = find->map;
	size_t len = map->build_id_len < id->build_id_len ? map->build_id_len : id->build_id_len;

	return len > 0 && memcmp(map->build_id, id->build_id, len) == 0;
}

static bool is_it(struct find *find, const char *path)
{
	char shown[256], hex[2 * SL_BUILD_ID_MAX + 1];
	struct sl_elf_id id;

	if (sl_elf_identify(path, &id) < 0)
		return false;
	sl_printable(path, shown, sizeof(shown));
	if (wrong_machine(find, id.isa)) {
		sl_fail(&find->ret->mismatch, SL_ERR_FORMAT, "%s is for another machine", shown);
		return false;
	}
	if (!find->map->build_id_len || same_id(find, &id))
		return true;
	sl_hex(id.build_id, id.build_id_len, hex);
	sl_fail(&find->ret->mismatch, SL_ERR_FORMAT, "%s has build id %s, and %s ran", shown, id.build_id_len ? hex : "none",
		find->hex);
	return false;
}

/* Takes the path, if it is the file. SL_OK or SL_ERR_NOMEM. */
static int try_path(struct find *find, char *path)
{
	if (!path)
		return SL_ERR_NOMEM;
	if (!find->ret->path && is_it(find, path))
		find->ret->path = path;
	else
		free(path);
	return SL_OK;
}

static char *join(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *join(const char *format, ...)
{
	va_list args;
	char *path;
	int len;

	va_start(args, format);
	len = vasprintf(&path, format, args);
	va_end(args);
	return len < 0 ? NULL : path;
}

/* dir/.build-id/xx/yyyy is a folder with the file in it, or (older) a link to the file. */
static int try_id_dir(struct find *find, const char *dir)
{
	static const char *const names[] = { "/elf", "/vdso", "/vmlinux", ".debug", "" };
	int result = SL_OK;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && result == SL_OK && !find->ret->path; i++)
		result = try_path(find, join("%s/.build-id/%.2s/%s%s", dir, find->hex, find->hex + 2, names[i]));
	return result;
}

static int try_debuginfod(struct find *find)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (dir && *dir)
		return try_path(find, join("%s/%s/executable", dir, find->hex));
	if (cache && *cache)
		return try_path(find, join("%s/debuginfod_client/%s/executable", cache, find->hex));
	return home ? try_path(find, join("%s/.cache/debuginfod_client/%s/executable", home, find->hex)) : SL_OK;
}

static int try_caches(struct find *find)
{
	const char *home = getenv("HOME");
	int result = SL_OK;

	if (!find->hex[0])
		return SL_OK;
	if (find->cap->perf->symfs)
		result = try_id_dir(find, find->cap->perf->symfs);
	if (result == SL_OK && home && !find->ret->path) {
		char *dir = join("%s/.debug", home);

		result = dir ? try_id_dir(find, dir) : SL_ERR_NOMEM;
		free(dir);
	}
	return result == SL_OK && !find->ret->path ? try_debuginfod(find) : result;
}

/* Below --symfs, by the whole path or by the name alone: many copy a few files into one folder. */
static int try_symfs(struct find *find, const char *dir)
{
	const char *name = find->map->name, *slash = strrchr(name, '/');
	const char *const names[] = { name + strspn(name, "/"), slash ? slash + 1 : name };
	int result = SL_OK;

	for (size_t i = 0; i < 2 && result == SL_OK && !find->ret->path; i++) {
		char *path = NULL;
		int inside = *names[i] ? sl_path_inside(dir, names[i], find->cap->allow_outside, &path, NULL) : SL_END;

		if (inside == SL_ERR_NOMEM)
			return inside;
		if (inside == SL_OK)
			result = try_path(find, path);
	}
	return result;
}

int perf_find_file(const struct sl_capture *cap, const struct perf_map *map, struct perf_found *ret)
{
	struct find find = { .cap = cap, .map = map, .ret = ret };
	int result;

	*ret = (struct perf_found){ 0 };
	sl_hex(map->build_id, map->build_id_len, find.hex);
	result = try_caches(&find);
	if (result < 0 || ret->path)
		return result;
	if (cap->perf->symfs)
		return try_symfs(&find, cap->perf->symfs);
	return map->name[0] == '/' ? try_path(&find, strdup(map->name)) : SL_OK;
}
