/* SPDX-License-Identifier: Apache-2.0 */
/* export of what was executed: coverage, and profiles for compilers. */
#include "commands.h"
#include "exporter.h"
#include "say.h"

struct cover_run {
	struct export_job *job;
	struct sl_sieve *sieve;
	struct sl_cover *cover;
	struct sl_calls *calls;
};

static int fail(int result)
{
	say("%s", sl_strerror(result));
	return EXIT_FAILED;
}

static int collect(struct cover_run *run)
{
	struct export_job *job = run->job;
	struct session *s = job->session;
	struct sl_diag diag = { "" };
	struct sl_call_sink sink;
	int code;

	if (sl_sieve_new(&job->filter, s->image, s->capture, session_hz(s), &run->sieve, &diag) < 0) {
		say("%s", diag.text);
		return EXIT_FAILED;
	}
	if (sl_cover_new(s->image, run->sieve, &run->cover) < 0)
		return fail(SL_ERR_NOMEM);
	sl_cover_call_sink(run->cover, &sink);
	if (sl_calls_new(s->image, &sink, 1, &run->calls) < 0)
		return fail(SL_ERR_NOMEM);
	code = session_run_calls(s, run->calls, &job->tally);
	if (code == EXIT_DONE && job->tally.ranges)
		code = export_check_limits(job, run->calls);
	return code;
}

static int write_lines(struct cover_run *run, const struct export_format *format, int *ret)
{
	struct sl_coverage coverage;
	struct output out;
	int code = export_open(run->job, format, &out), closed;

	if (code != EXIT_DONE)
		return code;
	*ret = format->coverage(out.file, &coverage);
	if (*ret < 0)
		return export_close(run->job, &out, *ret);
	*ret = sl_cover_lines(run->cover, &coverage);
	closed = coverage.ops->close(coverage.out);
	return export_close(run->job, &out, *ret < 0 ? *ret : closed);
}

int export_coverage(struct export_job *job, const struct export_format *format)
{
	struct cover_run run = { .job = job };
	int code = collect(&run), result = SL_OK;

	if (code == EXIT_DONE && job->tally.ranges)
		code = write_lines(&run, format, &result);
	if (code == EXIT_DONE)
		code = export_answer(job, false);
	if (code == EXIT_DONE && result == SL_END) {
		say("nothing was exported: no code that ran has lines of sources: give a file with debug information with "
		    "--image FILE");
		code = EXIT_NO;
	}
	sl_calls_free(run.calls);
	sl_cover_free(run.cover);
	sl_sieve_free(run.sieve);
	return code;
}

static int write_program(struct cover_run *run, const struct export_format *format, int *ret)
{
	struct sl_executed executed;
	struct output out;
	size_t others;
	int code;

	*ret = sl_cover_executed(run->cover, &executed, &others);
	if (*ret < 0)
		return fail(*ret);
	if (*ret == SL_END)
		return EXIT_DONE;
	code = export_open(run->job, format, &out);
	if (code != EXIT_DONE)
		return code;
	code = export_close(run->job, &out, format->executed(out.file, &executed));
	if (code == EXIT_DONE && others && !run->job->session->options->quiet)
		say("note: this is of %s, which executed most; %zu other file%s ran: --module NAME for one of them", executed.path,
		    others, others == 1 ? "" : "s");
	return code;
}

int export_executed(struct export_job *job, const struct export_format *format)
{
	struct cover_run run = { .job = job };
	int code = collect(&run), result = SL_OK;

	if (code == EXIT_DONE && job->tally.ranges)
		code = write_program(&run, format, &result);
	if (code == EXIT_DONE)
		code = export_answer(job, result == SL_END);
	sl_calls_free(run.calls);
	sl_cover_free(run.cover);
	sl_sieve_free(run.sieve);
	return code;
}
