/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "perf/perf_process.h"
#include "perf_write.h"
#include "temp_files.h"

#define NOBODY UINT32_MAX

enum { KERNEL = 1, USER = 2, GUEST = 5, BIT13 = 1 << 13, BUILD_ID = 1 << 14 };

static struct perf_writer writer;
static struct perf_file *file;
static struct perf_processes all;
static struct sl_notes notes;

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

/* TID and TIME in each trailer. */
int case_setup(void **state)
{
	perf_writer_init(&writer, false);
	perf_write_attr(&writer,
			(struct perf_write_attr){ .type = 8, .sample_type = 2 | 4, .flags = 1 << 18 });
	return 0;
}

int case_teardown(void **state)
{
	perf_processes_release(&all);
	sl_notes_release(&notes);
	perf_file_close(file);
	perf_writer_release(&writer);
	file = NULL;
	return 0;
}

static void begin(uint32_t type, uint16_t misc, const uint32_t *words, size_t count)
{
	perf_write_begin(&writer, type, misc);
	for (size_t i = 0; i < count; i++)
		perf_put32(&writer.records, words[i]);
}

static void end(uint32_t pid, uint32_t tid, uint64_t time)
{
	perf_put32(&writer.records, pid);
	perf_put32(&writer.records, tid);
	perf_put64(&writer.records, time);
	perf_write_end(&writer);
}

static void put_range(uint64_t start, uint64_t len, uint64_t pgoff)
{
	perf_put64(&writer.records, start);
	perf_put64(&writer.records, len);
	perf_put64(&writer.records, pgoff);
}

static void mmap1(uint64_t time, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len, const char *name)
{
	begin(PERF_MMAP, misc, (uint32_t[]){ pid, pid }, 2);
	put_range(start, len, 0);
	perf_put_text(&writer.records, name);
	end(pid, pid, time);
}

/* An executable map of a file, from its offset 0x1000 on. */
static void map(uint64_t time, uint32_t pid, uint64_t start, uint64_t len, const char *name)
{
	begin(PERF_MMAP2, USER, (uint32_t[]){ pid, pid }, 2);
	put_range(start, len, 0x1000);
	put_range(0, 0, 0);
	perf_put32(&writer.records, 5);
	perf_put32(&writer.records, 2);
	perf_put_text(&writer.records, name);
	end(pid, pid, time);
}

static void comm(uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid, const char *name)
{
	begin(PERF_COMM, misc, (uint32_t[]){ pid, tid }, 2);
	perf_put_text(&writer.records, name);
	end(pid, tid, time);
}

static void fork_of(uint64_t time, uint16_t misc, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	begin(PERF_FORK, misc, (uint32_t[]){ pid, ppid, tid, ptid }, 4);
	perf_put64(&writer.records, time);
	end(pid, tid, time);
}

static void read_all(void)
{
	struct perf_bytes whole;
	struct sl_diag diag;
	const char *path;

	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	path = temp_write("perf.data", whole.data, whole.len);
	perf_bytes_release(&whole);
	assert_int_equal(perf_file_open(path, &notes, &file, &diag), SL_OK);
	assert_int_equal(perf_processes_read(file, &notes, &all), SL_OK);
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < notes.len; i++) {
		if (strstr(notes.items[i].text, part))
			return true;
	}
	return false;
}

/* "1000+1000@1000 10-20 a": start, length and offset of all maps, when they were there, name. */
static const char *maps(uint32_t pid)
{
	static char text[1024];
	const struct perf_process *process = perf_process_find(&all, pid);
	size_t used = 0;

	assert_non_null(process);
	*text = '\0';
	for (size_t i = 0; i < process->map_count && used < sizeof(text); i++) {
		const struct perf_map *m = &process->maps[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llx+%llx@%llx %llu-",
					 i ? ", " : "", (unsigned long long)m->start,
					 (unsigned long long)m->len, (unsigned long long)m->pgoff,
					 (unsigned long long)m->from);
		if (m->to != UINT64_MAX && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%llu",
						 (unsigned long long)m->to);
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", m->name);
	}
	return text;
}

void test_perf_process__maps_and_names(void **state)
{
	comm(1, 0, 5, 5, "old");
	comm(2, 0, 5, 6, "worker");
	comm(3, 0, 5, 5, "app");
	map(4, 5, 0x10000, 0x2000, "/bin/app");
	map(5, 5, 0x30000, 0x1000, "/lib/libc.so");
	map(6, 3, 0x10000, 0x1000, "/bin/other");
	read_all();
	assert_int_equal(all.len, 2);
	assert_int_equal(all.items[0].pid, 3);
	assert_null(all.items[0].comm);
	assert_string_equal(perf_process_find(&all, 5)->comm, "app");
	assert_string_equal(maps(5), "10000+2000@1000 4- /bin/app, 30000+1000@1000 5- /lib/libc.so");
	assert_true(perf_process_find(&all, 5)->maps[0].executable);
	assert_false(perf_process_find(&all, 5)->maps[0].kernel);
	assert_string_equal(perf_thread_find(&all, 6)->comm, "worker");
	assert_int_equal(perf_thread_find(&all, 6)->pid, 5);
	assert_false(perf_thread_find(&all, 6)->traced);
	assert_null(perf_thread_find(&all, 7));
	assert_null(perf_process_find(&all, 7));
	assert_int_equal(notes.len, 0);
}

void test_perf_process__kernel_maps_are_nobodys(void **state)
{
	mmap1(0, KERNEL, NOBODY, 0xffff000008080000, 0x1000000, "[kernel.kallsyms]_text");
	mmap1(0, KERNEL, 0, 0xffff000000a00000, 0x4000, "[mod]");
	mmap1(0, KERNEL, NOBODY, 0xffffffffffff0000, 0x20000, "[top]");
	read_all();
	assert_int_equal(all.len, 1);
	assert_string_equal(maps(NOBODY),
			    "ffff000008080000+1000000@0 0- [kernel.kallsyms]_text, "
			    "ffff000000a00000+4000@0 0- [mod], ffffffffffff0000+ffff@0 0- [top]");
	assert_true(all.items[0].maps[0].kernel);
	assert_true(all.items[0].maps[0].executable);
	assert_int_equal(notes.len, 0);
}

/* simpleperf gives the kernel an absurd length; modules that lie in it are theirs. */
void test_perf_process__modules_inside_of_the_kernel(void **state)
{
	mmap1(0, KERNEL, NOBODY, 0x1000, 0x9000, "[kernel.kallsyms]_stext");
	mmap1(0, KERNEL, NOBODY, 0x4000, 0x1000, "/a.ko");
	read_all();
	assert_string_equal(maps(NOBODY), "1000+3000@0 0- [kernel.kallsyms]_stext, 4000+1000@0 0- /a.ko, "
					  "5000+5000@4000 0- [kernel.kallsyms]_stext");
}

void test_perf_process__what_is_executable(void **state)
{
	mmap1(1, USER, 5, 0x1000, 0x1000, "code");
	mmap1(2, USER | BIT13, 5, 0x2000, 0x1000, "data");
	begin(PERF_MMAP2, USER, (uint32_t[]){ 5, 5 }, 2);
	put_range(0x3000, 0x1000, 0);
	put_range(0, 0, 0);
	perf_put32(&writer.records, 3);
	perf_put32(&writer.records, 2);
	perf_put_text(&writer.records, "data2");
	end(5, 5, 3);
	read_all();
	assert_true(all.items[0].maps[0].executable);
	assert_false(all.items[0].maps[1].executable);
	assert_false(all.items[0].maps[2].executable);
}

static void map_with_id(uint64_t time, uint8_t len, uint8_t fill)
{
	begin(PERF_MMAP2, USER | BUILD_ID, (uint32_t[]){ 5, 5 }, 2);
	put_range(0x1000, 0x1000, 0x1000);
	perf_put32(&writer.records, len);
	for (int i = 0; i < 20; i++)
		perf_put8(&writer.records, fill);
	perf_put32(&writer.records, 5);
	perf_put32(&writer.records, 2);
	perf_put_text(&writer.records, "a");
	end(5, 5, time);
}

void test_perf_process__build_ids(void **state)
{
	static const uint8_t expected[20] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };

	map(1, 5, 0x1000, 0x1000, "a");
	map_with_id(2, 20, 7);
	read_all();
	/* The same map again, which now tells its build id. */
	assert_string_equal(maps(5), "1000+1000@1000 1- a");
	assert_int_equal(all.items[0].maps[0].build_id_len, 20);
	assert_memory_equal(all.items[0].maps[0].build_id, expected, 20);
}

void test_perf_process__build_id_of_hostile_length(void **state)
{
	map_with_id(2, 255, 7);
	read_all();
	assert_int_equal(all.items[0].maps[0].build_id_len, 20);
}

void test_perf_process__a_new_map_cuts_older_ones(void **state)
{
	map(1, 5, 0x10000, 0x4000, "a");
	map(2, 5, 0x14000, 0x4000, "b");
	map(3, 5, 0x12000, 0x3000, "c");
	map(4, 5, 0x12000, 0x1000, "d");
	map(5, 5, 0x0f000, 0x20000, "e");
	read_all();
	assert_string_equal(maps(5), "10000+4000@1000 1-3 a, 14000+4000@1000 2-3 b, "
				     "10000+2000@1000 3-5 a, 12000+3000@1000 3-4 c, 15000+3000@2000 3-5 b, "
				     "12000+1000@1000 4-5 d, 13000+2000@2000 4-5 c, f000+20000@1000 5- e");
}

void test_perf_process__without_times_the_last_map_stays(void **state)
{
	map(0, 5, 0x10000, 0x3000, "a");
	map(0, 5, 0x11000, 0x1000, "b");
	read_all();
	assert_string_equal(maps(5), "10000+1000@1000 0- a, 11000+1000@1000 0- b, 12000+1000@3000 0- a");
}

void test_perf_process__exec_drops_user_maps(void **state)
{
	map(1, 5, 0x10000, 0x1000, "shell");
	comm(2, 0, 5, 5, "renamed");
	map(3, 5, 0x20000, 0x1000, "lib");
	comm(4, BIT13, 5, 5, "app");
	map(5, 5, 0x10000, 0x1000, "app");
	read_all();
	assert_string_equal(maps(5),
			    "10000+1000@1000 1-4 shell, 20000+1000@1000 3-4 lib, 10000+1000@1000 5- app");
	assert_string_equal(all.items[0].comm, "app");
}

void test_perf_process__fork_copies_maps(void **state)
{
	comm(1, 0, 5, 5, "sh");
	map(2, 5, 0x10000, 0x1000, "sh");
	mmap1(3, USER | BIT13, 5, 0x20000, 0x1000, "data");
	fork_of(4, 0, 6, 5, 6, 5);
	map(5, 5, 0x30000, 0x1000, "later");
	comm(6, BIT13, 6, 6, "ls");
	map(7, 6, 0x10000, 0x1000, "ls");
	fork_of(8, 0, 5, 5, 8, 5);
	read_all();
	assert_string_equal(maps(6), "10000+1000@1000 4-6 sh, 10000+1000@1000 7- ls");
	assert_string_equal(perf_process_find(&all, 6)->comm, "ls");
	/* A thread is no process. */
	assert_null(perf_process_find(&all, 8));
	assert_int_equal(perf_thread_find(&all, 8)->pid, 5);
	assert_string_equal(perf_thread_find(&all, 8)->comm, "sh");
}

/* perf makes up forks of what ran before it: their maps follow, and the parent's are not theirs. */
void test_perf_process__made_up_fork_copies_nothing(void **state)
{
	map(0, 1, 0x10000, 0x1000, "init");
	map(0, 5, 0x10000, 0x1000, "app");
	fork_of(0, BIT13, 5, 1, 5, 5);
	read_all();
	assert_string_equal(maps(5), "10000+1000@1000 0- app");
}

void test_perf_process__a_number_used_again(void **state)
{
	comm(1, 0, 5, 5, "first");
	map(1, 5, 0x10000, 0x1000, "first");
	map(1, 2, 0x20000, 0x1000, "parent");
	begin(PERF_EXIT, 0, (uint32_t[]){ 5, 5, 5, 5, 2, 0 }, 6);
	end(5, 5, 2);
	fork_of(3, 0, 5, 2, 5, 2);
	read_all();
	/* EXIT ends no map: trace may be read out behind it. */
	assert_string_equal(maps(5), "10000+1000@1000 1-3 first, 20000+1000@1000 3- parent");
	assert_null(perf_process_find(&all, 5)->comm);
}

void test_perf_process__traced_threads(void **state)
{
	begin(PERF_ITRACE_START, 0, (uint32_t[]){ 5, 6 }, 2);
	end(5, 6, 1);
	begin(PERF_AUX, 0, (uint32_t[]){ 0, 0, 16, 0, 0, 0 }, 6);
	end(7, 8, 2);
	begin(PERF_AUX, 0, (uint32_t[]){ 0, 0, 0, 0, 0, 0 }, 6);
	end(9, 9, 3);
	comm(4, 0, 5, 5, "main");
	comm(5, 0, 4, 6, "later");
	read_all();
	assert_true(perf_thread_find(&all, 6)->traced);
	assert_true(perf_thread_find(&all, 8)->traced);
	assert_int_equal(perf_thread_find(&all, 8)->pid, 7);
	assert_null(perf_thread_find(&all, 9));
	assert_false(perf_thread_find(&all, 5)->traced);
	/* What was traced keeps its process. */
	assert_int_equal(perf_thread_find(&all, 6)->pid, 5);
	assert_null(perf_thread_find(&all, 6)->comm);
	assert_true(noted("thread id 6 is used by process 5, which was traced, and by 4"));
}

void test_perf_process__lost_records(void **state)
{
	begin(PERF_LOST, 0, (uint32_t[]){ 11, 0, 40, 0 }, 4);
	end(5, 5, 1);
	begin(PERF_LOST_SAMPLES, 0, (uint32_t[]){ 2, 0 }, 2);
	end(5, 5, 2);
	read_all();
	assert_int_equal(all.lost_records, 42);
	assert_true(noted("LOST records: 2 "));
}

void test_perf_process__senseless_maps(void **state)
{
	map(1, 5, 0x10000, 0, "empty");
	map(2, 5, 0xfffffffffffff000, 0x2000, "wraps");
	begin(PERF_MMAP, USER, (uint32_t[]){ 5, 5 }, 2);
	end(5, 5, 3);
	mmap1(4, GUEST, 5, 0x1000, 0x1000, "guest");
	mmap1(5, USER, 5, 0x1000, 0x1000, "good");
	read_all();
	assert_string_equal(maps(5), "1000+1000@0 5- good");
	assert_true(noted("too short or of impossible length: 3 "));
	assert_true(noted("guest's programs: 1 "));
}

static size_t all_maps(void)
{
	size_t count = 0;

	for (size_t i = 0; i < all.len; i++)
		count += all.items[i].map_count;
	return count;
}

/* Seconds of this process's time; a quadratic reader would take minutes. */
static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

void test_perf_process__many_forks_are_bounded(void **state)
{
	double start;

	for (uint32_t i = 0; i < 1000; i++)
		map(1, 1, 0x10000 + 0x2000ull * i, 0x1000, "a");
	for (uint32_t i = 0; i < 50000; i++)
		fork_of(2, 0, 2 + i, 1 + i, 2 + i, 1 + i);
	start = cpu_seconds();
	read_all();
	assert_true(cpu_seconds() - start < 10);
	assert_int_equal(all.len, 50001);
	assert_int_equal(all_maps(), 1000 + 262144);
	assert_true(noted("forks of which not all maps are known: "));
}

/* Half of them in reverse order; the limit is that of maps at a time. */
void test_perf_process__many_maps_are_bounded(void **state)
{
	double start;

	for (uint32_t i = 0; i < 70000; i++)
		map(1, 1, i % 2 ? 0x100000000 + 0x2000ull * i : 0x100000000 - 0x2000ull * i, 0x1000, "a");
	start = cpu_seconds();
	read_all();
	assert_true(cpu_seconds() - start < 10);
	assert_in_range(all_maps(), 65530, 65536);
	assert_true(noted("that have 65,536 maps already: "));
}

void test_perf_process__simpleperf(void **state)
{
	const char *path = shared_path("captures/simpleperf/perf_etm/perf_etm.data");
	struct sl_diag diag;
	const struct perf_process *process;
	bool found = false;

	if (!path)
		skip();
	assert_int_equal(perf_file_open(path, &notes, &file, &diag), SL_OK);
	assert_int_equal(perf_processes_read(file, &notes, &all), SL_OK);
	process = perf_process_find(&all, 17235);
	assert_non_null(process);
	assert_string_equal(process->comm, "etm_test_loop");
	assert_true(perf_thread_find(&all, 17235)->traced);
	/* The first range of the capture's oracle begins at 0x582b2b1000. */
	for (size_t i = 0; i < process->map_count; i++) {
		const struct perf_map *m = &process->maps[i];

		found |= m->executable && m->to == UINT64_MAX && m->start <= 0x582b2b1000 &&
			 m->start + m->len > 0x582b2b1000 &&
			 strcmp(m->name, "/data/local/tmp/etm_test_loop") == 0;
	}
	assert_true(found);
}
