/* SPDX-License-Identifier: Apache-2.0 */
/* info's tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD(table, text, cols)                                                                                    \
	{ .schema = "sightline.info/1", .name = (table), .title = (text), .columns = (cols), .column_count = COUNT_OF(cols) }
#define LANE_COLUMNS                                                                                               \
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 }, { "id", "id", "trace id", SL_TYPE_HEX, 0 }

static void put(const struct sl_table *out, const struct sl_cell *cells)
{
	out->ops->row(out->out, cells);
}

/* ITM is read by a decoder of our own, since OpenCSD 1.3 has none. */
static const char *engine_of(const struct sl_capture *capture, char *text, size_t cap)
{
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(capture, &streams), itm = 0;

	for (size_t i = 0; i < count; i++)
		itm += streams[i].config.protocol == SL_PROTOCOL_ITM;
	if (!itm)
		return sl_decoder_engine();
	snprintf(text, cap, "%s%sown for ITM", itm < count ? sl_decoder_engine() : "", itm < count ? ", " : "");
	return text;
}

static void write_capture(const struct sl_capture *capture, const struct sl_run_result *result,
			  const struct sl_table *out)
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
		sl_cell_str(sl_capture_container(capture)), sl_cell_str(engine_of(capture, engine, sizeof(engine))),
		sl_cell_u64(sl_capture_buffers(capture, &buffers)), sl_cell_u64(sl_capture_streams(capture, &streams)),
		sl_cell_u64(result->lanes), hz ? sl_cell_u64(hz) : sl_cell_none(),
	};

	out->ops->begin(out->out, &head);
	put(out, cells);
	out->ops->end(out->out);
}

/* What the recording says of itself. */
static void write_recording(const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "fact", "fact", "what is told", SL_TYPE_STRING, 0 },
		{ "value", "value", "what the recording says", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("recording", "Recording", columns);
	const struct sl_fact *facts;
	size_t count = sl_capture_facts(capture, &facts);

	if (!count)
		return;
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_cell cells[] = { sl_cell_str(facts[i].name), sl_cell_str(facts[i].value) };

		put(out, cells);
	}
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
	uint64_t sum = 0;

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

static void write_gaps(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "gap", "gap", "cause", SL_TYPE_STRING, 0 },
		{ "count", "count", "how many", SL_TYPE_COUNT, 0 },
		{ "first_offset_bytes", "first at", "offset of the first one in the buffer", SL_TYPE_COUNT, 0 },
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
				sl_cell_str(sl_gap_advice(gap)),
			};

			if (l->gaps[gap].count)
				put(out, cells);
		}
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

static const char *core_name(const struct sl_capture *capture, uint32_t core)
{
	const char *const *names;
	size_t count = sl_capture_cores(capture, &names);

	return core < count ? names[core] : NULL;
}

static int by_page(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->page < y->page ? -1 : x->page > y->page;
}

static void sort_wanted(struct sl_stats *stats)
{
	for (size_t i = 0; i < stats->lane_count; i++) {
		struct lane_stats *l = stats->lanes[i];

		if (l->wanted_len)
			qsort(l->wanted, l->wanted_len, sizeof(*l->wanted), by_page);
	}
}

/* The first page of [start, end) that was wanted is there: pages are sorted. */
static bool lane_wanted(const struct lane_stats *l, uint64_t start, uint64_t end)
{
	size_t low = 0, high = l->wanted_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->wanted[middle].page < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->wanted_len && l->wanted[low].page < end;
}

/* A phone's kernel has hundreds of modules: of many missing files only those are shown whose code ran. */
static bool is_shown(const struct sl_stats *stats, const struct sl_missing *missing, size_t count)
{
	if (count <= MISSING_SHOWN || !missing->end)
		return true;
	for (size_t i = 0; i < stats->lane_count; i++) {
		if (lane_wanted(stats->lanes[i], missing->start & ~(uint64_t)0xfff, missing->end))
			return true;
	}
	return false;
}

static void write_images(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "file", "file", "what is mapped", SL_TYPE_STRING, 0 },
		{ "core", "core", "whose memory it is", SL_TYPE_STRING, 0 },
		{ "start", "start", "first address", SL_TYPE_ADDR, 0 },
		{ "end", "end", "behind the last address", SL_TYPE_ADDR, 0 },
		{ "found", "found", "whether the file could be read", SL_TYPE_BOOL, 0 },
		{ "symbols", "symbols", "whether it names functions", SL_TYPE_BOOL, 0 },
		{ "lines", "lines", "whether it knows source lines", SL_TYPE_BOOL, 0 },
	};
	const struct sl_table_head head = HEAD("images", "Images", columns);
	const struct sl_mapping *maps;
	const struct sl_missing *missing;
	size_t map_count = sl_image_mappings(stats->image, &maps);
	size_t missing_count = sl_image_missing(stats->image, &missing);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < map_count; i++) {
		const struct sl_module *module = sl_image_module(stats->image, maps[i].module);
		const struct sl_cell cells[] = {
			sl_cell_str(module->path), sl_cell_str(core_name(capture, maps[i].core)), sl_cell_u64(maps[i].start),
			sl_cell_u64(maps[i].end), sl_cell_u64(1), sl_cell_u64(module->has_symbols),
			sl_cell_u64(module->has_lines),
		};

		put(out, cells);
	}
	for (size_t i = 0; i < missing_count; i++) {
		const struct sl_cell cells[] = {
			sl_cell_str(missing[i].path), sl_cell_str(core_name(capture, missing[i].core)),
			sl_cell_u64(missing[i].start), missing[i].end ? sl_cell_u64(missing[i].end) : sl_cell_none(),
			sl_cell_u64(0), sl_cell_none(), sl_cell_none(),
		};

		if (is_shown(stats, &missing[i], missing_count))
			put(out, cells);
	}
	out->ops->end(out->out);
}

static void wanted_row(const struct lane_stats *l, const struct wanted *run, uint64_t end, const struct sl_table *out)
{
	const struct sl_cell cells[] = { sl_cell_str(l->buffer), sl_cell_u64(l->trace_id), sl_cell_u64(run->page),
					 sl_cell_u64(end), sl_cell_u64(run->count), sl_cell_u64(run->first_offset) };

	put(out, cells);
}

/* Neighbouring pages make one row. */
static void wanted_rows(struct lane_stats *l, const struct sl_table *out)
{
	struct wanted run = { 0 };
	uint64_t end = 0;

	for (size_t i = 0; i < l->wanted_len; i++) {
		const struct wanted *w = &l->wanted[i];

		if (!i || w->page - end > 0xf000) {
			if (i)
				wanted_row(l, &run, end, out);
			run = *w;
		} else {
			run.count += w->count;
			run.first_offset = w->first_offset < run.first_offset ? w->first_offset : run.first_offset;
		}
		end = w->page + 0x1000;
	}
	if (l->wanted_len)
		wanted_row(l, &run, end, out);
}

static void write_wanted(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "start", "start", "first page that ran without an image", SL_TYPE_ADDR, 0 },
		{ "end", "end", "behind the last one (pages less than 64 KiB apart make one row)", SL_TYPE_ADDR, 0 },
		{ "count", "times", "how often execution went there", SL_TYPE_COUNT, 0 },
		{ "first_offset_bytes", "first at", "offset of the first time in the buffer", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("wanted", "Code that ran and has no image", columns);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < stats->lane_count; i++)
		wanted_rows(stats->lanes[i], out);
	out->ops->end(out->out);
}

int sl_stats_report(struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		    const struct sl_notes *notes, const struct sl_table *out)
{
	sort_wanted(stats);
	write_capture(capture, result, out);
	write_recording(capture, out);
	write_buffers(result, out);
	write_sources(capture, out);
	write_ids(stats, result, out);
	write_packets(stats, out);
	write_exceptions(stats, out);
	write_gaps(stats, out);
	write_images(stats, capture, out);
	write_wanted(stats, out);
	stats_advice(stats, result, notes, out);
	return SL_OK;
}
