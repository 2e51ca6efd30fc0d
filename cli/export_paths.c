/* SPDX-License-Identifier: Apache-2.0 */
/* export of calls by path: graph's tree. */
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "exporter.h"
#include "say.h"

struct paths_run {
	struct export_job *job;
	struct sl_sieve *sieve;
	struct sl_graph *graph;
	struct sl_calls *calls;
};

static bool is(const char *word, const char *want)
{
	return word && strcmp(word, want) == 0;
}

static int prepare(struct paths_run *run, struct sl_call_sink *sink)
{
	struct session *s = run->job->session;
	const struct options *o = s->options;
	struct sl_graph_options options = { .image = s->image, .capture = s->capture, .timestamp_hz = session_hz(s) };
	struct sl_diag diag = { "" };
	int result = sl_sieve_new(&run->job->filter, s->image, s->capture, session_hz(s), &run->sieve, &diag);

	options.sieve = run->sieve;
	options.axis = session_axis_choice(s);
	options.by_task = is(o->by, "task");
	options.levels = is(o->levels, "below")	  ? SL_GRAPH_LEVELS_BELOW
			 : is(o->levels, "apart") ? SL_GRAPH_LEVELS_APART
						  : SL_GRAPH_LEVELS_ASKED;
	if (result == SL_OK)
		result = sl_graph_new(&options, &run->graph);
	if (result == SL_OK) {
		sl_graph_call_sink(run->graph, sink);
		result = sl_calls_new(s->image, sink, 1, &run->calls);
	}
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int write_file(struct paths_run *run, const struct export_format *format)
{
	struct export_job *job = run->job;
	struct sl_paths paths;
	struct output out;
	enum sl_axis axis;
	int result, closed;

	if (session_axis(job->session, run->calls, &axis) != EXIT_DONE || export_open(job, format, &out) != EXIT_DONE)
		return EXIT_FAILED;
	result = format->paths(out.file, &paths);
	if (result < 0)
		return export_close(job, &out, result);
	result = sl_graph_paths(run->graph, run->calls, axis, session_hz(job->session), &paths);
	closed = paths.ops->close(paths.out);
	return export_close(job, &out, result < 0 ? result : closed);
}

static void note_limits(const struct paths_run *run)
{
	uint64_t beyond = sl_graph_beyond(run->graph), folded = sl_graph_folded(run->graph);

	if (folded)
		say("note: %" PRIu64 " call%s deep in a recursion are counted where the function is further up in the path", folded,
		    folded == 1 ? "" : "s");
	if (beyond)
		say("note: %" PRIu64 " call%s on more paths than are kept are counted as '(paths not kept)'; a filter leaves fewer "
		    "paths: --function, --module", beyond, beyond == 1 ? "" : "s");
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
		session_note_tasks(job->session, run->calls);
		if (!job->session->options->quiet)
			note_limits(run);
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
