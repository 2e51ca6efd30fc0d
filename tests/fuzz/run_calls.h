/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_CALLS_H
#define RUN_CALLS_H
/* An opened capture with its image, as graph, graph --slowest and latency see it; the root of the graph must be the whole. */
#include <stdlib.h>

#include "sl_graph.h"
#include "sl_latency.h"

static inline void ignore_begin(void *out, const struct sl_table_head *head)
{
	(void)out;
	(void)head;
}

static inline void ignore_row(void *out, const struct sl_cell *cells)
{
	(void)out;
	(void)cells;
}

static inline void ignore_end(void *out)
{
	(void)out;
}

/* Makes all rows, and throws them away. */
static inline void show_calls(struct sl_graph *graph, struct sl_slowest *slowest, struct sl_latency *latency,
			      const struct sl_calls *calls)
{
	static const struct sl_table_ops ops = { .begin = ignore_begin, .row = ignore_row, .end = ignore_end };
	const struct sl_table table = { &ops, NULL };
	const struct sl_latency_shown measured = { .axis = SL_AXIS_CYCLES, .worst = 3 };

	if (!sl_graph_closes(graph, calls))
		abort();
	for (unsigned view = SL_GRAPH_TREE; view <= SL_GRAPH_LINKAGE; view++) {
		const struct sl_graph_shown shown = { .view = (enum sl_graph_view)view, .function = "*", .axis = SL_AXIS_INSNS };

		(void)sl_graph_report(graph, calls, &shown, &table);
	}
	(void)sl_slowest_choose(slowest, SL_AXIS_INSNS);
	if (sl_latency_finish(latency, SL_AXIS_CYCLES) == SL_OK)
		(void)sl_latency_report(latency, &measured, &table);
}

static inline void run_calls(const struct sl_capture *capture, const struct sl_image *image)
{
	/* A graph that soon has no room, for the code behind that. */
	const struct sl_graph_options graph_options = { .image = image, .capture = capture, .node_max = 20 };
	const struct sl_latency_options latency_options = { .image = image, .pair = SL_PAIR_ANY,
							    .a = { .kind = SL_PLACE_EXCEPTION, .level = SL_LEVEL_IRQ },
							    .b = { .function = "*" } };
	struct sl_graph *graph = NULL;
	struct sl_slowest *slowest = NULL;
	struct sl_latency *latency = NULL;
	struct sl_calls *calls = NULL;
	struct sl_call_sink call_sinks[3];
	struct sl_sink sink;
	struct sl_run_result result;
	const struct sl_run_options options = { .capture = capture, .image = image, .sinks = &sink, .sink_count = 1, .trace_id = -1,
						.jobs = 1, .block_bytes = 37 };

	if (sl_graph_new(&graph_options, &graph) == SL_OK && sl_slowest_new(&graph_options, "*", &slowest) == SL_OK &&
	    sl_latency_new(&latency_options, &latency) == SL_OK) {
		sl_graph_call_sink(graph, &call_sinks[0]);
		sl_slowest_call_sink(slowest, &call_sinks[1]);
		sl_latency_call_sink(latency, &call_sinks[2]);
		if (sl_calls_new(image, call_sinks, 3, &calls) == SL_OK) {
			sl_calls_sink(calls, &sink);
			if (sl_run(&options, NULL, &result, NULL) == SL_OK) {
				show_calls(graph, slowest, latency, calls);
				sl_run_result_release(&result);
			}
		}
	}
	sl_calls_free(calls);
	sl_latency_free(latency);
	sl_slowest_free(slowest);
	sl_graph_free(graph);
}
#endif
