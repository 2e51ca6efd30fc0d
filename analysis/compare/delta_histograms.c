/* SPDX-License-Identifier: Apache-2.0 */
/* How calls spread on both sides: for drawing. */
#include "axis.h"
#include "delta.h"

#define HISTOGRAM_COLUMNS(unit)                                                                              \
	{ "place", "place", "of the function in the table functions, from 0 on", SL_TYPE_COUNT, 0 },         \
	{ "side", "side", "A or B", SL_TYPE_STRING, 0 },                                                     \
	{ "least_" unit, "least", "of a class of durations of complete calls", SL_TYPE_REAL, 0 },            \
	{ "greatest_" unit, "greatest", "... and the greatest that is in it", SL_TYPE_REAL, 0 },             \
	{ "calls", "calls", "of that class", SL_TYPE_COUNT, 0 }

enum { HISTOGRAM_COLUMN_COUNT = 5 };
static const struct sl_column histogram_columns[SL_AXIS_COUNT][HISTOGRAM_COLUMN_COUNT] = {
	[SL_AXIS_INSNS] = { HISTOGRAM_COLUMNS("insns") },
	[SL_AXIS_CYCLES] = { HISTOGRAM_COLUMNS("cycles") },
	[SL_AXIS_TICKS] = { HISTOGRAM_COLUMNS("ns") },
};

/* A class holds nothing beyond the shortest and the longest call. */
static uint64_t within(const struct delta_side *side, uint64_t value)
{
	return value < side->min ? side->min : value > side->max ? side->max : value;
}

static void write_classes(const struct sl_compare *c, const struct delta_row *row, int side, uint64_t place, const struct sl_table *out)
{
	const struct delta_side *s = &row->sides[side];
	uint64_t cursor = 0, least, greatest, count;

	while (sl_histogram_next(&s->histogram, &cursor, &least, &greatest, &count)) {
		const struct sl_cell cells[HISTOGRAM_COLUMN_COUNT] = {
			sl_cell_u64(place), sl_cell_str(side == A ? "A" : "B"), sl_cell_real(delta_scaled(c, side, c->axis, (double)within(s, least))),
			sl_cell_real(delta_scaled(c, side, c->axis, (double)within(s, greatest))), sl_cell_u64(count),
		};

		out->ops->row(out->out, cells);
	}
}

void sl_compare_histograms(const struct sl_compare *c, const struct sl_table *out)
{
	const struct sl_table_head head = { .schema = DELTA_SCHEMA, .name = "histograms", .title = "How long calls are",
					    .columns = histogram_columns[c->axis], .column_count = HISTOGRAM_COLUMN_COUNT };
	uint64_t place = 0;

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < c->row_count; i++) {
		const struct delta_row *row = &c->rows[c->sorted[i]];

		if (!delta_is_shown(row))
			continue;
		for (int side = 0; side < SIDES; side++)
			write_classes(c, row, side, place, out);
		place++;
	}
	out->ops->end(out->out);
}
