/* SPDX-License-Identifier: Apache-2.0 */
/* What the clocks of a run's lanes did that a reader of times should know. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_align.h"
#include "sl_calls.h"

static void note_timestamps(const struct sl_calls_lane *lane, struct sl_notes *notes)
{
	const struct sl_fusion_facts *facts = &lane->clock;
	const struct {
		uint64_t count;
		const char *what;
	} kinds[] = {
		{ facts->zero_timestamps, "0, which says that the time was not available; they are passed over" },
		{ facts->backward_timestamps, "earlier than one before, and are passed over: check how the timestamp generator is distributed" },
		{ facts->wild_timestamps, "years ahead of the first, and are passed over: check for damage around them" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].count)
			sl_notes_add(notes, "%s, trace id 0x%02x: of %" PRIu64 " timestamps %" PRIu64 " %s %s", lane->buffer, lane->trace_id,
				     facts->timestamps + facts->zero_timestamps + facts->backward_timestamps + facts->wild_timestamps,
				     kinds[i].count, kinds[i].count == 1 ? "is" : "are", kinds[i].what);
	}
	if (facts->clock_changes)
		sl_notes_add(notes, "%s, trace id 0x%02x: the timestamps' own frequency changed %" PRIu64 " time%s, and nanoseconds take it for constant",
			     lane->buffer, lane->trace_id, facts->clock_changes, facts->clock_changes == 1 ? "" : "s");
}

/* The core's own clock, which stands still in many cores that sleep: what happened there is told less exactly. */
static void note_changes(const struct sl_calls_lane *lane, uint64_t timestamp_hz, struct sl_notes *notes)
{
	uint64_t count = lane->change_count + lane->clock.changes_lost, from, to;
	const struct sl_rate_change *first = lane->changes;

	if (!count)
		return;
	from = sl_rate_hz(first->from, timestamp_hz ? timestamp_hz : 1000);
	to = sl_rate_hz(first->to, timestamp_hz ? timestamp_hz : 1000);
	sl_notes_add(notes,
		     "%s, trace id 0x%02x: its cycles came slower or faster %" PRIu64 " time%s, first at timestamp %" PRIu64 " (from %" PRIu64
		     " to %" PRIu64 " %s): the core changed its frequency, or slept; times there are less exact",
		     lane->buffer, lane->trace_id, count, count == 1 ? "" : "s", first->tick, from, to,
		     timestamp_hz ? "Hz" : "cycles in 1,000 ticks");
}

static void note_apart(const struct sl_calls_lane *lane, const struct sl_align_lane *found, uint64_t timestamp_hz, struct sl_notes *notes)
{
	uint64_t away = found->away < 0 ? -(uint64_t)found->away : (uint64_t)found->away;
	uint64_t shift = found->shift < 0 ? -(uint64_t)found->shift : (uint64_t)found->shift;
	uint64_t ns = timestamp_hz ? sl_cycles_ns(shift, timestamp_hz) : 0;
	char advice[120] = "";

	if (ns)
		snprintf(advice, sizeof(advice), "; if they began together, --clock-offset 0x%02x=%s%" PRIu64 ", beside what was given, says so",
			 lane->trace_id, found->shift < 0 ? "-" : "", ns);
	sl_notes_add(notes, "%s, trace id 0x%02x: its timestamps lie %" PRIu64 " ticks %s all others: times of it and of other lanes cannot be compared%s",
		     lane->buffer, lane->trace_id, away, found->away < 0 ? "before" : "behind", advice);
}

/* Lanes that share no time with the others: their clocks are not one. */
static void note_alignment(const struct sl_calls_lane *lanes, size_t count, uint64_t timestamp_hz, struct sl_notes *notes)
{
	struct sl_align_lane *spans = calloc(count ? count : 1, sizeof(*spans));
	size_t apart = 0;

	for (size_t i = 0; spans && i < count; i++)
		spans[i] = (struct sl_align_lane){ .timed = lanes[i].clock.timestamps > 1 && !lanes[i].cycles_are_time,
						   .first = lanes[i].clock.first_tick,
						   .last = lanes[i].clock.last_tick };
	if (spans && sl_align(spans, count, &apart) == SL_OK && apart) {
		for (size_t i = 0; i < count; i++) {
			if (spans[i].apart)
				note_apart(&lanes[i], &spans[i], timestamp_hz, notes);
		}
	}
	free(spans);
}

void sl_calls_note_clocks(const struct sl_calls *calls, uint64_t timestamp_hz, struct sl_notes *notes)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);

	for (size_t i = 0; i < count; i++) {
		if (lanes[i].cycles_are_time)
			continue;
		note_timestamps(&lanes[i], notes);
		note_changes(&lanes[i], timestamp_hz, notes);
	}
	note_alignment(lanes, count, timestamp_hz, notes);
}
