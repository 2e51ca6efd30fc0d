/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_EXPORT_H
#define SL_EXPORT_H
/* What files of other tools are made from. */
#include "sl_coverage.h"
#include "sl_filter.h"
#include "sl_graph.h"
#include "sl_paths.h"
#include "sl_timeline.h"

/*
 * Calls as a timeline. It needs to know all lanes before the first event (when their clocks began, which axis they
 * have): calls is what a run without it has left, over the same capture with the same options.
 */
struct sl_timeline_options {
	const struct sl_image *image;
	const struct sl_capture *capture; /* where tasks have names; may be NULL */
	const struct sl_calls *calls;	  /* of the first run; only sl_timeline_sink_new reads it */
	/* Which calls are told, by what is known when they begin: min_duration says nothing, the window only of their beginning.
	 * NULL: all. Borrowed. */
	const struct sl_filter *filter;
	enum sl_axis axis;
	uint64_t timestamp_hz;
	struct sl_timeline out;	 /* borrowed until the end of the run, and not closed */
};
struct sl_timeline_sink;
/* Begins out. SL_OK, SL_ERR_NOMEM or SL_ERR_CONFIG with diag. */
int sl_timeline_sink_new(const struct sl_timeline_options *options, struct sl_timeline_sink **ret, struct sl_diag *diag);
void sl_timeline_sink_free(struct sl_timeline_sink *sink);
void sl_timeline_call_sink(struct sl_timeline_sink *sink, struct sl_call_sink *ret);
/* Behind the run: ends what is open. */
void sl_timeline_sink_finish(struct sl_timeline_sink *sink);
/* How many events of tasks that moved to another CPU were told at a time before they left the last one: they stand at
 * that. */
uint64_t sl_timeline_sink_late(const struct sl_timeline_sink *sink);
/* True where no call was told. */
bool sl_timeline_sink_empty(const struct sl_timeline_sink *sink);

/* The tree of a graph as paths, and where all was counted, what passed in gaps. out is not closed. SL_OK or SL_ERR_NOMEM. */
int sl_graph_paths(const struct sl_graph *graph, const struct sl_calls *calls, enum sl_axis axis, uint64_t timestamp_hz,
		   const struct sl_paths *out);

/* What was executed, of all tasks and CPUs. Memory grows with the code that ran, not with how often. */
struct sl_cover;
/* image and sieve (what counts; NULL: all) are borrowed. */
int sl_cover_new(const struct sl_image *image, struct sl_sieve *sieve, struct sl_cover **ret);
void sl_cover_free(struct sl_cover *cover);
void sl_cover_call_sink(struct sl_cover *cover, struct sl_call_sink *ret);
/*
 * Files with lines of which something ran, whole: what did not run of them is there with 0, where the functions that the image names
 * have lines. SL_OK; SL_END where no code that ran has a line (nothing is written); SL_ERR_NOMEM.
 */
int sl_cover_lines(const struct sl_cover *cover, const struct sl_coverage *out);
/*
 * The program that executed most; *ret_others: how many others did. What ret points to lives until cover is freed. SL_OK; SL_END
 * where nothing of a file ran; SL_ERR_NOMEM.
 */
int sl_cover_executed(struct sl_cover *cover, struct sl_executed *ret, size_t *ret_others);
#endif
