/* SPDX-License-Identifier: Apache-2.0 */
/* info's verdict: each zero is explained, and each loss followed by what to do. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "stats.h"

static void say(const struct sl_table *out, const char *topic, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(const struct sl_table *out, const char *topic, const char *format, ...)
{
	char text[600];
	struct sl_cell cells[2] = { sl_cell_str(topic), sl_cell_str(text) };
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out->ops->row(out->out, cells);
}

/* Most cores of a large machine are idle in most recordings: they share a line. */
static void advise_silent(const struct sl_stats *stats, const struct sl_table *out)
{
	char names[300] = "";
	size_t count = 0, len = 0;

	for (size_t i = 0; i < stats->lane_count; i++) {
		const struct lane_stats *l = stats->lanes[i];

		if (l->bytes)
			continue;
		if (len < sizeof(names) - 100)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s0x%02x (%s)", count ? ", " : "",
						l->trace_id, l->source);
		else if (names[len - 1] != '.')
			len += (size_t)snprintf(names + len, sizeof(names) - len, " ...");
		count++;
	}
	if (count)
		say(out, "no bytes",
		    "%zu of %zu sources sent nothing, trace ids %s: the core did not run, the trace unit was off, or its "
		    "filters let nothing through",
		    count, stats->lane_count, names);
}

static void advise_empty(const struct lane_stats *l, const struct sl_table *out)
{
	if (!l->bytes)
		return;
	if (!l->syncs)
		say(out, "no sync",
		    "%s: trace id 0x%02x (%s) sent %" PRIu64 " bytes without a sync point, so that none of them can be decoded; "
		    "trace for longer, or set a shorter sync period (TRCSYNCPR, ETMSYNCFR)",
		    l->buffer, l->trace_id, l->source, l->bytes);
	else if (l->protocol == SL_PROTOCOL_STM || l->protocol == SL_PROTOCOL_ITM)
		return;
	else if (!l->elems[SL_ELEM_RANGE] && l->gaps[SL_GAP_NO_IMAGE].count)
		say(out, "no image",
		    "%s: trace id 0x%02x (%s) has no instruction, since none of the %zu pages that ran has an image (table "
		    "\"wanted\"); give the program with --image FILE@ADDRESS",
		    l->buffer, l->trace_id, l->source, l->wanted_len);
	else if (!l->elems[SL_ELEM_RANGE])
		say(out, "no flow",
		    "%s: trace id 0x%02x (%s) has packets but no executed instruction: the core was idle, or the trace ends "
		    "before its first branch",
		    l->buffer, l->trace_id, l->source);
}

static void advise_part(const struct lane_stats *l, const struct sl_image *image, enum sl_gap gap, const struct sl_trust_part *part,
			const struct sl_table *out)
{
	char why[400];

	if (!part->count)
		return;
	sl_trust_text(part, image, l->core, why, sizeof(why));
	say(out, sl_gap_name(gap), "%s: trace id 0x%02x (%s): report leaves out %s: %s", l->buffer, l->trace_id, l->source, why,
	    sl_gap_advice(gap));
}

static void advise_trust(const struct lane_stats *l, const struct sl_image *image, const struct sl_table *out)
{
	advise_part(l, image, SL_GAP_UNTRUSTED, &l->trust.untrusted, out);
	advise_part(l, image, SL_GAP_IMAGE, &l->trust.image, out);
}

static void advise_flow(const struct lane_stats *l, const struct sl_table *out)
{
	char why[300];

	if (!l->elems[SL_ELEM_RANGE])
		return;
	if (sl_flow_check_mismatch(&l->check, why, sizeof(why)))
		say(out, "wrong image",
		    "%s: trace id 0x%02x (%s): the image does not match the program that ran: %s; give the very build that was "
		    "traced, with the code as it was patched at run time (table \"contradictions\" has the places)",
		    l->buffer, l->trace_id, l->source, why);
	else if (sl_flow_check_patched(&l->check, why, sizeof(why)))
		say(out, "patched code",
		    "%s: trace id 0x%02x (%s): %s: alternatives, static keys or ftrace patch it (table \"contradictions\" has the "
		    "places); record with perf record --kcore, or give the kernel's memory",
		    l->buffer, l->trace_id, l->source, why);
	else if (l->site_len)
		say(out, "code differs",
		    "%s: trace id 0x%02x (%s): at %zu places the trace contradicts the image, first at 0x%" PRIx64 " (table "
		    "\"contradictions\"): damaged trace, another build, code that was patched while it ran, or a limit of the decoder",
		    l->buffer, l->trace_id, l->source, l->site_len, l->sites[0].address);
	if (l->gaps[SL_GAP_NO_IMAGE].count)
		say(out, "partial image",
		    "%s: trace id 0x%02x (%s) went %" PRIu64 " times to %zu pages that have no image (table \"wanted\"); give "
		    "their files with --image FILE@ADDRESS",
		    l->buffer, l->trace_id, l->source, l->gaps[SL_GAP_NO_IMAGE].count, l->wanted_len);
	if (l->zero_ticks)
		say(out, "zero timestamps",
		    "%s: trace id 0x%02x (%s) sent %" PRIu64 " timestamps of 0: the timestamp generator was off",
		    l->buffer, l->trace_id, l->source, l->zero_ticks);
}

/* Where the recording itself knows what the next one should do, it says so once, in another table. */
static void advise_time(const struct lane_stats *l, const struct sl_table *out)
{
	if (l->elems[SL_ELEM_RANGE] && !l->elems[SL_ELEM_TIME] && !l->elems[SL_ELEM_CYCLES])
		say(out, "no time",
		    "%s: trace id 0x%02x (%s) has neither timestamps nor cycle counts: all durations are counts of instructions; "
		    "switch them on for the next capture (TRCCONFIGR bits 11 and 4, ETMCR bits 28 and 12)",
		    l->buffer, l->trace_id, l->source);
}

static void advise_loss(const struct lane_stats *l, const struct sl_table *out)
{
	uint64_t damaged = l->gaps[SL_GAP_BAD_PACKET].count + l->gaps[SL_GAP_DECODE_ERROR].count;

	if (l->bytes && l->skipped_bytes)
		say(out, "skipped",
		    "%s: trace id 0x%02x (%s): %" PRIu64 " of %" PRIu64 " bytes were skipped in search of a sync point", l->buffer,
		    l->trace_id, l->source, l->skipped_bytes, l->bytes);
	if (damaged)
		say(out, "damaged",
		    "%s: trace id 0x%02x (%s): decoding gave up %" PRIu64 " times on bytes that are no valid trace, first at offset "
		    "%" PRIu64 ", and went on at the next sync point",
		    l->buffer, l->trace_id, l->source, damaged,
		    l->gaps[SL_GAP_BAD_PACKET].count ? l->gaps[SL_GAP_BAD_PACKET].first_offset
						     : l->gaps[SL_GAP_DECODE_ERROR].first_offset);
	if (l->gaps[SL_GAP_OVERFLOW].count)
		say(out, "overflow", "%s: trace id 0x%02x (%s) lost trace %" PRIu64 " times: %s", l->buffer, l->trace_id,
		    l->source, l->gaps[SL_GAP_OVERFLOW].count, sl_gap_advice(SL_GAP_OVERFLOW));
}

/* "0x12, 0x13": those of some ids that have bytes. */
struct id_list {
	char text[160];
	size_t len, count;
	uint64_t bytes;
};

/* The first that fit: what is no frames, but read as such, has a hundred. */
static void add_id(struct id_list *list, unsigned id, uint64_t bytes)
{
	if (list->len < sizeof(list->text) - 20)
		list->len += (size_t)snprintf(list->text + list->len, sizeof(list->text) - list->len, "%s0x%02x",
					      list->count ? ", " : "", id);
	else if (list->text[list->len - 1] != '.')
		list->len += (size_t)snprintf(list->text + list->len, sizeof(list->text) - list->len, " ...");
	list->count++;
	list->bytes += bytes;
}

static void say_unclaimed(const struct sl_buffer_result *b, const struct id_list *ids, const char *what, const struct sl_table *out)
{
	if (ids->count == 1)
		say(out, "unclaimed id", "%s: trace id %s has %" PRIu64 " byte%s but no source in the capture claims it%s",
		    b->buffer->name, ids->text, ids->bytes, ids->bytes == 1 ? "" : "s", what);
	else if (ids->count)
		say(out, "unclaimed ids", "%s: %zu trace ids (%s) have %" PRIu64 " bytes but no source in the capture claims them%s",
		    b->buffer->name, ids->count, ids->text, ids->bytes, what);
}

static void advise_ids(const struct sl_buffer_result *b, const struct sl_table *out)
{
	struct id_list ids = { .len = 0 }, reserved = { .len = 0 };

	for (unsigned id = 1; id < SL_TRACE_IDS; id++) {
		if (b->unclaimed[id])
			add_id(id >= 0x70 ? &reserved : &ids, id, b->unclaimed[id]);
	}
	say_unclaimed(b, &ids,
		      ids.count == 1 ? ": add its trace unit's registers, or it stays unread"
				     : ": add their trace units' registers, or they stay unread",
		      out);
	say_unclaimed(b, &reserved, " (ids from 0x70 on are reserved: damaged frames or triggers)", out);
	for (unsigned id = 1; id < SL_TRACE_IDS; id++) {
		if (b->unusable[id])
			say(out, "unusable id", "%s: trace id 0x%02x has %" PRIu64 " bytes that cannot be decoded: see its source",
			    b->buffer->name, id, b->unusable[id]);
	}
}

static void advise_buffer(const struct sl_buffer_result *b, const struct sl_table *out)
{
	const struct sl_demux_stats *d = &b->demux;

	if (!d->bytes)
		say(out, "empty buffer", "%s: the buffer holds no bytes: nothing was traced into this sink", b->buffer->name);
	if (d->skipped_bytes)
		say(out, "framing", "%s: %" PRIu64 " of %" PRIu64 " bytes lie outside of frames%s", b->buffer->name,
		    d->skipped_bytes, d->bytes,
		    d->syncs || b->buffer->framing == SL_FRAMING_CORESIGHT
			    ? ": cut or damaged on the way"
			    : ": no frame sync was found at all; try --framing coresight");
	if (d->barriers)
		say(out, "barriers", "%s: the sink lost data at %" PRIu64 " places (barrier packets); use a larger buffer",
		    b->buffer->name, d->barriers);
	advise_ids(b, out);
}

/* What lacks in all lanes together, and what has to be found first. */
static void advise_images(const struct sl_stats *stats, const struct sl_table *out)
{
	const struct sl_missing *missing;
	size_t count = sl_image_missing(stats->image, &missing);
	uint64_t files = 0, all = 0, bytes = 0;

	for (size_t i = 0; i < stats->lane_count; i++) {
		all += stats->lanes[i]->gaps[SL_GAP_NO_IMAGE].cost_bytes;
		bytes += stats->lanes[i]->bytes;
	}
	for (size_t i = 0; i < count; i++)
		files += stats->missing[i].bytes;
	if (all)
		say(out, "missing images",
		    "code without an image costs %" PRIu64 " of %" PRIu64 " bytes of trace: %" PRIu64 " for files that were mapped and "
		    "are not here (table \"images\"), %" PRIu64 " at addresses that no file is known for (table \"wanted\")",
		    all, bytes, files, all - files);
	if (files)
		say(out, "missing files", "%s costs most, %" PRIu64 " bytes: give it with --symfs DIR or --image FILE",
		    missing[stats->missing[0].index].path, stats->missing[0].bytes);
	if (count > MISSING_SHOWN)
		say(out, "missing files",
		    "%zu files that were mapped are not here; table \"images\" has those whose code ran: give them with --symfs "
		    "DIR or --image FILE",
		    count);
}

void stats_advice(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		  const struct sl_notes *notes, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "topic", "topic", "what it is about", SL_TYPE_STRING, 0 },
		{ "advice", "advice", "what was found, and what to do", SL_TYPE_STRING, 0 },
	};
	const struct sl_wish *wishes;
	bool wished = sl_capture_wishes(capture, &wishes) != 0;
	const struct sl_table_head head = { .schema = "sightline.info/1", .name = "advice", .title = "Advice",
					    .columns = columns, .column_count = 2 };

	out->ops->begin(out->out, &head);
	if (!result->buffer_count)
		say(out, "no trace", "the capture describes memory, but no trace buffer");
	for (size_t i = 0; i < result->buffer_count; i++) {
		if (result->buffers[i].selected)
			advise_buffer(&result->buffers[i], out);
	}
	advise_silent(stats, out);
	for (size_t i = 0; i < stats->lane_count; i++) {
		advise_empty(stats->lanes[i], out);
		advise_flow(stats->lanes[i], out);
		advise_trust(stats->lanes[i], stats->image, out);
		if (!wished)
			advise_time(stats->lanes[i], out);
		advise_loss(stats->lanes[i], out);
	}
	advise_images(stats, out);
	for (size_t i = 0; notes && i < notes->len; i++)
		say(out, "note", "%s", notes->items[i].text);
	if (notes && notes->dropped)
		say(out, "note", "%" PRIu64 " more notes", notes->dropped);
	out->ops->end(out->out);
}
