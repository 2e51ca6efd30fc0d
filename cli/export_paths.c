/* SPDX-License-Identifier: Apache-2.0 */
/* export of calls by path: graph's tree. */
#include "commands.h"
#include "exporter.h"
#include "say.h"
#include "tree.h"

struct paths_run {
	struct export_job *job;
	struct sl_sieve *sieve;
	struct sl_graph *graph;
	struct sl_calls *calls;
};

static int prepare(struct paths_run *run, struct sl_call_sink *sink)
{
	struct sl_graph_options options;
	int result, code = tree_options(run->job->session, &run->job->filter, &options);

	if (code != EXIT_DONE)
		return code;
	run->sieve = options.sieve;
	result = sl_graph_new(&options, &run->graph);
	if (result == SL_OK) {
		sl_graph_call_sink(run->graph, sink);
		result = sl_calls_new(options.image, sink, 1, &run->calls);
	}
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", sl_strerror(result));
	return EXIT_FAILED;
}

static int write_file(struct paths_run *run, const struct export_format *format)
{
	struct export_job *job = run->job;
	struct sl_paths paths;
	struct output out;
	enum sl_axis axis;
	int result, closed;

	if (export_check_limits(job, run->calls) != EXIT_DONE)
		return EXIT_FAILED;
	if (session_axis(job->session, run->calls, &axis) != EXIT_DONE || export_open(job, format, &out) != EXIT_DONE)
		return EXIT_FAILED;
	result = format->paths(out.file, &paths);
	if (result < 0)
		return export_close(job, &out, result);
	result = sl_graph_paths(run->graph, run->calls, axis, session_hz(job->session), &paths);
	closed = paths.ops->close(paths.out);
	return export_close(job, &out, result < 0 ? result : closed);
}

static int collect(struct paths_run *run, const struct export_format *format)
{
	struct export_job *job = run->job;
	struct sl_call_sink sink;
	int code = prepare(run, &sink);

	if (code != EXIT_DONE)
		return code;
	code = session_run_calls(job->session, run->calls, &job->tally);
	if (code == EXIT_DONE && job->tally.ranges)
		code = write_file(run, format);
	if (code == EXIT_DONE)
		code = export_answer(job, sl_graph_empty(run->graph));
	if (code == EXIT_DONE) {
		session_note_calls(job->session, run->calls);
		if (!job->session->options->quiet)
			tree_note_limits(run->graph);
	}
	return code;
}

int export_paths(struct export_job *job, const struct export_format *format)
{
	struct paths_run run = { .job = job };
	int code = collect(&run, format);

	sl_calls_free(run.calls);
	sl_graph_free(run.graph);
	sl_sieve_free(run.sieve);
	return code;
}
