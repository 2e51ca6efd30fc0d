/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of one process, written as "name start-end@from-to"; what is seen of them between two times, as text. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/perf_views.h"

#define NOW UINT64_MAX

static struct perf_map maps[4096];
static struct perf_process process;

int case_setup(void **state)
{
	(void)state;
	process = (struct perf_process){ .pid = 7, .maps = maps };
	return 0;
}

/* Whole files from their offset 0 on. */
static void put(const char *name, uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	maps[process.map_count++] = (struct perf_map){ .start = start, .len = end - start, .from = from, .to = to,
						       .name = name, .executable = true };
}

static const char *changes(uint64_t start)
{
	static char text[4096];
	struct perf_changes found;
	int len = 0;

	text[0] = '\0';
	assert_int_equal(perf_changes_find(&process, start, &found), SL_OK);
	for (size_t i = 0; i < found.count; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%" PRIu64, i ? " " : "", found.times_ns[i]);
	if (found.merged)
		snprintf(text + len, sizeof(text) - (size_t)len, " merged %zu", found.merged);
	free(found.times_ns);
	return text;
}

static const char *seen(uint64_t from, uint64_t to)
{
	static char text[1024];
	struct perf_layout layout;
	int len = 0;

	text[0] = '\0';
	assert_int_equal(perf_layout_read(&process, from, to, &layout), SL_OK);
	for (size_t i = 0; i < layout.len; i++) {
		const struct perf_seen *s = &layout.items[i];

		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%" PRIu64 "-%" PRIu64 " %s%s%s", i ? ", " : "",
				s->start, s->end, s->other ? s->other->name : "", s->other ? "|" : "", s->map->name);
	}
	perf_layout_release(&layout);
	return text;
}

/* dlopen and dlclose at addresses of their own, the same library again, data, the kernel: nothing changes. */
void test_perf_views__nothing_changes(void **state)
{
	(void)state;
	put("app", 100, 200, 0, NOW);
	put("liba", 300, 400, 10, NOW);
	put("libb", 500, 600, 20, NOW);
	put("liba", 300, 400, 30, NOW);
	put("data", 100, 200, 40, NOW);
	maps[4].executable = false;
	put("kernel", 100, 200, 50, NOW);
	maps[5].kernel = true;
	assert_string_equal(changes(0), "");
	assert_string_equal(seen(0, NOW), "100-200 app, 300-400 liba, 500-600 libb");
}

/* Another library where one was: what is known of each time, and what is not of both together. */
void test_perf_views__replaced(void **state)
{
	(void)state;
	put("app", 100, 200, 0, NOW);
	put("old", 300, 400, 10, 50);
	put("new", 350, 450, 50, NOW);
	assert_string_equal(changes(0), "50");
	assert_string_equal(seen(0, 50), "100-200 app, 300-400 old");
	assert_string_equal(seen(50, NOW), "100-200 app, 350-450 new");
	assert_string_equal(seen(0, NOW), "100-200 app, 300-350 old, 350-400 old|new, 400-450 new");
	assert_string_equal(changes(50), "");
}

/* An exec ends all maps before the new ones come: one change serves several. */
void test_perf_views__exec(void **state)
{
	(void)state;
	put("sh", 100, 200, 0, 40);
	put("libc", 300, 400, 1, 40);
	put("app", 100, 180, 41, NOW);
	put("ld", 350, 360, 42, NOW);
	put("libm", 390, 420, 60, NOW);
	assert_string_equal(changes(0), "41");
	assert_string_equal(seen(0, 41), "100-200 sh, 300-400 libc");
	assert_string_equal(seen(41, NOW), "100-180 app, 350-360 ld, 390-420 libm");
	assert_string_equal(seen(0, NOW), "100-180 sh|app, 180-200 sh, 300-350 libc, 350-360 libc|ld, 360-390 libc, "
					  "390-400 libc|libm, 400-420 libm");
}

/* What is one file, moved along: the rest of a map that another has cut. */
void test_perf_views__parts_of_one_map(void **state)
{
	(void)state;
	put("lib", 100, 200, 0, 10);
	put("lib", 100, 120, 10, NOW);
	put("jit", 120, 140, 10, NOW);
	put("lib", 140, 200, 10, NOW);
	maps[3].pgoff = 40;
	assert_string_equal(changes(0), "10");
	assert_string_equal(seen(10, NOW), "100-120 lib, 120-140 jit, 140-200 lib");
	maps[3].pgoff = 41;
	assert_string_equal(seen(0, NOW), "100-120 lib, 120-140 lib|jit, 140-200 lib|lib");
}

/* Build ids that differ are different files, whatever the name. */
void test_perf_views__build_ids(void **state)
{
	(void)state;
	put("lib", 100, 200, 0, 10);
	put("lib", 100, 200, 10, NOW);
	maps[0].build_id_len = maps[1].build_id_len = 20;
	assert_string_equal(changes(0), "");
	maps[1].build_id[19] = 1;
	assert_string_equal(changes(0), "10");
	maps[1].build_id_len = 0;
	assert_string_equal(changes(0), "");
}

/* A JIT compiler: the latest changes are told apart, and the rest is not guessed. */
void test_perf_views__too_many(void **state)
{
	char names[2][8] = { "even", "odd" };

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		put(names[i % 2], 100, 200, i, i == 99 ? NOW : i + 1);
	assert_memory_equal(changes(0), "37 38 39 ", 9);
	assert_non_null(strstr(changes(0), " 99 merged 36"));
	assert_string_equal(seen(0, 37), "100-200 odd|even");
	assert_string_equal(seen(37, 38), "100-200 odd");
	while (process.map_count < 4000)
		put(names[process.map_count % 2], 300 + process.map_count, 301 + process.map_count, 0, NOW);
	assert_string_equal(changes(0), "84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 merged 83");
}
