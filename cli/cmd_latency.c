/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "say.h"

static int parse_place(const char *text, struct sl_latency_place *ret)
{
	struct sl_diag diag = { "" };

	if (sl_latency_place_parse(text, ret, &diag) == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text);
	say_try("latency");
	return EXIT_FAILED;
}

static enum sl_latency_pair pair_of(const char *name)
{
	if (name && strcmp(name, "cpu") == 0)
		return SL_PAIR_CPU;
	return name && strcmp(name, "any") == 0 ? SL_PAIR_ANY : SL_PAIR_TASK;
}

int cmd_latency(const struct options *options)
{
	static const char *const where[] = { [SL_PAIR_TASK] = "of one task", [SL_PAIR_CPU] = "on one CPU", [SL_PAIR_ANY] = "anywhere" };
	const char *a = options->more[0], *b = options->more_count > 1 ? options->more[1] : NULL;
	char title[300];
	struct measure_job job = { .options = options, .title = title, .place = a };

	job.what.of = b ? SL_LATENCY_PAIRS : SL_LATENCY_INTERVAL;
	job.what.pair = pair_of(options->pair);
	if (parse_place(a, &job.what.a) != EXIT_DONE || (b && parse_place(b, &job.what.b) != EXIT_DONE))
		return EXIT_FAILED;
	if (b)
		snprintf(title, sizeof(title), "From %.100s to %.100s, %s: each B with the last A before it", a, b, where[job.what.pair]);
	else
		snprintf(title, sizeof(title), "From each %.100s to the next, %s", a, where[job.what.pair]);
	return measure_run(&job);
}
