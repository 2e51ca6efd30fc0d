/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"
#include "sl_threads.h"

enum { BLOCK_BYTES = 1 << 20, BUFFERS_AT_ONCE = 16 };

/* A buffer at work. */
struct job {
	struct run *run;
	size_t buffer;	/* index in the capture */
	const struct sl_buffer *info;
	struct lane *lanes[SL_TRACE_IDS];
	size_t lane_count;
	const struct sl_lane_bytes *splits[SL_TRACE_IDS];  /* of this block, one a lane */
	struct sl_demux *demux;	/* NULL for single sources */
	uint8_t *block;
	bool read_failed;
	bool scanning;	/* for timestamps, before the decoding: only the lanes that need it take part */
	int result;
};

struct run {
	const struct sl_run_options *options;
	struct sl_notes *notes;
	struct sl_run_result *ret;
	struct sl_diag *diag;
	struct sl_pool *pool;
	size_t block_bytes, lanes_begun;
	uint64_t done_bytes, total_bytes;
};

static bool selected(const struct sl_run_options *options, const struct sl_buffer *buffer)
{
	return !options->buffer || strcmp(options->buffer, buffer->name) == 0;
}

static bool wants_stream(const struct sl_run_options *options, const struct sl_stream *stream, size_t buffer)
{
	return stream->buffer == buffer && (options->trace_id < 0 || options->trace_id == stream->trace_id);
}

static int start_lane(struct job *job, const struct sl_stream *stream)
{
	struct run *run = job->run;
	struct sl_diag why = { "" };
	int result = lane_new(run->options, job->info, stream, run->lanes_begun, &job->lanes[job->lane_count], &why);

	/* A source that cannot be decoded costs its own lane, no other. */
	if (result == SL_ERR_CONFIG || result == SL_ERR_UNSUPPORTED) {
		sl_notes_add(run->notes, "%s: source %s (trace id 0x%02x): %s", job->info->name, stream->name,
			     stream->trace_id, why.text);
		return SL_OK;
	}
	if (result == SL_OK) {
		job->lane_count++;
		run->lanes_begun++;
	}
	return result;
}

static int start_lanes(struct job *job)
{
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(job->run->options->capture, &streams);

	for (size_t i = 0; i < count && job->lane_count < SL_TRACE_IDS; i++) {
		int result;

		if (!streams[i].usable || !wants_stream(job->run->options, &streams[i], job->buffer))
			continue;
		result = start_lane(job, &streams[i]);
		if (result < 0)
			return result;
	}
	return SL_OK;
}

static bool takes_part(const struct job *job, size_t i)
{
	return !job->scanning || lane_needs_scan(job->lanes[i]);
}

static void consume_split(void *ctx, size_t i)
{
	struct job *job = ctx;

	if (takes_part(job, i))
		lane_consume(job->lanes[i], job->splits[i]);
}

static void finish_lane(void *ctx, size_t i)
{
	struct job *job = ctx;

	if (takes_part(job, i))
		lane_finish(job->lanes[i]);
}

static int lanes_result(const struct job *job)
{
	for (size_t i = 0; i < job->lane_count; i++) {
		if (job->lanes[i]->result < 0)
			return job->lanes[i]->result;
	}
	return SL_OK;
}

static int decode_splits(struct job *job, const struct sl_demux *demux)
{
	for (size_t i = 0; i < job->lane_count; i++)
		job->splits[i] = sl_demux_lane(demux, job->lanes[i]->info.stream->trace_id);
	sl_pool_run(job->run->pool, job->lane_count, consume_split, job);
	return lanes_result(job);
}

/* The next block of a stretch, of which done bytes were read; SL_END behind its last. */
static int read_block(struct job *job, const struct sl_stretch *stretch, uint64_t done, struct sl_bytes *ret)
{
	struct run *run = job->run;
	uint64_t left = stretch->len - done, offset = stretch->offset + done;
	size_t len = left < run->block_bytes ? (size_t)left : run->block_bytes;
	ptrdiff_t n = len ? sl_capture_read(run->options->capture, job->buffer, offset, job->block, len) : 0;

	if (n < 0) {
		job->read_failed = true;
		return (int)n;
	}
	*ret = (struct sl_bytes){ job->block, (size_t)n, offset };
	return n ? SL_OK : SL_END;
}

static void progress(struct run *run, size_t bytes)
{
	run->done_bytes += bytes;
	if (run->options->progress)
		run->options->progress(run->options->progress_ctx, run->done_bytes, run->total_bytes);
}

static int split_block(struct job *job, struct sl_bytes bytes)
{
	int result = sl_demux_split(job->demux, bytes);

	return result < 0 ? result : decode_splits(job, job->demux);
}

/* One source's bytes, without frames. Several sources may be named for them: each is tried on all of them. */
static int raw_block(struct job *job, const struct sl_stretch *stretch, struct sl_bytes bytes)
{
	struct sl_demux_stats *stats = &job->run->ret->buffers[job->buffer].demux;

	if (!job->scanning)
		stats->bytes += bytes.len;
	for (size_t i = 0; i < job->lane_count; i++) {
		uint8_t id = job->lanes[i]->info.stream->trace_id;

		if (!takes_part(job, i) || (stretch->trace_id >= 0 && stretch->trace_id != id))
			continue;
		if (!job->scanning)
			stats->lane_bytes[id] += bytes.len;
		lane_consume_raw(job->lanes[i], bytes);
	}
	return lanes_result(job);
}

static void begin_stretch(struct job *job, const struct sl_stretch *stretch)
{
	if (stretch->restart && stretch->framing != SL_FRAMING_NONE)
		sl_demux_restart(job->demux);
	for (size_t i = 0; i < job->lane_count; i++) {
		if (takes_part(job, i) &&
		    (stretch->trace_id < 0 || stretch->trace_id == job->lanes[i]->info.stream->trace_id))
			lane_begin_stretch(job->lanes[i], stretch);
	}
}

static int run_stretch(struct job *job, const struct sl_stretch *stretch)
{
	struct sl_bytes bytes = { 0 };
	uint64_t done = 0;
	int result;

	begin_stretch(job, stretch);
	while ((result = read_block(job, stretch, done, &bytes)) == SL_OK) {
		if (stretch->framing == SL_FRAMING_NONE)
			result = raw_block(job, stretch, bytes);
		else
			result = split_block(job, bytes);
		if (result < 0)
			return result;
		done += bytes.len;
		if (job->demux && !job->scanning)
			progress(job->run, bytes.len);
	}
	return result < 0 ? result : SL_OK;
}

/* The end of the buffer. The lanes' maps live in the demux: their last elements need them. */
static int finish_lanes(struct job *job)
{
	int result = SL_OK;

	if (job->demux) {
		sl_demux_finish(job->demux);
		result = decode_splits(job, job->demux);
		sl_pool_run(job->run->pool, job->lane_count, finish_lane, job);
	} else {
		for (size_t i = 0; i < job->lane_count; i++)
			finish_lane(job, i);
	}
	return result < 0 ? result : lanes_result(job);
}

static void add_stats(struct sl_demux_stats *into, const struct sl_demux_stats *from)
{
	struct sl_demux_stats raw = *into;

	*into = *from;
	into->bytes += raw.bytes;
	for (size_t i = 0; i < SL_TRACE_IDS; i++)
		into->lane_bytes[i] += raw.lane_bytes[i];
}

/* All of the buffer's bytes through its lanes. */
static int run_stretches(struct job *job)
{
	const struct sl_stretch *stretches;
	size_t count = sl_capture_stretches(job->run->options->capture, job->buffer, &stretches);
	int result = SL_OK;

	if (job->info->framing != SL_FRAMING_NONE)
		result = sl_demux_new(job->info->framing, &job->demux);
	for (size_t i = 0; i < count && result == SL_OK; i++)
		result = run_stretch(job, &stretches[i]);
	return result == SL_OK ? finish_lanes(job) : result;
}

static void free_demux(struct job *job)
{
	sl_demux_free(job->demux);
	job->demux = NULL;
}

/* Where decoding depends on when something was traced, the timestamps are looked for in a pass of its own. */
static int scan_times(struct job *job)
{
	bool needed = false;
	int result = SL_OK;

	for (size_t i = 0; i < job->lane_count; i++)
		needed |= lane_needs_scan(job->lanes[i]);
	if (!needed)
		return SL_OK;
	job->scanning = true;
	result = run_stretches(job);
	free_demux(job);
	job->scanning = false;
	for (size_t i = 0; i < job->lane_count; i++)
		lane_end_scan(job->lanes[i]);
	return result < 0 ? result : lanes_result(job);
}

static int decode_buffer(struct job *job)
{
	int result = scan_times(job);

	if (result == SL_OK)
		result = run_stretches(job);
	if (job->demux)
		add_stats(&job->run->ret->buffers[job->buffer].demux, sl_demux_stats(job->demux));
	return result;
}

static void run_job(struct job *job)
{
	if (job->result < 0)
		return;
	job->block = malloc(job->run->block_bytes);
	job->result = job->block ? decode_buffer(job) : SL_ERR_NOMEM;
	free_demux(job);
	free(job->block);
}

static void run_nth_job(void *ctx, size_t i)
{
	run_job((struct job *)ctx + i);
}

static int end_job(struct job *job)
{
	int result = job->result;

	for (size_t i = 0; i < job->lane_count; i++) {
		if (result == SL_OK)
			result = lane_end(job->lanes[i]);
		lane_free(job->lanes[i]);
	}
	if (job->read_failed)
		sl_fail(job->run->diag, result, "%s: cannot read the trace: check that the file is complete and readable",
			job->info->path);
	return result;
}

/* Buffers of single sources run side by side; a framed one uses the pool for its lanes, and runs alone. */
static int run_batch(struct run *run, struct job *jobs, size_t count)
{
	int result = SL_OK;

	if (count > 1)
		sl_pool_run(run->pool, count, run_nth_job, jobs);
	else if (count)
		run_job(&jobs[0]);
	for (size_t i = 0; i < count; i++) {
		int ended;

		if (result < 0)
			jobs[i].result = result;
		ended = end_job(&jobs[i]);
		if (result == SL_OK)
			result = ended;
		if (jobs[i].info->framing == SL_FRAMING_NONE)
			progress(run, (size_t)jobs[i].info->size);
	}
	return result;
}

/* A batch is one framed buffer, or several of single sources. */
struct batch {
	struct job jobs[BUFFERS_AT_ONCE];
	size_t len;
};

static int flush_batch(struct run *run, struct batch *batch)
{
	size_t len = batch->len;

	batch->len = 0;
	return run_batch(run, batch->jobs, len);
}

static int run_buffers(struct run *run, const struct sl_buffer *buffers, size_t count)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	int result = batch ? SL_OK : SL_ERR_NOMEM;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		bool framed = buffers[i].framing != SL_FRAMING_NONE;
		struct job *job;

		if (!selected(run->options, &buffers[i]))
			continue;
		if (framed || batch->len == BUFFERS_AT_ONCE)
			result = flush_batch(run, batch);
		if (result < 0)
			break;
		job = &batch->jobs[batch->len++];
		*job = (struct job){ .run = run, .buffer = i, .info = &buffers[i] };
		run->ret->buffers[i].selected = true;
		job->result = start_lanes(job);
		if (framed)
			result = flush_batch(run, batch);
	}
	if (batch && result == SL_OK)
		result = flush_batch(run, batch);
	free(batch);
	return result;
}

/* Ids in the frames that no stream has, and ids whose stream cannot be decoded. */
static void account_ids(struct run *run)
{
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(run->options->capture, &streams);

	for (size_t b = 0; b < run->ret->buffer_count; b++) {
		struct sl_buffer_result *buffer = &run->ret->buffers[b];

		memcpy(buffer->unclaimed, buffer->demux.lane_bytes, sizeof(buffer->unclaimed));
		buffer->unclaimed[0] = 0; /* id 0 is the formatter's padding */
		for (size_t i = 0; i < count; i++) {
			uint8_t id = streams[i].trace_id & (SL_TRACE_IDS - 1);

			if (streams[i].buffer != b)
				continue;
			if (!streams[i].usable && buffer->unclaimed[id])
				buffer->unusable[id] = buffer->unclaimed[id];
			buffer->unclaimed[id] = 0;
		}
	}
}

/* An option that selects nothing is a mistake, and says what there is to select. */
static int check_selection(const struct sl_run_options *options, struct sl_diag *diag)
{
	const struct sl_buffer *buffers;
	const struct sl_stream *streams;
	size_t buffer_count = sl_capture_buffers(options->capture, &buffers);
	size_t stream_count = sl_capture_streams(options->capture, &streams);
	char names[300] = "";
	size_t used = 0;
	bool buffer_found = !options->buffer, id_found = options->trace_id < 0;

	for (size_t i = 0; i < buffer_count; i++)
		buffer_found |= selected(options, &buffers[i]);
	for (size_t i = 0; i < stream_count; i++)
		id_found |= options->trace_id == streams[i].trace_id;
	for (size_t i = 0; !buffer_found && i < buffer_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s", buffers[i].name);
	if (!buffer_found)
		return sl_fail(diag, SL_ERR_CONFIG, "no buffer is named '%s'; there are:%s", options->buffer, names);
	for (size_t i = 0; !id_found && i < stream_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " 0x%02x", streams[i].trace_id);
	if (!id_found)
		return sl_fail(diag, SL_ERR_CONFIG, "no source has trace id 0x%02x; there are:%s",
			       (unsigned)options->trace_id, names);
	return SL_OK;
}

void sl_run_result_release(struct sl_run_result *result)
{
	free(result->buffers);
	*result = (struct sl_run_result){ 0 };
}

int sl_run(const struct sl_run_options *options, struct sl_notes *notes, struct sl_run_result *ret, struct sl_diag *diag)
{
	const struct sl_buffer *buffers;
	size_t count = sl_capture_buffers(options->capture, &buffers);
	struct sl_run_result out = { .buffers = calloc(count + 1, sizeof(*out.buffers)), .buffer_count = count };
	struct run run = { .options = options, .notes = notes, .ret = &out, .diag = diag,
			   .block_bytes = options->block_bytes ? options->block_bytes : BLOCK_BYTES };
	int result = check_selection(options, diag);

	if (result == SL_OK && !out.buffers)
		result = SL_ERR_NOMEM;
	if (result == SL_OK)
		result = sl_pool_new(options->jobs ? options->jobs : sl_cpu_count(), &run.pool);
	for (size_t i = 0; i < count && result == SL_OK; i++) {
		out.buffers[i].buffer = &buffers[i];
		run.total_bytes += selected(options, &buffers[i]) ? buffers[i].size : 0;
	}
	if (result == SL_OK)
		result = run_buffers(&run, buffers, count);
	sl_pool_free(run.pool);
	if (result < 0) {
		sl_run_result_release(&out);
		return result;
	}
	account_ids(&run);
	out.lanes = run.lanes_begun;
	*ret = out;
	return SL_OK;
}
