/* SPDX-License-Identifier: Apache-2.0 */
/* Kept profiles: what is written is read again, several add up, and what is no profile is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/saved.h"
#include "sl_array.h"
#include "temp_dir.h"

static void add_calls(struct sl_saved_function *f, const uint64_t *values, size_t count)
{
	struct sl_saved_measure *m = &f->measures[SL_AXIS_INSNS];

	for (size_t i = 0; i < count; i++) {
		sl_spread_add(&m->spread, values[i]);
		assert_int_equal(sl_histogram_add(&m->histogram, values[i]), SL_OK);
		m->min = values[i] < m->min ? values[i] : m->min;
		m->max = values[i] > m->max ? values[i] : m->max;
	}
	f->calls[0] = count;
	f->self.v[SL_AXIS_INSNS] = f->total.v[SL_AXIS_INSNS] = m->spread.sum;
}

static void make(struct sl_saved *s, const char *other, uint64_t more)
{
	const uint64_t values[] = { 100, 300, 200 + more, UINT64_MAX / 2 + 5 };
	struct sl_saved_node node = { .kind = SL_SAVED_ROOT };
	struct sl_saved_event event = { .module = SL_SAVED_NONE, .count = 3 };
	struct sl_saved_lane lane = { .cpu = -1, .trace_id = 16, .self = { { 60, 0, 0 } }, .whole = { { 60, 0, 0 } } };
	uint32_t f;

	*s = (struct sl_saved){ .axes = 1, .runs = 1, .trace_bytes = 1000 };
	assert_int_equal(saved_string(s, "", &s->name), SL_OK);
	s->options = s->name;
	assert_int_equal(saved_add_function(s, "work \"it\\\" \xff", "a.elf", &f), SL_OK);
	add_calls(&s->functions[f], values, 4);
	assert_int_equal(saved_add_function(s, other, "a.elf", &f), SL_OK);
	add_calls(&s->functions[f], values, 1);
	assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, node), SL_OK);
	node = (struct sl_saved_node){ .kind = SL_SAVED_FUNCTION, .what = f, .calls = { 1 }, .self = { { 60, 0, 0 } } };
	assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, node), SL_OK);
	saved_sum_up(s);
	assert_int_equal(saved_string(s, "irq", &event.lens), SL_OK);
	event.event = event.lens;
	assert_int_equal(SL_ARRAY_PUSH(&s->events, &s->event_count, &s->event_cap, event), SL_OK);
	assert_int_equal(SL_ARRAY_PUSH(&s->lanes, &s->lane_count, &s->lane_cap, lane), SL_OK);
}

void test_saved__what_is_written_is_read(void **state)
{
	struct temp_dir dir;
	struct sl_saved a, b;
	struct sl_diag diag = { "" };
	const struct sl_saved_measure *m;
	const char *path;

	(void)state;
	temp_dir_make(&dir);
	path = temp_dir_path(&dir, "a.slp");
	make(&a, "other", 0);
	assert_int_equal(sl_saved_write(&a, path, &diag), SL_OK);
	assert_true(sl_saved_is(path));
	assert_int_equal(sl_saved_read(path, &b, &diag), SL_OK);
	assert_int_equal(b.function_count, 2);
	assert_string_equal(sl_saved_string(&b, b.functions[0].name), "work \"it\\\" ?");
	assert_string_equal(sl_saved_string(&b, b.functions[1].module), "a.elf");
	m = &b.functions[0].measures[SL_AXIS_INSNS];
	assert_memory_equal(&m->spread, &a.functions[0].measures[SL_AXIS_INSNS].spread, sizeof(m->spread));
	assert_int_equal(m->min, 100);
	assert_true(m->max == UINT64_MAX / 2 + 5);
	assert_int_equal(sl_histogram_at_rank(&m->histogram, 2), 200);
	assert_true(sl_histogram_at_rank(&m->histogram, 4) == UINT64_MAX / 2 + 5);
	assert_true(b.functions[0].measures[SL_AXIS_TICKS].min == UINT64_MAX);
	assert_int_equal(b.nodes[0].total.v[SL_AXIS_INSNS], 60);
	assert_int_equal(b.events[0].count, 3);
	assert_null(sl_saved_string(&b, b.events[0].module));
	assert_int_equal(b.lanes[0].cpu, -1);
	assert_int_equal(sl_saved_self(&b, SL_AXIS_INSNS), 60);
	sl_saved_release(&a);
	sl_saved_release(&b);
	temp_dir_remove(&dir);
}

void test_saved__two_add_up(void **state)
{
	struct sl_saved a, b;
	struct sl_diag diag = { "" };
	const struct sl_saved_measure *m;

	(void)state;
	make(&a, "other", 0);
	make(&b, "third", 1000);
	assert_int_equal(sl_saved_merge(&a, &b, &diag), SL_OK);
	assert_int_equal(a.function_count, 3);
	assert_string_equal(sl_saved_string(&a, a.functions[2].name), "third");
	assert_int_equal(a.functions[0].calls[0], 8);
	m = &a.functions[0].measures[SL_AXIS_INSNS];
	assert_int_equal(m->spread.count, 8);
	assert_int_equal(m->histogram.count, 8);
	assert_int_equal(sl_histogram_at_rank(&m->histogram, 6), 1200);
	assert_int_equal(a.node_count, 3);
	assert_int_equal(a.nodes[0].total.v[SL_AXIS_INSNS], 120);
	assert_int_equal(a.event_count, 1);
	assert_int_equal(a.events[0].count, 6);
	assert_int_equal(a.lane_count, 2);
	assert_int_equal(a.runs, 2);
	b.timestamp_hz = 5;
	assert_int_equal(sl_saved_merge(&a, &b, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "5 Hz"));
	sl_saved_release(&a);
	sl_saved_release(&b);
}

#define HEAD "{\"schema\":\"sightline.profile/2\",\"strings\":[\"\",\"f\"],\"capture\":[0,0,0,1,0,9,1],"
#define FUNCTION "\"functions\":{\"name\":[1],\"module\":[0],\"calls\":[2]},"
#define ROOT "\"nodes\":{\"up\":[0]},"
#define DURATIONS(steps, counts) \
	"\"durations\":{\"function\":[0],\"classes\":[2]},\"classes\":{\"step\":[" steps "],\"count\":[" counts "]},"
#define NO_DURATIONS "\"durations\":{\"function\":[]},\"classes\":{\"step\":[]},"
#define TAIL "\"events\":{\"lens\":[]},\"lanes\":{\"buffer\":[]}}"

void test_saved__what_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "is no profile" },
		{ "{\"s\":{\"n:\\u\n", "is no profile" },
		{ "{}", "has no schema" },
		{ "{\"schema\":\"sightline.profile/0\"}", "version 0, and this sightline reads version 2: make it again" },
		{ "{\"schema\":\"sightline.profile/3\"}", "use a newer sightline" },
		{ "\x1f\x8b\x08", "cut short or damaged" },
		{ "{\"schema\":\"sightline.profile/2\",\"strings\":[\"\"],\"capture\":[0,0,0,1,0,9,0]}", "axes and runs" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[]}," NO_DURATIONS TAIL, "a root" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[0,0]}," NO_DURATIONS TAIL, "nodes[1]" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[0,0],\"kind\":[0,2],\"what\":[0,1]}," NO_DURATIONS TAIL, "nodes[1]" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[0,1],\"kind\":[0,1]}," NO_DURATIONS TAIL, "nodes[1]" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[0],\"kind\":[256]}," NO_DURATIONS TAIL, "nodes[0]: expected kind" },
		{ HEAD FUNCTION "\"nodes\":{\"up\":[0],\"kind\":[0,0]}," NO_DURATIONS TAIL, "nodes[0]: expected kind" },
		{ HEAD FUNCTION ROOT DURATIONS("1,1", "1,2,3") TAIL, "classes[0]: expected count" },
		{ HEAD FUNCTION ROOT DURATIONS("1,1,1", "1,2,1") TAIL, "no more classes" },
		{ HEAD FUNCTION ROOT DURATIONS("1", "1") TAIL, "durations[0]: expected function, axis and classes" },
		{ HEAD FUNCTION ROOT DURATIONS("1,1", "1,-1") TAIL, "64 bits" },
		{ HEAD FUNCTION ROOT DURATIONS("2,-1", "1,1") TAIL, "64 bits" },
		{ HEAD FUNCTION ROOT DURATIONS("1,1", "1,\"2\"") TAIL, "classes[1]: expected count" },
		{ HEAD FUNCTION ROOT "\"durations\":{\"function\":[0],\"classes\":[1],\"count\":[-1]},\"classes\":{\"step\":[1],\"count\":[1]}," TAIL,
		  "no more durations" },
		{ HEAD "\"functions\":{\"name\":[2],\"module\":[0]}," ROOT NO_DURATIONS TAIL, "functions[0]: expected numbers of strings" },
		{ HEAD "\"functions\":{}," ROOT NO_DURATIONS TAIL, "functions[0]: expected name" },
	};
	struct sl_saved saved;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sl_bytes bytes = { (const uint8_t *)rows[i].text, strlen(rows[i].text), 0 };
		struct sl_diag diag = { "" };

		assert_true(sl_saved_parse("a.slp", bytes, &saved, &diag) < 0);
		if (!strstr(diag.text, rows[i].says))
			fail_msg("row %zu: %s", i, diag.text);
		assert_null(strchr(diag.text, '\n'));
	}
}

void test_saved__a_small_one(void **state)
{
	static const char text[] = HEAD FUNCTION ROOT DURATIONS("1,1", "1,1") TAIL;
	const struct sl_bytes bytes = { (const uint8_t *)text, sizeof(text) - 1, 0 };
	struct sl_diag diag = { "" };
	struct sl_saved saved;
	const struct sl_saved_measure *m;

	(void)state;
	assert_int_equal(sl_saved_parse("a.slp", bytes, &saved, &diag), SL_OK);
	m = &saved.functions[0].measures[0];
	assert_int_equal(sl_histogram_at_rank(&m->histogram, 2), 2);
	assert_int_equal(m->spread.sum, 3);
	assert_int_equal(m->spread.squares_low, 5);
	assert_int_equal(m->min, 1);
	assert_int_equal(m->max, 2);
	assert_int_equal(saved.functions[0].total.v[0], 3);
	sl_saved_release(&saved);
}

/* Values in a class are not told by it: what they are together is kept apart. */
void test_saved__many_durations_are_exact(void **state)
{
	struct temp_dir dir;
	struct sl_saved a, b;
	struct sl_diag diag = { "" };
	struct sl_saved_measure *m, *n;

	(void)state;
	temp_dir_make(&dir);
	make(&a, "other", 0);
	m = &a.functions[0].measures[SL_AXIS_INSNS];
	m->bounds = 3;
	m->resolution = 40;
	m->min = 77;
	for (uint64_t i = 0; i < 1000; i++) {
		sl_spread_add(&m->spread, i * i * 1000003);
		assert_int_equal(sl_histogram_add(&m->histogram, i * i * 1000003), SL_OK);
	}
	m->spread.count += 3;
	assert_int_equal(sl_saved_write(&a, temp_dir_path(&dir, "a.slp"), &diag), SL_OK);
	assert_int_equal(sl_saved_read(temp_dir_path(&dir, "a.slp"), &b, &diag), SL_OK);
	n = &b.functions[0].measures[SL_AXIS_INSNS];
	assert_memory_equal(&m->spread, &n->spread, sizeof(m->spread));
	assert_int_equal(n->bounds, 3);
	assert_int_equal(n->resolution, 40);
	assert_int_equal(n->min, 77);
	assert_int_equal(n->histogram.count, m->histogram.count);
	for (uint64_t rank = 1; rank < 1004; rank += 100)
		assert_true(sl_histogram_at_rank(&m->histogram, rank) == sl_histogram_at_rank(&n->histogram, rank));
	sl_saved_release(&a);
	sl_saved_release(&b);
	temp_dir_remove(&dir);
}

/* Numbers of all sizes; the same each time. */
static uint64_t any_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> (*state >> 58);
}

static void make_any_measure(struct sl_saved_measure *m, uint64_t *state)
{
	uint64_t count = 1 + any_number(state) % 40;

	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(sl_histogram_add(&m->histogram, any_number(state)), SL_OK);
	m->spread = (struct sl_spread){ count + any_number(state) % 2, any_number(state), any_number(state), any_number(state) };
	m->own = (struct sl_spread){ m->spread.count, any_number(state), any_number(state), any_number(state) };
	m->own_work = (struct sl_products){ any_number(state), any_number(state) };
	m->min = any_number(state);
	m->max = any_number(state);
	m->bounds = any_number(state);
	m->resolution = any_number(state);
}

static void make_any(struct sl_saved *s, uint64_t *state)
{
	struct sl_saved_node node = { .kind = SL_SAVED_ROOT };

	*s = (struct sl_saved){ .axes = 1 + (unsigned)(any_number(state) & 6), .runs = 1, .timestamp_hz = 1 };
	assert_int_equal(saved_string(s, "", &s->name), SL_OK);
	s->options = s->name;
	for (uint32_t i = 0, f; i < 8; i++) {
		const char name[] = { (char)('a' + i), 0 };

		assert_int_equal(saved_add_function(s, name, "a.elf", &f), SL_OK);
		for (unsigned lacks = 0; lacks < (i & 1 ? SL_SAVED_LACKS : 1); lacks++)
			s->functions[f].calls[lacks] = any_number(state);
		s->functions[f].self = (struct sl_axes){ { any_number(state), any_number(state), any_number(state) } };
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			make_any_measure(&s->functions[f].measures[axis], state);
	}
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(SL_ARRAY_PUSH(&s->nodes, &s->node_count, &s->node_cap, node), SL_OK);
		node = (struct sl_saved_node){ .kind = SL_SAVED_FUNCTION, .what = (uint32_t)any_number(state) % 8, .parent = (uint32_t)any_number(state) % (i + 1),
					       .calls = { any_number(state), 0, any_number(state) % 2 },
					       .self = { { any_number(state), any_number(state), any_number(state) } } };
	}
	assert_int_equal(saved_order_nodes(s), SL_OK);
	saved_drop_axes(s);
	saved_sum_up(s);
}

static void expect_same_measure(const struct sl_saved_measure *a, const struct sl_saved_measure *b)
{
	uint64_t at_a = 0, at_b = 0, v[6];

	assert_memory_equal(&a->spread, &b->spread, sizeof(a->spread));
	assert_memory_equal(&a->own, &b->own, sizeof(a->own));
	assert_memory_equal(&a->own_work, &b->own_work, sizeof(a->own_work));
	assert_true(a->min == b->min && a->max == b->max && a->bounds == b->bounds && a->resolution == b->resolution);
	assert_true(a->histogram.count == b->histogram.count);
	while (sl_histogram_next(&a->histogram, &at_a, &v[0], &v[1], &v[2])) {
		assert_true(sl_histogram_next(&b->histogram, &at_b, &v[3], &v[4], &v[5]));
		assert_memory_equal(&v[0], &v[3], 3 * sizeof(v[0]));
	}
}

static void expect_same(const struct sl_saved *a, const struct sl_saved *b)
{
	assert_true(a->function_count == b->function_count && a->node_count == b->node_count);
	for (size_t i = 0; i < a->function_count; i++) {
		const struct sl_saved_function *f = &a->functions[i], *g = &b->functions[i];

		assert_memory_equal(f->calls, g->calls, sizeof(f->calls));
		assert_memory_equal(&f->self, &g->self, sizeof(f->self));
		assert_memory_equal(&f->total, &g->total, sizeof(f->total));
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			expect_same_measure(&f->measures[axis], &g->measures[axis]);
	}
	for (size_t i = 0; i < a->node_count; i++) {
		const struct sl_saved_node *m = &a->nodes[i], *n = &b->nodes[i];

		assert_true(m->kind == n->kind && m->parent == n->parent && m->what == n->what);
		assert_memory_equal(m->calls, n->calls, sizeof(m->calls));
		assert_memory_equal(&m->self, &n->self, sizeof(m->self));
		assert_memory_equal(&m->total, &n->total, sizeof(m->total));
	}
}

/* What is expected of a number only decides how long it is in the file. */
void test_saved__any_numbers_are_kept(void **state)
{
	uint64_t random = 1;
	struct temp_dir dir;

	(void)state;
	temp_dir_make(&dir);
	for (int i = 0; i < 50; i++) {
		struct sl_diag diag = { "" };
		struct sl_saved a, b;

		make_any(&a, &random);
		assert_int_equal(sl_saved_write(&a, temp_dir_path(&dir, "a.slp"), &diag), SL_OK);
		assert_int_equal(sl_saved_read(temp_dir_path(&dir, "a.slp"), &b, &diag), SL_OK);
		expect_same(&a, &b);
		sl_saved_release(&a);
		sl_saved_release(&b);
	}
	temp_dir_remove(&dir);
}

/* Children stay in their order, and each is behind all that is below the one before. */
void test_saved__nodes_are_in_preorder(void **state)
{
	static const struct {
		uint32_t parent, what;
	} rows[] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 }, { 1, 5 }, { 3, 6 } };
	static const uint32_t parents[] = { 0, 0, 1, 2, 1, 0, 5 }, whats[] = { 0, 1, 3, 6, 5, 2, 4 };
	struct sl_saved s = { .axes = 1 };

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		struct sl_saved_node node = { .kind = i ? SL_SAVED_FUNCTION : SL_SAVED_ROOT, .parent = rows[i].parent, .what = rows[i].what };

		assert_int_equal(SL_ARRAY_PUSH(&s.nodes, &s.node_count, &s.node_cap, node), SL_OK);
	}
	assert_int_equal(saved_order_nodes(&s), SL_OK);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(s.nodes[i].parent, parents[i]);
		assert_int_equal(s.nodes[i].what, whats[i]);
	}
	sl_saved_release(&s);
}

/* What is not on all lanes is nobody's. */
void test_saved__axes_that_one_lacks_go(void **state)
{
	struct sl_saved a, b;
	struct sl_diag diag = { "" };

	(void)state;
	make(&a, "other", 0);
	make(&b, "other", 0);
	a.axes = 3;
	a.lanes[0].self.v[SL_AXIS_CYCLES] = a.nodes[1].self.v[SL_AXIS_CYCLES] = 7;
	assert_int_equal(sl_saved_merge(&a, &b, &diag), SL_OK);
	assert_int_equal(a.axes, 1);
	assert_int_equal(a.lanes[0].self.v[SL_AXIS_CYCLES], 0);
	assert_int_equal(a.nodes[0].total.v[SL_AXIS_CYCLES], 0);
	assert_int_equal(a.nodes[0].total.v[SL_AXIS_INSNS], 120);
	sl_saved_release(&a);
	sl_saved_release(&b);
}
