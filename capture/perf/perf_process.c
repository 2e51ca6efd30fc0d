/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_process.h"

#include "sl_array.h"
#include "sl_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MISC_CPUMODE = 7,
	MODE_KERNEL = 1,
	MODE_GUEST_KERNEL = 4,
	MODE_GUEST_USER = 5,
	MISC_MMAP_DATA = 1 << 13, /* MMAP: not executable */
	MISC_FORK_EXEC = 1 << 13, /* FORK: made up by perf for what ran already, whose maps follow */
	MISC_MMAP_BUILD_ID = 1 << 14,
	PROT_EXECUTE = 4,
};
enum {
	ALIVE_MAX = 65536,   /* maps of a process at a time: Linux's default vm.max_map_count */
	COPIES_MAX = 262144, /* maps that forks look at to copy: a small file cannot ask for much time and
				memory */
	NOTED_MAX = 16,
};
static const uint32_t NOBODY = UINT32_MAX;

/* A process's maps that are there now: by start, none overlaps another. Numbers of its maps. */
struct alive {
	uint32_t *maps;
	size_t len, cap;
};

struct trouble {
	uint64_t count, first; /* offset of the first one's record */
};

struct builder {
	const struct perf_file *file;
	struct sl_notes *notes;
	struct perf_processes *all;
	struct alive *alive; /* as all->items */
	size_t alive_cap;
	struct sl_map by_pid, by_tid; /* to numbers of items and threads, + 1 */
	uint64_t now;
	size_t copies;
	unsigned reused;
	struct trouble bad_maps, guest_maps, too_many, not_copied, lost;
};

static void count_trouble(struct trouble *trouble, const struct perf_record *record)
{
	if (!trouble->count++)
		trouble->first = record->offset;
}

static int process_of(struct builder *b, uint32_t pid, size_t *ret)
{
	uint64_t *place = sl_map_put(&b->by_pid, pid);
	struct perf_process process = { .pid = pid };
	size_t len = b->all->len;

	if (!place)
		return SL_ERR_NOMEM;
	if (!*place) {
		if (sl_array_reserve((void **)&b->alive, &b->alive_cap, sizeof(*b->alive), len + 1) < 0 ||
		    SL_ARRAY_PUSH(&b->all->items, &b->all->len, &b->all->cap, process) < 0)
			return SL_ERR_NOMEM;
		b->alive[len] = (struct alive){ 0 };
		*place = len + 1;
	}
	*ret = (size_t)*place - 1;
	return SL_OK;
}

/* A thread that was traced keeps its process when its number is used again. */
static int thread_of(struct builder *b, uint32_t tid, uint32_t pid, struct perf_thread **ret)
{
	uint64_t *place = sl_map_put(&b->by_tid, tid);
	struct perf_thread thread = { .tid = tid, .pid = pid };

	if (!place)
		return SL_ERR_NOMEM;
	if (!*place) {
		if (SL_ARRAY_PUSH(&b->all->threads, &b->all->thread_len, &b->all->thread_cap, thread) < 0)
			return SL_ERR_NOMEM;
		*place = b->all->thread_len;
	}
	*ret = &b->all->threads[*place - 1];
	if ((*ret)->pid == pid)
		return SL_OK;
	if (!(*ret)->traced)
		**ret = thread;
	else if (b->reused++ < NOTED_MAX)
		sl_notes_add(b->notes,
			     "thread id %" PRIu32 " is used by process %" PRIu32
			     ", which was traced, and by %" PRIu32 ": its trace is taken for the first",
			     tid, (*ret)->pid, pid);
	return SL_OK;
}

static uint64_t end_of(const struct perf_map *map)
{
	return map->start + map->len;
}

static bool same_map(const struct perf_map *a, const struct perf_map *b)
{
	return a->start == b->start && a->len == b->len && a->pgoff == b->pgoff &&
	       a->executable == b->executable && strcmp(a->name, b->name) == 0;
}

/* The first of the maps that are there that ends behind address. */
static size_t find_alive(const struct perf_process *process, const struct alive *alive, uint64_t address)
{
	size_t low = 0, high = alive->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (end_of(&process->maps[alive->maps[middle]]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int push_map(struct perf_process *process, const struct perf_map *map, uint32_t *ret)
{
	if (process->map_count >= UINT32_MAX)
		return SL_ERR_NOMEM;
	*ret = (uint32_t)process->map_count;
	return SL_ARRAY_PUSH(&process->maps, &process->map_count, &process->map_cap, *map);
}

/* A new map takes the place of what it overlaps, of which the rest stays: to the old one's left and right. */
static int replace(struct perf_process *process, struct alive *alive, size_t first, size_t last,
		   const struct perf_map *map)
{
	struct perf_map parts[3];
	uint32_t numbers[3];
	size_t count = 0;

	if (first < last && process->maps[alive->maps[first]].start < map->start) {
		parts[count] = process->maps[alive->maps[first]];
		parts[count].len = map->start - parts[count].start;
		parts[count++].from = map->from;
	}
	parts[count++] = *map;
	if (first < last && end_of(&process->maps[alive->maps[last - 1]]) > end_of(map)) {
		struct perf_map *right = &parts[count++];

		*right = process->maps[alive->maps[last - 1]];
		right->pgoff += end_of(map) - right->start;
		right->len = end_of(right) - end_of(map);
		right->start = end_of(map);
		right->from = map->from;
	}
	for (size_t i = first; i < last; i++)
		process->maps[alive->maps[i]].to = map->from;
	for (size_t i = 0; i < count; i++) {
		if (push_map(process, &parts[i], &numbers[i]) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_ARRAY_SPLICE(&alive->maps, &alive->len, &alive->cap, first, last, numbers, count);
}

static int add_map(struct builder *b, uint32_t pid, const struct perf_map *map,
		   const struct perf_record *record)
{
	struct perf_process *process;
	struct alive *alive;
	size_t number, first, last;

	if (process_of(b, pid, &number) < 0)
		return SL_ERR_NOMEM;
	process = &b->all->items[number];
	alive = &b->alive[number];
	first = last = find_alive(process, alive, map->start);
	while (last < alive->len && process->maps[alive->maps[last]].start < end_of(map))
		last++;
	if (last == first + 1 && same_map(&process->maps[alive->maps[first]], map)) {
		/* mprotect(2) tells of a map again; and the record may now know its build id. */
		struct perf_map *known = &process->maps[alive->maps[first]];

		if (map->build_id_len) {
			memcpy(known->build_id, map->build_id, sizeof(known->build_id));
			known->build_id_len = map->build_id_len;
		}
		return SL_OK;
	}
	if (alive->len - (last - first) > ALIVE_MAX - 3) {
		count_trouble(&b->too_many, record);
		return SL_OK;
	}
	return replace(process, alive, first, last, map);
}

static void take_build_id(const struct perf_record *record, struct perf_map *map)
{
	uint8_t len = record->body[32];

	map->build_id_len = len <= sizeof(map->build_id) ? len : sizeof(map->build_id);
	memcpy(map->build_id, record->body + 36, map->build_id_len);
}

/* MMAP: u32 pid, tid; u64 addr, len, pgoff; name. MMAP2 has before the name device and inode or build id, and
 * protection. */
static bool parse_map(const struct perf_file *file, const struct perf_record *record, struct perf_map *ret)
{
	bool second = record->type == PERF_MMAP2;
	uint32_t prot = second ? perf_u32(file, record, 56) : 0;

	if (record->body_len < (second ? 64 : 32))
		return false;
	*ret = (struct perf_map){ .start = perf_u64(file, record, 8),
				  .len = perf_u64(file, record, 16),
				  .pgoff = perf_u64(file, record, 24),
				  .to = UINT64_MAX,
				  .name = perf_string(record, second ? 64 : 32),
				  .record_offset = record->offset };
	ret->kernel = (record->misc & MISC_CPUMODE) == MODE_KERNEL || perf_u32(file, record, 0) == NOBODY;
	/* perf makes up the kernel's maps without a protection. */
	ret->executable = ret->kernel || !prot ? !(record->misc & MISC_MMAP_DATA) : prot & PROT_EXECUTE;
	if (second && record->misc & MISC_MMAP_BUILD_ID)
		take_build_id(record, ret);
	/* The kernel's own may be said to reach to the end of all addresses and further. */
	if (ret->kernel && ret->len > UINT64_MAX - ret->start)
		ret->len = UINT64_MAX - ret->start;
	return ret->len && ret->len <= UINT64_MAX - ret->start;
}

static int read_map(struct builder *b, const struct perf_record *record)
{
	unsigned mode = record->misc & MISC_CPUMODE;
	uint32_t pid = perf_u32(b->file, record, 0), tid = perf_u32(b->file, record, 4);
	struct perf_thread *thread;
	struct perf_map map;

	if (mode == MODE_GUEST_KERNEL || mode == MODE_GUEST_USER) {
		count_trouble(&b->guest_maps, record);
		return SL_OK;
	}
	if (!parse_map(b->file, record, &map)) {
		count_trouble(&b->bad_maps, record);
		return SL_OK;
	}
	map.from = b->now;
	if (!map.kernel && tid != NOBODY && thread_of(b, tid, pid, &thread) < 0)
		return SL_ERR_NOMEM;
	return add_map(b, map.kernel ? NOBODY : pid, &map, record);
}

/* All that is mapped is gone: a new program starts. */
static void end_maps(struct builder *b, size_t number)
{
	for (size_t i = 0; i < b->alive[number].len; i++)
		b->all->items[number].maps[b->alive[number].maps[i]].to = b->now;
	b->alive[number].len = 0;
}

/* COMM: u32 pid, tid; name. */
static int read_comm(struct builder *b, const struct perf_record *record)
{
	uint32_t pid = perf_u32(b->file, record, 0), tid = perf_u32(b->file, record, 4);
	const char *name = perf_string(record, 8);
	struct perf_thread *thread;
	size_t number;

	if (pid == NOBODY || tid == NOBODY)
		return SL_OK;
	if (process_of(b, pid, &number) < 0 || thread_of(b, tid, pid, &thread) < 0)
		return SL_ERR_NOMEM;
	if (*name && thread->pid == pid)
		thread->comm = name;
	if (*name && (pid == tid || !b->all->items[number].comm))
		b->all->items[number].comm = name;
	if (record->misc & PERF_MISC_COMM_EXEC)
		end_maps(b, number);
	return SL_OK;
}

/* The child has what is executable of its parent's maps. */
static int copy_maps(struct builder *b, size_t parent, size_t child, const struct perf_record *record)
{
	const struct alive *from = &b->alive[parent];

	for (size_t i = 0; i < from->len; i++) {
		struct perf_map map = b->all->items[parent].maps[from->maps[i]];
		uint32_t number;

		if (b->copies >= COPIES_MAX) {
			count_trouble(&b->not_copied, record);
			break;
		}
		b->copies++;
		if (!map.executable)
			continue;
		map.from = b->now;
		if (push_map(&b->all->items[child], &map, &number) < 0 ||
		    SL_ARRAY_PUSH(&b->alive[child].maps, &b->alive[child].len, &b->alive[child].cap, number) <
			    0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static int fork_process(struct builder *b, const struct perf_record *record, uint32_t pid, uint32_t ppid)
{
	size_t parent, child;

	if (process_of(b, pid, &child) < 0)
		return SL_ERR_NOMEM;
	if (pid == ppid || record->misc & MISC_FORK_EXEC)
		return SL_OK;
	/* The number may have been another's before. */
	end_maps(b, child);
	b->all->items[child].comm = NULL;
	if (!sl_map_get(&b->by_pid, ppid))
		return SL_OK;
	if (process_of(b, ppid, &parent) < 0)
		return SL_ERR_NOMEM;
	b->all->items[child].comm = b->all->items[parent].comm;
	return copy_maps(b, parent, child, record);
}

/* FORK: u32 pid, ppid, tid, ptid; u64 time. */
static int read_fork(struct builder *b, const struct perf_record *record)
{
	uint32_t pid = perf_u32(b->file, record, 0), ppid = perf_u32(b->file, record, 4);
	uint32_t tid = perf_u32(b->file, record, 8), ptid = perf_u32(b->file, record, 12);
	const uint64_t *parent = sl_map_get(&b->by_tid, ptid);
	struct perf_thread *thread;
	const char *comm = parent ? b->all->threads[*parent - 1].comm : NULL;

	if (record->body_len < 24 || pid == NOBODY || ppid == NOBODY || tid == NOBODY)
		return SL_OK;
	if (thread_of(b, tid, pid, &thread) < 0)
		return SL_ERR_NOMEM;
	if (thread->pid == pid && !thread->traced)
		thread->comm = comm;
	return fork_process(b, record, pid, ppid);
}

static int mark_traced(struct builder *b, uint32_t pid, uint32_t tid)
{
	struct perf_thread *thread;
	size_t number;

	if (pid == NOBODY || tid == NOBODY)
		return SL_OK;
	if (process_of(b, pid, &number) < 0 || thread_of(b, tid, pid, &thread) < 0)
		return SL_ERR_NOMEM;
	thread->traced = true;
	return SL_OK;
}

static int read_aux(struct builder *b, const struct perf_record *record)
{
	if (!record->who.has_tid || !perf_u64(b->file, record, 8))
		return SL_OK;
	return mark_traced(b, record->who.pid, record->who.tid);
}

static void count_lost(struct builder *b, const struct perf_record *record, uint64_t lost)
{
	if (!lost)
		return;
	count_trouble(&b->lost, record);
	b->all->lost_records =
		lost > UINT64_MAX - b->all->lost_records ? UINT64_MAX : b->all->lost_records + lost;
}

/* Time never runs back, so that a process's maps stay in order. */
static void set_time(struct builder *b, const struct perf_record *record)
{
	uint64_t time = 0;

	if (record->who.has_time)
		time = record->who.time;
	else if (record->type == PERF_FORK)
		time = perf_u64(b->file, record, 16);
	if (time > b->now && time != UINT64_MAX)
		b->now = time;
}

/* EXIT ends no maps: trace is read out after it, and the number's next user begins with a FORK. */
static int read_record(struct builder *b, const struct perf_record *record)
{
	set_time(b, record);
	switch (record->type) {
	case PERF_MMAP:
	case PERF_MMAP2:
		return read_map(b, record);
	case PERF_COMM:
		return read_comm(b, record);
	case PERF_FORK:
		return read_fork(b, record);
	case PERF_ITRACE_START:
		return mark_traced(b, perf_u32(b->file, record, 0), perf_u32(b->file, record, 4));
	case PERF_AUX:
		return read_aux(b, record);
	case PERF_LOST:
		count_lost(b, record, perf_u64(b->file, record, 8));
		return SL_OK;
	case PERF_LOST_SAMPLES:
		count_lost(b, record, perf_u64(b->file, record, 0));
		return SL_OK;
	default:
		return SL_OK;
	}
}

/* Maps that were replaced in the moment they came never were. */
static void drop_momentary(struct perf_process *process)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->map_count; i++) {
		if (process->maps[i].from != process->maps[i].to)
			process->maps[kept++] = process->maps[i];
	}
	process->map_count = kept;
}

static int by_pid(const void *left, const void *right)
{
	const struct perf_process *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int by_tid(const void *left, const void *right)
{
	const struct perf_thread *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void sort(struct perf_processes *all)
{
	for (size_t i = 0; i < all->len; i++)
		drop_momentary(&all->items[i]);
	if (all->len)
		qsort(all->items, all->len, sizeof(*all->items), by_pid);
	if (all->thread_len)
		qsort(all->threads, all->thread_len, sizeof(*all->threads), by_tid);
}

static void note(struct builder *b, const struct trouble *trouble, const char *what, const char *meaning)
{
	if (trouble->count)
		sl_notes_add(b->notes, "%s: %" PRIu64 " (the first at offset 0x%" PRIx64 ")%s", what,
			     trouble->count, trouble->first, meaning);
}

static void note_troubles(struct builder *b)
{
	if (b->reused > NOTED_MAX)
		sl_notes_add(b->notes, "%u more thread ids are used by several processes",
			     b->reused - NOTED_MAX);
	note(b, &b->bad_maps, "MMAP records too short or of impossible length", ": left out");
	note(b, &b->guest_maps, "MMAP records of a guest's programs", ": left out");
	note(b, &b->too_many, "MMAP records of processes that have 65,536 maps already", ": left out");
	note(b, &b->not_copied, "forks of which not all maps are known",
	     ": 262,144 had been copied before; name the images with --image");
	note(b, &b->lost, "LOST records",
	     ": maps of programs may be missing; record with larger buffers (-m SIZE)");
}

int perf_processes_read(const struct perf_file *file, struct sl_notes *notes, struct perf_processes *ret)
{
	struct perf_processes all = { 0 };
	struct builder b = { .file = file, .notes = notes, .all = &all };
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++)
		result = read_record(&b, &records[i]);
	for (size_t i = 0; i < all.len; i++)
		free(b.alive[i].maps);
	free(b.alive);
	sl_map_release(&b.by_pid);
	sl_map_release(&b.by_tid);
	if (result < 0) {
		perf_processes_release(&all);
		return result;
	}
	sort(&all);
	note_troubles(&b);
	*ret = all;
	return SL_OK;
}

void perf_processes_release(struct perf_processes *processes)
{
	for (size_t i = 0; i < processes->len; i++)
		free(processes->items[i].maps);
	free(processes->items);
	free(processes->threads);
	*processes = (struct perf_processes){ 0 };
}

const struct perf_process *perf_process_find(const struct perf_processes *processes, uint32_t pid)
{
	struct perf_process key = { .pid = pid };

	return processes->len ? bsearch(&key, processes->items, processes->len, sizeof(key), by_pid) : NULL;
}

const struct perf_thread *perf_thread_find(const struct perf_processes *processes, uint32_t tid)
{
	struct perf_thread key = { .tid = tid };

	return processes->thread_len
		       ? bsearch(&key, processes->threads, processes->thread_len, sizeof(key), by_tid)
		       : NULL;
}
