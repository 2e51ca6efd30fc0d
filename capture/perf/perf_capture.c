/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_capture.h"

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

/* Processes by index, as they are shown: "app (4242)". */
static int name_cores(struct sl_capture *cap)
{
	const struct perf_processes *processes = &cap->perf->processes;

	cap->core_names = calloc(processes->len + 1, sizeof(*cap->core_names));
	if (!cap->core_names)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < processes->len; i++) {
		const struct perf_process *process = &processes->items[i];
		char comm[64], name[96];

		if (process->comm)
			snprintf(name, sizeof(name), "%s (%u)", sl_printable(process->comm, comm, sizeof(comm)), process->pid);
		else
			snprintf(name, sizeof(name), "process %u", process->pid);
		cap->core_names[i] = sl_capture_keep(cap, name);
		if (!cap->core_names[i])
			return SL_ERR_NOMEM;
	}
	cap->core_len = processes->len;
	return SL_OK;
}

static int build(struct sl_capture *cap, const char *symfs, struct sl_notes *notes)
{
	struct perf_capture *perf = cap->perf;
	int result;

	if (symfs && !(perf->symfs = strdup(symfs)))
		return SL_ERR_NOMEM;
	result = perf_processes_read(perf->file, notes, &perf->processes);
	if (result < 0)
		return result;
	find_home(perf);
	result = name_cores(cap);
	if (result == SL_OK)
		result = perf_facts_add(cap);
	return result < 0 ? result : perf_lanes_build(cap, notes);
}

int perf_capture_open(struct sl_capture *cap, const char *path, const char *symfs, struct sl_notes *notes,
		      struct sl_diag *diag)
{
	struct sl_diag why = { "" };
	int result;

	cap->container = "perf.data";
	cap->perf = calloc(1, sizeof(*cap->perf));
	if (!cap->perf)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: not enough memory", path);
	result = perf_file_open(path, notes, &cap->perf->file, diag);
	if (result < 0)
		return result;
	result = cs_etm_read(cap->perf->file, notes, &cap->perf->etm, &why);
	if (result < 0)
		return sl_fail(diag, result, "%s: %s", path, why.text);
	result = build(cap, symfs, notes);
	return result < 0 ? sl_fail(diag, result, "%s: not enough memory", path) : SL_OK;
}

ptrdiff_t perf_capture_read(const struct perf_capture *perf, uint64_t offset, void *dst, size_t len)
{
	return (ptrdiff_t)perf_file_read(perf->file, offset, dst, len);
}

void perf_capture_free(struct perf_capture *perf)
{
	if (!perf)
		return;
	perf_processes_release(&perf->processes);
	cs_etm_release(&perf->etm);
	perf_file_close(perf->file);
	free(perf->symfs);
	free(perf);
}
