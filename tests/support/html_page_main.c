/* SPDX-License-Identifier: Apache-2.0 */
/* html_page CALLS FILE [hostile]: a page of report --html with so many calls of made-up tasks, for benchmarks and for names that mean harm. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_html.h"

enum { TRACKS = 8, FUNCTIONS = 200, DEPTH = 14, LANES = 2 };

struct function {
	char name[64];
	uint64_t calls, total, self;
};

static char long_name[10001];
static const char *const hostile[] = {
	"<script>globalThis.harm=1</script>", "</script><img src=x onerror=globalThis.harm=1>", "\"><svg onload=globalThis.harm=1>",
	"' onmouseover='globalThis.harm=1", "`${globalThis.harm=1}`", "\xff\xfe\xc3(", "\x1b[31mred\x1b[0m\x07\r\n", "a\xe2\x80\xaetxt.exe", long_name,
	"@DATA@@TITLE@", "{\"table\":\"functions\"}", "]]>--><!--", "javascript:globalThis.harm=1", "&lt;b&gt;&amp;", "%s%n%x", "__proto__", "constructor", "",
};
enum { HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

struct maker {
	struct sl_timeline out;
	struct sl_timeline_head head;
	struct sl_timeline_track track;
	struct function functions[FUNCTIONS];
	bool harmful;
	uint64_t seed, now, left;
};

static uint64_t dice(struct maker *m, uint64_t sides)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return m->seed % sides;
}

static const char *name_of(const void *ctx, uint32_t id, const char **module)
{
	const struct maker *m = ctx;

	*module = m->harmful ? hostile[(id + 1) % HOSTILE] : id % 3 ? "libmade.so" : "made";
	return m->harmful && id < HOSTILE ? hostile[id] : m->functions[id].name;
}

static void tell(struct maker *m, enum sl_timeline_kind kind, uint32_t id, uint32_t depth, uint64_t start, uint64_t total, uint64_t self)
{
	struct sl_timeline_event e = { .kind = kind, .track = &m->track, .at = m->now, .name_id = id, .depth = depth, .start = start,
				       .costs = true, .total = total, .self = self };

	e.name = name_of(m, id, &e.module);
	m->out.ops->event(m->out.out, &e);
}

/* What a function takes by itself until its next call: about the same each time, and now and then much more. */
static uint64_t step_of(struct maker *m, uint32_t id)
{
	uint64_t usual = 12 + id * 7 % 50;

	return usual + dice(m, 16) + (dice(m, 2000) ? 0 : usual * 100);
}

/* A function calls up to three others, of which each is called by that place alone; now and then one is left out. They have
 * greater numbers, so that there is no recursion. Returns its total. */
static uint64_t call(struct maker *m, uint32_t id, uint32_t depth)
{
	uint64_t start = m->now, callees = 0, self = 0, step;

	m->left--;
	tell(m, SL_TIMELINE_BEGIN, id, depth, start, 0, 0);
	for (uint32_t i = 0, children = depth < DEPTH - 1 && id < FUNCTIONS - 9 ? (id + depth) % 4 : 0; i < children && m->left; i++) {
		if (!dice(m, 6))
			continue;
		step = step_of(m, id);
		m->now += step;
		self += step;
		callees += call(m, id + 1 + (id * 5 + i * 3) % 8, depth + 1);
	}
	self += step_of(m, id);
	m->now = start + callees + self;
	tell(m, SL_TIMELINE_END, id, depth, start, callees + self, self);
	m->functions[id].calls++;
	m->functions[id].total += callees + self;
	m->functions[id].self += self;
	return callees + self;
}

static void make_track(struct maker *m, uint32_t number, uint64_t calls)
{
	char name[32];

	snprintf(name, sizeof(name), "task %" PRIu32, number);
	m->track = (struct sl_timeline_track){ .id = number, .name = m->harmful ? hostile[number] : name };
	m->now = number * 1000;
	m->left = calls;
	while (m->left) {
		call(m, (uint32_t)dice(m, 12), 0);
		m->now += dice(m, 400);
	}
}

/* Tasks take turns on the lanes. */
static void make_runs(struct maker *m)
{
	uint64_t end = m->now;

	for (uint32_t lane = 0; lane < LANES; lane++) {
		struct sl_timeline_event e = { .kind = SL_TIMELINE_RUN, .lane = lane, .cpu = lane, .track = &m->track };

		for (e.at = 0; e.at < end; e.at += 1 + end / 5000 + dice(m, end / 5000 + 1)) {
			m->track.id = (m->track.id + 1) % TRACKS;
			e.kind = dice(m, 50) ? SL_TIMELINE_RUN : SL_TIMELINE_MARK;
			e.name = m->harmful ? hostile[1] : "overflow";
			m->out.ops->event(m->out.out, &e);
		}
	}
}

static void make_table(const struct maker *m, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "function", "function", "", SL_TYPE_STRING, 0 }, { "module", "module", "", SL_TYPE_STRING, 0 },
		{ "calls", "calls", "", SL_TYPE_COUNT, 0 },	   { "total_ns", "total ns", "", SL_TYPE_COUNT, 0 },
		{ "self_ns", "self ns", "", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = { .schema = "sightline.report/1", .name = "functions", .columns = columns, .column_count = 5 };
	const char *module;

	out->ops->begin(out->out, &head);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &m->functions[i];
		const struct sl_cell cells[] = { sl_cell_str(name_of(m, i, &module)), sl_cell_str(module), sl_cell_u64(f->calls),
						 sl_cell_u64(f->total), sl_cell_u64(f->self) };

		if (f->calls)
			out->ops->row(out->out, cells);
	}
	out->ops->end(out->out);
}

static int make_page(struct maker *m, struct sl_html *html, uint64_t calls)
{
	struct sl_table table;

	sl_html_timeline(html, &m->out);
	m->head = (struct sl_timeline_head){ .unit = "ns", .about = "made up", .lanes = LANES, .name = name_of, .ctx = m };
	m->out.ops->begin(m->out.out, &m->head);
	for (uint32_t i = 0; i < TRACKS; i++)
		make_track(m, i, calls / TRACKS + (i < calls % TRACKS));
	make_runs(m);
	sl_html_table(html, &table);
	make_table(m, &table);
	return sl_html_close(html, true);
}

int main(int argc, char **argv)
{
	static struct maker m = { .seed = 88172645463325252u };
	struct sl_html_options options = { .title = "made up" };
	struct sl_html *html;

	if (argc < 3) {
		fprintf(stderr, "usage: html_page CALLS FILE [hostile]\n");
		return 2;
	}
	memset(long_name, 'A', sizeof(long_name) - 1);
	m.harmful = argc > 3;
	if (m.harmful)
		options.title = hostile[0];
	for (int i = 0; i < FUNCTIONS; i++)
		snprintf(m.functions[i].name, sizeof(m.functions[i].name), "function_%d", i);
	options.out = fopen(argv[2], "wb");
	if (!options.out || sl_html_new(&options, &html) < 0)
		return 2;
	return make_page(&m, html, strtoull(argv[1], NULL, 10)) < 0 || fclose(options.out) != 0 ? 1 : 0;
}
