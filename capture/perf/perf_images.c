/* SPDX-License-Identifier: Apache-2.0 */
/* What was mapped: files of the processes, each in an address space of its own, and the tasks that run in them. */
#include "perf_images.h"

#include "sl_file.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Maps are of whole pages, files end where they end. */
static bool clip(const struct perf_found *found, struct sl_place *place)
{
	uint64_t size = found->part.len;
	struct stat st;

	if (!found->part.name) {
		if (stat(found->path, &st) < 0)
			return false;
		size = (uint64_t)st.st_size;
	}
	if (place->offset >= size)
		return false;
	if (place->len > size - place->offset)
		place->len = size - place->offset;
	return place->len > 0;
}

int perf_map_missing(struct sl_image *image, const struct perf_map *map, const struct sl_place *place,
		     struct perf_found *found, struct sl_notes *notes)
{
	char name[256];

	if (!found->mismatch)
		return sl_image_add_missing(image, map->name, place);
	if (!found->noted)
		sl_notes_add(notes,
			     "%s at 0x%" PRIx64 ": %s: give the file that ran with --symfs DIR, or add it to perf's cache "
			     "(perf buildid-cache --add)",
			     sl_printable(map->name, name, sizeof(name)), map->start, found->mismatch);
	found->noted = true;
	return sl_image_add_refused(image, map->name, place);
}

/* A file that cannot be used is noted, and the rest goes on; only want of memory ends it. */
int perf_map_note_unused(const struct perf_map *map, int result, const struct sl_diag *diag, struct sl_notes *notes)
{
	if (result == SL_OK || result == SL_ERR_NOMEM)
		return result;
	sl_notes_add(notes, "map at offset 0x%" PRIx64 " is not used: %s", map->record_offset, diag->text);
	return SL_OK;
}

static int add_found(struct sl_image *image, const struct perf_map *map, struct sl_place *place,
		     struct perf_found *found, struct sl_notes *notes)
{
	struct sl_diag diag = { "" };

	place->offset = perf_found_offset(found, map);
	place->part = found->part.name ? &found->part : NULL;
	if (!found->path || !clip(found, place))
		return perf_map_missing(image, map, place, found, notes);
	return perf_map_note_unused(map, sl_image_add_dump(image, found->path, place, notes, &diag), &diag, notes);
}

/* What an image is filled from and with. */
struct loader {
	const struct sl_capture *cap;
	struct perf_finder *finder;
	struct sl_image *image;
	struct sl_notes *notes;
	bool kernel_known; /* its memory as it was: no file of it is wanted */
};

/* A function that a JIT compiler made, by its jitdump. */
static int add_compiled(struct loader *loader, const struct perf_map *map, const struct sl_place *place)
{
	const char *slash = strrchr(map->name, '/');
	struct sl_diag diag = { "" };
	int result = sl_image_add_dump(loader->image, map->name, place, loader->notes, &diag);

	if (result != SL_OK)
		return perf_map_note_unused(map, result, &diag, loader->notes);
	return sl_image_add_symbol(loader->image, place->core, map->start, map->len, map->symbol,
				   slash ? slash + 1 : map->name);
}

/* A piece of a map's file, at its place in the process. */
static int add_piece(struct loader *loader, const struct perf_seen *seen, uint32_t core)
{
	struct perf_map map = *seen->map;
	struct sl_place place = { .core = core, .space = SL_SPACE_ANY, .address = seen->start, .address_known = true };
	struct perf_found *found;
	int result;

	map.pgoff += seen->start - map.start;
	map.start = seen->start;
	map.len = seen->end - seen->start;
	place.offset = map.pgoff;
	place.len = map.len < UINT64_MAX - place.address ? map.len : UINT64_MAX - place.address;
	if (map.symbol)
		return add_compiled(loader, &map, &place);
	result = perf_find_file(loader->finder, &map, &found);
	return result == SL_OK ? add_found(loader->image, &map, &place, found, loader->notes) : result;
}

/* Two files lay here, and nothing tells which of them when: neither is taken. */
static int add_unknown(struct loader *loader, const struct perf_seen *seen, uint32_t core)
{
	struct sl_place place = { .core = core, .space = SL_SPACE_ANY, .address = seen->start,
				  .len = seen->end - seen->start };
	char first[128], second[128], name[300];

	snprintf(name, sizeof(name), "%s or %s", sl_printable(seen->other->name, first, sizeof(first)),
		 sl_printable(seen->map->name, second, sizeof(second)));
	return sl_image_add_missing(loader->image, name, &place);
}

/* A process's code as it was between two times. */
static int add_code(struct loader *loader, const struct perf_process *process, uint64_t from, uint64_t to, uint32_t core)
{
	struct perf_layout layout;
	int result = perf_layout_read(process, from, to, &layout);

	for (size_t i = 0; i < layout.len && result == SL_OK; i++) {
		if (layout.items[i].other)
			result = add_unknown(loader, &layout.items[i], core);
		else
			result = add_piece(loader, &layout.items[i], core);
	}
	perf_layout_release(&layout);
	return result;
}

static int add_views(struct loader *loader, size_t number)
{
	const struct perf_capture *perf = loader->cap->perf;
	const struct perf_process *process = &perf->processes.items[number];
	const struct perf_changes *changes = &perf->changes[number];
	uint32_t first_view = perf->first_views[number];
	size_t generations = changes->count + 1, views = sl_view_count(generations);
	int result = sl_image_add_changes(loader->image, (uint32_t)number, changes->times_ns, changes->count, first_view);

	if (changes->merged)
		sl_notes_add(loader->notes,
			     "process %u: code was replaced at more than %zu times; the first %zu are not told apart, and what was "
			     "at an address that changed there counts as unknown",
			     process->pid, changes->count, changes->merged);
	for (size_t i = 0; i < views && result == SL_OK; i++) {
		struct sl_view view = sl_view_at(generations, i);

		result = add_code(loader, process, view.first ? changes->times_ns[view.first - 1] : perf->start,
				  view.last + 1 < generations ? changes->times_ns[view.last] : UINT64_MAX,
				  first_view + (uint32_t)i);
	}
	return result;
}

static int add_process(struct loader *loader, size_t number)
{
	const struct perf_capture *perf = loader->cap->perf;

	if (perf->changes[number].count)
		return add_views(loader, number);
	return add_code(loader, &perf->processes.items[number], perf->start, UINT64_MAX, (uint32_t)number);
}

/* The kernel's and its modules'. The latest come first: where two overlap, the first that is added is believed. */
static int add_kernel(struct loader *loader)
{
	const struct perf_processes *processes = &loader->cap->perf->processes;
	int result = perf_kernel_add_kcore(loader->cap, loader->image, loader->notes, &loader->kernel_known);

	for (size_t p = 0; p < processes->len && !loader->kernel_known; p++) {
		const struct perf_process *process = &processes->items[p];

		for (size_t i = process->map_count; i > 0 && result == SL_OK; i--) {
			const struct perf_map *map = &process->maps[i - 1];

			if (map->kernel && map->executable && map->len)
				result = perf_kernel_add_map(loader->cap, loader->finder, loader->image, map,
							     loader->notes);
		}
	}
	return result;
}

/* Which process each thread runs in; the process itself is its first thread. */
static int add_tasks(const struct perf_processes *processes, struct sl_image *image)
{
	for (size_t i = 0; i < processes->len; i++) {
		if (sl_image_add_task(image, processes->items[i].pid, (uint32_t)i) < 0)
			return SL_ERR_NOMEM;
	}
	for (size_t i = 0; i < processes->thread_len; i++) {
		const struct perf_process *process = perf_process_find(processes, processes->threads[i].pid);

		if (process && sl_image_add_task(image, processes->threads[i].tid,
						 (uint32_t)(process - processes->items)) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

/* Tasks that ran without being recorded: their code is nobody's, and not that of the only process that was recorded. */
static int add_strangers(const struct perf_capture *perf, struct sl_image *image)
{
	int result = SL_OK;

	for (size_t i = 0; i < perf->switches.len && result == SL_OK; i++) {
		uint32_t task = perf->switches.items[i].task;

		if (task != PERF_NO_TASK && sl_image_task_core(image, task, SL_CORE_ANY) == SL_CORE_ANY)
			result = sl_image_add_task(image, task, perf->nobody);
	}
	return result;
}

int perf_images_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	const struct perf_processes *processes = &cap->perf->processes;
	struct loader loader = { .cap = cap, .image = image, .notes = notes };
	int result = perf_finder_new(cap, &loader.finder);

	if (result < 0)
		return result;
	sl_image_separate(image);
	result = add_tasks(processes, image);
	if (result == SL_OK)
		result = add_strangers(cap->perf, image);
	if (result == SL_OK)
		result = add_kernel(&loader);
	for (size_t i = 0; i < processes->len && result == SL_OK; i++)
		result = add_process(&loader, i);
	if (result == SL_OK)
		result = perf_ksymbols_add(cap, image, loader.kernel_known, notes);
	if (result == SL_OK)
		result = perf_containers_note(cap, notes);
	if (result == SL_OK)
		result = simpleperf_names_add(cap, image, notes);
	if (result == SL_OK)
		result = perf_jit_names_add(cap, image, notes);
	perf_text_pokes_note(cap, notes);
	perf_finder_free(loader.finder);
	return result;
}
