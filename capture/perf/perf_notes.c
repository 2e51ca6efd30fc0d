/* SPDX-License-Identifier: Apache-2.0 */
/* What makes files differ from what ran: code that was patched while recording, and paths that are a container's. */
#include "perf_images.h"

#include "sl_text.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * TEXT_POKE: u64 addr; u16 old_len, new_len; the bytes. The image shows one state of them: which one the trace saw where is
 * not followed. Arm kernels write no such records as of 6.12.
 */
void perf_text_pokes_note(const struct sl_capture *cap, struct sl_notes *notes)
{
	const struct perf_file *file = cap->perf->file;
	const struct perf_record *records, *first = NULL;
	size_t count = perf_file_records(file, &records), pokes = 0;

	for (size_t i = 0; i < count; i++) {
		if (records[i].type != PERF_TEXT_POKE)
			continue;
		first = first ? first : &records[i];
		pokes++;
	}
	if (first)
		sl_notes_add(notes,
			     "kernel code was patched while it was recorded: %zu times, the first at 0x%" PRIx64 " at time %" PRIu64
			     " (record at offset 0x%" PRIx64 "): the image shows it in one state, and trace through the other is wrong "
			     "there",
			     pokes, perf_u64(file, first, 0), first->who.time, first->offset);
}

struct mount_space {
	uint64_t device, inode; /* inode 0: not told */
};

/* NAMESPACES: u32 pid, tid; u64 count; so many of u64 device, inode: net, uts, ipc, pid, user, mnt, cgroup. */
enum { MOUNT_INDEX = 5, MOUNT_AT = 16 + 16 * MOUNT_INDEX };

/* The last one that is told of each process, in the order of the processes; NULL: out of memory. */
static struct mount_space *read_spaces(const struct sl_capture *cap, size_t *ret_known)
{
	const struct perf_processes *processes = &cap->perf->processes;
	struct mount_space *spaces = calloc(processes->len + 1, sizeof(*spaces));
	const struct perf_file *file = cap->perf->file;
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);

	*ret_known = 0;
	for (size_t i = 0; spaces && i < count; i++) {
		const struct perf_record *record = &records[i];
		const struct perf_process *process;

		if (record->type != PERF_NAMESPACES || perf_u64(file, record, 8) <= MOUNT_INDEX ||
		    record->body_len < MOUNT_AT + 16)
			continue;
		process = perf_process_find(processes, perf_u32(file, record, 0));
		if (!process)
			continue;
		++*ret_known;
		spaces[process - processes->items] =
			(struct mount_space){ perf_u64(file, record, MOUNT_AT), perf_u64(file, record, MOUNT_AT + 8) };
	}
	return spaces;
}

static int compare(const void *left, const void *right)
{
	const struct mount_space *a = left, *b = right;

	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->device < b->device ? -1 : a->device > b->device;
}

/* That of process 1, or of most processes. copy: len spaces, which are sorted here. */
static struct mount_space usual_space(const struct perf_processes *processes, const struct mount_space *spaces,
				      struct mount_space *copy)
{
	const struct perf_process *init = perf_process_find(processes, 1);
	struct mount_space best = { 0 };
	size_t best_count = 0;

	if (init && spaces[init - processes->items].inode)
		return spaces[init - processes->items];
	qsort(copy, processes->len, sizeof(*copy), compare);
	for (size_t i = 0, n; i < processes->len; i += n) {
		for (n = 1; i + n < processes->len && compare(&copy[i], &copy[i + n]) == 0;)
			n++;
		if (copy[i].inode && n > best_count) {
			best_count = n;
			best = copy[i];
		}
	}
	return best;
}

static bool has_files(const struct perf_process *process)
{
	for (size_t i = 0; i < process->map_count; i++) {
		if (process->maps[i].executable && process->maps[i].name[0] == '/')
			return true;
	}
	return false;
}

static void note_containers(const struct perf_processes *processes, const struct mount_space *spaces,
			    struct mount_space usual, struct sl_notes *notes)
{
	const struct perf_process *first = NULL;
	char comm[64];
	size_t count = 0;

	for (size_t i = 0; i < processes->len; i++) {
		const struct perf_process *process = &processes->items[i];

		if (!spaces[i].inode || compare(&spaces[i], &usual) == 0 || !has_files(process))
			continue;
		first = first ? first : process;
		count++;
	}
	if (first)
		sl_notes_add(notes,
			     "processes in a mount namespace of their own: %zu, the first %s (%" PRIu32 "): the paths of their files "
			     "are those of a container; give its root with --symfs DIR",
			     count, sl_printable(first->comm ? first->comm : "process", comm, sizeof(comm)), first->pid);
}

int perf_containers_note(const struct sl_capture *cap, struct sl_notes *notes)
{
	const struct perf_processes *processes = &cap->perf->processes;
	size_t known;
	struct mount_space *spaces = read_spaces(cap, &known);
	struct mount_space *copy = calloc(processes->len + 1, sizeof(*copy));

	if (spaces && copy && known && !cap->perf->symfs) {
		for (size_t i = 0; i < processes->len; i++)
			copy[i] = spaces[i];
		note_containers(processes, spaces, usual_space(processes, spaces, copy), notes);
	}
	free(copy);
	free(spaces);
	return spaces && copy ? SL_OK : SL_ERR_NOMEM;
}
