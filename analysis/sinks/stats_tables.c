/* SPDX-License-Identifier: Apache-2.0 */
/* info's tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static void put(const struct sl_table *out, const struct sl_cell *cells)
{
	out->ops->row(out->out, cells);
}

/* What made the lanes' elements; packets are OpenCSD's, save those of ITM. */
static const char *engine_of(const struct sl_stats *stats, char *text, size_t cap)
{
	size_t fast = 0;

	for (size_t i = 0; i < stats->lane_count; i++)
		fast += stats->lanes[i]->engine == SL_ENGINE_FAST;
	if (!fast)
		return sl_decoder_engine();
	snprintf(text, cap, "fast%s%s", fast < stats->lane_count ? ", " : "", fast < stats->lane_count ? sl_decoder_engine() : "");
	return text;
}

static void write_capture(const struct sl_stats *stats, const struct sl_capture *capture,
			  const struct sl_run_result *result, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "container", "container", "kind of capture", SL_TYPE_STRING, 0 },
		{ "engine", "engine", "what decodes it", SL_TYPE_STRING, 0 },
		{ "buffers", "buffers", "trace buffers", SL_TYPE_COUNT, 0 },
		{ "sources", "sources", "trace sources that the capture describes", SL_TYPE_COUNT, 0 },
		{ "lanes", "lanes", "sources that were decoded", SL_TYPE_COUNT, 0 },
		{ "timestamp_hz", "timestamp Hz", "frequency of the timestamp counter", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("capture", "Capture", columns);
	const struct sl_buffer *buffers;
	const struct sl_stream *streams;
	uint64_t hz = sl_capture_timestamp_hz(capture);
	char engine[64];
	const struct sl_cell cells[] = {
		sl_cell_str(sl_capture_container(capture)), sl_cell_str(engine_of(stats, engine, sizeof(engine))),
		sl_cell_u64(sl_capture_buffers(capture, &buffers)), sl_cell_u64(sl_capture_streams(capture, &streams)),
		sl_cell_u64(result->lanes), hz ? sl_cell_u64(hz) : sl_cell_none(),
	};

	out->ops->begin(out->out, &head);
	put(out, cells);
	out->ops->end(out->out);
}

static void write_buffers(const struct sl_run_result *result, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 },
		{ "framing", "framing", "how the bytes are wrapped", SL_TYPE_STRING, 0 },
		{ "size_bytes", "bytes", "size of the buffer", SL_TYPE_COUNT, 0 },
		{ "frames", "frames", "formatter frames", SL_TYPE_COUNT, 0 },
		{ "frame_bytes", "framing", "bytes of ids, flags and syncs", SL_TYPE_COUNT, 0 },
		{ "padding_bytes", "padding", "bytes of id 0", SL_TYPE_COUNT, 0 },
		{ "unknown_id_bytes", "no id", "bytes before the first id", SL_TYPE_COUNT, 0 },
		{ "skipped_bytes", "skipped", "bytes outside of frames: before a sync, damaged or cut", SL_TYPE_COUNT, 0 },
		{ "syncs", "syncs", "frame syncs", SL_TYPE_COUNT, 0 },
		{ "barriers", "barriers", "places where the sink lost data", SL_TYPE_COUNT, 0 },
		{ "bad_syncs", "bad syncs", "syncs inside of a frame: bytes were lost there", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("buffers", "Buffers", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < result->buffer_count; i++) {
		const struct sl_buffer_result *b = &result->buffers[i];
		const struct sl_demux_stats *d = &b->demux;
		bool framed = b->buffer->framing != SL_FRAMING_NONE;
		const struct sl_cell cells[] = {
			sl_cell_str(b->buffer->name), sl_cell_str(sl_framing_name(b->buffer->framing)),
			sl_cell_u64(b->buffer->size), sl_cell_u64(d->frames), sl_cell_u64(d->frame_bytes),
			sl_cell_u64(framed ? d->lane_bytes[0] : 0), sl_cell_u64(d->unknown_id_bytes),
			sl_cell_u64(d->skipped_bytes), sl_cell_u64(d->syncs), sl_cell_u64(d->barriers),
			sl_cell_u64(d->bad_syncs),
		};

		if (b->selected)
			put(out, cells);
	}
	out->ops->end(out->out);
}

static void add_word(char *text, size_t cap, const char *word)
{
	size_t len = strlen(text);

	snprintf(text + len, cap - len, "%s%s", len ? ", " : "", word);
}

/* What the registers switch on, in words. */
static void spell_facts(const struct sl_trace_config *config, char *ret, size_t cap)
{
	struct sl_config_facts f;
	char word[64];

	ret[0] = '\0';
	sl_config_facts(config, &f);
	if (f.return_stack)
		add_word(ret, cap, "return stack");
	if (f.cycle_count && f.cycle_threshold_known) {
		snprintf(word, sizeof(word), "cycle counts from %u", f.cycle_threshold);
		add_word(ret, cap, word);
	} else if (f.cycle_count) {
		add_word(ret, cap, "cycle counts");
	}
	if (f.timestamp)
		add_word(ret, cap, "timestamps");
	if (f.context_id) {
		snprintf(word, sizeof(word), "context id of %u bytes", f.context_id_bytes);
		add_word(ret, cap, word);
	}
	if (f.vmid)
		add_word(ret, cap, "VMID");
	if (f.branch_broadcast)
		add_word(ret, cap, "branch broadcast");
	if (f.conditional)
		add_word(ret, cap, "conditional instructions");
	if (f.q_elements)
		add_word(ret, cap, "Q elements");
	if (f.data_trace)
		add_word(ret, cap, "data trace");
	if (f.max_speculation) {
		snprintf(word, sizeof(word), "speculation up to %u", f.max_speculation);
		add_word(ret, cap, word);
	}
	if (!ret[0])
		snprintf(ret, cap, "flow only");
}

static const char *arch_name(const struct sl_trace_config *config)
{
	static const char *const names[3][3] = {
		{ "v7-A", "v8-A", "v8.3-A or newer" }, { "v7-R", "v8-R", "v8-R 64" }, { "v7-M", "v8-M", "v8.1-M" },
	};

	if (config->arch < SL_ARCH_V7 || config->arch > SL_ARCH_AA64)
		return "";
	return names[config->profile][config->arch - SL_ARCH_V7];
}

static void write_sources(const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "source", "source", "name of the trace source", SL_TYPE_STRING, 0 },
		{ "core", "core", "name of the core that it traces", SL_TYPE_STRING, 0 },
		{ "protocol", "protocol", "trace protocol", SL_TYPE_STRING, 0 },
		{ "architecture", "architecture", "of the core", SL_TYPE_STRING, 0 },
		{ "usable", "usable", "whether it can be decoded", SL_TYPE_BOOL, 0 },
		{ "configuration", "configuration", "what its registers switch on, or why it cannot be decoded",
		  SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("sources", "Sources", columns);
	const struct sl_buffer *buffers;
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(capture, &streams);

	sl_capture_buffers(capture, &buffers);
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_stream *s = &streams[i];
		char words[256];
		const struct sl_cell cells[] = {
			sl_cell_str(buffers[s->buffer].name), sl_cell_u64(s->trace_id), sl_cell_str(s->name),
			sl_cell_str(s->core_name), sl_cell_str(sl_protocol_name(s->config.protocol)),
			sl_cell_str(s->core_name ? arch_name(&s->config) : NULL), sl_cell_u64(s->usable),
			sl_cell_str(s->usable ? words : s->why),
		};

		spell_facts(&s->config, words, sizeof(words));
		put(out, cells);
	}
	out->ops->end(out->out);
}

static uint64_t gap_sum(const struct lane_stats *lane)
{
	uint64_t sum = lane->trust.untrusted.count + lane->trust.image.count;

	for (unsigned i = 0; i < SL_GAPS; i++)
		sum += lane->gaps[i].count;
	return sum;
}

static void lane_row(const struct lane_stats *l, const struct sl_table *out)
{
	const uint64_t *e = l->elems;
	const struct sl_cell cells[] = {
		sl_cell_str(l->buffer), sl_cell_u64(l->trace_id), sl_cell_str(l->source), sl_cell_u64(l->bytes),
		sl_cell_u64(l->packets), sl_cell_u64(l->syncs), sl_cell_u64(l->bad_packets), sl_cell_u64(l->skipped_bytes),
		sl_cell_u64(e[SL_ELEM_RANGE]), sl_cell_u64(l->insns), sl_cell_u64(l->no_path_insns), sl_cell_u64(l->calls),
		sl_cell_u64(e[SL_ELEM_EXCEPTION]), sl_cell_u64(e[SL_ELEM_EXCEPTION_RETURN]),
		sl_cell_u64(e[SL_ELEM_TIME] - l->attached_times), sl_cell_u64(e[SL_ELEM_CYCLES]), sl_cell_u64(l->cycles),
		sl_cell_u64(e[SL_ELEM_CONTEXT]), sl_cell_u64(e[SL_ELEM_EVENT]), sl_cell_u64(e[SL_ELEM_MESSAGE]),
		sl_cell_u64(gap_sum(l)),
	};

	put(out, cells);
}

static void write_ids(const struct sl_stats *stats, const struct sl_run_result *result, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "source", "source", "name of the trace source", SL_TYPE_STRING, 0 },
		{ "lane_bytes", "bytes", "of this id", SL_TYPE_COUNT, 0 },
		{ "packets", "packets", "packets of the protocol", SL_TYPE_COUNT, 0 },
		{ "syncs", "syncs", "alignment synchronisation packets", SL_TYPE_COUNT, 0 },
		{ "bad_packets", "bad", "reserved headers and bad sequences", SL_TYPE_COUNT, 0 },
		{ "skipped_bytes", "skipped", "bytes skipped in search of a sync", SL_TYPE_COUNT, 0 },
		{ "ranges", "ranges", "runs of instructions", SL_TYPE_COUNT, 0 },
		{ "instructions", "insns", "instructions executed", SL_TYPE_COUNT, 0 },
		{ "no_path_instructions", "no path", "instructions of which only the number is known (Q elements)", SL_TYPE_COUNT, 0 },
		{ "calls", "calls", "calls seen", SL_TYPE_COUNT, 0 },
		{ "exceptions", "exc", "exceptions", SL_TYPE_COUNT, 0 },
		{ "exception_returns", "exc ret", "exception returns told by the trace", SL_TYPE_COUNT, 0 },
		{ "timestamps", "ts", "timestamps", SL_TYPE_COUNT, 0 },
		{ "cycle_counts", "cc", "cycle counts", SL_TYPE_COUNT, 0 },
		{ "cycles", "cycles", "sum of them", SL_TYPE_COUNT, 0 },
		{ "contexts", "ctx", "context changes", SL_TYPE_COUNT, 0 },
		{ "events", "events", "events and triggers", SL_TYPE_COUNT, 0 },
		{ "messages", "msgs", "software messages", SL_TYPE_COUNT, 0 },
		{ "gaps", "gaps", "gaps of all causes", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("ids", "Trace ids", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < stats->lane_count; i++)
		lane_row(stats->lanes[i], out);
	for (size_t b = 0; b < result->buffer_count; b++) {
		for (unsigned id = 1; id < SL_TRACE_IDS; id++) {
			const struct sl_buffer_result *buffer = &result->buffers[b];
			struct sl_cell cells[COUNT_OF(columns)] = {
				sl_cell_str(buffer->buffer->name), sl_cell_u64(id), sl_cell_none(),
				sl_cell_u64(buffer->unclaimed[id]),
			};

			if (buffer->selected && buffer->unclaimed[id])
				put(out, cells);
		}
	}
	out->ops->end(out->out);
}

/* Flow that was decoded and is not believed: a gap for report and flow only. */
static void trust_row(const struct lane_stats *l, enum sl_gap gap, const struct sl_trust_part *part, const struct sl_table *out)
{
	const struct sl_cell cells[] = {
		sl_cell_str(l->buffer), sl_cell_u64(l->trace_id), sl_cell_str(sl_gap_name(gap)), sl_cell_u64(part->count),
		sl_cell_u64(part->first_offset), sl_cell_none(), sl_cell_str(sl_gap_advice(gap)),
	};

	if (part->count)
		put(out, cells);
}

static void write_gaps(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "gap", "gap", "cause", SL_TYPE_STRING, 0 },
		{ "count", "count", "how many", SL_TYPE_COUNT, 0 },
		{ "first_offset_bytes", "first at", "offset of the first one in the buffer", SL_TYPE_COUNT, 0 },
		{ "cost_bytes", "cost", "bytes of the id between these gaps and where the flow goes on; of untrusted flow, which has other "
		  "gaps in it: none", SL_TYPE_COUNT, 0 },
		{ "meaning", "meaning", "what it means and what to do", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("gaps", "Gaps", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < stats->lane_count; i++) {
		const struct lane_stats *l = stats->lanes[i];

		for (unsigned gap = 0; gap < SL_GAPS; gap++) {
			const struct sl_cell cells[] = {
				sl_cell_str(l->buffer), sl_cell_u64(l->trace_id), sl_cell_str(sl_gap_name(gap)),
				sl_cell_u64(l->gaps[gap].count), sl_cell_u64(l->gaps[gap].first_offset),
				sl_cell_u64(l->gaps[gap].cost_bytes), sl_cell_str(sl_gap_advice(gap)),
			};

			if (l->gaps[gap].count)
				put(out, cells);
		}
		trust_row(l, SL_GAP_UNTRUSTED, &l->trust.untrusted, out);
		trust_row(l, SL_GAP_IMAGE, &l->trust.image, out);
	}
	out->ops->end(out->out);
}

static void write_packets(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "packet", "packet", "name of the packet", SL_TYPE_STRING, 0 },
		{ "count", "count", "how many", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("packets", "Packets", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < stats->lane_count; i++) {
		const struct lane_stats *l = stats->lanes[i];

		for (size_t n = 0; n < l->name_count; n++) {
			const struct sl_cell cells[] = {
				sl_cell_str(l->buffer), sl_cell_u64(l->trace_id), sl_cell_str(l->names[n].name),
				sl_cell_u64(l->names[n].count),
			};

			put(out, cells);
		}
	}
	out->ops->end(out->out);
}

static void write_exceptions(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "number", "exception", "exception number of the protocol", SL_TYPE_COUNT, 0 },
		{ "count", "count", "how many", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("exceptions", "Exceptions", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < stats->lane_count; i++) {
		const struct lane_stats *l = stats->lanes[i];

		for (unsigned n = 0; n < EXCEPTION_NUMBERS; n++) {
			const struct sl_cell cells[] = { sl_cell_str(l->buffer), sl_cell_u64(l->trace_id),
							 sl_cell_u64(n), sl_cell_u64(l->exceptions[n]) };

			if (l->exceptions[n])
				put(out, cells);
		}
	}
	out->ops->end(out->out);
}

int sl_stats_report(struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		    const struct sl_notes *notes, const struct sl_table *out)
{
	if (stats_find_repeats(stats, capture) < 0 || stats_charge(stats) < 0)
		return SL_ERR_NOMEM;
	write_capture(stats, capture, result, out);
	stats_verdict(stats, capture, result, out);
	stats_recording(capture, out);
	sl_capture_write_tables(capture, out);
	if (stats_processes(stats, capture, out) < 0)
		return SL_ERR_NOMEM;
	write_buffers(result, out);
	write_sources(capture, out);
	write_ids(stats, result, out);
	write_packets(stats, out);
	write_exceptions(stats, out);
	write_gaps(stats, out);
	stats_images(stats, capture, out);
	if (stats_wanted(stats, capture, out) < 0)
		return SL_ERR_NOMEM;
	if (stats_contradictions(stats, out) < 0)
		return SL_ERR_NOMEM;
	stats_advice(stats, capture, result, notes, out);
	stats_next_recording(stats, capture, out);
	return SL_OK;
}
