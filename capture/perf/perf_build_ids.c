/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build ids that the recording lists by name (the BUILD_ID feature, and perf inject's records) for the maps whose own
 * record has none.
 */
#include "perf_capture.h"

#include "sl_text.h"

#include <stdlib.h>
#include <string.h>

enum { MISC_CPUMODE = 7, MODE_USER_MAX = 3, NOTED_MAX = 16 };

struct listed {
	struct perf_name name;
	const struct perf_build_id *id;
	bool contradicted; /* another entry of this name has another id */
};

struct list {
	struct listed *items;
	size_t len;
};

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

struct perf_name perf_name_of_module(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ".ko");

	if (*name == '[') {
		name++;
		return (struct perf_name){ name, strcspn(name, "]"), true };
	}
	return (struct perf_name){ name, end ? (size_t)(end - name) : strlen(name), true };
}

/*
 * Under what a file is listed. A kernel's list has its modules by path, and its maps may have them as [name]; the kernel
 * itself is [kernel.kallsyms], its maps have a symbol behind that. perf calls the vdso of 32-bit programs [vdso32].
 */
static struct perf_name name_of(const char *name, bool kernel, bool low)
{
	const char *slash = strrchr(name, '/');

	if (low && strcmp(name, "[vdso]") == 0)
		name = "[vdso32]";
	if (!kernel || starts_with(name, "[vdso"))
		return (struct perf_name){ name, strlen(name), false };
	if (starts_with(name, "[kernel.kallsyms]") || starts_with(slash ? slash + 1 : name, "vmlinux"))
		return (struct perf_name){ "kernel.kallsyms", 15, true };
	return perf_name_of_module(name);
}

/* Of modules - and _ are the same. */
static int letter(const struct perf_name *name, size_t i)
{
	return name->kernel && name->text[i] == '-' ? '_' : (unsigned char)name->text[i];
}

int perf_name_compare(const struct perf_name *a, const struct perf_name *b)
{
	if (a->kernel != b->kernel)
		return a->kernel ? 1 : -1;
	for (size_t i = 0; i < a->len && i < b->len; i++) {
		if (letter(a, i) != letter(b, i))
			return letter(a, i) - letter(b, i);
	}
	return a->len < b->len ? -1 : a->len > b->len;
}

static int by_name(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	return perf_name_compare(&a->name, &b->name);
}

static bool is_zero(const struct perf_build_id *id)
{
	static const uint8_t zero[sizeof(id->id)];

	return memcmp(id->id, zero, id->len) == 0;
}

static bool same_id(const struct perf_build_id *a, const struct perf_build_id *b)
{
	size_t len = a->len < b->len ? a->len : b->len;

	return memcmp(a->id, b->id, len) == 0;
}

/* One item a name. */
static void merge(struct list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->len; i++) {
		struct listed *last = kept ? &list->items[kept - 1] : NULL;

		if (!last || by_name(last, &list->items[i]) != 0)
			list->items[kept++] = list->items[i];
		else
			last->contradicted |= !same_id(last->id, list->items[i].id);
	}
	list->len = kept;
}

/* The list sorted by name, without what is a guest's. */
static int read_list(const struct perf_file *file, struct list *ret)
{
	const struct perf_build_id *ids;
	size_t count = perf_file_build_ids(file, &ids);
	struct list list = { .items = calloc(count + 1, sizeof(*list.items)) };

	if (!list.items)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		unsigned mode = ids[i].misc & MISC_CPUMODE;

		if (mode <= MODE_USER_MAX && ids[i].name[0] && ids[i].len && !is_zero(&ids[i]))
			list.items[list.len++] = (struct listed){ .name = name_of(ids[i].name, mode == 1, false),
								  .id = &ids[i] };
	}
	if (list.len)
		qsort(list.items, list.len, sizeof(*list.items), by_name);
	merge(&list);
	*ret = list;
	return SL_OK;
}

static void note_contradictions(const struct list *list, struct sl_notes *notes)
{
	size_t count = 0;

	for (size_t i = 0; i < list->len; i++) {
		char shown[256];

		if (list->items[i].contradicted && ++count <= NOTED_MAX)
			sl_notes_add(notes,
				     "the recording lists two build ids for %s: none is believed, so that its file is not "
				     "checked; record with perf record --buildid-mmap",
				     sl_printable(list->items[i].id->name, shown, sizeof(shown)));
	}
	if (count > NOTED_MAX)
		sl_notes_add(notes, "%zu more names have two build ids", count - NOTED_MAX);
}

/* 32-bit programs of a 64-bit machine have all that is mapped below 4 GiB, others nothing of the kernel's there. */
static bool is_low(const struct perf_file *file, const struct perf_map *map)
{
	const char *arch = perf_file_arch(file);

	return map->start <= UINT32_MAX && (!arch || !starts_with(arch, "arm") || starts_with(arch, "arm64"));
}

static void give_id(const struct perf_file *file, const struct list *list, struct perf_map *map)
{
	struct listed key = { .name = name_of(map->name, map->kernel, is_low(file, map)) };
	const struct listed *found;

	if (map->build_id_len || !map->executable || !map->name[0])
		return;
	found = bsearch(&key, list->items, list->len, sizeof(key), by_name);
	if (!found || found->contradicted)
		return;
	memcpy(map->build_id, found->id->id, found->id->len);
	map->build_id_len = found->id->len;
}

int perf_build_ids_give(const struct perf_file *file, struct perf_processes *processes, struct sl_notes *notes)
{
	struct list list;
	int result = read_list(file, &list);

	if (result < 0)
		return result;
	note_contradictions(&list, notes);
	for (size_t i = 0; i < processes->len && list.len; i++) {
		for (size_t k = 0; k < processes->items[i].map_count; k++)
			give_id(file, &list, &processes->items[i].maps[k]);
	}
	free(list.items);
	return SL_OK;
}
