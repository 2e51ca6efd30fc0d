/* SPDX-License-Identifier: Apache-2.0 */
#include "saved_tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

#define FIELD(type, name, field, steps) { name, offsetof(struct type, field), sizeof(((struct type *)0)->field), steps }
#define COLUMN(type, field)		FIELD(type, #field, field, false)
#define AXES(type, field)                                                                                              \
	FIELD(type, #field "_insns", field.v[SL_AXIS_INSNS], false), FIELD(type, #field "_cycles", field.v[SL_AXIS_CYCLES], false), \
		FIELD(type, #field "_ticks", field.v[SL_AXIS_TICKS], false)
#define CALLS(type)                                                                                            \
	FIELD(type, "calls", calls[0], false), FIELD(type, "calls_no_entry", calls[SL_SPAN_NO_ENTRY], false), \
		FIELD(type, "calls_no_exit", calls[SL_SPAN_NO_EXIT], false),                                   \
		FIELD(type, "calls_neither", calls[SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT], false)

static const struct saved_column function_columns[] = {
	FIELD(packed_function, "name", name, true), FIELD(packed_function, "module", module, true), CALLS(packed_function),
	AXES(packed_function, self), AXES(packed_function, total), COLUMN(packed_function, unevenness),
};
static const struct saved_column node_columns[] = {
	COLUMN(packed_node, up), COLUMN(packed_node, kind), COLUMN(packed_node, what), CALLS(packed_node),
	AXES(packed_node, self), AXES(packed_node, beyond),
};
static const struct saved_column duration_columns[] = {
	FIELD(packed_durations, "function", function, true), COLUMN(packed_durations, axis), COLUMN(packed_durations, classes),
	COLUMN(packed_durations, count), COLUMN(packed_durations, sum), COLUMN(packed_durations, squares_low),
	COLUMN(packed_durations, squares_high), COLUMN(packed_durations, min), COLUMN(packed_durations, max),
	COLUMN(packed_durations, bounds), COLUMN(packed_durations, resolution), COLUMN(packed_durations, own_sum),
	COLUMN(packed_durations, own_low), COLUMN(packed_durations, own_high), COLUMN(packed_durations, work_low), COLUMN(packed_durations, work_high), COLUMN(packed_durations, unevenness), COLUMN(packed_durations, own_unevenness),
};
static const struct saved_column class_columns[] = { COLUMN(packed_class, step), COLUMN(packed_class, rest), COLUMN(packed_class, count) };
static const struct saved_column event_columns[] = {
	COLUMN(sl_saved_event, lens), COLUMN(sl_saved_event, event), COLUMN(sl_saved_event, module), COLUMN(sl_saved_event, count),
	COLUMN(sl_saved_event, no_entry), COLUMN(sl_saved_event, no_exit), COLUMN(sl_saved_event, complete), AXES(sl_saved_event, total),
	AXES(sl_saved_event, self),
};
static const struct saved_column lane_columns[] = {
	COLUMN(sl_saved_lane, buffer), COLUMN(sl_saved_lane, source), COLUMN(sl_saved_lane, trace_id), COLUMN(sl_saved_lane, cpu),
	COLUMN(sl_saved_lane, repairs), AXES(sl_saved_lane, whole), AXES(sl_saved_lane, self), AXES(sl_saved_lane, gap),
	COLUMN(sl_saved_lane, machine),
};

#define TABLE(name, columns, type) { name, columns, sizeof(columns) / sizeof((columns)[0]), sizeof(struct type) }
const struct saved_table saved_tables[TABLES] = {
	[TABLE_FUNCTIONS] = TABLE("functions", function_columns, packed_function),
	[TABLE_NODES] = TABLE("nodes", node_columns, packed_node),
	[TABLE_DURATIONS] = TABLE("durations", duration_columns, packed_durations),
	[TABLE_CLASSES] = TABLE("classes", class_columns, packed_class),
	[TABLE_EVENTS] = TABLE("events", event_columns, sl_saved_event),
	[TABLE_LANES] = TABLE("lanes", lane_columns, sl_saved_lane),
};

uint64_t saved_get(const struct saved_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;
	uint64_t wide;
	uint32_t number;

	if (column->size == 1)
		return *(const uint8_t *)at;
	if (column->size == sizeof(number)) {
		memcpy(&number, at, sizeof(number));
		return number;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

bool saved_put(const struct saved_column *column, void *row, uint64_t value)
{
	char *at = (char *)row + column->offset;
	uint32_t number = (uint32_t)value;

	if (column->size == 1)
		*(uint8_t *)at = (uint8_t)value;
	else if (column->size == sizeof(number))
		memcpy(at, &number, sizeof(number));
	else
		memcpy(at, &value, sizeof(value));
	return saved_get(column, row) == value;
}

__extension__ typedef unsigned __int128 wide;

static void add_wide(uint64_t *high, uint64_t *low, wide more)
{
	wide sum = ((wide)*high << 64 | *low) + more;

	*low = (uint64_t)sum;
	*high = (uint64_t)(sum >> 64);
}

static void add_squares(struct packed_durations *d, wide more)
{
	add_wide(&d->squares_high, &d->squares_low, more);
}

static wide squares_of(const struct packed_durations *d)
{
	return (wide)d->squares_high << 64 | d->squares_low;
}

/* The mean's product, as often as there are calls. */
static wide mean_work(const struct packed_durations *d, uint64_t insns)
{
	return d->count ? (wide)d->own_sum * insns / d->count : 0;
}

/* Squares that as many equal values have. */
static wide squares_of_mean(uint64_t sum, uint64_t count)
{
	return count ? (wide)sum * sum / count : 0;
}

/* Of calls by themselves: those that call nothing are told by durations already, and most others have one length. */
static wide own_squares(const struct packed_durations *d)
{
	return d->own_sum == d->sum ? squares_of(d) : squares_of_mean(d->own_sum, d->count);
}

/* Of instructions, work is own times own. */
static wide work_of(const struct packed_durations *d, uint64_t insns)
{
	return d->axis == SL_AXIS_INSNS ? (wide)d->own_high << 64 | d->own_low : mean_work(d, insns);
}

const uint64_t *packed_own_of(const struct sl_saved_function *f, uint32_t axis)
{
	return f->calls[1] | f->calls[2] | f->calls[3] ? NULL : &f->self.v[axis];
}

void packed_own_without(struct packed_durations *d, const uint64_t *self, uint64_t insns)
{
	add_wide(&d->work_high, &d->work_low, -work_of(d, insns));
	add_wide(&d->own_high, &d->own_low, -own_squares(d));
	d->own_sum -= self ? *self : d->sum;
}

void packed_own_with(struct packed_durations *d, const uint64_t *self, uint64_t insns)
{
	d->own_sum += self ? *self : d->sum;
	add_wide(&d->own_high, &d->own_low, own_squares(d));
	add_wide(&d->work_high, &d->work_low, work_of(d, d->axis == SL_AXIS_INSNS ? d->own_sum : insns));
}

void packed_steps(struct packed_class *classes, size_t count)
{
	uint32_t before = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t class = sl_histogram_class(classes[i].step);

		classes[i].rest = classes[i].step - sl_histogram_class_least(class);
		classes[i].step = class - before;
		before = class;
	}
}

bool packed_values(struct packed_class *classes, size_t count)
{
	const uint64_t last = sl_histogram_class(UINT64_MAX);
	uint64_t class = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t least;

		if (classes[i].step > last - class)
			return false;
		class += classes[i].step;
		least = sl_histogram_class_least((uint32_t)class);
		if (classes[i].rest > sl_histogram_class_greatest((uint32_t)class) - least)
			return false;
		classes[i].step = least + classes[i].rest;
	}
	return true;
}

void packed_derive(const struct packed_class *classes, size_t count, struct packed_durations *ret)
{
	*ret = (struct packed_durations){ .min = count ? classes[0].step : UINT64_MAX, .max = count ? classes[count - 1].step : 0 };
	for (size_t i = 0; i < count; i++) {
		uint64_t value = classes[i].step;

		ret->count += classes[i].count;
		ret->sum += classes[i].count * value;
		add_squares(ret, (wide)value * value * classes[i].count);
	}
}

/* Where calls are in no class, these tell little of squares. */
static wide expected_squares(const struct packed_durations *d, const struct packed_durations *told)
{
	return d->count == told->count ? squares_of(told) : squares_of_mean(d->sum, d->count);
}

void packed_with(struct packed_durations *d, const struct packed_durations *told)
{
	d->count += told->count;
	d->sum += told->sum;
	add_squares(d, expected_squares(d, told));
	d->min += told->min;
	d->max += told->max;
}

void packed_without(struct packed_durations *d, const struct packed_durations *told)
{
	add_squares(d, -expected_squares(d, told));
	d->count -= told->count;
	d->sum -= told->sum;
	d->min -= told->min;
	d->max -= told->max;
}

void packed_add_nodes(struct packed_function *functions, const struct sl_saved_node *nodes, size_t count, bool take_away)
{
	for (size_t i = 0; i < count; i++) {
		struct packed_function *f = &functions[nodes[i].what];
		const struct sl_axes none = { { 0 } };

		if (nodes[i].kind != SL_SAVED_FUNCTION)
			continue;
		sl_axes_add(&f->self, take_away ? sl_axes_sub(none, nodes[i].self) : nodes[i].self);
		for (int lacks = 0; lacks < SL_SAVED_LACKS; lacks++)
			f->calls[lacks] += take_away ? -nodes[i].calls[lacks] : nodes[i].calls[lacks];
	}
}

static void *append(struct packed *p, enum saved_table_number table)
{
	size_t size = saved_tables[table].row_size;

	if (sl_array_reserve(&p->rows[table], &p->caps[table], size, p->counts[table] + 1) < 0)
		return NULL;
	return memset((char *)p->rows[table] + p->counts[table]++ * size, 0, size);
}

static int pack_classes(const struct sl_histogram *h, struct packed *p)
{
	uint64_t cursor = 0, least, greatest, count;
	struct packed_class *class;

	while (sl_histogram_next(h, &cursor, &least, &greatest, &count)) {
		class = append(p, TABLE_CLASSES);
		if (!class)
			return SL_ERR_NOMEM;
		*class = (struct packed_class){ .step = least, .count = count };
	}
	return SL_OK;
}

static int pack_measure(const struct sl_saved_function *f, uint32_t function, uint32_t axis, struct packed *p)
{
	const struct sl_saved_measure *m = &f->measures[axis];
	size_t first = p->counts[TABLE_CLASSES];
	struct packed_durations *d, told;
	struct packed_class *classes;

	if (!m->spread.count)
		return SL_OK;
	d = append(p, TABLE_DURATIONS);
	if (!d || pack_classes(&m->histogram, p) < 0)
		return SL_ERR_NOMEM;
	*d = (struct packed_durations){
		.function = function,
		.axis = axis,
		.classes = (uint32_t)(p->counts[TABLE_CLASSES] - first),
		.count = m->spread.count,
		.sum = m->spread.sum,
		.squares_low = m->spread.squares_low,
		.squares_high = m->spread.squares_high,
		.min = m->min,
		.max = m->max,
		.bounds = m->bounds,
		.resolution = m->resolution,
		.own_sum = m->own.sum,
		.own_low = m->own.squares_low,
		.own_high = m->own.squares_high,
		.work_low = m->own_work.low,
		.work_high = m->own_work.high,
		.unevenness = m->unevenness,
		.own_unevenness = m->own_unevenness,
	};
	packed_own_without(d, packed_own_of(f, axis), f->measures[SL_AXIS_INSNS].own.sum);
	classes = p->counts[TABLE_CLASSES] > first ? (struct packed_class *)p->rows[TABLE_CLASSES] + first : NULL;
	packed_derive(classes, d->classes, &told);
	packed_without(d, &told);
	packed_steps(classes, d->classes);
	return SL_OK;
}

static int pack_function(const struct sl_saved_function *from, struct packed *p)
{
	uint32_t number = (uint32_t)p->counts[TABLE_FUNCTIONS];
	struct packed_function *f = append(p, TABLE_FUNCTIONS);

	if (!f)
		return SL_ERR_NOMEM;
	*f = (struct packed_function){ .name = from->name, .module = from->module, .self = from->self, .total = from->total,
					.unevenness = from->unevenness };
	memcpy(f->calls, from->calls, sizeof(f->calls));
	for (uint32_t axis = 0; axis < SL_AXIS_COUNT; axis++) {
		f->total.v[axis] -= from->measures[axis].spread.sum;
		if (pack_measure(from, number, axis, p) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

/* Borrowed tables have no capacity of their own. */
static void lend(struct packed *p, enum saved_table_number table, const void *rows, size_t count)
{
	p->rows[table] = (void *)(uintptr_t)rows;
	p->counts[table] = count;
}

static int pack_nodes(const struct sl_saved *saved, struct packed *p)
{
	if (sl_array_reserve(&p->rows[TABLE_NODES], &p->caps[TABLE_NODES], sizeof(struct packed_node), saved->node_count + 1) < 0)
		return SL_ERR_NOMEM;
	p->counts[TABLE_NODES] = saved->node_count;
	return packed_make_nodes(saved, p->rows[TABLE_NODES]);
}

int packed_make(const struct sl_saved *saved, struct packed *ret)
{
	int result;

	*ret = (struct packed){ .rows = { NULL } };
	result = pack_nodes(saved, ret);
	lend(ret, TABLE_EVENTS, saved->events, saved->event_count);
	lend(ret, TABLE_LANES, saved->lanes, saved->lane_count);
	for (size_t i = 0; i < saved->function_count && result == SL_OK; i++)
		result = pack_function(&saved->functions[i], ret);
	if (result == SL_OK)
		packed_add_nodes(ret->rows[TABLE_FUNCTIONS], saved->nodes, saved->node_count, true);
	else
		packed_release(ret);
	return result;
}

void packed_release(struct packed *packed)
{
	for (int table = 0; table < TABLES; table++) {
		if (packed->caps[table])
			free(packed->rows[table]);
	}
	*packed = (struct packed){ .rows = { NULL } };
}
