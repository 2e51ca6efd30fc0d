/* SPDX-License-Identifier: Apache-2.0 */
/* What was mapped: files of the processes, each in an address space of its own, and the tasks that run in them. */
#include "perf_images.h"

#include "sl_file.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Maps are of whole pages, files end where they end. */
static bool clip(const char *path, struct sl_place *place)
{
	struct stat st;

	if (stat(path, &st) < 0 || place->offset >= (uint64_t)st.st_size)
		return false;
	if (place->len > (uint64_t)st.st_size - place->offset)
		place->len = (uint64_t)st.st_size - place->offset;
	return place->len > 0;
}

int perf_map_missing(struct sl_image *image, const struct perf_map *map, const struct sl_place *place,
		       const struct perf_found *found, struct sl_notes *notes)
{
	char name[256];

	if (found->mismatch.text[0])
		sl_notes_add(notes,
			     "%s at 0x%" PRIx64 ": %s: give the file that ran with --symfs DIR, or add it to perf's cache "
			     "(perf buildid-cache --add)",
			     sl_printable(map->name, name, sizeof(name)), map->start, found->mismatch.text);
	return sl_image_add_missing(image, map->name, place);
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

	if (!found->path || !clip(found->path, place))
		return perf_map_missing(image, map, place, found, notes);
	return perf_map_note_unused(map, sl_image_add_dump(image, found->path, place, notes, &diag), &diag, notes);
}

static int add_map(const struct sl_capture *cap, struct sl_image *image, const struct perf_map *map, uint32_t core,
		   struct sl_notes *notes)
{
	struct sl_place place = { .core = core, .space = SL_SPACE_ANY, .address = map->start, .offset = map->pgoff,
				  .len = map->len, .address_known = true };
	struct perf_found found;
	int result;

	if (!map->executable || !map->len || !map->name[0])
		return SL_OK;
	if (place.len > UINT64_MAX - place.address)
		place.len = UINT64_MAX - place.address;
	result = perf_find_file(cap, map, &found);
	if (result == SL_OK)
		result = add_found(image, map, &place, &found, notes);
	free(found.path);
	return result;
}

/* The latest maps come first: where two overlap, the first that is added is believed. */
static int add_process(const struct sl_capture *cap, struct sl_image *image, const struct perf_process *process,
		       uint32_t core, uint64_t start, bool kernel_known, struct sl_notes *notes)
{
	int result = SL_OK;

	for (size_t i = process->map_count; i > 0 && result == SL_OK; i--) {
		const struct perf_map *map = &process->maps[i - 1];

		if (map->to <= start)
			continue;
		if (!map->kernel)
			result = add_map(cap, image, map, core, notes);
		else if (map->executable && map->len && !kernel_known)
			result = perf_kernel_add_map(cap, image, map, notes);
	}
	return result;
}

/* Whether tracing was switched on by an exec: perf record ./app. */
static bool from_exec(const struct perf_capture *perf)
{
	const struct perf_attr *attrs;
	size_t count = perf_file_attrs(perf->file, &attrs);

	for (size_t i = 0; i < count; i++) {
		if (attrs[i].type == perf->etm.pmu_type)
			return attrs[i].flags & PERF_ATTR_ENABLE_ON_EXEC;
	}
	return false;
}

/* When the first task began to be traced; 0 where no record tells. What was mapped until then never ran traced. */
static uint64_t trace_start(const struct perf_capture *perf)
{
	const struct perf_record *records;
	size_t count = perf_file_records(perf->file, &records);
	bool exec = from_exec(perf);

	for (size_t i = 0; i < count; i++) {
		if (exec ? records[i].type == PERF_COMM && records[i].misc & PERF_MISC_COMM_EXEC :
			   records[i].type == PERF_ITRACE_START)
			return records[i].who.time;
	}
	return 0;
}

/* What was mapped before something else came to its place: trace from that time is decoded with the latter. */
static void note_replaced(const struct perf_process *process, uint64_t start, struct cs_etm_tally *tally, struct sl_notes *notes)
{
	const struct perf_map *first = NULL;
	char name[128];
	size_t count = 0;

	for (size_t i = 0; i < process->map_count; i++) {
		const struct perf_map *map = &process->maps[i];

		if (map->to == UINT64_MAX || map->to <= start || !map->executable || map->kernel)
			continue;
		first = first ? first : map;
		count++;
	}
	if (count && cs_etm_tally_next(tally))
		sl_notes_add(notes,
			     "process %u: code maps that others replaced while it was recorded (exec, dlclose): %zu, the first "
			     "%s at 0x%" PRIx64 "; trace from before that is decoded with what came last",
			     process->pid, count, sl_printable(first->name, name, sizeof(name)), first->start);
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

int perf_images_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	const struct perf_processes *processes = &cap->perf->processes;
	struct cs_etm_tally replaced = { 0 };
	uint64_t start = trace_start(cap->perf);
	bool kernel_known = false;
	int result;

	sl_image_separate(image);
	result = add_tasks(processes, image);
	if (result == SL_OK)
		result = perf_kernel_add_kcore(cap, image, notes, &kernel_known);
	for (size_t i = 0; i < processes->len && result == SL_OK; i++) {
		note_replaced(&processes->items[i], start, &replaced, notes);
		result = add_process(cap, image, &processes->items[i], (uint32_t)i, start, kernel_known, notes);
	}
	cs_etm_tally_end(&replaced, "processes with replaced code maps", notes);
	return result;
}
