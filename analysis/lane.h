/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANE_H
#define LANE_H
/* A lane at work: its decoder, its shards, and where its bytes lie in the buffer. Inside of analysis/ only. */
#include "decode.h"
#include "moments.h"
#include "sl_run.h"
#include "trust.h"
#include "window.h"

struct lane {
	struct sl_lane info;
	const struct sl_run_options *options;
	void **shards;		      /* one a sink; NULL until begun */
	const struct sl_lane_bytes *map;  /* for offsets; NULL: lane and buffer are the same */
	struct sl_lane_run run;	      /* the last one that an offset was looked up in */
	size_t map_at;		      /* number of a run in the map, of this one or of one before it */
	bool scanning;		      /* looks for timestamps only, before the decoding: scanner is fed, not decoder */
	struct sl_decoder *decoder, *scanner; /* made beforehand: the engine's are not made by two threads at once */
	struct decode *decode;	      /* of decoder */
	struct moments moments;
	int64_t shift;		      /* ticks, to be added to timestamps */
	struct sl_decoder *second;    /* decodes the same bytes, for sinks that compare; else NULL */
	struct moments second_moments; /* where that one is; the times are those of moments */
	uint64_t given, second_given; /* elements that the sinks have got of each */
	bool ordered;		      /* a sink takes turns: elements are kept in the window */
	struct window window;
	uint64_t settled;	      /* elements that the sinks in order of time are ready for */
	bool trusts;
	struct trust trust;	      /* between the decoder and the sinks that want that */
	struct sl_mark *marks;	      /* with offsets of the buffer */
	size_t mark_cap;
	bool seam_due, second_seam_due; /* a stretch began that the capture tells no loss before: the gap there says so */
	bool wants_positions;
	uint64_t *positions;	      /* of the elements that the sinks get now */
	size_t position_cap;
	struct lane_chunk {
		uint64_t offset, len, position;
	} chunks[2];		      /* bytes in a row that were fed last, and before: of a single source */
	int result;
};

/* Whether a sink takes turns. */
bool lane_wants_order(const struct sl_run_options *options);
/* A lane with its decoder, which uses the pool, and begun shards. SL_OK; on failure diag says why and the lane is gone. */
int lane_new(const struct sl_run_options *options, struct sl_pool *pool, const struct sl_buffer *buffer,
	     const struct sl_stream *stream, size_t index, struct lane **ret, struct sl_diag *diag);
void lane_free(struct lane *lane);
/* Whether what the lane decodes depends on when it was traced, so that all its timestamps have to be known before. */
bool lane_needs_scan(const struct lane *lane);
/* From a scan to decoding: the same bytes come again from the first on. */
void lane_end_scan(struct lane *lane);
/* A stretch begins: the decoder starts anew, and the sinks hear of the task. */
void lane_begin_stretch(struct lane *lane, const struct sl_stretch *stretch);
/* Decodes what a split left for the lane; the result sticks in lane->result. */
void lane_consume(struct lane *lane, const struct sl_lane_bytes *bytes);
/* The same for a buffer of a single source. */
void lane_consume_raw(struct lane *lane, struct sl_bytes bytes);
/* Opens the next epoch of the window, which the sinks in order of time look at. SL_OK or SL_ERR_NOMEM. */
int lane_open_epoch(struct lane *lane);
/* Elements of the window, before number until, are taken by the sinks in order of time: on the calling thread. */
int lane_take_turn(struct lane *lane, uint64_t until, bool apart);
/* No more bytes: the last elements. */
void lane_finish(struct lane *lane);
/* Merges the shards into their sinks. On the calling thread, in lane order. */
int lane_end(struct lane *lane);
#endif
