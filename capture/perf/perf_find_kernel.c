/* SPDX-License-Identifier: Apache-2.0 */
/* Where distributions put the files of a kernel: vmlinux, its modules, and the vdso that it maps into programs. */
#include "perf_find.h"
#include "perf_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's release, if it can be a part of a path. */
static const char *release_of(const struct find *find)
{
	const char *release = perf_file_release(find->cap->perf->file);

	return release && *release && !strchr(release, '/') ? release : NULL;
}

/* A path that has the release in it: below --symfs, or on this machine, where only the build id tells whose kernel it
 * is. */
static int try_place(struct find *find, const char *before, const char *behind)
{
	const char *release = release_of(find);
	char *path;
	int result;

	if (!release || find->ret->path || (!find->cap->perf->symfs && !find->hex[0]))
		return SL_OK;
	path = perf_join("%s%s%s", before, release, behind);
	if (!path || !find->cap->perf->symfs)
		return perf_find_try(find, path);
	result = perf_find_below(find, path);
	free(path);
	return result;
}

static int find_vmlinux(struct find *find)
{
	static const char *const places[][2] = {
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/vmlinux-", "" },
	};
	int result = SL_OK;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && result == SL_OK; i++)
		result = try_place(find, places[i][0], places[i][1]);
	return result == SL_OK && find->cap->perf->symfs ? perf_find_below(find, "vmlinux") : result;
}

/* Programs may have another kernel's than that of the release: only the build id tells. */
static int find_vdso(struct find *find)
{
	int result = find->hex[0] ? try_place(find, "/lib/modules/", "/vdso/vdso.so") : SL_OK;

	return result == SL_OK && find->hex[0] ? try_place(find, "/lib/modules/", "/vdso/vdso32.so") : result;
}

/* A module that is named without a path, or whose file was unpacked: name.ko below --symfs. Its file's name may have -
 * where the module's has _. */
static int find_module(struct find *find)
{
	struct perf_name name = perf_name_of_module(find->map->name);
	char *file = perf_join("%.*s.ko", (int)name.len, name.text);
	int result;

	if (!file)
		return SL_ERR_NOMEM;
	result = perf_find_below(find, file);
	for (char *at = file; *at; at++)
		*at = *at == '_' ? '-' : *at;
	if (result == SL_OK)
		result = perf_find_below(find, file);
	free(file);
	return result;
}

int perf_find_kernel(struct find *find)
{
	const char *name = find->map->name;

	if (strcmp(name, "[vdso]") == 0)
		return find_vdso(find);
	if (!find->map->kernel)
		return SL_OK;
	if (perf_is_kernel(find->map))
		return find_vmlinux(find);
	return find->cap->perf->symfs ? find_module(find) : SL_OK;
}
