/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"
#include "order.h"
#include "sl_array.h"
#include "sl_threads.h"

enum {
	BLOCK_BYTES = 1 << 20,	  /* of a buffer at a time, where elements are not kept */
	BUFFERS_AT_ONCE = 16,	  /* that are open, where no sink wants all in order of time */
	/* Where elements are kept, less is decoded at a time: of all buffers together, and at least of each. What is taken in
	 * which order depends on these, so that they depend on nothing but the capture. */
	EPOCH_BYTES = 64 << 10,
	EPOCH_BYTES_LEAST = 8 << 10,
};

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
	const struct sl_stretch *stretches;
	size_t stretch_count, stretch; /* number of the one that is read */
	uint64_t stretch_done;	       /* bytes of it */
	uint64_t unreported;	       /* bytes that progress has not heard of */
	size_t epochs;		       /* decoded, and not yet open */
	struct sl_batch batch;	       /* decodes the next one, if: */
	bool ahead;
	bool begun;	/* that stretch */
	bool over;	/* everything was decoded */
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
	size_t step_bytes;	/* of a buffer, a round */
	bool ordered;		/* a sink wants the elements of all lanes in order of time */
	bool overlaps;		/* ... and takes them while others are decoded */
	uint64_t done_bytes, total_bytes;
	struct job *jobs;	/* that are open */
	size_t job_count, job_cap;
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
	int result = lane_new(run->options, run->pool, job->info, stream, run->lanes_begun, &job->lanes[job->lane_count], &why);

	/* A source that cannot be decoded costs its own lane, no other. */
	if (result == SL_ERR_CONFIG || result == SL_ERR_UNSUPPORTED) {
		sl_notes_add(run->notes, "%s: source %s (trace id 0x%02x): %s", job->info->name, stream->name,
			     stream->trace_id, why.text);
		return SL_OK;
	}
	if (result == SL_OK) {
		job->lanes[job->lane_count]->window.apart = run->overlaps;
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

/* At most so many of the stretch's next bytes; SL_END behind its last. */
static int read_block(struct job *job, size_t most, struct sl_bytes *ret)
{
	const struct sl_stretch *stretch = &job->stretches[job->stretch];
	uint64_t left = stretch->len - job->stretch_done, offset = stretch->offset + job->stretch_done;
	size_t len = left < most ? (size_t)left : most;
	ptrdiff_t n = len ? sl_capture_read(job->run->options->capture, job->buffer, offset, job->block, len) : 0;

	if (n < 0) {
		job->read_failed = true;
		return (int)n;
	}
	*ret = (struct sl_bytes){ job->block, (size_t)n, offset };
	return n ? SL_OK : SL_END;
}

/* What a job has done since the last time; NULL: what all have. */
static void report_progress(struct run *run, const struct job *of)
{
	for (size_t i = 0; i < run->job_count; i++) {
		struct job *job = &run->jobs[i];

		if (of && job != of)
			continue;
		run->done_bytes += job->unreported;
		job->unreported = 0;
	}
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
	job->begun = true;
	if (stretch->restart && stretch->framing != SL_FRAMING_NONE)
		sl_demux_restart(job->demux);
	for (size_t i = 0; i < job->lane_count; i++) {
		if (takes_part(job, i) &&
		    (stretch->trace_id < 0 || stretch->trace_id == job->lanes[i]->info.stream->trace_id))
			lane_begin_stretch(job->lanes[i], stretch);
	}
}

/* The end of the buffer. The lanes' maps live in the demux: their last elements need them. */
static int finish_lanes(struct job *job)
{
	int result = SL_OK;

	job->over = true;
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

/* The next bytes, at most so many, through the lanes; or from one stretch to the next, or to the end. */
static int do_block(struct job *job, size_t most, size_t *ret_len)
{
	const struct sl_stretch *stretch = &job->stretches[job->stretch];
	struct sl_bytes bytes = { 0 };
	int result;

	*ret_len = 0;
	if (job->stretch == job->stretch_count)
		return finish_lanes(job);
	if (!job->begun)
		begin_stretch(job, stretch);
	result = read_block(job, most < job->run->block_bytes ? most : job->run->block_bytes, &bytes);
	if (result == SL_END) {
		job->stretch++;
		job->stretch_done = 0;
		job->begun = false;
		return SL_OK;
	}
	if (result == SL_OK)
		result = stretch->framing == SL_FRAMING_NONE ? raw_block(job, stretch, bytes) : split_block(job, bytes);
	job->stretch_done += bytes.len;
	if (!job->scanning)
		job->unreported += bytes.len;
	*ret_len = bytes.len;
	return result;
}

/* So many bytes through the lanes, and what ends with them. */
static void do_step(struct job *job, size_t len)
{
	while (len && !job->over && job->result == SL_OK) {
		size_t done;

		job->result = do_block(job, len, &done);
		len -= done;
	}
}

/* From the first byte on. */
static int rewind_job(struct job *job)
{
	sl_demux_free(job->demux);
	job->demux = NULL;
	job->stretch = 0;
	job->stretch_done = 0;
	job->begun = job->over = false;
	return job->info->framing == SL_FRAMING_NONE ? SL_OK : sl_demux_new(job->info->framing, &job->demux);
}

/* Where decoding depends on when something was traced, the timestamps are looked for in a pass of its own. */
static int scan_times(struct job *job)
{
	bool needed = false;

	for (size_t i = 0; i < job->lane_count; i++)
		needed |= lane_needs_scan(job->lanes[i]);
	if (!needed)
		return SL_OK;
	job->scanning = true;
	do_step(job, SIZE_MAX);
	job->scanning = false;
	for (size_t i = 0; i < job->lane_count; i++)
		lane_end_scan(job->lanes[i]);
	if (job->result == SL_OK)
		job->result = lanes_result(job);
	return job->result == SL_OK ? rewind_job(job) : job->result;
}

static void begin_job(struct job *job)
{
	if (job->result < 0)
		return;
	job->stretch_count = sl_capture_stretches(job->run->options->capture, job->buffer, &job->stretches);
	job->block = malloc(job->run->block_bytes);
	job->result = job->block ? rewind_job(job) : SL_ERR_NOMEM;
	if (job->result == SL_OK)
		job->result = scan_times(job);
}

/* A round's share of a job; what elements it made are an epoch. */
static void step_job(struct job *job)
{
	if (job->over || job->epochs)
		return;
	do_step(job, job->run->step_bytes);
	if (!job->run->ordered)
		return;
	job->epochs = 1;
	for (size_t i = 0; i < job->lane_count && job->result == SL_OK; i++)
		job->result = window_end_epoch(&job->lanes[i]->window);
}

static void begin_nth_job(void *ctx, size_t i)
{
	struct job *job = &((struct run *)ctx)->jobs[i];

	if (job->info->framing == SL_FRAMING_NONE)
		begin_job(job);
}

static void step_nth_job(void *ctx, size_t i)
{
	struct job *job = &((struct run *)ctx)->jobs[i];

	if (job->info->framing == SL_FRAMING_NONE)
		step_job(job);
}

/* Buffers of single sources side by side; a framed one uses the pool for its lanes. */
static int for_all_jobs(struct run *run, void (*nth)(void *ctx, size_t i), void (*one)(struct job *job))
{
	int result = SL_OK;

	sl_pool_run(run->pool, run->job_count, nth, run);
	for (size_t i = 0; i < run->job_count; i++) {
		if (run->jobs[i].info->framing != SL_FRAMING_NONE)
			one(&run->jobs[i]);
		if (result == SL_OK)
			result = run->jobs[i].result;
	}
	report_progress(run, NULL);
	return result;
}

static bool all_over(const struct run *run)
{
	for (size_t i = 0; i < run->job_count; i++) {
		if (!run->jobs[i].over)
			return false;
	}
	return true;
}

static void step_ahead(void *ctx, size_t i)
{
	(void)i;
	step_job(ctx);
}

/* The buffer's next epoch is decoded while those that are open are taken. */
static void go_ahead(struct job *job)
{
	job->ahead = job->run->overlaps && !job->over;
	if (job->ahead)
		sl_pool_start(job->run->pool, &job->batch, 1, step_ahead, job);
}

static void catch_up(struct job *job)
{
	if (!job->ahead)
		return;
	job->ahead = false;
	sl_pool_wait_busy(job->run->pool, &job->batch);
}

/* An order_more_fn. Where nothing is decoded ahead: whatever buffer needs its next epoch, all that have none get one. */
static int open_epoch(void *ctx, size_t buffer)
{
	struct run *run = ctx;
	struct job *job = &run->jobs[buffer];
	int result = SL_OK;

	if (job->ahead) {
		catch_up(job);
		report_progress(run, job);
		result = job->result;
	} else if (!job->epochs) {
		result = job->over ? SL_END : for_all_jobs(run, step_nth_job, step_job);
	}
	job->epochs = 0;
	for (size_t i = 0; i < job->lane_count && result == SL_OK; i++)
		result = lane_open_epoch(job->lanes[i]);
	if (result == SL_OK)
		go_ahead(job);
	return result;
}

/* Where times did not tell which task ran when. */
static void note_doubts(struct run *run, const struct order_doubts *doubts)
{
	if (doubts->orders)
		sl_notes_add(run->notes,
			     "%" PRIu64 " time%s a task came to a CPU before or after it was on another one: timestamps are too far apart to "
			     "tell; the one that it left first was taken first; record timestamps more often",
			     doubts->orders, doubts->orders == 1 ? "" : "s");
	if (doubts->places)
		sl_notes_add(run->notes,
			     "%" PRIu64 " time%s a task came to a CPU while another one that had it was %s: its calls are not joined",
			     doubts->places, doubts->places == 1 ? "" : "s", doubts->unread ? "too far behind in the file" : "silent");
	if (doubts->several)
		sl_notes_add(run->notes,
			     "%" PRIu64 " context ids, such as 0x%" PRIx64 ", ran on two CPUs at once: they name more than a task each, and "
			     "their calls are kept apart per CPU; let context ids be thread ids (Linux: CONFIG_PID_IN_CONTEXTIDR)",
			     doubts->several, doubts->several_id >> 32 ? doubts->several_id >> 32 : doubts->several_id);
}

static int run_in_order(struct run *run)
{
	struct order *order;
	int result = order_new(run->options->capture, &order);

	for (size_t i = 0; i < run->job_count && result == SL_OK; i++) {
		struct job *job = &run->jobs[i];

		result = order_add(order, job->lanes, job->lane_count, job->stretches, job->stretch_count);
	}
	if (result == SL_OK)
		result = order_run(order, open_epoch, run);
	for (size_t i = 0; i < run->job_count; i++)
		catch_up(&run->jobs[i]);
	if (result == SL_OK)
		note_doubts(run, order_doubts(order));
	order_free(order);
	return result;
}

static int end_job(struct job *job, int result)
{
	if (result == SL_OK)
		result = job->result;
	if (job->demux)
		add_stats(&job->run->ret->buffers[job->buffer].demux, sl_demux_stats(job->demux));
	for (size_t i = 0; i < job->lane_count; i++) {
		if (result == SL_OK)
			result = lane_end(job->lanes[i]);
		lane_free(job->lanes[i]);
	}
	sl_demux_free(job->demux);
	free(job->block);
	if (job->read_failed)
		sl_fail(job->run->diag, result, "%s: cannot read the trace: check that the file is complete and readable",
			job->info->path);
	return result;
}

/* All that the open buffers hold. */
static int run_jobs(struct run *run)
{
	int result = for_all_jobs(run, begin_nth_job, begin_job);

	if (run->ordered && result == SL_OK)
		result = run_in_order(run);
	while (result == SL_OK && !all_over(run))
		result = for_all_jobs(run, step_nth_job, step_job);
	for (size_t i = 0; i < run->job_count; i++)
		result = end_job(&run->jobs[i], result);
	run->job_count = 0;
	return result;
}

static int open_job(struct run *run, const struct sl_buffer *buffers, size_t i)
{
	struct job job = { .run = run, .buffer = i, .info = &buffers[i] };

	run->ret->buffers[i].selected = true;
	job.result = start_lanes(&job);
	if (SL_ARRAY_PUSH(&run->jobs, &run->job_count, &run->job_cap, job) == SL_OK)
		return SL_OK;
	return end_job(&job, SL_ERR_NOMEM);
}

/* How many buffers are open at once: a framed one uses the pool by itself. */
static bool has_room(const struct run *run, const struct sl_buffer *next)
{
	bool framed = next->framing != SL_FRAMING_NONE ||
		      (run->job_count && run->jobs[0].info->framing != SL_FRAMING_NONE);

	return run->ordered || !run->job_count || (run->job_count < BUFFERS_AT_ONCE && !framed);
}

static int run_buffers(struct run *run, const struct sl_buffer *buffers, size_t count)
{
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (!selected(run->options, &buffers[i]))
			continue;
		if (!has_room(run, &buffers[i]))
			result = run_jobs(run);
		if (result == SL_OK)
			result = open_job(run, buffers, i);
	}
	if (result == SL_OK)
		return run_jobs(run);
	for (size_t i = 0; i < run->job_count; i++)
		end_job(&run->jobs[i], result);
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

/* What is decoded and what is taken may be at work at once, where no shard is of both. */
static bool may_overlap(const struct sl_run_options *options)
{
	for (size_t i = 0; i < options->sink_count; i++) {
		const struct sl_sink_ops *ops = options->sinks[i].ops;

		if (ops->turn && (ops->elems || ops->against || ops->packet))
			return false;
	}
	return true;
}

static void choose_sizes(struct run *run, size_t selected_count)
{
	const struct sl_run_options *options = run->options;
	size_t each = EPOCH_BYTES / (selected_count ? selected_count : 1);

	run->ordered = lane_wants_order(options);
	run->overlaps = run->ordered && sl_pool_jobs(run->pool) > 1 && may_overlap(options);
	run->block_bytes = options->block_bytes ? options->block_bytes : BLOCK_BYTES;
	run->step_bytes = run->block_bytes;
	if (!run->ordered)
		return;
	run->step_bytes = each > EPOCH_BYTES_LEAST ? each : EPOCH_BYTES_LEAST;
	if (run->block_bytes > run->step_bytes)
		run->block_bytes = run->step_bytes;
}

int sl_run(const struct sl_run_options *options, struct sl_notes *notes, struct sl_run_result *ret, struct sl_diag *diag)
{
	const struct sl_buffer *buffers;
	size_t count = sl_capture_buffers(options->capture, &buffers), selected_count = 0;
	struct sl_run_result out = { .buffers = calloc(count + 1, sizeof(*out.buffers)), .buffer_count = count };
	struct run run = { .options = options, .notes = notes, .ret = &out, .diag = diag };
	int result = check_selection(options, diag);

	if (result == SL_OK && !out.buffers)
		result = SL_ERR_NOMEM;
	if (result == SL_OK)
		result = sl_pool_new(options->jobs ? options->jobs : sl_cpu_count(), &run.pool);
	for (size_t i = 0; i < count && result == SL_OK; i++) {
		out.buffers[i].buffer = &buffers[i];
		run.total_bytes += selected(options, &buffers[i]) ? buffers[i].size : 0;
		selected_count += selected(options, &buffers[i]);
	}
	if (result == SL_OK)
		choose_sizes(&run, selected_count);
	if (result == SL_OK)
		result = run_buffers(&run, buffers, count);
	sl_pool_free(run.pool);
	free(run.jobs);
	if (result < 0) {
		sl_run_result_release(&out);
		return result;
	}
	account_ids(&run);
	out.lanes = run.lanes_begun;
	*ret = out;
	return SL_OK;
}
