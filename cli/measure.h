/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_H
#define MEASURE_H
/* What latency and histogram have in common: a run that measures, and its tables. */
#include "options.h"
#include "sl_latency.h"

struct measure_job {
	const struct options *options;
	struct sl_latency_options what; /* image and sieve are filled in */
	const char *title, *place;	/* place: what has to happen at least once, as the user named it */
	bool bars_first;
};
/* An exit code; what went wrong has been said. */
int measure_run(struct measure_job *job);
#endif
