/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the file of a map lies on this machine: perf's and debuginfod's caches by build id, under --symfs, or at its own
 * path. Another file than the one that ran would lead the decoder astray: what can be checked is.
 */
#include "perf_find.h"
#include "perf_images.h"

#include "sl_array.h"
#include "sl_file.h"
#include "sl_map.h"
#include "sl_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was looked for, and what came of it. */
struct answer {
	const char *name;
	uint8_t build_id[20];
	uint8_t build_id_len;
	bool kernel;
	uint64_t pgoff; /* of an archive, where it tells the file; else 0 */
	struct perf_found found;
};

struct perf_finder {
	const struct sl_capture *cap;
	struct answer **answers;
	size_t len, capacity;
	struct sl_map by_map; /* hash -> number of the answer + 1; those of one hash follow one another */
};

/* A 64-bit machine runs 32-bit programs too. */
static bool wrong_machine(const struct find *find, enum sl_isa isa)
{
	const char *arch = perf_file_arch(find->cap->perf->file);

	if (sl_isa_is_x86(isa) || find->cap->perf->etm.intel_pt)
		return sl_isa_is_x86(isa) != find->cap->perf->etm.intel_pt;
	return isa == SL_ISA_A64 && arch && strncmp(arch, "arm", 3) == 0 && strcmp(arch, "arm64") != 0;
}

/* The kernel writes 20 bytes, of which a shorter id fills the first. */
bool perf_same_build_id(const struct perf_map *map, const struct sl_elf_id *id)
{
	size_t len = map->build_id_len < id->build_id_len ? map->build_id_len : id->build_id_len;

	return len > 0 && memcmp(map->build_id, id->build_id, len) == 0;
}

/* The last of several is told. */
bool perf_find_refuse(struct find *find, const char *format, ...)
{
	va_list args;

	free(find->ret->mismatch);
	va_start(args, format);
	if (vasprintf(&find->ret->mismatch, format, args) < 0) {
		find->ret->mismatch = NULL;
		find->out_of_memory = true;
	}
	va_end(args);
	return false;
}

/* As Linux's modules often are. */
static bool is_compressed(const char *path)
{
	static const char *const magics[] = { "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "\x1f\x8b" };
	struct sl_file file;
	bool yes = false;

	if (sl_file_map(path, &file, NULL) < 0)
		return false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		yes |= file.len >= strlen(magics[i]) && memcmp(file.data, magics[i], strlen(magics[i])) == 0;
	sl_file_unmap(&file);
	return yes;
}

bool perf_find_check(struct find *find, const char *path, const struct sl_part *part)
{
	char shown[256], hex[2 * SL_BUILD_ID_MAX + 1];
	struct sl_elf_id id;
	int result = sl_elf_identify(path, part, &id);

	sl_printable(part ? part->name : path, shown, sizeof(shown));
	if (result == SL_ERR_IO || result == SL_ERR_NOMEM)
		return false;
	if (result == SL_ERR_FORMAT)
		return perf_find_refuse(find, "%s %s", shown,
			is_compressed(path) ? "is compressed: unpack it (unxz, unzstd, gunzip)" : "is no ELF file");
	if (result < 0 || wrong_machine(find, id.isa))
		return perf_find_refuse(find, "%s is for another machine", shown);
	if (id.without_code)
		return perf_find_refuse(find, "%s is a debug file, without the code", shown);
	if (!find->map->build_id_len || perf_same_build_id(find->map, &id))
		return true;
	sl_hex(id.build_id, id.build_id_len, hex);
	return perf_find_refuse(find, "%s has build id %s, and %s ran", shown, id.build_id_len ? hex : "none", find->hex);
}

static bool is_it(struct find *find, const char *path)
{
	if (find->entry || perf_is_archive(find->map))
		return perf_find_in_archive(find, path);
	return perf_find_check(find, path, NULL);
}

int perf_find_try(struct find *find, char *path)
{
	if (!path)
		return SL_ERR_NOMEM;
	if (!find->ret->path && is_it(find, path))
		find->ret->path = path;
	else
		free(path);
	return find->out_of_memory ? SL_ERR_NOMEM : SL_OK;
}

char *perf_join(const char *format, ...)
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
		result = perf_find_try(find, perf_join("%s/.build-id/%.2s/%s%s", dir, find->hex, find->hex + 2, names[i]));
	return result;
}

/* The folder of debuginfod's client, or NULL. */
static char *debuginfod_cache(void)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (dir && *dir)
		return strdup(dir);
	if (cache && *cache)
		return perf_join("%s/debuginfod_client", cache);
	return perf_join("%s/.cache/debuginfod_client", home ? home : "");
}

/* A kernel's vmlinux comes as debuginfo there, and has its code. */
static int try_debuginfod(struct find *find)
{
	char *dir = debuginfod_cache();
	int result = dir ? perf_find_try(find, perf_join("%s/%s/executable", dir, find->hex)) : SL_ERR_NOMEM;

	if (result == SL_OK && find->map->kernel)
		result = perf_find_try(find, perf_join("%s/%s/debuginfo", dir, find->hex));
	free(dir);
	return result;
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
		char *dir = perf_join("%s/.debug", home);

		result = dir ? try_id_dir(find, dir) : SL_ERR_NOMEM;
		free(dir);
	}
	return result == SL_OK && !find->ret->path ? try_debuginfod(find) : result;
}

int perf_find_below(struct find *find, const char *name)
{
	const char *inside = name + strspn(name, "/");
	char *path = NULL;
	int result;

	if (find->ret->path || !*inside)
		return SL_OK;
	result = sl_path_inside(find->cap->perf->symfs, inside, find->cap->allow_outside, &path, NULL);
	if (result == SL_OK)
		return perf_find_try(find, path);
	return result == SL_ERR_NOMEM ? result : SL_OK;
}

/* By the whole path or by the name alone: many copy a few files into one folder. */
static int try_symfs(struct find *find)
{
	const char *name = find->name, *slash = strrchr(name, '/');
	int result = perf_find_below(find, name);

	return result == SL_OK && slash ? perf_find_below(find, slash + 1) : result;
}

/* At its own name, wherever that is looked for. */
static int try_name(struct find *find)
{
	if (find->cap->perf->symfs)
		return try_symfs(find);
	return find->name[0] == '/' ? perf_find_try(find, strdup(find->name)) : SL_OK;
}

/* As simpleperf names what lies in an APK; it may have been unpacked to a file of the whole name, or of its last part. */
static int try_archive(struct find *find)
{
	const char *inside = strstr(find->map->name, "!/");
	char *archive = inside ? strndup(find->map->name, (size_t)(inside - find->map->name)) : NULL;
	int result;

	if (!inside)
		return SL_OK;
	if (!archive)
		return SL_ERR_NOMEM;
	find->name = archive;
	find->entry = inside + 2;
	result = try_name(find);
	find->name = find->map->name;
	find->entry = NULL;
	free(archive);
	return result;
}

static int search(const struct sl_capture *cap, const struct perf_map *map, struct perf_found *ret)
{
	struct find find = { .cap = cap, .map = map, .name = map->name, .ret = ret };
	int result;

	sl_hex(map->build_id, map->build_id_len, find.hex);
	result = try_caches(&find);
	if (result == SL_OK && !ret->path)
		result = try_name(&find);
	if (result == SL_OK && !ret->path)
		result = try_archive(&find);
	return result == SL_OK && !ret->path ? perf_find_kernel(&find) : result;
}

/* What of a map's offset says which file it is. */
static uint64_t key_offset(const struct perf_map *map)
{
	return perf_is_archive(map) ? map->pgoff : 0;
}

static bool is_answer_to(const struct answer *answer, const struct perf_map *map)
{
	return answer->kernel == map->kernel && answer->pgoff == key_offset(map) && answer->build_id_len == map->build_id_len &&
	       memcmp(answer->build_id, map->build_id, map->build_id_len) == 0 && strcmp(answer->name, map->name) == 0;
}

static int add_answer(struct perf_finder *finder, const struct perf_map *map, struct answer **ret)
{
	struct answer *answer = calloc(1, sizeof(*answer));

	if (!answer || SL_ARRAY_PUSH(&finder->answers, &finder->len, &finder->capacity, answer) < 0) {
		free(answer);
		return SL_ERR_NOMEM;
	}
	answer->name = map->name;
	memcpy(answer->build_id, map->build_id, sizeof(answer->build_id));
	answer->build_id_len = map->build_id_len;
	answer->kernel = map->kernel;
	answer->pgoff = key_offset(map);
	*ret = answer;
	return search(finder->cap, map, &answer->found);
}

int perf_find_file(struct perf_finder *finder, const struct perf_map *map, struct perf_found **ret)
{
	uint64_t hash = sl_hash(SL_HASH_SEED, map->name, strlen(map->name)), offset = key_offset(map);
	struct answer *answer = NULL;
	int result = SL_OK;
	uint64_t *number;

	hash = sl_hash(hash, map->build_id, map->build_id_len);
	hash = sl_hash(hash, &offset, sizeof(offset));
	while ((number = sl_map_put(&finder->by_map, hash)) && *number) {
		answer = finder->answers[*number - 1];
		if (is_answer_to(answer, map))
			break;
		hash++;
	}
	if (!number)
		return SL_ERR_NOMEM;
	if (!*number) {
		*number = finder->len + 1;
		result = add_answer(finder, map, &answer);
	}
	*ret = answer ? &answer->found : NULL;
	return result;
}

int perf_finder_new(const struct sl_capture *cap, struct perf_finder **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return SL_ERR_NOMEM;
	(*ret)->cap = cap;
	return SL_OK;
}

void perf_finder_free(struct perf_finder *finder)
{
	if (!finder)
		return;
	for (size_t i = 0; i < finder->len; i++) {
		free(finder->answers[i]->found.path);
		free(finder->answers[i]->found.mismatch);
		free((char *)(uintptr_t)finder->answers[i]->found.part.name);
		free(finder->answers[i]);
	}
	free(finder->answers);
	sl_map_release(&finder->by_map);
	free(finder);
}
