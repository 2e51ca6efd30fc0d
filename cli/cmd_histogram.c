/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "measure.h"

int cmd_histogram(const struct options *options)
{
	const char *of = options->of ? options->of : "duration", *function = options->more[0];
	char title[200];
	struct measure_job job = { .options = options, .title = title, .place = function, .bars_first = true };

	job.what.a = (struct sl_latency_place){ .kind = SL_PLACE_ENTER, .function = function, .level = -1 };
	if (strcmp(of, "interval") == 0) {
		job.what.of = SL_LATENCY_INTERVAL;
		job.what.pair = SL_PAIR_CPU;
		snprintf(title, sizeof(title), "From one entry of %.100s to the next, on one CPU", function);
	} else {
		job.what.of = strcmp(of, "self") == 0 ? SL_LATENCY_SELF : SL_LATENCY_DURATION;
		snprintf(title, sizeof(title), "Calls of %.100s, %s callees", function, strcmp(of, "self") == 0 ? "without" : "with");
	}
	return measure_run(&job);
}
