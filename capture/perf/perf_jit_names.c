/* SPDX-License-Identifier: Apache-2.0 */
/* Names of compiled code by perf-PID.map, which a program writes to /tmp: for what it has mapped without a file. */
#include "perf_images.h"

#include "jit_map.h"
#include "sl_array.h"
#include "sl_file.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1 << 20, NAME_CAP = 1024 };

struct interval {
	uint64_t start, end;
};
struct intervals {
	struct interval *items;
	size_t len, cap;
};

bool perf_is_anonymous(const char *name)
{
	static const char *const starts[] = { "//anon", "[anon", "[heap]", "[stack", "/memfd:", "/dev/zero", "/dev/ashmem",
					      "/anon_hugepage", "anon_inode:", "/SYSV" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}

static int by_start(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void join_touching(struct intervals *list)
{
	size_t kept = 0;

	if (list->len)
		qsort(list->items, list->len, sizeof(*list->items), by_start);
	for (size_t i = 0; i < list->len; i++) {
		struct interval *last = kept ? &list->items[kept - 1] : NULL;

		if (!last || list->items[i].start > last->end)
			list->items[kept++] = list->items[i];
		else if (list->items[i].end > last->end)
			last->end = list->items[i].end;
	}
	list->len = kept;
}

/* Where a process had code without a file, at any time. */
static int anonymous_code(const struct perf_process *process, struct intervals *ret)
{
	for (size_t i = 0; i < process->map_count; i++) {
		const struct perf_map *map = &process->maps[i];
		struct interval interval = { map->start, map->start + map->len };

		if (map->executable && !map->kernel && perf_is_anonymous(map->name) &&
		    SL_ARRAY_PUSH(&ret->items, &ret->len, &ret->cap, interval) < 0)
			return SL_ERR_NOMEM;
	}
	join_touching(ret);
	return SL_OK;
}

static const struct interval *interval_of(const struct intervals *list, uint64_t address)
{
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->len && list->items[low].start <= address ? &list->items[low] : NULL;
}

/* SL_END where the name is of no code that is known. */
static int add_name(struct sl_image *image, uint32_t core, const struct intervals *where, const struct jit_name *name,
		    const char *module)
{
	const struct interval *interval = interval_of(where, name->address);
	uint64_t size = name->size;
	char text[NAME_CAP];

	if (!interval)
		return SL_END;
	if (size > interval->end - name->address)
		size = interval->end - name->address;
	snprintf(text, sizeof(text), "%.*s", (int)(name->len < NAME_CAP ? name->len : NAME_CAP - 1), name->name);
	return sl_image_add_symbol(image, core, name->address, size, text, module);
}

static int add_names(struct sl_image *image, uint32_t core, const struct intervals *where, const char *path,
		     const struct sl_file *file, struct sl_notes *notes)
{
	struct sl_bytes text = { file->data, file->len, 0 };
	const char *slash = strrchr(path, '/');
	uint64_t names = 0, others = 0, outside = 0;
	struct jit_name name;
	int result = SL_OK;

	while (result == SL_OK && names < NAMES_MAX && jit_map_next(&text, &name, &others) == SL_OK) {
		names++;
		result = add_name(image, core, where, &name, slash ? slash + 1 : path);
		outside += result == SL_END;
		result = result == SL_END ? SL_OK : result;
	}
	if (names == NAMES_MAX && text.len)
		sl_notes_add(notes, "%s: has more than %d names: the rest is left out", path, NAMES_MAX);
	if (others)
		sl_notes_add(notes, "%s: %" PRIu64 " lines are not of the form 'START SIZE name': left out", path, others);
	if (outside)
		sl_notes_add(notes, "%s: %" PRIu64 " of its %" PRIu64 " names are of no code that the recording knows: left out",
			     path, outside, names);
	return result;
}

static int add_process(const struct sl_capture *cap, struct sl_image *image, uint32_t core, const struct intervals *where,
		       struct sl_notes *notes)
{
	struct sl_diag diag = { "" };
	struct sl_file file = { 0 };
	char name[64], *path = NULL;
	int result;

	snprintf(name, sizeof(name), "/tmp/perf-%" PRIu32 ".map", cap->perf->processes.items[core].pid);
	result = perf_side_file(cap, name, notes, &path);
	if (result < 0 || !path)
		return result;
	if (sl_file_map(path, &file, &diag) < 0)
		sl_notes_add(notes, "%s", diag.text);
	result = add_names(image, core, where, path, &file, notes);
	sl_file_unmap(&file);
	free(path);
	return result;
}

int perf_jit_names_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	const struct perf_processes *processes = &cap->perf->processes;
	int result = SL_OK;

	for (size_t i = 0; i < processes->len && result == SL_OK; i++) {
		struct intervals where = { 0 };

		result = anonymous_code(&processes->items[i], &where);
		if (result == SL_OK && where.len)
			result = add_process(cap, image, (uint32_t)i, &where, notes);
		free(where.items);
	}
	return result;
}
