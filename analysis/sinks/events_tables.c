/* SPDX-License-Identifier: Apache-2.0 */
/* What events writes. */
#include <inttypes.h>
#include <stdio.h>

#include "axis.h"
#include "events.h"

#define SCHEMA "sightline.events/1"

struct writer {
	const struct sl_events *events;
	const struct sl_events_view *view;
	const struct sl_table *out;
};

static struct sl_cell scaled(const struct writer *w, uint64_t value)
{
	return sl_cell_u64(axis_value(w->view->axis, value, w->view->timestamp_hz));
}

static struct sl_cell mean(const struct writer *w, uint64_t sum, uint64_t count)
{
	if (!count)
		return sl_cell_none();
	return sl_cell_real((double)axis_value(w->view->axis, sum, w->view->timestamp_hz) / (double)count);
}

/* Per second; per million cycles or instructions where there is no time. */
static struct sl_cell rate(const struct writer *w, uint64_t count)
{
	double whole = (double)axis_value(w->view->axis, w->view->whole, w->view->timestamp_hz);
	double unit = w->view->axis == SL_AXIS_TICKS ? 1e9 : 1e6;

	return whole > 0 ? sl_cell_real((double)count * unit / whole) : sl_cell_none();
}

static struct sl_cell share(const struct writer *w, uint64_t part)
{
	return w->view->whole_all ? sl_cell_real(100.0 * (double)part / (double)w->view->whole_all) : sl_cell_none();
}

static const struct sl_lens *lens_of(const struct writer *w, unsigned lens)
{
	return &w->events->options.lenses->items[lens];
}

static const char *symbol_name(const struct writer *w, uint32_t symbol)
{
	return symbol == UINT32_MAX ? NULL : sl_image_symbol(w->events->options.image, symbol)->name;
}

static const char *module_name(const struct writer *w, uint32_t symbol)
{
	const struct sl_image *image = w->events->options.image;

	return symbol && symbol != UINT32_MAX ? sl_image_module(image, sl_image_symbol(image, symbol)->module)->name : NULL;
}

static void task_name(const struct writer *w, uint32_t stack, char *ret, size_t cap)
{
	uint64_t id = tasks_of(&w->events->names, stack);
	const char *name = task_name_of(w->events->options.capture, id);

	if (id == NO_TASK)
		snprintf(ret, cap, "[stack %u]", stack);
	else
		snprintf(ret, cap, "%s%s%" PRIu64, name ? name : "", name ? " " : "task ", id);
}

/* ---- lenses ---- */

struct lens_sum {
	size_t events;
	uint64_t count, total, requests;
};

static void add_events(const struct writer *w, unsigned lens, struct lens_sum *sum)
{
	for (size_t i = 0; i < w->events->event_count; i++) {
		const struct event *e = &w->events->events[i];

		if (e->lens != lens)
			continue;
		sum->events++;
		sum->count += e->count;
		sum->total += e->total.v[w->view->axis];
	}
}

static struct lens_sum sum_lens(const struct writer *w, unsigned lens)
{
	const struct sl_events *ev = w->events;
	struct lens_sum sum = { 0 };

	add_events(w, lens, &sum);
	for (size_t i = 0; i < ev->request_count; i++)
		sum.requests += ev->requests[i].lens == lens ? ev->requests[i].count : 0;
	for (size_t i = 0; i < ev->task_count && ev->with_switches & 1u << lens; i++) {
		sum.events += ev->tasks[i].in > 0;
		sum.count += ev->tasks[i].in;
	}
	return sum;
}

#define LENS_COLUMNS(unit, per)                                                                                      \
	{ "lens", "lens", "name of the lens", SL_TYPE_STRING, 0 },                                                   \
	{ "kinds", "kinds", "different events that it saw", SL_TYPE_COUNT, 0 },                                      \
	{ "count", "count", "events that began while traced", SL_TYPE_COUNT, 0 },                                    \
	{ "rate_per_" per, "per " per, "events in that much of the axis", SL_TYPE_REAL, 0 },                         \
	{ "total_" unit, "total " unit, "in all of them, with callees", SL_TYPE_COUNT, 0 },                          \
	{ "share_percent", "share %", "of the time of all CPUs traced", SL_TYPE_PERCENT, 0 },                        \
	{ "requests", "requests", "calls of functions that ask for such events", SL_TYPE_COUNT, 0 },                 \
	{ "title", "what", "what its events are", SL_TYPE_STRING, 0 }
enum { LENS_COLUMN_COUNT = 8 };
static const struct sl_column lens_columns[SL_AXIS_COUNT][LENS_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { LENS_COLUMNS("insns", "Minsn") },
	[SL_AXIS_CYCLES] = { LENS_COLUMNS("cycles", "Mcycle") },
	[SL_AXIS_TICKS] = { LENS_COLUMNS("ns", "s") },
};

static void write_lenses(const struct writer *w)
{
	struct sl_table_head head = { .schema = SCHEMA, .name = "lenses", .title = "Lenses",
				      .columns = lens_columns[w->view->axis], .column_count = LENS_COLUMN_COUNT };

	w->out->ops->begin(w->out->out, &head);
	for (unsigned i = 0; i < w->events->options.lenses->len; i++) {
		struct lens_sum sum = sum_lens(w, i);
		bool timed = !(w->events->with_switches & 1u << i);
		const struct sl_cell cells[LENS_COLUMN_COUNT] = {
			sl_cell_str(lens_of(w, i)->name), sl_cell_u64(sum.events), sl_cell_u64(sum.count), rate(w, sum.count),
			timed ? scaled(w, sum.total) : sl_cell_none(), timed ? share(w, sum.total) : sl_cell_none(),
			sl_cell_u64(sum.requests), sl_cell_str(lens_of(w, i)->title),
		};

		if (w->events->selected & 1u << i)
			w->out->ops->row(w->out->out, cells);
	}
	w->out->ops->end(w->out->out);
}

/* ---- events ---- */

#define EVENT_COLUMNS(unit, per)                                                                                     \
	{ "lens", "lens", "name of the lens", SL_TYPE_STRING, 0 },                                                   \
	{ "event", "event", "function, or kind of exception and its number", SL_TYPE_STRING, 0 },                   \
	{ "module", "module", "file that it is in", SL_TYPE_STRING, 0 },                                             \
	{ "group", "of", "task or trace source, with --by", SL_TYPE_STRING, 0 },                                     \
	{ "count", "count", "events that began while traced", SL_TYPE_COUNT, 0 },                                    \
	{ "missing_entry", "no entry", "found running: not in count", SL_TYPE_COUNT, 0 },                            \
	{ "missing_exit", "no exit", "still running where the trace ends or has a gap", SL_TYPE_COUNT, 0 },          \
	{ "rate_per_" per, "per " per, "events in that much of the axis", SL_TYPE_REAL, 0 },                         \
	{ "share_percent", "share %", "of the time of all CPUs traced", SL_TYPE_PERCENT, 0 },                        \
	{ "total_" unit, "total " unit, "in all of them, with callees", SL_TYPE_COUNT, 0 },                          \
	{ "self_" unit, "self " unit, "without callees", SL_TYPE_COUNT, 0 },                                         \
	{ "min_" unit, "min", "shortest complete one", SL_TYPE_COUNT, 0 },                                           \
	{ "avg_" unit, "avg", "mean of the complete ones", SL_TYPE_REAL, 0 },                                        \
	{ "max_" unit, "max", "longest complete one", SL_TYPE_COUNT, 0 },                                            \
	{ "max_offset_bytes", "max at", "where the longest one began, in the buffer", SL_TYPE_COUNT, 0 },            \
	{ "interval_min_" unit, "int min", "least from start to start", SL_TYPE_COUNT, 0 },                          \
	{ "interval_avg_" unit, "int avg", "mean from start to start", SL_TYPE_REAL, 0 },                            \
	{ "interval_max_" unit, "int max", "most from start to start", SL_TYPE_COUNT, 0 },                           \
	{ "bursts", "bursts", "groups of events that are near together, and far from the next group", SL_TYPE_COUNT, 0 }, \
	{ "events_per_burst", "ev/burst", "mean number of events in one", SL_TYPE_REAL, 0 },                         \
	{ "burst_length_" unit, "burst len", "mean from its first start to its last", SL_TYPE_REAL, 0 },             \
	{ "burst_interval_" unit, "burst int", "mean from burst to burst, start to start", SL_TYPE_REAL, 0 },        \
	{ "first_offset_bytes", "first at", "where the first one began, in the buffer", SL_TYPE_COUNT, 0 }
enum { EVENT_COLUMN_COUNT = 23 };
static const struct sl_column event_columns[SL_AXIS_COUNT][EVENT_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { EVENT_COLUMNS("insns", "Minsn") },
	[SL_AXIS_CYCLES] = { EVENT_COLUMNS("cycles", "Mcycle") },
	[SL_AXIS_TICKS] = { EVENT_COLUMNS("ns", "s") },
};

size_t sl_events_columns(enum sl_axis axis, const struct sl_column **ret)
{
	*ret = event_columns[axis];
	return EVENT_COLUMN_COUNT;
}

static struct sl_cell *put_intervals(const struct writer *w, const struct rhythm *r, struct sl_cell *cell)
{
	enum sl_axis axis = w->view->axis;
	struct rhythm_part all = rhythm_sum(r, axis, 0, INTERVAL_CLASSES);

	*cell++ = all.count ? scaled(w, r->min[axis]) : sl_cell_none();
	*cell++ = mean(w, all.sum, all.count);
	*cell++ = all.count ? scaled(w, r->max[axis]) : sl_cell_none();
	return cell;
}

/* Between n bursts lie n - 1 long intervals, each from the last start of one to the first of the next. */
static struct sl_cell *put_bursts(const struct writer *w, const struct event *e, struct sl_cell *cell)
{
	unsigned border = rhythm_border(&e->rhythm, w->view->axis);
	struct rhythm_part near = rhythm_sum(&e->rhythm, w->view->axis, 0, border);
	struct rhythm_part far = rhythm_sum(&e->rhythm, w->view->axis, border, INTERVAL_CLASSES);
	uint64_t bursts = far.count + 1;
	bool any = border > 0;

	*cell++ = any ? sl_cell_u64(bursts) : sl_cell_none();
	*cell++ = any ? sl_cell_real((double)(near.count + bursts) / (double)bursts) : sl_cell_none();
	*cell++ = any ? mean(w, near.sum, bursts) : sl_cell_none();
	*cell++ = any ? sl_cell_real(mean(w, near.sum, bursts).d + mean(w, far.sum, far.count).d) : sl_cell_none();
	return cell;
}

static void event_name(const struct writer *w, const struct event *e, char *ret, size_t cap)
{
	if (e->what == EVENT_CALL)
		snprintf(ret, cap, "%s", symbol_name(w, e->number));
	else
		snprintf(ret, cap, "%s, exception %u", sl_level_name(e->level), e->number);
}

static struct sl_cell group_cell(const struct writer *w, const struct event *e, char *text, size_t cap)
{
	const struct sl_events *ev = w->events;

	if (e->group == UINT32_MAX)
		return sl_cell_none();
	if (ev->options.by == SL_EVENTS_BY_CPU)
		snprintf(text, cap, "lane %u", e->group);
	else
		task_name(w, e->group, text, cap);
	return sl_cell_str(text);
}

static void write_event(const struct writer *w, const struct event *e)
{
	enum sl_axis axis = w->view->axis;
	struct sl_cell cells[EVENT_COLUMN_COUNT], *cell = cells;
	char name[512], group[128];

	event_name(w, e, name, sizeof(name));
	*cell++ = sl_cell_str(lens_of(w, e->lens)->name);
	*cell++ = sl_cell_str(name);
	*cell++ = e->what == EVENT_CALL ? sl_cell_str(module_name(w, e->number)) : sl_cell_none();
	*cell++ = group_cell(w, e, group, sizeof(group));
	*cell++ = sl_cell_u64(e->count);
	*cell++ = sl_cell_u64(e->no_entry);
	*cell++ = sl_cell_u64(e->no_exit);
	*cell++ = rate(w, e->count);
	*cell++ = share(w, e->total.v[axis]);
	*cell++ = scaled(w, e->total.v[axis]);
	*cell++ = scaled(w, e->self.v[axis]);
	*cell++ = e->complete ? scaled(w, e->min.v[axis]) : sl_cell_none();
	*cell++ = mean(w, e->sum.v[axis], e->complete);
	*cell++ = e->complete ? scaled(w, e->max.v[axis]) : sl_cell_none();
	*cell++ = e->complete ? sl_cell_u64(e->max_offset[axis]) : sl_cell_none();
	cell = put_intervals(w, &e->rhythm, cell);
	cell = put_bursts(w, e, cell);
	*cell = e->count ? sl_cell_u64(e->first_offset) : sl_cell_none();
	w->out->ops->row(w->out->out, cells);
}

static void write_events(const struct writer *w)
{
	struct sl_table_head head = { .schema = SCHEMA, .name = "events", .title = "Events",
				      .columns = event_columns[w->view->axis], .column_count = EVENT_COLUMN_COUNT };

	w->out->ops->begin(w->out->out, &head);
	for (size_t i = 0; i < w->events->event_count; i++)
		write_event(w, &w->events->events[i]);
	w->out->ops->end(w->out->out);
}

/* ---- requesters ---- */

#define REQUEST_COLUMNS(unit, per)                                                                                   \
	{ "lens", "lens", "name of the lens", SL_TYPE_STRING, 0 },                                                   \
	{ "module", "module", "file of the caller", SL_TYPE_STRING, 0 },                                             \
	{ "caller", "caller", "who asks", SL_TYPE_STRING, 0 },                                                       \
	{ "requester", "by", "the function that it calls", SL_TYPE_STRING, 0 },                                      \
	{ "count", "count", "calls", SL_TYPE_COUNT, 0 },                                                             \
	{ "rate_per_" per, "per " per, "calls in that much of the axis", SL_TYPE_REAL, 0 },                          \
	{ "interval_min_" unit, "int min", "least from call to call", SL_TYPE_COUNT, 0 },                            \
	{ "interval_avg_" unit, "int avg", "mean from call to call", SL_TYPE_REAL, 0 },                              \
	{ "interval_max_" unit, "int max", "most from call to call", SL_TYPE_COUNT, 0 },                             \
	{ "first_offset_bytes", "first at", "where the first one began, in the buffer", SL_TYPE_COUNT, 0 }
enum { REQUEST_COLUMN_COUNT = 10 };
static const struct sl_column request_columns[SL_AXIS_COUNT][REQUEST_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { REQUEST_COLUMNS("insns", "Minsn") },
	[SL_AXIS_CYCLES] = { REQUEST_COLUMNS("cycles", "Mcycle") },
	[SL_AXIS_TICKS] = { REQUEST_COLUMNS("ns", "s") },
};

static void write_requests(const struct writer *w)
{
	struct sl_table_head head = { .schema = SCHEMA, .name = "requesters", .title = "Who asked for them",
				      .columns = request_columns[w->view->axis], .column_count = REQUEST_COLUMN_COUNT };

	if (!w->events->request_count)
		return;
	w->out->ops->begin(w->out->out, &head);
	for (size_t i = 0; i < w->events->request_count; i++) {
		const struct request *r = &w->events->requests[i];
		struct sl_cell cells[REQUEST_COLUMN_COUNT], *cell = cells;

		*cell++ = sl_cell_str(lens_of(w, r->lens)->name);
		*cell++ = sl_cell_str(module_name(w, r->caller));
		*cell++ = sl_cell_str(symbol_name(w, r->caller));
		*cell++ = sl_cell_str(symbol_name(w, r->requester));
		*cell++ = sl_cell_u64(r->count);
		*cell++ = rate(w, r->count);
		cell = put_intervals(w, &r->rhythm, cell);
		*cell = sl_cell_u64(r->first_offset);
		w->out->ops->row(w->out->out, cells);
	}
	w->out->ops->end(w->out->out);
}

/* ---- tasks ---- */

#define TASK_COLUMNS(unit, per)                                                                                      \
	{ "task", "task", "name or context of the task", SL_TYPE_STRING, 0 },                                        \
	{ "switches", "switches", "to it", SL_TYPE_COUNT, 0 },                                                       \
	{ "rate_per_" per, "per " per, "switches in that much of the axis", SL_TYPE_REAL, 0 },                       \
	{ "run_" unit, "run " unit, "while it had a CPU, between two switches", SL_TYPE_COUNT, 0 },                  \
	{ "run_percent", "run %", "of the time of all CPUs traced", SL_TYPE_PERCENT, 0 },                            \
	{ "run_avg_" unit, "run avg", "mean of a stay", SL_TYPE_REAL, 0 },                                           \
	{ "run_max_" unit, "run max", "longest stay", SL_TYPE_COUNT, 0 },                                            \
	{ "off_avg_" unit, "off avg", "mean between two stays", SL_TYPE_REAL, 0 },                                   \
	{ "off_max_" unit, "off max", "longest between two stays", SL_TYPE_COUNT, 0 },                               \
	{ "voluntary", "voluntary", "switches away inside of a function that gives the CPU away", SL_TYPE_COUNT, 0 }, \
	{ "preempted", "preempted", "... that takes it", SL_TYPE_COUNT, 0 },                                         \
	{ "unknown", "unknown", "switches away that the trace does not explain", SL_TYPE_COUNT, 0 }
enum { TASK_COLUMN_COUNT = 12 };
static const struct sl_column task_columns[SL_AXIS_COUNT][TASK_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { TASK_COLUMNS("insns", "Minsn") },
	[SL_AXIS_CYCLES] = { TASK_COLUMNS("cycles", "Mcycle") },
	[SL_AXIS_TICKS] = { TASK_COLUMNS("ns", "s") },
};

static void write_task(const struct writer *w, const struct switched *t)
{
	enum sl_axis axis = w->view->axis;
	struct sl_cell cells[TASK_COLUMN_COUNT], *cell = cells;
	char name[128];

	task_name(w, t->stack, name, sizeof(name));
	*cell++ = sl_cell_str(name);
	*cell++ = sl_cell_u64(t->in);
	*cell++ = rate(w, t->in);
	*cell++ = scaled(w, t->run.v[axis]);
	*cell++ = share(w, t->run.v[axis]);
	*cell++ = mean(w, t->run.v[axis], t->runs);
	*cell++ = t->runs ? scaled(w, t->run_max.v[axis]) : sl_cell_none();
	*cell++ = mean(w, t->off.v[axis], t->offs);
	*cell++ = t->offs ? scaled(w, t->off_max.v[axis]) : sl_cell_none();
	*cell++ = sl_cell_u64(t->voluntary);
	*cell++ = sl_cell_u64(t->preempted);
	*cell = sl_cell_u64(t->out - t->voluntary - t->preempted);
	w->out->ops->row(w->out->out, cells);
}

static void write_tasks(const struct writer *w)
{
	struct sl_table_head head = { .schema = SCHEMA, .name = "tasks", .title = "Tasks",
				      .columns = task_columns[w->view->axis], .column_count = TASK_COLUMN_COUNT };

	if (!w->events->switches)
		return;
	w->out->ops->begin(w->out->out, &head);
	for (size_t i = 0; i < w->events->task_count; i++) {
		if (w->events->tasks[i].in || w->events->tasks[i].out)
			write_task(w, &w->events->tasks[i]);
	}
	w->out->ops->end(w->out->out);
}

void sl_events_report(const struct sl_events *events, const struct sl_events_view *view, const struct sl_table *out)
{
	const struct writer w = { events, view, out };

	write_lenses(&w);
	if (events->event_count)
		write_events(&w);
	write_requests(&w);
	write_tasks(&w);
}
