/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exporter.h"
#include "say.h"
#include "sl_sinks.h"

static const struct export_format formats[] = {
	{ .name = "chrome", .run = export_timeline, .timeline = sl_timeline_chrome_new },
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

	if (format->binary && !o->output && isatty(STDOUT_FILENO)) {
		say("%s is no text for a terminal: give -o FILE", format->name);
		return EXIT_FAILED;
	}
	return output_open(out, o);
}

int export_axis(const struct export_job *job, const struct sl_calls *calls, enum sl_axis *ret)
{
	struct session *s = job->session;
	struct sl_diag diag = { "" };

	if (sl_calls_axis(calls, (enum sl_axis_choice)session_axis_choice(s), session_hz(s), ret, &diag) == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text);
	return EXIT_FAILED;
}

int export_answer(const struct export_job *job, bool empty)
{
	const struct options *o = job->session->options;
	int code = session_verdict(job->session, &job->tally, job->tally.ranges > 0);

	if (code != EXIT_DONE || !empty)
		return code;
	if (o->function || o->module)
		say("nothing was exported: no call matches --function or --module; sightline report lists those that were");
	else
		say("nothing was exported: no call was seen");
	return EXIT_NO;
}

static int no_format(void)
{
	say("export: give the format with -f NAME");
	say_try("export");
	return EXIT_FAILED;
}

int cmd_export(const struct options *options)
{
	struct session s;
	struct export_job job = { .session = &s };
	int code;

	if (!options->format)
		return no_format();
	code = session_filter(options, &job.filter);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE) {
		const struct export_format *format = find_format(options->format);

		job.tally.image = s.image;
		code = format->run(&job, format);
	}
	session_close(&s);
	return code;
}
