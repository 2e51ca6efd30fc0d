/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_RUN_H
#define SL_RUN_H
/*
 * The run: buffers are read block by block, split once into lanes, decoded by workers, and handed to sinks. A lane
 * is one trace id in one buffer; a sink has one shard a lane, which one thread at a time touches. Lanes end in order
 * of buffer, then trace id, on the calling thread: what a sink merges or prints there has one order for any number
 * of jobs and any block size. So has what a sink is told in order of time (turn): docs/decisions/0006.
 */
#include "sl_capture.h"
#include "sl_decoder.h"
#include "sl_demux.h"
#include "sl_trust.h"

struct sl_lane {
	size_t index;	/* dense, in order of ending */
	const struct sl_buffer *buffer;
	const struct sl_stream *stream;
	uint64_t bytes;	/* of this lane; complete in end() */
	enum sl_engine engine;	/* never AUTO */
	enum sl_engine against;	/* AUTO: there is no second decoder */
	/* While elems() runs, for sinks with wants_positions: how many of the lane's bytes lie before the packet of each
	 * element. */
	const uint64_t *positions;
	uint64_t merged;  /* ranges that came in another one's element (sl_decoder_merged); complete in end() */
	bool cycles_are_time; /* sl_run_options has it */
	struct sl_trust_account trust; /* complete in end(), where a sink counts it; of engines that make no marks, zero */
};

struct sl_sink_ops {
	const char *name;
	bool wants_positions;
	/* Each range is to be an element of its own. Where no sink says so, they may be merged: sl_decoder_options.merge. */
	bool wants_ranges;
	/* Elements that have been checked against what the trace tells later: what contradicts it comes as a gap. */
	bool wants_trusted;
	bool counts_trust; /* reads sl_lane.trust */
	/* A lane starts: makes its shard. lane stays where it is until end() or drop(). SL_OK or an error that stops the
	 * run. */
	int (*begin)(void *sink, const struct sl_lane *lane, void **shard);
	/* Elements in order; offsets are those of the buffer. May be NULL. */
	int (*elems)(void *shard, const struct sl_elem *elems, size_t len);
	/* The same lane's elements as sl_run_options.against decodes them, never far ahead of the others or behind. May be NULL. */
	int (*against)(void *shard, const struct sl_elem *elems, size_t len);
	/*
	 * The elements of all lanes on the calling thread, in order of time as far as it is known: a lane's in its order, in
	 * batches that end where another lane is earlier, and before an element that goes over to a task which runs on several
	 * lanes: it comes when the others have passed. apart: the id of the task that the batch begins with does not name one
	 * task on all lanes. Elements of all lanes that were decoded wait for their turn; meanwhile the next ones may be decoded.
	 * May be NULL.
	 */
	int (*turn)(void *shard, const struct sl_elem *elems, size_t len, bool apart);
	/*
	 * Elements that will come in turns: all of the lane, in order, each once and before its turn. Returns how many of the lane's
	 * elements, counted from its first, may have their turn; the others come when there are more, or as soon as no more can be kept.
	 * On the calling thread. May be NULL: all.
	 */
	uint64_t (*look)(void *shard, const struct sl_elem *elems, size_t len);
	/* Packets in order; offsets are those of the buffer. Of two decoders it is OpenCSD's. May be NULL. */
	void (*packet)(void *shard, const struct sl_packet *packet);
	/* The lane is over: merges the shard into the sink and frees it. On the calling thread, in lane order. */
	int (*end)(void *sink, void *shard, const struct sl_lane *lane);
	/* The run failed: frees a shard that has not ended. */
	void (*drop)(void *shard);
};
struct sl_sink {
	const struct sl_sink_ops *ops;
	void *self;
};

/* Ticks to be added to the timestamps of a lane whose clock is not that of the others. */
struct sl_clock_offset {
	uint8_t trace_id;
	int64_t ticks;
};

struct sl_run_options {
	const struct sl_capture *capture;
	const struct sl_image *image;
	const struct sl_sink *sinks;
	size_t sink_count;
	const char *buffer;	/* only this buffer; NULL: all */
	int trace_id;		/* only this id; -1: all */
	unsigned jobs;		/* 0: one a CPU */
	size_t block_bytes;	/* 0: the default */
	const struct sl_clock_offset *offsets; /* of lanes: the last of its trace id counts */
	size_t offset_count;
	bool cycles_are_time;	/* time is told by cycles, a tick each, and by no timestamp */
	bool packet_text, packets_only;
	enum sl_engine engine;
	enum sl_engine against;	/* AUTO: none. Else each lane is decoded by this engine too, for sinks that compare */
	/* What makes decoders; NULL: sl_decoder_new. For tests. */
	int (*new_decoder)(const struct sl_trace_config *config, const struct sl_decoder_options *options,
			   struct sl_decoder **ret, struct sl_diag *diag);
	void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_ctx;
};

/* What was found in a buffer besides lanes. */
struct sl_buffer_result {
	const struct sl_buffer *buffer;
	struct sl_demux_stats demux;  /* zero for single sources, save bytes and lane_bytes */
	uint64_t unclaimed[SL_TRACE_IDS];  /* bytes of ids that no stream has */
	uint64_t unusable[SL_TRACE_IDS];   /* bytes of ids whose stream lacks registers or a decoder */
	bool selected;
};
struct sl_run_result {
	struct sl_buffer_result *buffers;
	size_t buffer_count;
	size_t lanes;
};
void sl_run_result_release(struct sl_run_result *result);

/* SL_OK; SL_ERR_IO, SL_ERR_NOMEM, SL_ERR_CONFIG (no such buffer or id) with diag. */
int sl_run(const struct sl_run_options *options, struct sl_notes *notes, struct sl_run_result *ret, struct sl_diag *diag);
#endif
