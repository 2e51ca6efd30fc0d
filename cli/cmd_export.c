/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exporter.h"
#include "say.h"
#include "serve.h"

static const struct export_format formats[] = {
	{ .name = "perfetto", .run = export_timeline, .timeline = sl_timeline_perfetto_new, .binary = true, .opens = true },
	{ .name = "chrome", .run = export_timeline, .timeline = sl_timeline_chrome_new },
	{ .name = "speedscope", .run = export_timeline, .timeline = sl_timeline_speedscope_new },
	{ .name = "folded", .run = export_paths, .paths = sl_paths_folded_new },
	{ .name = "flamegraph", .run = export_paths, .paths = sl_paths_flamegraph_new },
	{ .name = "callgrind", .run = export_paths, .paths = sl_paths_callgrind_new },
	{ .name = "pprof", .run = export_paths, .paths = sl_paths_pprof_new, .binary = true },
	{ .name = "lcov", .run = export_coverage, .coverage = sl_coverage_lcov_new },
	{ .name = "autofdo", .run = export_executed, .executed = sl_executed_autofdo },
	{ .name = "ctf", .run = export_timeline, .timeline_at = sl_timeline_ctf_new },
	{ .name = "sqlite", .run = export_timeline, .timeline_at = sl_timeline_sqlite_new },
	{ .name = "json", .run = export_timeline, .timeline = sl_timeline_json_new },
	{ .name = "csv", .run = export_timeline, .timeline = sl_timeline_csv_new },
};

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

int export_open(const struct export_job *job, const struct export_format *format, struct output *out)
{
	const struct options *o = job->session->options;

	if (format->binary && !o->output && !o->open && isatty(STDOUT_FILENO)) {
		say("%s is no text for a terminal: give -o FILE", format->name);
		return EXIT_FAILED;
	}
	if (output_open(out, o) != EXIT_DONE)
		return EXIT_FAILED;
	if (!o->open || o->output)
		return EXIT_DONE;
	out->file = tmpfile();
	if (out->file)
		return EXIT_DONE;
	say("cannot make a temporary file: %s", strerror(errno));
	return EXIT_FAILED;
}

int export_close(struct export_job *job, struct output *out, int result)
{
	const struct options *o = job->session->options;
	int code;

	if (o->open && !o->output)
		job->file = dup(fileno(out->file));
	code = output_close(out, result);
	if (code != EXIT_DONE || !o->open)
		return code;
	if (o->output)
		job->file = open(o->output, O_RDONLY | O_CLOEXEC);
	if (job->file >= 0)
		return EXIT_DONE;
	say("cannot read what was written: %s", strerror(errno));
	return EXIT_FAILED;
}

int export_check_limits(const struct export_job *job, const struct sl_calls *calls)
{
	const char *lack = session_limits_lack(job->session, calls, &job->filter);

	if (lack)
		say("%s", lack);
	return lack ? EXIT_FAILED : EXIT_DONE;
}

/* Other filters than those by name. */
static bool is_filtered(const struct options *o)
{
	return o->task || o->root || o->cpus || o->level_list || o->window || o->min_duration || o->depth;
}

int export_answer(const struct export_job *job, bool empty)
{
	const struct options *o = job->session->options;
	int code = session_verdict(job->session, &job->tally, job->tally.ranges > 0);

	if (code != EXIT_DONE || !empty)
		return code;
	if (is_filtered(o))
		say("nothing was exported: no call passes the filters");
	else if (o->function || o->module)
		say("nothing was exported: no call matches --function or --module; sightline report lists those that were");
	else
		say("nothing was exported: no call was seen");
	return EXIT_NO;
}

static void print_link(const struct serve *serve, uint16_t port)
{
	printf("%s/#!/?url=http://127.0.0.1:%u/%s\n", serve->origin, port, serve->files[0].name);
	fflush(stdout);
}

/* Until the viewer has it. */
static int serve(const struct export_job *job)
{
	const struct options *o = job->session->options;
	const struct served_file file = { .file = job->file, .name = "trace.pftrace", .type = "application/octet-stream" };
	const struct serve what = { .files = &file, .count = 1, .origin = "https://ui.perfetto.dev", .once = true, .port = (uint16_t)o->port,
				    .said = print_link };

	return serve_files(&what);
}

static int check_options(const struct options *o)
{
	const struct export_format *format = o->format ? find_format(o->format) : NULL;

	bool by_path = format && format->paths;

	if (!format)
		say("export: give the format with -f NAME");
	else if (o->open && !format->opens)
		say("--open is for -f perfetto");
	else if (format->timeline_at && !o->output)
		say("%s is no stream: give -o with what is to be made", format->name);
	else if (!by_path && (o->by || o->levels))
		say("--by and --levels are for calls by path: folded, flamegraph, callgrind, pprof");
	else if (!by_path && o->min_duration)
		say("--min-duration is for calls by path (folded, flamegraph, callgrind, pprof): timelines tell calls when they begin");
	else
		return EXIT_DONE;
	say_try("export");
	return EXIT_FAILED;
}

int cmd_export(const struct options *options)
{
	struct session s;
	struct export_job job = { .session = &s, .file = -1 };
	int code = check_options(options);

	if (code == EXIT_DONE)
		code = session_filter(options, &job.filter);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE) {
		const struct export_format *format = find_format(options->format);

		code = format->run(&job, format);
	}
	if (code == EXIT_DONE && options->open)
		code = serve(&job);
	if (job.file >= 0)
		close(job.file);
	session_close(&s);
	return code;
}
