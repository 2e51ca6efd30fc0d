/* SPDX-License-Identifier: Apache-2.0 */
/* What latency and histogram say. */
#include "latency.h"

#include "axis.h"

enum { CLASSES = 24 }; /* about as many as a screen has lines */

struct rows {
	const struct sl_latency *latency;
	const struct sl_latency_shown *shown;
	const struct measure *measure;
	const struct sl_table *out;
	struct sl_table_head head; /* of the table at work */
	struct sl_meta meta;
};

static uint64_t scaled(const struct rows *rows, uint64_t value)
{
	return axis_value(rows->shown->axis, value, rows->shown->timestamp_hz);
}

static double scaled_real(const struct rows *rows, double value)
{
	if (rows->shown->axis != SL_AXIS_TICKS || !rows->shown->timestamp_hz)
		return value;
	return value * 1e9 / ((double)rows->shown->timestamp_hz * SL_TICK_PARTS);
}

static struct sl_cell percentile(const struct rows *rows, unsigned per_mille)
{
	const struct measure *m = rows->measure;
	uint64_t rank;

	if (!m->histogram.count)
		return sl_cell_none();
	rank = sl_histogram_rank(m->histogram.count, per_mille);
	return sl_cell_u64(scaled(rows, sl_histogram_at_rank_within(&m->histogram, rank, m->min, m->max)));
}

static void begin(struct rows *rows, const char *name, const char *title, const struct sl_column *columns, size_t count)
{
	rows->meta = (struct sl_meta){ "unit", axis_unit(rows->shown->axis) };
	rows->head = (struct sl_table_head){ .schema = "sightline.latency/1", .name = name, .title = title, .columns = columns,
					     .column_count = count, .meta = &rows->meta, .meta_count = 1 };
	rows->out->ops->begin(rows->out->out, &rows->head);
}

#define SUMMARY(unit)                                                                                                      \
	{ "measured", "measured", "pairs, intervals or calls that were measured", SL_TYPE_COUNT, 0 },                      \
	{ "min_" unit, "min " unit, "the shortest", SL_TYPE_COUNT, 0 },                                                    \
	{ "avg_" unit, "avg", "mean", SL_TYPE_REAL, 0 },                                                                   \
	{ "max_" unit, "max", "the longest", SL_TYPE_COUNT, 0 },                                                           \
	{ "stdev_" unit, "stdev", "standard deviation", SL_TYPE_REAL, 0 },                                                 \
	{ "p50_" unit, "p50", "half of them took no longer (within 0.8 %)", SL_TYPE_COUNT, 0 },                            \
	{ "p90_" unit, "p90", "90 % took no longer", SL_TYPE_COUNT, 0 },                                                   \
	{ "p99_" unit, "p99", "99 % took no longer", SL_TYPE_COUNT, 0 },                                                   \
	{ "p999_" unit, "p99.9", "99.9 % took no longer", SL_TYPE_COUNT, 0 },                                              \
	{ "sum_" unit, "sum", "all together", SL_TYPE_COUNT, 0 },                                                          \
	{ "seen_a", "A seen", "how often A happened, or the function was called", SL_TYPE_COUNT, 0 },                      \
	{ "seen_b", "B seen", "how often B happened", SL_TYPE_COUNT, 0 },                                                  \
	{ "alone_a", "A alone", "A without a B: another A came first, or nothing more", SL_TYPE_COUNT, 0 },                \
	{ "alone_b", "B alone", "B without an A before it", SL_TYPE_COUNT, 0 },                                            \
	{ "over_gap", "over gaps", "trace was lost between: not measured", SL_TYPE_COUNT, 0 },                             \
	{ "other_clock", "two CPUs", "on two CPUs, whose clocks the axis does not compare: not measured", SL_TYPE_COUNT, 0 }, \
	{ "lacking", "in part", "calls without a traced entry or exit: not measured", SL_TYPE_COUNT, 0 },                  \
	{ "dropped", "dropped", "no room was left for them: not measured", SL_TYPE_COUNT, 0 }

enum { SUMMARY_COLUMNS = 18, HISTOGRAM_COLUMNS = 6, WORST_COLUMNS = 9 };
static const struct sl_column summary_columns[SL_AXIS_COUNT][SUMMARY_COLUMNS] = {
	[SL_AXIS_INSNS] = { SUMMARY("insns") },
	[SL_AXIS_CYCLES] = { SUMMARY("cycles") },
	[SL_AXIS_TICKS] = { SUMMARY("ns") },
};

static void write_summary(struct rows *rows)
{
	const struct sl_latency_counts *counts = &rows->latency->counts;
	const struct measure *m = rows->measure;
	bool any = m->spread.count > 0, pairs = rows->latency->options.of == SL_LATENCY_PAIRS;
	const struct sl_cell cells[SUMMARY_COLUMNS] = {
		sl_cell_u64(m->spread.count),
		any ? sl_cell_u64(scaled(rows, m->min)) : sl_cell_none(),
		any ? sl_cell_real(scaled_real(rows, sl_spread_mean(&m->spread))) : sl_cell_none(),
		any ? sl_cell_u64(scaled(rows, m->max)) : sl_cell_none(),
		any ? sl_cell_real(scaled_real(rows, sl_spread_deviation(&m->spread))) : sl_cell_none(),
		percentile(rows, 500), percentile(rows, 900), percentile(rows, 990), percentile(rows, 999),
		sl_cell_u64(scaled(rows, m->spread.sum)),
		sl_cell_u64(counts->a), pairs ? sl_cell_u64(counts->b) : sl_cell_none(),
		pairs ? sl_cell_u64(counts->a_alone) : sl_cell_none(), pairs ? sl_cell_u64(counts->b_alone) : sl_cell_none(),
		sl_cell_u64(counts->over_gap), sl_cell_u64(counts->other_clock), sl_cell_u64(counts->lacking),
		sl_cell_u64(counts->dropped),
	};

	begin(rows, "summary", rows->shown->title, summary_columns[rows->shown->axis], SUMMARY_COLUMNS);
	rows->out->ops->row(rows->out->out, cells);
	rows->out->ops->end(rows->out->out);
}

#define HISTOGRAM(unit)                                                                                                    \
	{ "from_" unit, "from " unit, "least value of the class", SL_TYPE_COUNT, 0 },                                      \
	{ "to_" unit, "to", "greatest value of the class", SL_TYPE_COUNT, 0 },                                             \
	{ "count", "count", "how many", SL_TYPE_COUNT, 0 },                                                                \
	{ "percent", "%", "share of all", SL_TYPE_PERCENT, 0 },                                                            \
	{ "cumulative_percent", "up to here", "share of all up to the class", SL_TYPE_PERCENT, 0 },                        \
	{ "bar", "", "count in relation to the greatest", SL_TYPE_BAR, 0 }

static const struct sl_column histogram_columns[SL_AXIS_COUNT][HISTOGRAM_COLUMNS] = {
	[SL_AXIS_INSNS] = { HISTOGRAM("insns") },
	[SL_AXIS_CYCLES] = { HISTOGRAM("cycles") },
	[SL_AXIS_TICKS] = { HISTOGRAM("ns") },
};

static void write_histogram(struct rows *rows)
{
	struct measure_class classes[CLASSES_MAX];
	size_t len = measure_classes(rows->measure, CLASSES, classes);
	uint64_t most = 0, sum = 0;
	double all = (double)rows->measure->spread.count;

	for (size_t i = 0; i < len; i++)
		most = classes[i].count > most ? classes[i].count : most;
	begin(rows, "histogram", "Distribution", histogram_columns[rows->shown->axis], HISTOGRAM_COLUMNS);
	for (size_t i = 0; i < len; i++) {
		const struct measure_class *class = &classes[i];
		struct sl_cell cells[HISTOGRAM_COLUMNS];

		sum += class->count;
		cells[0] = sl_cell_u64(scaled(rows, class->least));
		cells[1] = sl_cell_u64(scaled(rows, class->greatest));
		cells[2] = sl_cell_u64(class->count);
		cells[3] = sl_cell_real(100.0 * (double)class->count / all);
		cells[4] = sl_cell_real(100.0 * (double)sum / all);
		cells[5] = sl_cell_real((double)class->count / (double)most);
		rows->out->ops->row(rows->out->out, cells);
	}
	rows->out->ops->end(rows->out->out);
}

#define WORST(unit)                                                                                                        \
	{ "rank", "rank", "1: the longest", SL_TYPE_COUNT, 0 },                                                            \
	{ "value_" unit, unit, "how long it was", SL_TYPE_COUNT, 0 },                                                      \
	{ "at_" unit, "at " unit, "when it began, from the beginning of the trace of its CPU", SL_TYPE_COUNT, 0 },         \
	{ "buffer", "buffer", "trace buffer where it began", SL_TYPE_STRING, 0 },                                          \
	{ "trace_id", "id", "trace id there", SL_TYPE_HEX, 0 },                                                            \
	{ "offset", "from", "offset in the buffer where it began", SL_TYPE_ADDR, 0 },                                      \
	{ "end_buffer", "end in", "trace buffer where it ended", SL_TYPE_STRING, 0 },                                      \
	{ "end_trace_id", "id", "trace id there", SL_TYPE_HEX, 0 },                                                        \
	{ "end_offset", "to", "offset where it ended", SL_TYPE_ADDR, 0 }

static const struct sl_column worst_columns[SL_AXIS_COUNT][WORST_COLUMNS] = {
	[SL_AXIS_INSNS] = { WORST("insns") },
	[SL_AXIS_CYCLES] = { WORST("cycles") },
	[SL_AXIS_TICKS] = { WORST("ns") },
};

static void write_worst(struct rows *rows)
{
	const struct measure *m = rows->measure;
	enum sl_axis axis = rows->shown->axis;

	begin(rows, "worst", "The longest", worst_columns[axis], WORST_COLUMNS);
	for (size_t i = 0; i < m->worst_len && i < rows->shown->worst; i++) {
		const struct worst *worst = &m->worst[i];
		const struct latency_lane *from = &rows->latency->lanes[worst->from.lane], *to = &rows->latency->lanes[worst->to.lane];
		const struct sl_cell cells[WORST_COLUMNS] = {
			sl_cell_u64(i + 1), sl_cell_u64(scaled(rows, worst->value)), sl_cell_u64(scaled(rows, worst->from.at.v[axis])),
			sl_cell_str(from->buffer), sl_cell_u64(from->trace_id), sl_cell_u64(worst->from.offset),
			sl_cell_str(to->buffer), sl_cell_u64(to->trace_id), sl_cell_u64(worst->to.offset),
		};

		rows->out->ops->row(rows->out->out, cells);
	}
	rows->out->ops->end(rows->out->out);
}

int sl_latency_report(const struct sl_latency *latency, const struct sl_latency_shown *shown, const struct sl_table *out)
{
	struct rows rows = { .latency = latency, .shown = shown, .measure = &latency->measures[shown->axis], .out = out };

	if (shown->bars_first)
		write_histogram(&rows);
	write_summary(&rows);
	if (!shown->bars_first)
		write_histogram(&rows);
	write_worst(&rows);
	return SL_OK;
}
