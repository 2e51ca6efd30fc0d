/* SPDX-License-Identifier: Apache-2.0 */
/* What tells each lane's time, and how fast its core ran. */
#include "profile.h"

static const struct sl_column columns[] = {
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
	{ "source", "source", "trace source", SL_TYPE_STRING, 0 },
	{ "timestamps", "timestamps", "timestamps that tell time", SL_TYPE_COUNT, 0 },
	{ "unused", "unused", "timestamps of 0, that go back, or that are far ahead", SL_TYPE_COUNT, 0 },
	{ "counts", "counts", "cycle counts", SL_TYPE_COUNT, 0 },
	{ "limited", "limited", "cycle counts that may have been more, or were not known", SL_TYPE_COUNT, 0 },
	{ "core_hz", "core Hz", "cycles a second at the end, by the timestamps' clock", SL_TYPE_COUNT, 0 },
	{ "core_resolution_hz", "+- Hz", "it is right within so much, by the rounding of timestamps", SL_TYPE_COUNT, 0 },
	{ "changes", "changes", "times that it was another one from there on", SL_TYPE_COUNT, 0 },
	{ "lowest_hz", "lowest Hz", "of all that it was", SL_TYPE_COUNT, 0 },
	{ "highest_hz", "highest Hz", "of all that it was", SL_TYPE_COUNT, 0 },
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* Lowest and highest. */
struct range {
	uint64_t low, high;
};

static void widen(struct range *range, uint64_t hz)
{
	if (hz && hz < range->low)
		range->low = hz;
	if (hz > range->high)
		range->high = hz;
}

static struct range range_of(const struct sl_calls_lane *lane, uint64_t timestamp_hz)
{
	struct range range = { .low = UINT64_MAX };

	widen(&range, sl_rate_hz(lane->rate, timestamp_hz));
	for (size_t i = 0; i < lane->change_count; i++) {
		widen(&range, sl_rate_hz(lane->changes[i].from, timestamp_hz));
		widen(&range, sl_rate_hz(lane->changes[i].to, timestamp_hz));
	}
	return range;
}

static struct sl_cell hz_cell(uint64_t hz)
{
	return hz && hz != UINT64_MAX ? sl_cell_u64(hz) : sl_cell_none();
}

/* Rounded up: a frequency is never quite known. */
static uint64_t unsure_hz(struct sl_rate rate, uint64_t hz)
{
	return rate.ticks ? (uint64_t)((double)hz * (double)rate.unsure / (double)rate.ticks) + 1 : 0;
}

static void write_lane(const struct sl_calls_lane *lane, uint64_t timestamp_hz, const struct sl_table *out)
{
	const struct sl_fusion_facts *facts = &lane->clock;
	uint64_t hz = sl_rate_hz(lane->rate, timestamp_hz);
	struct range range = range_of(lane, timestamp_hz);
	const struct sl_cell cells[COLUMNS] = {
		sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(lane->source), sl_cell_u64(facts->timestamps),
		sl_cell_u64(facts->zero_timestamps + facts->backward_timestamps + facts->wild_timestamps),
		sl_cell_u64(facts->cycle_counts), sl_cell_u64(facts->limited_counts), hz_cell(hz), hz_cell(unsure_hz(lane->rate, hz)),
		sl_cell_u64(lane->change_count + facts->changes_lost), hz_cell(range.low), hz_cell(range.high),
	};

	out->ops->row(out->out, cells);
}

void profile_clocks_write(const struct sl_profile *p, const struct sl_table *out)
{
	const struct sl_table_head head = { .schema = "sightline.report/1", .name = "clocks", .title = "Clocks: what tells each lane's time",
					    .columns = columns, .column_count = COLUMNS };
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(p->calls, &lanes);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		if (lanes[i].clock.timestamps && !lanes[i].cycles_are_time)
			write_lane(&lanes[i], p->options.timestamp_hz, out);
	}
	out->ops->end(out->out);
}
