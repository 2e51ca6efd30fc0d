/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_DEMUX_H
#define SL_DEMUX_H
/*
 * CoreSight formatter frames (IHI 0029E, D4) into one byte stream a trace id. Frames may be cut anywhere between
 * two calls. Each byte of the buffer is accounted for: in a lane, as framing, or as loss with a cause.
 */
#include "sl_base.h"

enum sl_framing {
	SL_FRAMING_NONE,      /* one source's bytes, no frames */
	SL_FRAMING_CORESIGHT, /* 16-byte frames from the first byte on (ETB, ETF, ETR); barriers of 4 FSYNCs reset */
	SL_FRAMING_TPIU,      /* frames with full syncs (FSYNC) between them */
	SL_FRAMING_TPIU_HSYNC,/* ... and half syncs (HSYNC) inside */
	SL_FRAMING_DSTREAM,   /* as TPIU_HSYNC: what an Arm DSTREAM stores */
};
/* "coresight" and so on; NULL beyond the last. */
const char *sl_framing_name(unsigned framing);
int sl_framing_parse(const char *text, enum sl_framing *ret);

#define SL_TRACE_IDS 128

/* Of a frame without an ID: its bytes but the last are the lane's. */
enum { SL_FRAME_DATA_BYTES = 15 };

/* A run of a lane's bytes that lie one after another in the buffer. */
struct sl_run_map {
	uint64_t lane_offset, buffer_offset;
	bool restart;  /* these bytes do not continue those before: the decoder is to be restarted */
	bool framed;   /* ... but for one byte of the buffer behind each SL_FRAME_DATA_BYTES: frames that are the lane's alone */
};
/* Bytes of earlier splits whose runs are kept at least: a packet may have begun there, an element may be held back. */
enum { SL_LANE_MAP_KEPT_BYTES = 16384 };
struct sl_lane_bytes {
	uint8_t *data;	 /* this split's bytes of the lane */
	size_t len, cap;
	uint64_t offset; /* of data[0] in the lane */
	struct sl_run_map *map;	 /* ascending; valid for lane offsets from map[0].lane_offset on */
	size_t map_len, map_cap;
	size_t map_trim; /* length at which old runs are looked for */
	uint64_t framed_to, framed_at; /* the last run goes on where a frame comes at this lane offset and this buffer offset; 0: none */
	bool restart;	 /* the next byte begins a run with restart set */
};

struct sl_demux_stats {
	uint64_t bytes;		   /* read from the buffer */
	uint64_t lane_bytes[SL_TRACE_IDS];
	uint64_t frame_bytes;	   /* IDs, flag bytes and syncs */
	uint64_t unknown_id_bytes; /* data before the first ID */
	uint64_t skipped_bytes;	   /* outside of frames: before the first FSYNC, or cut at the end */
	uint64_t frames, syncs, barriers, bad_syncs;
};

struct sl_demux;
int sl_demux_new(enum sl_framing framing, struct sl_demux **ret);
void sl_demux_free(struct sl_demux *demux);
/* Takes the buffer's next bytes (not for SL_FRAMING_NONE); lanes hold what came out of them until the next split.
 * SL_OK or SL_ERR_NOMEM. */
int sl_demux_split(struct sl_demux *demux, struct sl_bytes block);
/* What comes next does not continue what came before: a cut frame is accounted for, and the next frame names its id. The
 * lanes are left as they are: restarting their decoders is the caller's. */
void sl_demux_restart(struct sl_demux *demux);
/* End of the buffer: accounts for a cut frame; lanes hold the last bytes that a sync might have begun with. */
void sl_demux_finish(struct sl_demux *demux);
const struct sl_lane_bytes *sl_demux_lane(const struct sl_demux *demux, uint8_t trace_id);
const struct sl_demux_stats *sl_demux_stats(const struct sl_demux *demux);

/*
 * Positions of the lane from start to before end lie in the buffer at the position plus delta (modulo 2^64), and where framed, one further for each
 * SL_FRAME_DATA_BYTES since start.
 */
struct sl_lane_run {
	uint64_t start, end, delta;
	bool framed;
};
static inline uint64_t sl_run_to_buffer(const struct sl_lane_run *run, uint64_t lane_offset)
{
	return lane_offset + run->delta + (run->framed ? (lane_offset - run->start) / SL_FRAME_DATA_BYTES : 0);
}
/* The run that a map's entry at this place describes. */
struct sl_lane_run sl_lane_run_of(const struct sl_lane_bytes *lane, size_t at);
/* The run that holds a position of the lane. */
struct sl_lane_run sl_lane_run_at(const struct sl_lane_bytes *lane, uint64_t lane_offset);
/* Position in the buffer of a position in the lane. */
static inline uint64_t sl_lane_to_buffer(const struct sl_lane_bytes *lane, uint64_t lane_offset)
{
	struct sl_lane_run run = sl_lane_run_at(lane, lane_offset);

	return sl_run_to_buffer(&run, lane_offset);
}
#endif
