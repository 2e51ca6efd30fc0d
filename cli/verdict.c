/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "say.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Every lane begins with a gap up to its first sync point, and with tracing being switched on: that is no
 * news. */
static bool is_news(unsigned gap)
{
	return gap != SL_GAP_START;
}

static void note_gaps(const struct tally *tally, uint64_t lanes)
{
	for (unsigned gap = 0; gap < SL_GAPS; gap++) {
		uint64_t n = tally->gaps[gap];

		if (gap == SL_GAP_FILTER && n <= lanes)
			continue;
		if (n && is_news(gap))
			say("note: %" PRIu64 " gap%s by %s: %s", n, plural(n), sl_gap_name(gap),
			    sl_gap_advice(gap));
	}
}

/* What was decoded and is told by no function. */
static void note_trust(const struct tally *tally)
{
	if (tally->untrusted_parts)
		say("warning: %" PRIu64 " gap%s by %s: %s: %s", tally->untrusted_parts, plural(tally->untrusted_parts),
		    sl_gap_name(SL_GAP_UNTRUSTED), tally->untrusted, sl_gap_advice(SL_GAP_UNTRUSTED));
	if (tally->other_parts)
		say("warning: %" PRIu64 " gap%s by %s: %s: %s", tally->other_parts, plural(tally->other_parts),
		    sl_gap_name(SL_GAP_IMAGE), tally->other_code, sl_gap_advice(SL_GAP_IMAGE));
}

static void note_image(const struct tally *tally)
{
	if (tally->mismatch[0])
		say("warning: the image does not match the program that ran: %s; give the very build that was traced",
		    tally->mismatch);
	if (tally->patched[0])
		say("warning: the kernel's code differs from its image: %s; alternatives, static keys or ftrace patch it: record "
		    "with perf record --kcore, or give the kernel's memory",
		    tally->patched);
}

/* "0x12, 0x13": the ids that have bytes in a list, as far as the text holds them; returns the sum. */
static uint64_t list_ids(const uint64_t *bytes, char *ret, size_t cap)
{
	uint64_t total = 0;
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		if (!bytes[id])
			continue;
		total += bytes[id];
		if (len < cap)
			len += (size_t)snprintf(ret + len, cap - len, "%s0x%02x", len ? ", " : "", id);
	}
	return total;
}

static void note_bytes(const struct sl_buffer_result *buffer)
{
	uint64_t loss = buffer->demux.unknown_id_bytes + buffer->demux.skipped_bytes;
	const char *name = buffer->buffer->name;
	char ids[200];
	uint64_t n = list_ids(buffer->unclaimed, ids, sizeof(ids));

	if (n)
		say("note: %s: %" PRIu64 " byte%s of trace id %s belong to no source of the capture", name, n,
		    plural(n), ids);
	n = list_ids(buffer->unusable, ids, sizeof(ids));
	if (n)
		say("note: %s: %" PRIu64 " byte%s of trace id %s cannot be decoded: see 'sightline info'",
		    name, n, plural(n), ids);
	if (loss)
		say("note: %s: %" PRIu64 " byte%s lie outside of frames or before the first trace id", name,
		    loss, plural(loss));
}

/* The cause that most of the gaps have, save those that every lane begins with; a new piece of trace only where there is no other. */
static unsigned most_frequent_gap(const struct tally *tally)
{
	unsigned most = tally->gaps[SL_GAP_RESET] ? SL_GAP_RESET : SL_GAP_START;
	uint64_t times = 0;

	for (unsigned gap = 0; gap < SL_GAPS; gap++) {
		if (!is_news(gap) || gap == SL_GAP_FILTER || gap == SL_GAP_RESET || tally->gaps[gap] <= times)
			continue;
		most = gap;
		times = tally->gaps[gap];
	}
	return most;
}

static uint64_t trace_bytes(const struct session *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->result.buffer_count; i++)
		bytes += s->result.buffers[i].demux.bytes;
	return bytes;
}

/* Why no source could be decoded. */
static const char *why_no_lane(const struct session *s)
{
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(s->capture, &streams);

	for (size_t i = 0; i < count; i++) {
		if (!streams[i].usable && streams[i].why)
			return streams[i].why;
	}
	if (s->notes.len)
		return s->notes.items[s->notes.len - 1].text;
	return count ? "no trace source can be used" : "the capture describes no trace source";
}

/* Why what was decoded has no program flow; NULL: by gaps. */
static const char *why_no_range(const struct tally *tally, unsigned gap)
{
	if (tally->messages)
		return "the capture holds software trace only (flow --elements shows it)";
	if (is_news(gap))
		return NULL;
	if (tally->others)
		return "the trace says that no code was executed (flow --elements shows what it says)";
	return tally->gaps[SL_GAP_START] ? "no sync point of the trace was found" : "the trace is empty";
}

/* Files of the program that the capture names and nobody could read; empty where it does not lack them. */
static void list_unread(const struct session *s, unsigned gap, char *ret, size_t cap)
{
	const struct sl_missing *missing;
	size_t count = s->image ? sl_image_missing(s->image, &missing) : 0;
	char more[40] = "";

	ret[0] = '\0';
	if (gap != SL_GAP_NO_IMAGE || !count)
		return;
	if (count > 1)
		snprintf(more, sizeof(more), " and %zu more", count - 1);
	snprintf(ret, cap, "; not read: %.200s%s%s", missing[0].path, more,
		 missing[0].path[0] == '/' ? " (--symfs DIR finds copies of them in DIR)" : "");
}

static void say_why_nothing(const struct session *s, const struct tally *tally)
{
	const char *path = s->options->operand, *why;
	unsigned gap = most_frequent_gap(tally);
	char gaps[700], unread[300];

	list_unread(s, gap, unread, sizeof(unread));
	snprintf(gaps, sizeof(gaps), "only gaps by %s: %s%s", sl_gap_name(gap), sl_gap_advice(gap), unread);
	if (!trace_bytes(s))
		why = "the capture holds no trace bytes";
	else if (!s->result.lanes)
		why = why_no_lane(s);
	else
		why = why_no_range(tally, gap);
	say("%s: nothing could be decoded: %s; see 'sightline info %s'", path, why ? why : gaps, path);
}

int session_verdict(const struct session *s, const struct tally *tally, bool found)
{
	if (!s->options->quiet) {
		for (size_t i = 0; i < s->result.buffer_count; i++)
			note_bytes(&s->result.buffers[i]);
		if (found) {
			note_image(tally);
			note_trust(tally);
			note_gaps(tally, s->result.lanes);
		}
	}
	if (found)
		return EXIT_DONE;
	say_why_nothing(s, tally);
	return EXIT_NO;
}

static void note_clocks(const struct session *s, const struct sl_calls *calls)
{
	struct sl_notes notes = SL_NOTES_INIT;

	sl_calls_note_clocks(calls, session_hz(s), &notes);
	for (size_t i = 0; i < notes.len; i++)
		say("note: %s", notes.items[i].text);
	sl_notes_release(&notes);
}

void session_note_calls(const struct session *s, const struct sl_calls *calls)
{
	char text[600];
	struct sl_diag diag;
	enum sl_axis axis;

	if (s->options->quiet)
		return;
	if (sl_calls_untold(calls, s->capture, text, sizeof(text)))
		say("note: %s", text);
	if (sl_calls_axis(calls, session_axis_choice(s), session_hz(s), &axis, &diag) == SL_OK && axis == SL_AXIS_TICKS)
		note_clocks(s, calls);
}
