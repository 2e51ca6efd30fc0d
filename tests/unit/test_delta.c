/* SPDX-License-Identifier: Apache-2.0 */
/* compare: what is one function, what adds up, what is found, and how often something is found where there is nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/delta.h"
#include "compare/saved.h"
#include "sl_array.h"

static void begin(struct sl_saved *s)
{
	const struct sl_saved_node root = { .kind = SL_SAVED_ROOT };

	*s = (struct sl_saved){ .axes = 1 << SL_AXIS_INSNS, .runs = 1 };
	assert_int_equal(saved_string(s, "", &s->name), SL_OK);
	s->options = s->name;
	assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, root), SL_OK);
}

static uint32_t function(struct sl_saved *s, const char *name, const char *module)
{
	uint32_t ret;

	assert_int_equal(saved_add_function(s, name, module, &ret), SL_OK);
	return ret;
}

static uint32_t node(struct sl_saved *s, uint32_t parent, uint32_t what, uint64_t calls, uint64_t self)
{
	const struct sl_saved_node n = { .kind = SL_SAVED_FUNCTION, .parent = parent, .what = what, .calls = { calls },
					 .self = { { self } } };

	assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, n), SL_OK);
	return (uint32_t)s->node_count - 1;
}

static void call_with(struct sl_saved *s, uint32_t function, uint64_t duration, uint64_t own)
{
	struct sl_saved_measure *m = &s->functions[function].measures[SL_AXIS_INSNS];

	sl_spread_add(&m->spread, duration);
	sl_spread_add(&m->own, own);
	sl_products_add(&m->own_work, own, own);
	assert_int_equal(sl_histogram_add(&m->histogram, duration), SL_OK);
	m->min = duration < m->min ? duration : m->min;
	m->max = duration > m->max ? duration : m->max;
}

static void call(struct sl_saved *s, uint32_t function, uint64_t duration)
{
	call_with(s, function, duration, duration);
}

static struct sl_aliases *aliases;

static struct sl_compare *compare(struct sl_saved *a, struct sl_saved *b, const char *per)
{
	struct sl_compare_options options = { .sides = { a, b }, .per = per };
	struct sl_diag diag = { "" };
	struct sl_compare *ret = NULL;

	saved_sum_up(a);
	saved_sum_up(b);
	if (!aliases)
		assert_int_equal(sl_aliases_new(&aliases), SL_OK);
	options.aliases = aliases;
	assert_int_equal(sl_compare_new(&options, &ret, &diag), SL_OK);
	assert_true(sl_compare_adds_up(ret));
	return ret;
}

static void end(struct sl_compare *c, struct sl_saved *a, struct sl_saved *b)
{
	sl_compare_free(c);
	sl_saved_release(a);
	sl_saved_release(b);
	sl_aliases_free(aliases);
	aliases = NULL;
}

static const struct delta_row *row_of(const struct sl_compare *c, const char *name)
{
	for (size_t i = 0; i < c->row_count; i++) {
		if (strcmp(c->rows[i].name, name) == 0)
			return &c->rows[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

void test_delta__what_is_one_function(void **state)
{
	struct sl_saved a, b;
	struct sl_compare *c;
	const struct delta_row *row;

	(void)state;
	begin(&a);
	begin(&b);
	function(&a, "__arm64_sys_read", "vmlinux");
	function(&b, "__x64_sys_read", "vmlinux");
	function(&a, "same.isra.0", "vmlinux");
	function(&b, "same.isra.0", "vmlinux");
	function(&b, "same", "vmlinux");
	function(&a, "moved", "a.elf");
	function(&b, "moved", "b.elf");
	function(&a, "main", "a.elf");
	function(&b, "main", "b.elf");
	function(&b, "main", "c.elf");
	function(&a, "twice", "a.elf");
	function(&a, "twice", "a.elf");
	function(&b, "twice", "a.elf");
	c = compare(&a, &b, NULL);
	row = row_of(c, "__arm64_sys_read");
	assert_int_equal(row->match, MATCH_CANONICAL);
	assert_string_equal(row->other, "__x64_sys_read");
	assert_int_equal(row_of(c, "same.isra.0")->match, MATCH_NAME);
	assert_int_equal(row_of(c, "same")->match, MATCH_ALONE);
	assert_int_equal(row_of(c, "moved")->match, MATCH_MODULE);
	assert_int_equal(row_of(c, "main")->match, MATCH_ALONE);
	row = row_of(c, "twice");
	assert_int_equal(row->sides[A].functions, 2);
	assert_int_equal(row->sides[B].functions, 1);
	end(c, &a, &b);
}

/* f calls g twice in A and three times in B; another one that calls g does not count for a call of f. */
static void make_tree(struct sl_saved *s, uint64_t calls, uint64_t more)
{
	uint32_t f, g, other;

	begin(s);
	f = function(s, "f", "a.elf");
	g = function(s, "g", "a.elf");
	other = function(s, "other", "a.elf");
	node(s, node(s, 0, f, calls, 10 * calls), g, (2 + more) * calls, 7 * (2 + more) * calls);
	node(s, node(s, 0, other, 1, 5), g, 1, 1000 * calls);
}

void test_delta__per_call(void **state)
{
	struct sl_saved a, b;
	struct sl_compare *c;

	(void)state;
	make_tree(&a, 1000, 0);
	make_tree(&b, 400, 1);
	c = compare(&a, &b, "f");
	assert_int_equal(c->units[A], 1000);
	assert_int_equal(c->units[B], 400);
	assert_true(row_of(c, "g")->contribution == 7);
	assert_true(row_of(c, "f")->contribution == 0);
	assert_int_equal(row_of(c, "other")->sides[A].self.v[0], 0);
	assert_int_equal(row_of(c, "g")->verdict, VERDICT_MORE);
	assert_string_equal(c->rows[c->sorted[0]].name, "g");
	assert_non_null(strstr(c->sentence, "A call of f takes 7 instructions more in B than in A (24 to 31, +29.2 %): 100 % of that is in g"));
	end(c, &a, &b);
}

static void lost(struct sl_saved *s, uint64_t insns)
{
	const struct sl_saved_lane lane = { .gap = { { insns } } };

	assert_int_equal(SL_ARRAY_PUSH(&s->lanes, &s->lane_count, &s->lane_cap, lane), SL_OK);
}

/* What was not traced is not what was not done. */
void test_delta__missing_trace(void **state)
{
	struct sl_saved a, b;
	struct sl_compare *c;

	(void)state;
	for (unsigned half = 0; half < 2; half++) {
		make_tree(&a, 100, 0);
		make_tree(&b, 100, 1);
		lost(&b, half * 103105);
		c = compare(&a, &b, NULL);
		assert_int_equal(strstr(c->sentence, "; of A's instructions 0.0 % and of B's 50.0 % are in no function, since trace was missing") != NULL,
				 half);
		end(c, &a, &b);
	}
	make_tree(&a, 100, 0);
	make_tree(&b, 100, 1);
	lost(&b, 1000000);
	c = compare(&a, &b, "f");
	assert_null(strstr(c->sentence, "missing")); /* a call of f is a call of f */
	end(c, &a, &b);
}

void test_delta__with_itself(void **state)
{
	struct sl_saved a, b;
	struct sl_compare *c;

	(void)state;
	make_tree(&a, 100, 0);
	make_tree(&b, 100, 0);
	c = compare(&a, &b, NULL);
	assert_int_equal(sl_compare_significant(c), 0);
	assert_string_equal(c->sentence, "Between A and B there is no difference that is more than chance.");
	for (size_t i = 0; i < c->row_count; i++)
		assert_int_equal(c->rows[i].verdict, VERDICT_SAME);
	end(c, &a, &b);
}

void test_delta__inlined(void **state)
{
	struct sl_saved a, b;
	struct sl_compare *c;
	uint32_t f, g;

	(void)state;
	begin(&a);
	begin(&b);
	f = function(&a, "f", "a.elf");
	g = function(&a, "g", "a.elf");
	node(&a, node(&a, 0, f, 20, 200), g, 100, 1000);
	node(&b, 0, function(&b, "f", "a.elf"), 20, 1100);
	for (int i = 0; i < 20; i++) {
		call_with(&a, f, 60, 10);
		call(&b, 0, 55);
	}
	c = compare(&a, &b, NULL);
	assert_int_equal(row_of(c, "g")->verdict, VERDICT_INLINED);
	assert_int_equal(row_of(c, "f")->verdict, VERDICT_TOOK_IN);
	end(c, &a, &b);
}

/* 20 calls of f, each of so many instructions of a machine. */
static void make_calls(struct sl_saved *s, enum sl_machine machine, uint64_t length)
{
	const struct sl_saved_lane lane = { .machine = machine, .whole = { { 20 * length } }, .self = { { 20 * length } } };

	begin(s);
	node(s, 0, function(s, "f", "a.elf"), 20, 20 * length);
	for (int i = 0; i < 20; i++)
		call(s, 0, length);
	assert_int_equal(SL_ARRAY_PUSH(&s->lanes, &s->lane_count, &s->lane_cap, lane), SL_OK);
}

/* Arm's instructions are not x86-64's: no function is slower in them. */
void test_delta__other_machines(void **state)
{
	static const struct {
		enum sl_machine a, b;
		bool differ;
	} cases[] = { { SL_MACHINE_ARM, SL_MACHINE_X86_64, true }, { SL_MACHINE_ARM, SL_MACHINE_ARM, false },
		      { SL_MACHINE_UNKNOWN, SL_MACHINE_X86_64, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_saved a, b;
		struct sl_compare *c;

		make_calls(&a, cases[i].a, 50);
		make_calls(&b, cases[i].b, 80);
		c = compare(&a, &b, NULL);
		assert_int_equal(delta_other_machine(c), cases[i].differ);
		assert_int_equal(row_of(c, "f")->verdict, cases[i].differ ? VERDICT_OTHER_UNITS : VERDICT_SLOWER);
		assert_int_equal(strstr(c->sentence, "other architectures") != NULL, cases[i].differ);
		end(c, &a, &b);
	}
}

/* f calls g: what each of 20 calls runs, by itself and in g. */
static void make_callees(struct sl_saved *s, uint64_t self, uint64_t below)
{
	uint32_t f, g;

	begin(s);
	f = function(s, "f", "a.elf");
	g = function(s, "g", "a.elf");
	node(s, node(s, 0, f, 20, 20 * self), g, 20, 20 * below);
	for (int i = 0; i < 20; i++) {
		call_with(s, f, self + below, self);
		call(s, g, below);
	}
}

/* One that runs less by itself is not faster where it takes longer. */
void test_delta__outweighed(void **state)
{
	static const struct {
		uint64_t self, below;
		enum delta_verdict verdict;
	} cases[] = { { 31, 100, VERDICT_SLOWER }, { 29, 100, VERDICT_FASTER }, { 29, 200, VERDICT_SLOWER_BELOW }, { 31, 50, VERDICT_FASTER_BELOW },
		      { 31, 200, VERDICT_SLOWER }, { 30, 200, VERDICT_SLOWER_BELOW } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_saved a, b;
		struct sl_compare *c;

		make_callees(&a, 30, 100);
		make_callees(&b, cases[i].self, cases[i].below);
		c = compare(&a, &b, NULL);
		assert_int_equal(row_of(c, "f")->verdict, cases[i].verdict);
		end(c, &a, &b);
	}
}

/* A call of hit runs 10 itself; the debugging build has check, which calls walk, and count, which both options have. */
static void make_hit(struct sl_saved *s, bool debug)
{
	uint32_t hit, check;

	begin(s);
	hit = node(s, 0, function(s, "hit", "vmlinux"), 100, 1000);
	if (!debug)
		return;
	check = node(s, hit, function(s, "my_check", "vmlinux"), 200, 400);
	node(s, check, function(s, "walk", "vmlinux"), 200, 600);
	node(s, hit, function(s, "my_count", "vmlinux"), 100, 300);
}

void test_delta__options_of_the_kernel(void **state)
{
	static const char map_text[] = "[option]\nCONFIG_CHECK = my_check my_count\nCONFIG_COUNT = my_c?unt\nCONFIG_SAME = hit\n";
	struct sl_saved a, b;
	struct sl_kernel_config *configs[SIDES];
	struct sl_config_map *map;
	struct sl_compare_options options = { .sides = { &a, &b }, .per = "hit" };
	struct sl_compare *c;
	struct sl_diag diag = { "" };
	char evidence[200];

	(void)state;
	make_hit(&a, false);
	make_hit(&b, true);
	saved_sum_up(&a);
	saved_sum_up(&b);
	assert_int_equal(sl_kernel_config_parse("a", strdup("CONFIG_SAME=y\n# CONFIG_CHECK is not set\nCONFIG_GONE=m\n"), &configs[A], &diag), SL_OK);
	assert_int_equal(sl_kernel_config_parse("b", strdup("CONFIG_SAME=y\nCONFIG_CHECK=y\nCONFIG_COUNT=y\n"), &configs[B], &diag), SL_OK);
	assert_int_equal(sl_config_map_new(&map), SL_OK);
	assert_int_equal(sl_config_map_add_text(map, "map.ini", strdup(map_text), strlen(map_text), &diag), SL_OK);
	assert_int_equal(sl_aliases_new(&aliases), SL_OK);
	options.aliases = aliases;
	options.configs[A] = configs[A];
	options.configs[B] = configs[B];
	options.map = map;
	assert_int_equal(sl_compare_new(&options, &c, &diag), SL_OK);
	assert_int_equal(c->configured_count, 3);
	assert_string_equal(c->configured[0].name, "CONFIG_CHECK");
	assert_string_equal(c->configured[0].values[A], "n");
	assert_string_equal(c->configured[0].values[B], "y");
	assert_true(c->configured[0].difference == 4 + 6 + 1.5);
	delta_evidence(c, &c->configured[0], evidence, sizeof(evidence));
	assert_string_equal(evidence, "my_check (only in B), my_count (only in B)");
	assert_string_equal(c->configured[1].name, "CONFIG_COUNT");
	assert_true(c->configured[1].difference == 1.5);
	assert_string_equal(c->configured[2].name, "CONFIG_GONE");
	assert_null(c->configured[2].patterns);
	assert_non_null(strstr(c->sentence, "CONFIG_CHECK (n in A, y in B) explains most: 88 %"));
	sl_config_map_free(map);
	sl_kernel_config_free(configs[A]);
	sl_kernel_config_free(configs[B]);
	end(c, &a, &b);
}

/* f is called 100 times, or so many more or less. */
static void make_run(struct sl_saved *s, uint64_t calls)
{
	begin(s);
	node(s, 0, function(s, "f", "a.elf"), calls, 10 * calls);
	node(s, 0, function(s, "g", "a.elf"), 1000, 5000);
}

/* 1000 calls and 1200 differ, where runs of one side do not; where these are as far apart, they do not. */
void test_delta__runs_that_differ(void **state)
{
	static const struct {
		uint64_t a[2], b[2];
		bool differs;
	} rows[] = { { { 1000, 1000 }, { 1200, 1200 }, true }, { { 850, 1150 }, { 1000, 1400 }, false } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sl_saved runs[SIDES][2], sums[SIDES];
		struct sl_compare_options options = { .sides = { &sums[A], &sums[B] }, .runs = { runs[A], runs[B] }, .run_counts = { 2, 2 } };
		struct sl_compare *c;
		struct sl_diag diag = { "" };

		for (int run = 0; run < 2; run++) {
			make_run(&runs[A][run], rows[i].a[run]);
			make_run(&runs[B][run], rows[i].b[run]);
		}
		assert_int_equal(sl_saved_sum(runs[A], 2, &sums[A], &diag), SL_OK);
		assert_int_equal(sl_saved_sum(runs[B], 2, &sums[B], &diag), SL_OK);
		assert_int_equal(sl_aliases_new(&aliases), SL_OK);
		options.aliases = aliases;
		assert_int_equal(sl_compare_new(&options, &c, &diag), SL_OK);
		assert_int_equal(c->units[A], 2);
		assert_int_equal(c->freedom, 2);
		assert_true(row_of(c, "f")->contribution == 2000);
		assert_int_equal(row_of(c, "f")->significant, rows[i].differs);
		for (int side = 0; side < SIDES; side++) {
			sl_saved_release(&runs[side][0]);
			sl_saved_release(&runs[side][1]);
		}
		end(c, &sums[A], &sums[B]);
	}
}

/* ---- workloads by chance ---- */

enum { FUNCTIONS = 200, PLANTED = 77, PAIRS = 200 };

static uint64_t next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Roughly normal, of mean 0 and deviation 1. */
static double deviate(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(next(seed) >> 11) * 0x1p-53;
	return sum;
}

/* A tree: ten functions call twenty others each; durations spread, numbers of calls are Poisson's. */
static void make_workload(struct sl_saved *s, uint64_t seed, double slower)
{
	char name[16];

	begin(s);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		double size = 200 + 37 * (f % 23);
		uint64_t calls = (uint64_t)(200 + sqrt(200) * deviate(&seed)), self = 0;

		snprintf(name, sizeof(name), "f%u", f);
		function(s, name, "a.elf");
		for (uint64_t i = 0; i < calls; i++) {
			uint64_t value = (uint64_t)(size * (f == PLANTED ? slower : 1) * exp(0.15 * deviate(&seed)));

			call(s, f, value);
			self += value;
		}
		node(s, 0, f, calls, self);
	}
}

void test_delta__chance_is_not_a_difference(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (uint64_t pair = 1; pair <= PAIRS; pair++) {
		struct sl_saved a, b;
		struct sl_compare *c;

		make_workload(&a, pair * 2654435761u, 1);
		make_workload(&b, pair * 40503u + 12345, 1);
		c = compare(&a, &b, NULL);
		wrong += sl_compare_significant(c) > 0;
		end(c, &a, &b);
	}
	if (wrong > PAIRS / 20)
		fail_msg("%u of %u pairs", wrong, PAIRS);
}

void test_delta__one_of_many_is_found(void **state)
{
	unsigned found = 0;

	(void)state;
	for (uint64_t pair = 1; pair <= PAIRS / 2; pair++) {
		struct sl_saved a, b;
		struct sl_compare *c;

		make_workload(&a, pair * 2654435761u, 1);
		make_workload(&b, pair * 40503u + 12345, 1.1);
		c = compare(&a, &b, NULL);
		found += strcmp(c->rows[c->sorted[0]].name, "f77") == 0 && c->rows[c->sorted[0]].significant;
		end(c, &a, &b);
	}
	if (found < 95)
		fail_msg("%u of 100 pairs", found);
}

/* Calls of one function on an axis, all of one length. */
static void make_timed(struct sl_saved *s, enum sl_axis axis, uint64_t length, uint64_t resolution)
{
	uint32_t f;
	struct sl_saved_measure *m;

	begin(s);
	s->axes |= 1u << axis;
	s->timestamp_hz = 1000000;
	f = function(s, "f", "a.elf");
	s->nodes[node(s, 0, f, 100, 500)].self.v[axis] = 100 * length;
	m = &s->functions[f].measures[axis];
	for (int i = 0; i < 100; i++) {
		call_with(s, f, 5, 5);
		sl_spread_add(&m->spread, length);
		sl_spread_add(&m->own, length);
		sl_products_add(&m->own_work, length, 5);
		assert_int_equal(sl_histogram_add(&m->histogram, length), SL_OK);
	}
	m->min = m->max = length;
	m->resolution = resolution;
}

static enum delta_verdict verdict_of(enum sl_axis_choice choice, enum sl_axis axis, uint64_t more, uint64_t resolution, bool *ret_significant)
{
	struct sl_saved a, b;
	struct sl_compare *c;
	enum delta_verdict ret;

	make_timed(&a, axis, 100000, resolution);
	make_timed(&b, axis, 100000 + more, resolution);
	saved_sum_up(&a);
	saved_sum_up(&b);
	assert_int_equal(sl_aliases_new(&aliases), SL_OK);
	assert_int_equal(sl_compare_new(&(struct sl_compare_options){ .sides = { &a, &b }, .aliases = aliases, .axis = choice }, &c, NULL), SL_OK);
	ret = row_of(c, "f")->verdict;
	*ret_significant = row_of(c, "f")->significant;
	end(c, &a, &b);
	return ret;
}

/* A difference in time that is less than a thousandth, or than what a hundred durations may be off by, is none; one of cycles is. */
void test_delta__least_that_counts(void **state)
{
	static const struct {
		uint64_t more, resolution;
		enum delta_verdict verdict;
	} rows[] = {
		{ 99, 0, VERDICT_SAME }, { 101, 0, VERDICT_SLOWER }, { 101, 600, VERDICT_SLOWER }, { 200, 2000, VERDICT_SAME }, { 300, 2000, VERDICT_SLOWER },
	};
	bool significant;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(verdict_of(SL_CHOOSE_TIME, SL_AXIS_TICKS, rows[i].more, rows[i].resolution, &significant), rows[i].verdict);
		assert_int_equal(significant, rows[i].verdict != VERDICT_SAME);
	}
	assert_int_equal(verdict_of(SL_CHOOSE_CYCLES, SL_AXIS_CYCLES, 99, 0, &significant), VERDICT_SLOWER);
	assert_true(significant);
}

static void level(struct sl_saved *s, const char *name, uint64_t self)
{
	struct sl_saved_node n = { .kind = SL_SAVED_LEVEL, .calls = { 1 }, .self = { { self } } };

	assert_int_equal(saved_string(s, name, &n.what), SL_OK);
	assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, n), SL_OK);
}

/* By name where both have it; by kind where each has what the other does not; alone where nothing is of that kind, or no kind is told. */
void test_delta__exceptions_by_kind(void **state)
{
	static const struct {
		const char *name;
		uint64_t a, b;
	} rows[] = {
		{ "[exception: syscall]", 5, 7 }, { "[exception: fault]", 30, 40 }, { "[exception 6: debug]", 3, 4 }, { "[exception 3: debug]", 0, 9 },
		{ "[exception 14: irq]", 2, 0 }, { "[exception 1: other]", 1, 0 }, { "[exception 2: other]", 0, 1 },
	};
	struct sl_saved a, b;
	struct sl_compare *c;
	size_t counts[SIDES];

	(void)state;
	begin(&a);
	begin(&b);
	level(&a, "[exception 2: syscall]", 5);
	level(&b, "[exception 256: syscall]", 7);
	level(&a, "[exception 11: fault]", 10);
	level(&a, "[exception 12: fault]", 20);
	level(&b, "[exception 14: fault]", 40);
	level(&a, "[exception 6: debug]", 3);
	level(&b, "[exception 6: debug]", 4);
	level(&b, "[exception 3: debug]", 9);
	level(&a, "[exception 14: irq]", 2);
	level(&a, "[exception 1: other]", 1);
	level(&b, "[exception 2: other]", 1);
	c = compare(&a, &b, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(row_of(c, rows[i].name)->sides[A].self.v[0], rows[i].a);
		assert_int_equal(row_of(c, rows[i].name)->sides[B].self.v[0], rows[i].b);
	}
	assert_true(delta_level_matched(c, "[exception: fault]", counts));
	assert_int_equal(counts[A], 2);
	assert_int_equal(counts[B], 1);
	assert_false(delta_level_matched(c, "[exception: debug]", counts));
	assert_false(delta_level_matched(c, "[exception 6: debug]", counts));
	end(c, &a, &b);
}
