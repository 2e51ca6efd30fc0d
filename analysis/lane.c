/* SPDX-License-Identifier: Apache-2.0 */
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "clock/shift.h"
#include "sl_array.h"

static bool wants_packets(const struct sl_run_options *options)
{
	for (size_t i = 0; i < options->sink_count; i++) {
		if (options->sinks[i].ops->packet)
			return true;
	}
	return false;
}

/* Whether elements are to be held back: engines that make no marks tell nothing to check them by. */
static bool trusts(const struct lane *lane)
{
	const struct sl_run_options *options = lane->options;
	bool marks = lane->info.engine == SL_ENGINE_FAST && lane->info.stream->config.protocol != SL_PROTOCOL_ITM;

	for (size_t i = 0; marks && i < options->sink_count; i++) {
		if (options->sinks[i].ops->wants_trusted || options->sinks[i].ops->counts_trust)
			return true;
	}
	return false;
}

bool lane_wants_order(const struct sl_run_options *options)
{
	for (size_t i = 0; i < options->sink_count; i++) {
		if (options->sinks[i].ops->turn)
			return true;
	}
	return false;
}

static bool wants_positions(const struct sl_run_options *options)
{
	for (size_t i = 0; i < options->sink_count; i++) {
		if (options->sinks[i].ops->wants_positions)
			return true;
	}
	return false;
}

/* Who compares engines wants each range of both. */
static bool may_merge(const struct sl_run_options *options)
{
	for (size_t i = 0; i < options->sink_count; i++) {
		if (options->sinks[i].ops->wants_ranges)
			return false;
	}
	return !options->against;
}

/* Offsets ascend: a run that was not looked up last is mostly the next one. */
static struct sl_lane_run find_run(struct lane *lane, uint64_t offset)
{
	const struct sl_run_map *map = lane->map->map;
	size_t at = lane->map_at, len = lane->map->map_len;

	if (at >= len || offset < map[at].lane_offset)
		return sl_lane_run_at(lane->map, offset);
	while (at + 1 < len && map[at + 1].lane_offset <= offset)
		at++;
	lane->map_at = at;
	return sl_lane_run_of(lane->map, at);
}

/* Offsets come in runs: one look-up serves all that lie in the same one. */
static uint64_t buffer_offset(struct lane *lane, uint64_t offset)
{
	if (!lane->map)
		return offset;
	if (offset < lane->run.start || offset >= lane->run.end)
		lane->run = find_run(lane, offset);
	return sl_run_to_buffer(&lane->run, offset);
}

/* The same for all of them. */
static void to_buffer_offsets(struct lane *lane, struct sl_elem *elems, size_t len)
{
	struct sl_lane_run run = lane->run;

	for (size_t i = 0; lane->map && i < len; i++) {
		uint64_t offset = elems[i].offset;

		if (offset < run.start || offset >= run.end)
			run = find_run(lane, offset);
		elems[i].offset = sl_run_to_buffer(&run, offset);
	}
	lane->run = run;
}

static void on_packet(void *ctx, const struct sl_packet *packet)
{
	struct lane *lane = ctx;
	struct sl_packet out = *packet;

	out.offset = buffer_offset(lane, packet->offset);
	for (size_t i = 0; i < lane->options->sink_count; i++) {
		if (lane->options->sinks[i].ops->packet)
			lane->options->sinks[i].ops->packet(lane->shards[i], &out);
	}
}

static void scan_packet(void *ctx, const struct sl_packet *packet)
{
	struct lane *lane = ctx;

	if (packet->has_time && lane->result == SL_OK)
		lane->result = moments_add(&lane->moments, packet->offset, packet->time);
}

/* One of the lane's decoders; moments: where that one is. */
static int make_decoder(struct lane *lane, enum sl_engine engine, struct moments *moments, bool tells_packets,
			struct sl_decoder **ret, struct sl_diag *diag)
{
	const struct sl_run_options *options = lane->options;
	const struct sl_trace_config *config = &lane->info.stream->config;
	const struct sl_decoder_options dec = {
		.image = options->image,
		.core = lane->info.stream->core,
		.packet = tells_packets && wants_packets(options) ? on_packet : NULL,
		.packet_ctx = lane,
		.moment = moments_at,
		.moment_ctx = moments,
		.packet_text = options->packet_text,
		.packets_only = options->packets_only,
		.engine = engine,
		.merge = may_merge(options),
	};

	return options->new_decoder ? options->new_decoder(config, &dec, ret, diag) : sl_decoder_new(config, &dec, ret, diag);
}

/* Of two decoders one tells of packets: OpenCSD, since the fast engine may not be able to. */
static bool second_tells_packets(const struct sl_run_options *options)
{
	return options->against != SL_ENGINE_FAST;
}

static int new_decoder(struct lane *lane, struct sl_diag *diag)
{
	bool tells = !lane->second || !second_tells_packets(lane->options);
	int result = make_decoder(lane, lane->options->engine, &lane->moments, tells, &lane->decoder, diag);

	if (result == SL_OK)
		lane->info.engine = sl_decoder_kind(lane->decoder);
	return result;
}

/* Where that engine does not know the protocol, there is nothing to compare. */
static int new_second(struct lane *lane, struct sl_diag *diag)
{
	const struct sl_run_options *options = lane->options;
	int result;

	if (!options->against)
		return SL_OK;
	lane->second_moments = lane->moments;
	result = make_decoder(lane, options->against, &lane->second_moments, second_tells_packets(options), &lane->second, diag);
	if (result == SL_OK)
		lane->info.against = sl_decoder_kind(lane->second);
	return result == SL_ERR_UNSUPPORTED ? SL_OK : result;
}

static int new_scanner(struct lane *lane, struct sl_diag *diag)
{
	const struct sl_decoder_options scan = { .packet = scan_packet, .packet_ctx = lane, .packets_only = true };

	return sl_decoder_new(&lane->info.stream->config, &scan, &lane->scanner, diag);
}

static int new_decode(struct lane *lane, struct sl_pool *pool)
{
	const struct decode_options options = { .decoder = lane->decoder, .moments = &lane->moments, .pool = pool };

	return decode_new(&options, &lane->decode);
}

static int new_decoders(struct lane *lane, struct sl_pool *pool, struct sl_diag *diag)
{
	int result = new_second(lane, diag);

	if (result == SL_OK)
		result = new_decoder(lane, diag);
	if (result == SL_OK)
		result = new_decode(lane, pool);
	if (result == SL_OK && lane->scanning)
		result = new_scanner(lane, diag);
	return result;
}

/* Memory that comes and goes, or tasks that only records of switches tell; and timestamps to tell when. */
static bool depends_on_time(const struct lane *lane)
{
	const struct sl_run_options *options = lane->options;
	const struct sl_stream *stream = lane->info.stream;

	if (!options->image || options->packets_only || !moments_can_date(&lane->moments))
		return false;
	return sl_image_changes(options->image) || (stream->config.task_from == SL_TASK_UNKNOWN &&
						    sl_capture_has_switches(options->capture, stream));
}

bool lane_needs_scan(const struct lane *lane)
{
	return lane->scanning;
}

void lane_end_scan(struct lane *lane)
{
	if (!lane->scanning)
		return;
	lane->scanning = false;
	lane->info.bytes = 0;
	memset(lane->chunks, 0, sizeof(lane->chunks));
	lane->map = NULL;
	moments_rewind(&lane->moments);
	lane->second_moments = lane->moments;
}

/* The decoder beside the one that is fed; NULL: none. */
static struct sl_decoder *second(const struct lane *lane)
{
	return lane->scanning ? NULL : lane->second;
}

static int begin_shards(struct lane *lane)
{
	for (size_t i = 0; i < lane->options->sink_count; i++) {
		const struct sl_sink *sink = &lane->options->sinks[i];
		int result = sink->ops->begin(sink->self, &lane->info, &lane->shards[i]);

		if (result < 0)
			return result;
	}
	return SL_OK;
}

static int64_t shift_of(const struct sl_run_options *options, uint8_t trace_id)
{
	int64_t ticks = 0;

	for (size_t i = 0; i < options->offset_count; i++)
		ticks = options->offsets[i].trace_id == trace_id ? options->offsets[i].ticks : ticks;
	return ticks;
}

int lane_new(const struct sl_run_options *options, struct sl_pool *pool, const struct sl_buffer *buffer,
	     const struct sl_stream *stream, size_t index, struct lane **ret, struct sl_diag *diag)
{
	struct lane *lane = calloc(1, sizeof(*lane));
	int result = SL_ERR_NOMEM;

	if (!lane)
		return result;
	lane->options = options;
	lane->wants_positions = wants_positions(options);
	lane->ordered = lane_wants_order(options);
	lane->trust.image = options->image;
	lane->trust.core = stream->core;
	lane->info = (struct sl_lane){ .index = index, .buffer = buffer, .stream = stream, .cycles_are_time = options->cycles_are_time };
	lane->shift = shift_of(options, stream->trace_id);
	moments_init(&lane->moments, options->capture, stream);
	lane->scanning = depends_on_time(lane);
	lane->shards = calloc(options->sink_count + 1, sizeof(*lane->shards));
	if (lane->shards)
		result = new_decoders(lane, pool, diag);
	lane->trusts = trusts(lane);
	if (result == SL_OK)
		result = begin_shards(lane);
	if (result < 0) {
		lane_free(lane);
		return result;
	}
	*ret = lane;
	return SL_OK;
}

void lane_free(struct lane *lane)
{
	if (!lane)
		return;
	for (size_t i = 0; lane->shards && i < lane->options->sink_count; i++) {
		if (lane->shards[i])
			lane->options->sinks[i].ops->drop(lane->shards[i]);
	}
	decode_free(lane->decode);
	sl_decoder_free(lane->decoder);
	sl_decoder_free(lane->second);
	sl_decoder_free(lane->scanner);
	moments_release(&lane->moments);
	window_release(&lane->window);
	free(lane->shards);
	free(lane->positions);
	free(lane->marks);
	trust_release(&lane->trust);
	free(lane);
}

/* To those that want trusted elements, or the others; where all are trusted, to both. */
static int give_to_sinks(struct lane *lane, bool is_second, bool trusted, const struct sl_elem *elems, size_t len)
{
	for (size_t i = 0; i < lane->options->sink_count; i++) {
		const struct sl_sink_ops *ops = lane->options->sinks[i].ops;
		int (*give)(void *, const struct sl_elem *, size_t) = is_second ? ops->against : ops->elems;
		bool wants = is_second || !lane->trusts || ops->wants_trusted == trusted;
		int result = give && wants ? give(lane->shards[i], elems, len) : SL_OK;

		if (result < 0)
			return result;
	}
	return SL_OK;
}

/* The same, and to those that take turns. */
static int give(struct lane *lane, bool is_second, bool trusted, const struct sl_elem *elems, size_t len)
{
	bool ordered = lane->ordered && !is_second && lane->trusts == trusted;

	if (ordered && window_add(&lane->window, elems, len) < 0)
		return SL_ERR_NOMEM;
	return give_to_sinks(lane, is_second, trusted, elems, len);
}

/* What has been decided goes on to the sinks that want no other. */
static int give_trusted(struct lane *lane)
{
	const struct sl_elem *elems;
	size_t len = trust_lend(&lane->trust, &elems);

	return len ? give(lane, false, true, elems, len) : SL_OK;
}

/* Elements with offsets of the buffer, or none; marks with them. */
static int trust_elems(struct lane *lane, const struct sl_elem *elems, size_t len)
{
	const struct sl_mark *marks;
	size_t count = decode_marks(lane->decode, &marks);

	if (count && sl_array_reserve((void **)&lane->marks, &lane->mark_cap, sizeof(*lane->marks), count) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		lane->marks[i] = marks[i];
		lane->marks[i].offset = buffer_offset(lane, marks[i].offset);
	}
	if (trust_take(&lane->trust, elems, len, lane->marks, count) < 0)
		return SL_ERR_NOMEM;
	return give_trusted(lane);
}

/* A split's offsets are those of the lane. A single source's are those of the file, where a packet may have begun in what
 * was fed before. */
static uint64_t position_of(const struct lane *lane, uint64_t offset)
{
	if (lane->map)
		return offset;
	for (size_t i = 0; i < 2; i++) {
		const struct lane_chunk *chunk = &lane->chunks[i];

		if (offset - chunk->offset <= chunk->len)
			return chunk->position + (offset - chunk->offset);
	}
	return lane->chunks[0].position;
}

static int place_elems(struct lane *lane, const struct sl_elem *elems, size_t len)
{
	if (!lane->wants_positions)
		return SL_OK;
	if (sl_array_reserve((void **)&lane->positions, &lane->position_cap, sizeof(*lane->positions), len) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < len; i++)
		lane->positions[i] = position_of(lane, elems[i].offset);
	lane->info.positions = lane->positions;
	return SL_OK;
}

/* The decoder does not know what the capture says of the border between two pieces. */
static void mark_seam(bool *due, struct sl_elem *elems, size_t len)
{
	for (size_t i = 0; *due && i < len; i++) {
		if (elems[i].kind != SL_ELEM_GAP || (elems[i].count != SL_GAP_RESET && elems[i].count != SL_GAP_START))
			continue;
		elems[i].flags |= SL_FLAG_SEAM;
		*due = false;
	}
}

static int give_elems(struct lane *lane, bool is_second, struct sl_elem *elems, size_t len)
{
	int result;

	mark_seam(is_second ? &lane->second_seam_due : &lane->seam_due, elems, len);
	if (!is_second && place_elems(lane, elems, len) < 0)
		return SL_ERR_NOMEM;
	to_buffer_offsets(lane, elems, len);
	if (lane->shift)
		shift_times(&lane->info.stream->config, lane->shift, elems, len);
	result = give(lane, is_second, false, elems, len);
	return result == SL_OK && lane->trusts && !is_second ? trust_elems(lane, elems, len) : result;
}

static int lend(struct lane *lane, bool is_second, struct sl_elem **ret, size_t *ret_len)
{
	if (lane->scanning)
		return sl_decoder_lend(lane->scanner, ret, ret_len);
	return is_second ? sl_decoder_lend(lane->second, ret, ret_len) : decode_lend(lane->decode, ret, ret_len);
}

/* SL_END where the decoder has nothing more. */
static int drain_some(struct lane *lane, bool is_second, uint64_t *given)
{
	struct sl_elem *elems;
	size_t len;
	int result = lend(lane, is_second, &elems, &len);

	if (result == SL_END && lane->trusts && !lane->scanning && !is_second)
		return trust_elems(lane, NULL, 0) < 0 ? SL_ERR_NOMEM : SL_END;
	if (result != SL_OK)
		return result;
	*given += len;
	return lane->scanning ? SL_OK : give_elems(lane, is_second, elems, len);
}

/* Of two decoders, the one that is behind goes on: what sinks have to keep in order to compare stays small. */
static void drain(struct lane *lane)
{
	bool more = true, second_more = second(lane) != NULL;

	while (lane->result == SL_OK && (more || second_more)) {
		bool turn = more && (!second_more || lane->given <= lane->second_given);

		lane->result = drain_some(lane, !turn, turn ? &lane->given : &lane->second_given);
		if (lane->result != SL_END)
			continue;
		lane->result = SL_OK;
		*(turn ? &more : &second_more) = false;
	}
}

static void restart(struct lane *lane)
{
	if (lane->scanning)
		sl_decoder_restart(lane->scanner);
	else
		decode_restart(lane->decode);
	if (second(lane))
		sl_decoder_restart(lane->second);
}

/* No sync point will tell of what is held. */
static void end_trust(struct lane *lane)
{
	if (lane->result < 0 || !lane->trusts || lane->scanning)
		return;
	if (trust_finish(&lane->trust) < 0)
		lane->result = SL_ERR_NOMEM;
	else
		lane->result = give_trusted(lane);
	lane->info.trust = lane->trust.account;
}

void lane_begin_stretch(struct lane *lane, const struct sl_stretch *stretch)
{
	if (lane->result < 0)
		return;
	if (stretch->restart) {
		restart(lane);
		drain(lane);
		end_trust(lane);
	}
	moments_begin(&lane->moments, stretch);
	moments_begin(&lane->second_moments, stretch);
	lane->seam_due = lane->second_seam_due = stretch->whole && !lane->scanning;
	if (lane->ordered && !lane->scanning && lane->result == SL_OK)
		lane->result = window_stretch(&lane->window, stretch);
}

/* The decoder may hold back what it was fed any number of blocks ago, but nothing across a gap between them. */
static void note_chunk(struct lane *lane, struct sl_bytes bytes)
{
	struct lane_chunk *chunk = &lane->chunks[0];

	if (chunk->len && chunk->offset + chunk->len == bytes.offset) {
		chunk->len += bytes.len;
		return;
	}
	lane->chunks[1] = *chunk;
	*chunk = (struct lane_chunk){ bytes.offset, bytes.len, lane->info.bytes };
}

void lane_consume_raw(struct lane *lane, struct sl_bytes bytes)
{
	if (lane->result < 0 || !bytes.len)
		return;
	if (!lane->map)
		note_chunk(lane, bytes);
	lane->info.bytes += bytes.len;
	if (lane->scanning)
		sl_decoder_feed(lane->scanner, bytes);
	else
		decode_feed(lane->decode, bytes);
	if (second(lane))
		sl_decoder_feed(lane->second, bytes);
	drain(lane);
}

void lane_consume(struct lane *lane, const struct sl_lane_bytes *bytes)
{
	uint64_t done = bytes->offset, end = bytes->offset + bytes->len;

	lane->map = bytes;
	lane->run = (struct sl_lane_run){ 0 };
	lane->map_at = 0;
	if (!bytes->len)
		return;
	for (size_t i = 0; i < bytes->map_len; i++) {
		const struct sl_run_map *run = &bytes->map[i];

		if (!run->restart || run->lane_offset < bytes->offset)
			continue;
		lane_consume_raw(lane, (struct sl_bytes){ bytes->data + (done - bytes->offset),
							  (size_t)(run->lane_offset - done), done });
		done = run->lane_offset;
		restart(lane);
	}
	lane_consume_raw(lane, (struct sl_bytes){ bytes->data + (done - bytes->offset), (size_t)(end - done), done });
}

int lane_open_epoch(struct lane *lane)
{
	struct window *w = &lane->window;
	uint64_t from = w->open;
	size_t len;

	if (window_open(w) < 0)
		return SL_ERR_NOMEM;
	len = (size_t)(w->open - from);
	if (!len)
		return SL_OK;
	lane->settled = w->open;
	for (size_t i = 0; i < lane->options->sink_count; i++) {
		const struct sl_sink_ops *ops = lane->options->sinks[i].ops;
		uint64_t settled = ops->look ? ops->look(lane->shards[i], window_at(w, from), len) : w->open;

		lane->settled = settled < lane->settled ? settled : lane->settled;
	}
	return SL_OK;
}

int lane_take_turn(struct lane *lane, uint64_t until, bool apart)
{
	struct window *w = &lane->window;
	const struct sl_elem *elems = window_at(w, w->taken);
	size_t len = (size_t)(until - w->taken);
	int result = SL_OK;

	for (size_t i = 0; len && i < lane->options->sink_count && result == SL_OK; i++) {
		const struct sl_sink_ops *ops = lane->options->sinks[i].ops;

		if (ops->turn)
			result = ops->turn(lane->shards[i], elems, len, apart);
	}
	window_take(w, until);
	return result;
}

void lane_finish(struct lane *lane)
{
	if (lane->result < 0)
		return;
	if (lane->scanning)
		sl_decoder_finish(lane->scanner);
	else
		decode_finish(lane->decode);
	if (second(lane))
		sl_decoder_finish(lane->second);
	drain(lane);
	end_trust(lane);
}

int lane_end(struct lane *lane)
{
	lane->info.merged = sl_decoder_merged(lane->decoder);
	for (size_t i = 0; i < lane->options->sink_count; i++) {
		const struct sl_sink *sink = &lane->options->sinks[i];
		void *shard = lane->shards[i];
		int result;

		lane->shards[i] = NULL;
		result = sink->ops->end(sink->self, shard, &lane->info);
		if (result < 0)
			return result;
	}
	return SL_OK;
}
