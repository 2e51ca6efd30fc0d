/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_capture.h"

#include "perf_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_text.h"

static bool has_code(const struct perf_process *process)
{
	for (size_t i = 0; i < process->map_count; i++) {
		if (process->maps[i].executable && !process->maps[i].kernel)
			return true;
	}
	return false;
}

/* The only process that has code in user space: what no context id and no thread id is told for is its. */
static void find_home(struct perf_capture *perf)
{
	const struct perf_processes *processes = &perf->processes;
	size_t count = 0;

	perf->home = SL_CORE_ANY;
	for (size_t i = 0; i < processes->len; i++) {
		if (has_code(&processes->items[i]) && !count++)
			perf->home = (uint32_t)i;
	}
	perf->several = count > 1;
	if (perf->several)
		perf->home = SL_CORE_ANY;
}

/* Whether tracing was switched on by an exec: perf record ./app. */
static bool from_exec(const struct perf_capture *perf)
{
	const struct perf_attr *attr = perf_event_of(perf).attr;

	return attr && attr->flags & PERF_ATTR_ENABLE_ON_EXEC;
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

static const char *name_of(struct sl_capture *cap, const struct perf_process *process)
{
	char comm[64], name[96];

	if (process->comm)
		snprintf(name, sizeof(name), "%s (%u)", sl_printable(process->comm, comm, sizeof(comm)), process->pid);
	else
		snprintf(name, sizeof(name), "process %u", process->pid);
	return sl_capture_keep(cap, name);
}

/* Cores are processes, then nobody, then the views of processes that change; all are shown by the process's name. */
static int name_cores(struct sl_capture *cap, size_t count)
{
	const struct perf_capture *perf = cap->perf;

	cap->core_names = calloc(count, sizeof(*cap->core_names));
	if (!cap->core_names)
		return SL_ERR_NOMEM;
	cap->core_names[perf->nobody] = "unknown process";
	for (size_t i = 0; i < perf->processes.len; i++) {
		size_t views = perf->changes[i].count ? sl_view_count(perf->changes[i].count + 1) : 0;

		cap->core_names[i] = name_of(cap, &perf->processes.items[i]);
		if (!cap->core_names[i])
			return SL_ERR_NOMEM;
		for (size_t v = 0; v < views; v++)
			cap->core_names[perf->first_views[i] + v] = cap->core_names[i];
	}
	cap->core_len = count;
	return SL_OK;
}

/* Views are numbered behind one another: those of a process begin at its first one. */
uint32_t perf_core_of(const struct perf_capture *perf, uint32_t core)
{
	size_t low = 0, high = perf->processes.len;

	if (core <= perf->nobody || core == SL_CORE_ANY)
		return core;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (perf->first_views[middle] <= core)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)(low - 1) : core;
}

static int make_cores(struct sl_capture *cap)
{
	struct perf_capture *perf = cap->perf;
	size_t len = perf->processes.len, count = len + 1;

	perf->nobody = (uint32_t)len;
	perf->changes = calloc(len + 1, sizeof(*perf->changes));
	perf->first_views = calloc(len + 1, sizeof(*perf->first_views));
	if (!perf->changes || !perf->first_views)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < len; i++) {
		perf->first_views[i] = (uint32_t)count;
		if (perf_changes_find(&perf->processes.items[i], perf->start, &perf->changes[i]) < 0)
			return SL_ERR_NOMEM;
		count += perf->changes[i].count ? sl_view_count(perf->changes[i].count + 1) : 0;
	}
	return name_cores(cap, count);
}

static int build(struct sl_capture *cap, const char *symfs, struct sl_notes *notes)
{
	struct perf_capture *perf = cap->perf;
	int result;

	if (symfs && !(perf->symfs = strdup(symfs)))
		return SL_ERR_NOMEM;
	result = perf_processes_read(perf->file, notes, &perf->processes);
	if (result == SL_OK)
		result = perf_build_ids_give(perf->file, &perf->processes, notes);
	if (result < 0)
		return result;
	result = perf_jits_read(cap, notes);
	if (result < 0)
		return result;
	perf->start = trace_start(perf);
	find_home(perf);
	result = perf_switches_read(perf->file, &perf->switches);
	if (result == SL_OK)
		result = make_cores(cap);
	if (result == SL_OK)
		result = perf_facts_add(cap);
	if (result == SL_OK)
		result = perf_processes_describe(cap);
	if (result == SL_OK)
		result = perf_lanes_build(cap, notes);
	return result < 0 ? result : perf_wishes_add(cap);
}

/* Notes about the trace and the processes tell offsets; which file they are of is told once, before them. */
static void tell(const char *path, const struct sl_notes *from, struct sl_notes *notes)
{
	char name[256];
	bool offsets = false;

	for (size_t i = 0; i < from->len; i++)
		offsets |= strstr(from->items[i].text, "offset 0x") != NULL;
	if (offsets)
		sl_notes_add(notes, "%s: the offsets below are those of this file%s", sl_printable(path, name, sizeof(name)),
			     strcmp(path, "-") == 0 ? "'s bytes, from 0 on" : "");
	sl_notes_merge(notes, from);
}

static int read_trace(struct sl_capture *cap, const char *path, const char *symfs, struct sl_notes *notes,
		      struct sl_diag *diag)
{
	struct sl_diag why = { "" };
	int result = cs_etm_read(cap->perf->file, notes, &cap->perf->etm, &why);

	if (result < 0)
		return sl_fail(diag, result, "%s: %s", path, why.text);
	result = build(cap, symfs, notes);
	return result < 0 ? sl_fail(diag, result, "%s: not enough memory", path) : SL_OK;
}

int perf_capture_open(struct sl_capture *cap, const char *path, const char *symfs, struct sl_notes *notes,
		      struct sl_diag *diag)
{
	struct sl_notes own = SL_NOTES_INIT;
	int result;

	cap->container = "perf.data";
	cap->perf = calloc(1, sizeof(*cap->perf));
	if (!cap->perf || !(cap->perf->path = strdup(path)))
		return sl_fail(diag, SL_ERR_NOMEM, "%s: not enough memory", path);
	result = perf_file_open(path, notes, &cap->perf->file, diag);
	if (result < 0)
		return result;
	result = read_trace(cap, path, symfs, &own, diag);
	tell(path, &own, notes);
	sl_notes_release(&own);
	return result;
}

ptrdiff_t perf_capture_read(const struct perf_capture *perf, uint64_t offset, void *dst, size_t len)
{
	return (ptrdiff_t)perf_file_read(perf->file, offset, dst, len);
}

void perf_capture_free(struct perf_capture *perf)
{
	if (!perf)
		return;
	for (size_t i = 0; perf->changes && i < perf->processes.len; i++)
		free(perf->changes[i].times_ns);
	free(perf->changes);
	free(perf->first_views);
	perf_switches_release(&perf->switches);
	perf_jits_release(&perf->jits);
	perf_processes_release(&perf->processes);
	cs_etm_release(&perf->etm);
	perf_file_close(perf->file);
	free(perf->path);
	free(perf->symfs);
	free(perf);
}
