/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_demux.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sl_array.h"

enum {
	FRAME_BYTES = 16,
	SYNC_BYTES = 4,
	NO_ID = -1,
	DSTREAM_BLOCK_BYTES = 512, /* a DSTREAM stores blocks of 504 bytes of the port's data and a footer */
	DSTREAM_DATA_BYTES = 504,
	MAP_TRIM_MIN = 4096,
};

struct sl_demux {
	enum sl_framing framing;
	struct sl_lane_bytes lanes[SL_TRACE_IDS];
	struct sl_demux_stats stats;
	int id;			   /* whose data come next; NO_ID: not known yet */
	uint8_t frame[FRAME_BYTES];
	uint64_t at[FRAME_BYTES];  /* buffer offset of each frame byte: syncs may lie between them */
	size_t fill;

	/* Framings with syncs: a byte enters the frame when three more have come that make it no FSYNC. */
	bool synced;
	uint8_t window[SYNC_BYTES];
	uint64_t window_at[SYNC_BYTES];
	size_t window_len;
	bool no_memory;
};

static const char *const framing_names[] = {
	[SL_FRAMING_NONE] = "none",
	[SL_FRAMING_CORESIGHT] = "coresight",
	[SL_FRAMING_TPIU] = "tpiu",
	[SL_FRAMING_TPIU_HSYNC] = "tpiu-hsync",
	[SL_FRAMING_DSTREAM] = "dstream",
};
enum { FRAMINGS = sizeof(framing_names) / sizeof(framing_names[0]) };

const char *sl_framing_name(unsigned framing)
{
	return framing < FRAMINGS ? framing_names[framing] : NULL;
}

int sl_framing_parse(const char *text, enum sl_framing *ret)
{
	for (unsigned i = 0; i < FRAMINGS; i++) {
		if (strcasecmp(text, framing_names[i]) == 0) {
			*ret = (enum sl_framing)i;
			return SL_OK;
		}
	}
	return SL_ERR_FORMAT;
}

int sl_demux_new(enum sl_framing framing, struct sl_demux **ret)
{
	struct sl_demux *demux = calloc(1, sizeof(*demux));

	if (!demux)
		return SL_ERR_NOMEM;
	demux->framing = framing;
	demux->id = NO_ID;
	*ret = demux;
	return SL_OK;
}

void sl_demux_free(struct sl_demux *demux)
{
	if (!demux)
		return;
	for (size_t i = 0; i < SL_TRACE_IDS; i++) {
		free(demux->lanes[i].data);
		free(demux->lanes[i].map);
	}
	free(demux);
}

/* Extends the lane's map where the byte does not follow the one before it in the buffer, or must not. */
static void map_byte(struct sl_demux *demux, struct sl_lane_bytes *lane, uint64_t at)
{
	uint64_t lane_offset = lane->offset + lane->len;
	struct sl_run_map run = { lane_offset, at, lane->restart, false };

	if (lane->map_len && !lane->restart) {
		const struct sl_run_map *last = &lane->map[lane->map_len - 1];

		if (!last->framed && at - last->buffer_offset == lane_offset - last->lane_offset)
			return;
	}
	lane->restart = false;
	if (SL_ARRAY_PUSH(&lane->map, &lane->map_len, &lane->map_cap, run) < 0)
		demux->no_memory = true;
}

static void put(struct sl_demux *demux, uint8_t byte, uint64_t at)
{
	struct sl_lane_bytes *lane;

	if (demux->id == NO_ID) {
		demux->stats.unknown_id_bytes++;
		return;
	}
	lane = &demux->lanes[demux->id];
	map_byte(demux, lane, at);
	if (SL_ARRAY_PUSH(&lane->data, &lane->len, &lane->cap, byte) < 0)
		demux->no_memory = true;
	demux->stats.lane_bytes[demux->id]++;
}

/*
 * An even byte with bit 0 set is a new ID. It takes effect with the byte beside it, or behind it where the pair's
 * bit in byte 15 is set. IHI 0029E D4.2.
 */
static void take_id(struct sl_demux *demux, size_t pair, bool delayed)
{
	const uint8_t *frame = demux->frame;
	int id = frame[pair] >> 1;

	demux->stats.frame_bytes++;
	if (pair == FRAME_BYTES - 2) {
		demux->id = id;
		return;
	}
	if (!delayed || id == demux->id)
		demux->id = id;
	put(demux, frame[pair + 1], demux->at[pair + 1]);
	demux->id = id;
}

/* The same for a frame, which mostly follows the one before it. */
static void map_frame(struct sl_demux *demux, struct sl_lane_bytes *lane, uint64_t at)
{
	uint64_t lane_offset = lane->offset + lane->len;
	struct sl_run_map run = { lane_offset, at, lane->restart, true };

	if (!lane->framed_to || lane->framed_to != lane_offset || lane->framed_at != at || lane->restart) {
		lane->restart = false;
		if (SL_ARRAY_PUSH(&lane->map, &lane->map_len, &lane->map_cap, run) < 0)
			demux->no_memory = true;
	}
	lane->framed_to = lane_offset + SL_FRAME_DATA_BYTES;
	lane->framed_at = at + FRAME_BYTES;
}

/* Bit 0 of each even byte, which byte 15 has: to is ored with four of its bits. */
static void put_flags(uint8_t *to, unsigned bits)
{
#define FLAGS(n) { (n) & 1, 0, (n) >> 1 & 1, 0, (n) >> 2 & 1, 0, (n) >> 3, 0 }
	static const uint8_t flags[16][FRAME_BYTES / 2] = {
		FLAGS(0), FLAGS(1), FLAGS(2), FLAGS(3), FLAGS(4), FLAGS(5), FLAGS(6), FLAGS(7),
		FLAGS(8), FLAGS(9), FLAGS(10), FLAGS(11), FLAGS(12), FLAGS(13), FLAGS(14), FLAGS(15),
	};
#undef FLAGS
	uint64_t bytes, more;

	memcpy(&bytes, to, sizeof(bytes));
	memcpy(&more, flags[bits & 15], sizeof(more));
	bytes |= more;
	memcpy(to, &bytes, sizeof(bytes));
}

/* Its bytes in one go: the lane they belong to is that of the frame before. One byte more is written than counts. */
static void take_data_frame(struct sl_demux *demux, const uint8_t *frame, uint64_t at)
{
	struct sl_lane_bytes *lane = &demux->lanes[demux->id];
	uint8_t *to;

	if (lane->cap - lane->len < FRAME_BYTES &&
	    sl_array_reserve((void **)&lane->data, &lane->cap, 1, lane->len + FRAME_BYTES) < 0) {
		demux->no_memory = true;
		return;
	}
	map_frame(demux, lane, at);
	to = lane->data + lane->len;
	memcpy(to, frame, FRAME_BYTES);
	put_flags(to, frame[FRAME_BYTES - 1]);
	put_flags(to + FRAME_BYTES / 2, frame[FRAME_BYTES - 1] >> 4);
	lane->len += SL_FRAME_DATA_BYTES;
	demux->stats.lane_bytes[demux->id] += SL_FRAME_DATA_BYTES;
	demux->stats.frame_bytes++;
	demux->stats.frames++;
}

/* Whether all of it belongs to one lane: no even byte is an ID. Nor is there an FSYNC in it, two of whose bytes would be. */
static bool is_data_frame(const struct sl_demux *demux, const uint8_t *frame)
{
	static const uint8_t is_id[FRAME_BYTES / 2] = { 1, 0, 1, 0, 1, 0, 1, 0 };
	uint64_t low, high, mask;

	memcpy(&low, frame, sizeof(low));
	memcpy(&high, frame + sizeof(low), sizeof(high));
	memcpy(&mask, is_id, sizeof(mask));
	return !((low | high) & mask) && demux->id != NO_ID;
}

static bool lies_in_one_piece(const struct sl_demux *demux)
{
	return demux->at[FRAME_BYTES - 2] == demux->at[0] + FRAME_BYTES - 2;
}

static void take_frame(struct sl_demux *demux)
{
	const uint8_t *frame = demux->frame;

	if (lies_in_one_piece(demux) && is_data_frame(demux, frame)) {
		take_data_frame(demux, frame, demux->at[0]);
		demux->fill = 0;
		return;
	}
	for (size_t pair = 0; pair < FRAME_BYTES; pair += 2) {
		uint8_t flag = frame[FRAME_BYTES - 1] >> (pair / 2) & 1;

		if (frame[pair] & 1) {
			take_id(demux, pair, flag);
			continue;
		}
		put(demux, frame[pair] | flag, demux->at[pair]);
		if (pair < FRAME_BYTES - 2)
			put(demux, frame[pair + 1], demux->at[pair + 1]);
	}
	demux->stats.frame_bytes++;
	demux->stats.frames++;
	demux->fill = 0;
}

static bool is_sync(const uint8_t *bytes)
{
	return bytes[0] == 0xff && bytes[1] == 0xff && bytes[2] == 0xff && bytes[3] == 0x7f;
}

/* What comes after a loss continues no lane. */
static void restart_lanes(struct sl_demux *demux)
{
	demux->id = NO_ID;
	for (size_t i = 0; i < SL_TRACE_IDS; i++)
		demux->lanes[i].restart = demux->lanes[i].offset + demux->lanes[i].len > 0;
}

/*
 * Memory-aligned frames hold no syncs, but Linux writes four FSYNCs, a whole frame, where the sink lost data (the
 * "barrier"). Fewer of them are damage, and the frame is skipped.
 */
static bool take_barrier(struct sl_demux *demux)
{
	size_t syncs = 0;

	for (size_t i = 0; i < FRAME_BYTES; i += SYNC_BYTES)
		syncs += is_sync(demux->frame + i);
	if (!syncs)
		return false;
	if (syncs == FRAME_BYTES / SYNC_BYTES) {
		demux->stats.barriers++;
		demux->stats.frame_bytes += FRAME_BYTES;
	} else {
		demux->stats.bad_syncs++;
		demux->stats.skipped_bytes += FRAME_BYTES;
	}
	restart_lanes(demux);
	demux->fill = 0;
	return true;
}

static void aligned_byte(struct sl_demux *demux, uint8_t byte, uint64_t at)
{
	demux->frame[demux->fill] = byte;
	demux->at[demux->fill] = at;
	if (++demux->fill == FRAME_BYTES && !take_barrier(demux))
		take_frame(demux);
}

/* A byte that is part of no FSYNC. An HSYNC takes the place of a pair, which no ID and data can look like. */
static void port_byte(struct sl_demux *demux, uint8_t byte, uint64_t at)
{
	if (!demux->synced) {
		demux->stats.skipped_bytes++;
		return;
	}
	if (demux->fill % 2 && byte == 0x7f && demux->frame[demux->fill - 1] == 0xff) {
		demux->fill--;
		if (demux->framing == SL_FRAMING_TPIU)
			demux->stats.bad_syncs++;
		demux->stats.frame_bytes += 2;
		return;
	}
	demux->frame[demux->fill] = byte;
	demux->at[demux->fill] = at;
	if (++demux->fill == FRAME_BYTES)
		take_frame(demux);
}

/* An FSYNC inside of a frame says that bytes were lost: the frame's beginning is useless. */
static void port_sync(struct sl_demux *demux)
{
	demux->stats.syncs++;
	demux->stats.frame_bytes += SYNC_BYTES;
	if (demux->fill) {
		demux->stats.bad_syncs++;
		demux->stats.skipped_bytes += demux->fill;
		demux->fill = 0;
		restart_lanes(demux);
	}
	demux->synced = true;
}

static void window_byte(struct sl_demux *demux, uint8_t byte, uint64_t at)
{
	if (demux->window_len == SYNC_BYTES) {
		port_byte(demux, demux->window[0], demux->window_at[0]);
		demux->window_len--;
		memmove(demux->window, demux->window + 1, demux->window_len);
		memmove(demux->window_at, demux->window_at + 1, demux->window_len * sizeof(demux->window_at[0]));
	}
	demux->window[demux->window_len] = byte;
	demux->window_at[demux->window_len++] = at;
	if (demux->window_len == SYNC_BYTES && is_sync(demux->window)) {
		demux->window_len = 0;
		port_sync(demux);
	}
}

/* Forgets runs that lie too far back; seldom, since the rest has to be moved. */
static void trim_map(struct sl_lane_bytes *lane)
{
	uint64_t end = lane->offset + lane->len;
	size_t old = 0;

	if (lane->map_len < lane->map_trim)
		return;
	while (old + 1 < lane->map_len && lane->map[old + 1].lane_offset + SL_LANE_MAP_KEPT_BYTES <= end)
		old++;
	lane->map_len -= old;
	memmove(lane->map, lane->map + old, lane->map_len * sizeof(*lane->map));
	lane->map_trim = 2 * lane->map_len + MAP_TRIM_MIN;
}

static void start_split(struct sl_demux *demux)
{
	for (size_t i = 0; i < SL_TRACE_IDS; i++) {
		struct sl_lane_bytes *lane = &demux->lanes[i];

		if (!lane->len)
			continue;
		trim_map(lane);
		lane->offset += lane->len;
		lane->len = 0;
	}
}

/* The whole frames at the beginning of the block, without a detour by the byte. */
static size_t whole_frames(struct sl_demux *demux, struct sl_bytes block)
{
	size_t done = 0;

	while (!demux->fill && block.len - done >= FRAME_BYTES) {
		if (is_data_frame(demux, block.data + done)) {
			take_data_frame(demux, block.data + done, block.offset + done);
			done += FRAME_BYTES;
			continue;
		}
		memcpy(demux->frame, block.data + done, FRAME_BYTES);
		for (size_t i = 0; i < FRAME_BYTES; i++)
			demux->at[i] = block.offset + done + i;
		if (!take_barrier(demux))
			take_frame(demux);
		done += FRAME_BYTES;
	}
	return done;
}

int sl_demux_split(struct sl_demux *demux, struct sl_bytes block)
{
	size_t i = 0;

	start_split(demux);
	demux->stats.bytes += block.len;
	while (i < block.len) {
		uint64_t at = block.offset + i;

		if (demux->framing == SL_FRAMING_CORESIGHT && !demux->fill && block.len - i >= FRAME_BYTES) {
			i += whole_frames(demux, (struct sl_bytes){ block.data + i, block.len - i, at });
			continue;
		}
		if (demux->framing == SL_FRAMING_CORESIGHT)
			aligned_byte(demux, block.data[i], at);
		else if (demux->framing == SL_FRAMING_DSTREAM && at % DSTREAM_BLOCK_BYTES >= DSTREAM_DATA_BYTES)
			demux->stats.frame_bytes++;
		else
			window_byte(demux, block.data[i], at);
		i++;
	}
	return demux->no_memory ? SL_ERR_NOMEM : SL_OK;
}

void sl_demux_restart(struct sl_demux *demux)
{
	demux->stats.skipped_bytes += demux->window_len + demux->fill;
	demux->window_len = demux->fill = 0;
	demux->synced = false;
	demux->id = NO_ID;
}

void sl_demux_finish(struct sl_demux *demux)
{
	start_split(demux);
	for (size_t i = 0; i < demux->window_len; i++)
		port_byte(demux, demux->window[i], demux->window_at[i]);
	demux->window_len = 0;
	demux->stats.skipped_bytes += demux->fill;
	demux->fill = 0;
}

const struct sl_lane_bytes *sl_demux_lane(const struct sl_demux *demux, uint8_t trace_id)
{
	return &demux->lanes[trace_id & (SL_TRACE_IDS - 1)];
}

const struct sl_demux_stats *sl_demux_stats(const struct sl_demux *demux)
{
	return &demux->stats;
}

struct sl_lane_run sl_lane_run_of(const struct sl_lane_bytes *lane, size_t at)
{
	const struct sl_run_map *run = &lane->map[at];

	return (struct sl_lane_run){ .start = run->lane_offset,
				     .end = at + 1 < lane->map_len ? run[1].lane_offset : UINT64_MAX,
				     .delta = run->buffer_offset - run->lane_offset,
				     .framed = run->framed };
}

struct sl_lane_run sl_lane_run_at(const struct sl_lane_bytes *lane, uint64_t lane_offset)
{
	struct sl_lane_run run = { .end = UINT64_MAX };
	size_t low = 0, high = lane->map_len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lane->map[mid].lane_offset <= lane_offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low)
		return sl_lane_run_of(lane, low - 1);
	if (lane->map_len) {
		/* Before what is still known: as if the oldest run reached back so far. */
		run.end = lane->map[0].lane_offset;
		run.delta = lane->map[0].buffer_offset - lane->map[0].lane_offset;
	}
	return run;
}
