/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_jit.h"

#include "perf_images.h"
#include "sl_array.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Forked children have their parent's marker: a small file cannot ask for more work than this many times its size. */
enum { DUMPS_MAX = 64, NOTED_NAME = 256 };

/* The number in .../jit-PID.dump. */
static bool marker_pid(const char *name, uint32_t *ret)
{
	const char *slash = strrchr(name, '/');
	char *end;
	unsigned long pid;

	name = slash ? slash + 1 : name;
	if (strncmp(name, "jit-", 4) != 0 || name[4] < '0' || name[4] > '9')
		return false;
	pid = strtoul(name + 4, &end, 10);
	*ret = (uint32_t)pid;
	return strcmp(end, ".dump") == 0 && pid < UINT32_MAX;
}

bool perf_jit_is_marker(const char *name)
{
	uint32_t pid;

	return marker_pid(name, &pid);
}

/* perf record -k CLOCK_MONOTONIC, or the event's own way to say so. */
static bool clock_is_monotonic(const struct perf_file *file)
{
	const struct perf_attr *attrs;
	size_t count = perf_file_attrs(file, &attrs);

	for (size_t i = 0; i < count; i++) {
		if (!(attrs[i].flags & PERF_ATTR_USE_CLOCKID) || attrs[i].clockid != CLOCK_MONOTONIC)
			return false;
	}
	return count > 0;
}

static void settle_times(const struct sl_capture *cap, struct perf_jit *jit)
{
	const struct cs_etm_time_conv *conv = &cap->perf->etm.time_conv;

	jit->comparable = jit->dump.arch_time ? conv->known : clock_is_monotonic(cap->perf->file);
	for (size_t i = 0; jit->dump.arch_time && jit->comparable && i < jit->dump.count; i++)
		jit->dump.codes[i].time = perf_ticks_to_ns(conv, jit->dump.codes[i].time);
}

/* By ELF's e_machine. Another one's may come by chance of the process id. */
static bool is_arm(uint32_t machine)
{
	enum { ARM = 40, AARCH64 = 183 };

	return machine == ARM || machine == AARCH64;
}

/* SL_OK, SL_ERR_NOMEM, or another error with diag. */
static int read_file(struct perf_jit *jit, struct sl_notes *notes, struct sl_diag *diag)
{
	char shown[NOTED_NAME];
	int result = sl_file_map(jit->path, &jit->file, diag);

	sl_printable(jit->path, shown, sizeof(shown));
	if (result == SL_OK)
		result = jitdump_parse(shown, (struct sl_bytes){ jit->file.data, jit->file.len, 0 }, notes, &jit->dump, diag);
	if (result == SL_OK && !is_arm(jit->dump.machine))
		result = sl_fail(diag, SL_ERR_UNSUPPORTED, "%s: has code for another machine (ELF's number %" PRIu32 ")", shown,
				 jit->dump.machine);
	return result;
}

int perf_jit_open(const struct sl_capture *cap, uint32_t core, const char *marker, struct sl_notes *notes, struct perf_jit *ret)
{
	struct perf_jit jit = { .core = core };
	struct sl_diag diag = { "" };
	char shown[NOTED_NAME];
	int result = perf_side_file(cap, marker, notes, &jit.path);

	if (result == SL_OK && !jit.path) {
		sl_notes_add(notes, "%s: the code that process %" PRIu32 " compiled is not here; copy it beside the recording, or "
			     "below --symfs DIR", sl_printable(marker, shown, sizeof(shown)),
			     cap->perf->processes.items[core].pid);
		return SL_END;
	}
	if (result == SL_OK)
		result = read_file(&jit, notes, &diag);
	if (result == SL_OK) {
		settle_times(cap, &jit);
		*ret = jit;
		return SL_OK;
	}
	perf_jit_release(&jit);
	if (result == SL_ERR_NOMEM)
		return result;
	sl_notes_add(notes, "%s", diag.text);
	return SL_END;
}

void perf_jit_release(struct perf_jit *jit)
{
	jitdump_release(&jit->dump);
	sl_file_unmap(&jit->file);
	free(jit->path);
	*jit = (struct perf_jit){ 0 };
}

static int by_address(const void *left, const void *right)
{
	const struct jit_code *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Functions that share addresses with one that begins before or where they do. */
static int count_overlaps(const struct jitdump *dump, size_t *ret)
{
	struct jit_code *sorted = calloc(dump->count + 1, sizeof(*sorted));
	uint64_t end = 0;
	size_t count = 0;

	if (!sorted)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < dump->count; i++)
		sorted[i] = dump->codes[i];
	qsort(sorted, dump->count, sizeof(*sorted), by_address);
	for (size_t i = 0; i < dump->count; i++) {
		uint64_t here = sorted[i].address + sorted[i].size;

		count += sorted[i].address < end;
		end = here > end ? here : end;
	}
	free(sorted);
	*ret = count;
	return SL_OK;
}

static struct perf_map map_of(const struct perf_jit *jit, const struct jit_code *code)
{
	return (struct perf_map){ .start = code->address, .len = code->size, .pgoff = code->file_offset,
				  .from = jit->comparable ? code->time : 0, .to = UINT64_MAX, .name = jit->path,
				  .symbol = code->name, .executable = true, .record_offset = code->record_offset };
}

/* Both are in order of time. */
static void merge(const struct perf_map *a, size_t a_len, const struct perf_map *b, size_t b_len, struct perf_map *ret)
{
	size_t i = 0, k = 0;

	while (i < a_len || k < b_len) {
		if (i < a_len && (k == b_len || a[i].from <= b[k].from))
			*ret++ = a[i++];
		else
			*ret++ = b[k++];
	}
}

/* Functions whose times are of another clock have all the time: where two share an address, none is decoded there. */
static int add_codes(const struct perf_jit *jit, struct perf_process *process)
{
	size_t count = jit->dump.count, len = process->map_count + count;
	struct perf_map *codes = calloc(count + 1, sizeof(*codes)), *all = calloc(len + 1, sizeof(*all));
	int result = codes && all ? SL_OK : SL_ERR_NOMEM;

	for (size_t i = 0; i < count && result == SL_OK; i++)
		codes[i] = map_of(jit, &jit->dump.codes[i]);
	if (result == SL_OK && jit->comparable)
		result = perf_maps_end_replaced(codes, count);
	if (result == SL_OK) {
		merge(process->maps, process->map_count, codes, count, all);
		free(process->maps);
		process->maps = all;
		process->map_count = process->map_cap = len;
		all = NULL;
	}
	free(codes);
	free(all);
	return result;
}

static int note_overlaps(const struct perf_jit *jit, struct sl_notes *notes)
{
	char shown[NOTED_NAME];
	size_t overlaps = 0;
	int result = jit->comparable ? SL_OK : count_overlaps(&jit->dump, &overlaps);

	if (overlaps)
		sl_notes_add(notes,
			     "%s: %zu of its %zu functions share addresses with others, and its times are of another clock than the "
			     "recording's: none is decoded there; record with -k mono",
			     sl_printable(jit->path, shown, sizeof(shown)), overlaps, jit->dump.count);
	return result;
}

/* Whether a process wrote what a map of it marks: its number is the file's, or that is nobody's (in a container). */
static bool is_its_own(const struct perf_processes *processes, uint32_t core, uint32_t pid)
{
	return processes->items[core].pid == pid || !perf_process_find(processes, pid);
}

/* Which jitdumps were read, of whom. */
struct read_dumps {
	const char *names[DUMPS_MAX];
	uint32_t cores[DUMPS_MAX];
	unsigned count;
};

/* mprotect(2) and the like tell of a map again. */
static bool is_read(const struct read_dumps *read, uint32_t core, const char *name)
{
	for (unsigned i = 0; i < read->count; i++) {
		if (read->cores[i] == core && strcmp(read->names[i], name) == 0)
			return true;
	}
	return false;
}

/* Keeps the jitdump, which the maps point into. */
static int take_dump(struct perf_capture *perf, struct perf_jit *jit, struct sl_notes *notes)
{
	struct perf_jits *jits = &perf->jits;
	int result = note_overlaps(jit, notes);

	if (result == SL_OK)
		result = add_codes(jit, &perf->processes.items[jit->core]);
	if (SL_ARRAY_PUSH(&jits->items, &jits->len, &jits->cap, *jit) == SL_OK)
		return result;
	perf_jit_release(jit);
	return SL_ERR_NOMEM;
}

static int add_process(struct sl_capture *cap, uint32_t core, struct read_dumps *read, struct sl_notes *notes)
{
	const struct perf_process *process = &cap->perf->processes.items[core];
	int result = SL_OK;

	for (size_t i = 0; i < process->map_count && read->count < DUMPS_MAX && result == SL_OK; i++) {
		const char *name = process->maps[i].name;
		struct perf_jit jit;
		uint32_t pid;

		if (process->maps[i].kernel || !marker_pid(name, &pid) || !is_its_own(&cap->perf->processes, core, pid) ||
		    process->maps[i].symbol || is_read(read, core, name))
			continue;
		read->names[read->count] = name;
		read->cores[read->count++] = core;
		result = perf_jit_open(cap, core, name, notes, &jit);
		if (result == SL_OK)
			result = take_dump(cap->perf, &jit, notes);
		result = result == SL_END ? SL_OK : result;
	}
	return result;
}

int perf_jits_read(struct sl_capture *cap, struct sl_notes *notes)
{
	struct read_dumps read = { .count = 0 };
	int result = SL_OK;

	for (size_t i = 0; i < cap->perf->processes.len && result == SL_OK; i++)
		result = add_process(cap, (uint32_t)i, &read, notes);
	if (read.count == DUMPS_MAX)
		sl_notes_add(notes, "%d jitdumps are read; there may be more, which are not", DUMPS_MAX);
	return result;
}

void perf_jits_release(struct perf_jits *jits)
{
	for (size_t i = 0; i < jits->len; i++)
		perf_jit_release(&jits->items[i]);
	free(jits->items);
	*jits = (struct perf_jits){ 0 };
}
