/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_EXPORTS_H
#define RUN_EXPORTS_H
/* An opened capture with its image, as export sees it: calls of a track must nest, and their times go on; children and self
 * must be the path; lines must be in order. */
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_export.h"

struct nested_track {
	uint64_t last;
	uint64_t *starts;
	size_t depth, cap;
};
struct nesting {
	struct nested_track *tracks;
	size_t len, cap;
};

static inline void nest_begin(void *out, const struct sl_timeline_head *head)
{
	(void)out;
	if (!head->unit || !head->about)
		abort();
}

static inline void nest_event(void *out, const struct sl_timeline_event *e)
{
	struct nesting *nesting = out;
	struct nested_track *track;

	if (e->kind != SL_TIMELINE_BEGIN && e->kind != SL_TIMELINE_END)
		return;
	while (nesting->len <= e->track->id) {
		if (SL_ARRAY_PUSH(&nesting->tracks, &nesting->len, &nesting->cap, (struct nested_track){ 0 }) < 0)
			abort();
	}
	track = &nesting->tracks[e->track->id];
	if (e->at < track->last || !e->name || (e->kind == SL_TIMELINE_END && (!track->depth || e->start > e->at)))
		abort();
	track->last = e->at;
	if (e->kind == SL_TIMELINE_BEGIN && (e->depth != track->depth ||
					     SL_ARRAY_PUSH(&track->starts, &track->depth, &track->cap, e->at) < 0))
		abort();
	if (e->kind == SL_TIMELINE_END && (e->depth != --track->depth || e->start != track->starts[track->depth]))
		abort();
}

static inline void nest_release(struct nesting *nesting)
{
	for (size_t i = 0; i < nesting->len; i++)
		free(nesting->tracks[i].starts);
	free(nesting->tracks);
	*nesting = (struct nesting){ 0 };
}

static inline int nest_close(void *out)
{
	struct nesting *nesting = out;

	for (size_t i = 0; i < nesting->len; i++) {
		if (nesting->tracks[i].depth)
			abort();
	}
	nest_release(nesting);
	return SL_OK;
}

/* What of each open path's total is not accounted for yet. */
struct path_sums {
	uint64_t rest[1024];
	size_t len;
};

static inline void sums_begin(void *out, const struct sl_paths_head *head)
{
	struct path_sums *sums = out;

	sums->rest[0] = head->whole;
	sums->len = 1;
}

static inline void sums_close_to(struct path_sums *sums, size_t len)
{
	while (sums->len > len) {
		if (sums->rest[--sums->len])
			abort();
	}
}

static inline void sums_path(void *out, const struct sl_path *path)
{
	struct path_sums *sums = out;

	sums_close_to(sums, (size_t)path->depth + 1);
	if (sums->len != (size_t)path->depth + 1 || sums->len == sizeof(sums->rest) / sizeof(sums->rest[0]) ||
	    sums->rest[path->depth] < path->total || path->total < path->self)
		abort();
	sums->rest[path->depth] -= path->total;
	sums->rest[sums->len++] = path->total - path->self;
}

static inline int sums_close(void *out)
{
	sums_close_to(out, 0);
	return SL_OK;
}

static inline void lines_file(void *out, const char *path)
{
	(void)path;
	*(unsigned *)out = 0;
}

static inline void lines_function(void *out, const char *name, unsigned line, uint64_t calls)
{
	(void)out;
	(void)line;
	(void)calls;
	if (!name)
		abort();
}

static inline void lines_branch(void *out, unsigned line, unsigned number, uint64_t taken, uint64_t not_taken)
{
	(void)out;
	(void)line;
	(void)number;
	(void)taken;
	(void)not_taken;
}

static inline void lines_line(void *out, unsigned line, uint64_t times)
{
	(void)times;
	if (line <= *(unsigned *)out)
		abort();
	*(unsigned *)out = line;
}

static inline void lines_end(void *out)
{
	(void)out;
}

static inline void show_exports(const struct sl_graph *graph, struct sl_cover *cover, const struct sl_calls *calls)
{
	static const struct sl_paths_ops paths_ops = { sums_begin, sums_path, sums_close };
	static const struct sl_coverage_ops lines_ops = { .file = lines_file, .function = lines_function, .branch = lines_branch,
							  .line = lines_line, .end_file = lines_end };
	struct path_sums sums = { .len = 0 };
	const struct sl_paths paths = { &paths_ops, &sums };
	struct sl_executed executed;
	size_t others;
	unsigned line;

	for (unsigned axis = 0; axis < SL_AXIS_COUNT; axis++) {
		if (sl_graph_paths(graph, calls, (enum sl_axis)axis, 3, &paths) == SL_OK)
			sums_close(&sums);
	}
	(void)sl_cover_lines(cover, &(struct sl_coverage){ &lines_ops, &line });
	(void)sl_cover_executed(cover, &executed, &others);
}

static inline void run_sinks(const struct sl_capture *capture, const struct sl_image *image, const struct sl_call_sink *sinks,
			     size_t count, struct sl_calls **ret)
{
	struct sl_sink sink;
	struct sl_run_result result;
	const struct sl_run_options options = { .capture = capture, .image = image, .sinks = &sink, .sink_count = 1, .trace_id = -1,
						.jobs = 1, .block_bytes = 37 };

	if (sl_calls_new(image, sinks, count, ret) < 0)
		return;
	sl_calls_sink(*ret, &sink);
	if (sl_run(&options, NULL, &result, NULL) == SL_OK) {
		sl_run_result_release(&result);
		return;
	}
	sl_calls_free(*ret);
	*ret = NULL;
}

/* On an axis that all CPUs have together, and on one that each has alone. */
static inline void run_timelines(const struct sl_capture *capture, const struct sl_image *image, const struct sl_calls *lanes)
{
	static const struct sl_timeline_ops ops = { nest_begin, nest_event, nest_close };
	struct sl_timeline_sink *timelines[2] = { NULL };
	struct nesting nestings[2] = { { 0 } };
	struct sl_call_sink sinks[2];
	struct sl_calls *calls = NULL;

	for (int i = 0; i < 2; i++) {
		const struct sl_timeline_options options = { .image = image, .capture = capture, .calls = lanes, .timestamp_hz = 3,
							     .axis = i ? SL_AXIS_TICKS : SL_AXIS_INSNS, .out = { &ops, &nestings[i] } };

		if (sl_timeline_sink_new(&options, &timelines[i], NULL) < 0)
			goto out;
		sl_timeline_call_sink(timelines[i], &sinks[i]);
	}
	run_sinks(capture, image, sinks, 2, &calls);
	for (int i = 0; i < 2 && calls; i++) {
		sl_timeline_sink_finish(timelines[i]);
		nest_close(&nestings[i]);
	}
out:
	for (int i = 0; i < 2; i++) {
		nest_release(&nestings[i]);
		sl_timeline_sink_free(timelines[i]);
	}
	sl_calls_free(calls);
}

static inline void run_exports(const struct sl_capture *capture, const struct sl_image *image)
{
	const struct sl_graph_options graph_options = { .image = image, .capture = capture, .node_max = 20 };
	struct sl_graph *graph = NULL;
	struct sl_cover *cover = NULL;
	struct sl_calls *calls = NULL;
	struct sl_call_sink sinks[2];

	if (sl_graph_new(&graph_options, &graph) == SL_OK && sl_cover_new(image, NULL, &cover) == SL_OK) {
		sl_graph_call_sink(graph, &sinks[0]);
		sl_cover_call_sink(cover, &sinks[1]);
		run_sinks(capture, image, sinks, 2, &calls);
	}
	if (calls) {
		show_exports(graph, cover, calls);
		run_timelines(capture, image, calls);
	}
	sl_calls_free(calls);
	sl_cover_free(cover);
	sl_graph_free(graph);
}
#endif
