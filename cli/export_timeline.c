/* SPDX-License-Identifier: Apache-2.0 */
/* export of timelines: two runs, the first of which finds the axis and where the clocks begin. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "exporter.h"
#include "say.h"

struct timeline_run {
	struct export_job *job;
	struct sl_calls *lanes; /* of the first run */
	struct sl_calls *calls; /* of the second */
	struct sl_timeline_sink *sink;
	struct sl_timeline out;
	enum sl_axis axis;
};

static int fail(int result, const struct sl_diag *diag)
{
	say("%s", diag->text[0] ? diag->text : sl_strerror(result));
	return EXIT_FAILED;
}

static int look_at_lanes(struct timeline_run *run)
{
	struct export_job *job = run->job;
	struct sl_diag diag = { "" };
	int code;

	if (sl_calls_new(job->session->image, NULL, 0, &run->lanes) < 0)
		return fail(SL_ERR_NOMEM, &diag);
	code = session_run_calls(job->session, run->lanes, &job->tally);
	if (code != EXIT_DONE || !job->tally.ranges)
		return code;
	if (export_check_limits(job, run->lanes) != EXIT_DONE)
		return EXIT_FAILED;
	return session_axis(job->session, run->lanes, &run->axis);
}

static int prepare(struct timeline_run *run, struct sl_call_sink *sink)
{
	struct session *s = run->job->session;
	const struct sl_timeline_options options = { .image = s->image, .capture = s->capture, .calls = run->lanes,
						     .filter = &run->job->filter, .axis = run->axis,
						     .timestamp_hz = session_hz(s), .out = run->out };
	struct sl_diag diag = { "" };
	int result = sl_timeline_sink_new(&options, &run->sink, &diag);

	if (result == SL_OK) {
		sl_timeline_call_sink(run->sink, sink);
		result = sl_calls_new(s->image, sink, 1, &run->calls);
	}
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static int write_calls(struct timeline_run *run, const struct output *out)
{
	struct sl_run_options options = { 0 };
	struct sl_call_sink sink;
	struct sl_sink calls;
	int code = prepare(run, &sink);

	if (code != EXIT_DONE)
		return code;
	sl_calls_sink(run->calls, &calls);
	code = session_run_again(run->job->session, &options, &calls, 1, out);
	if (code == EXIT_DONE)
		sl_timeline_sink_finish(run->sink);
	return code;
}

static int cannot_make(const struct timeline_run *run, const struct export_format *format, int result)
{
	const char *path = run->job->session->options->output;

	if (result == SL_ERR_UNSUPPORTED)
		say("this build of sightline has no %s", format->name);
	else if (result == SL_ERR_IO)
		say("cannot write %s: %s", path, strerror(errno));
	else
		say("%s", sl_strerror(result));
	return EXIT_FAILED;
}

/* What is no stream: the writer makes files by itself. */
static int write_at(struct timeline_run *run, const struct export_format *format)
{
	const char *path = run->job->session->options->output;
	int result, code;

	errno = 0;
	if (output_is_capture(run->job->session->options)) {
		say("%s: is the capture itself: give -o another file", path);
		return EXIT_FAILED;
	}
	result = format->timeline_at(path, &run->out);
	if (result < 0)
		return cannot_make(run, format, result);
	code = write_calls(run, NULL);
	errno = 0;
	result = run->out.ops->close(run->out.out);
	if (result == SL_ERR_IO && !errno)
		errno = EIO;
	return result < 0 ? cannot_make(run, format, result) : code;
}

static int write_file(struct timeline_run *run, const struct export_format *format)
{
	struct output out;
	int code = export_open(run->job, format, &out), result;

	if (code != EXIT_DONE)
		return code;
	result = format->timeline(out.file, &run->out);
	if (result < 0)
		return output_close(&out, result);
	code = write_calls(run, &out);
	result = run->out.ops->close(run->out.out);
	if (export_close(run->job, &out, result) != EXIT_DONE)
		return EXIT_FAILED;
	return code;
}

static void note_late(const struct timeline_run *run)
{
	uint64_t late = sl_timeline_sink_late(run->sink);

	if (late && !run->job->session->options->quiet)
		say("note: %" PRIu64 " time%s a task came to another CPU before it left the last one, by their timestamps: there "
		    "it stands at when it left", late, late == 1 ? "" : "s");
}

int export_timeline(struct export_job *job, const struct export_format *format)
{
	struct timeline_run run = { .job = job };
	int code = look_at_lanes(&run);

	if (code == EXIT_DONE && job->tally.ranges)
		code = format->timeline_at ? write_at(&run, format) : write_file(&run, format);
	if (code == EXIT_DONE) {
		code = export_answer(job, !run.sink || sl_timeline_sink_empty(run.sink));
		session_note_calls(job->session, run.lanes);
		if (run.sink)
			note_late(&run);
	}
	sl_calls_free(run.calls);
	sl_calls_free(run.lanes);
	sl_timeline_sink_free(run.sink);
	return code;
}
