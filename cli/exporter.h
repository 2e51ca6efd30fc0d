/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORTER_H
#define EXPORTER_H
/* What export does, by the kind of what its files are made from. */
#include "output.h"
#include "session.h"
#include "sl_export.h"
#include "sl_export_files.h"

struct export_job {
	struct session *session;
	struct sl_filter filter;
	struct tally tally;
	int file; /* --open: what was written, to be read; -1: none */
};

/* One format. */
struct export_format {
	const char *name;
	int (*run)(struct export_job *job, const struct export_format *format); /* an exit code; what went wrong has been said */
	bool binary; /* not for a terminal */
	bool opens;  /* takes --open */
	/* One of them, by run: */
	int (*timeline)(FILE *out, struct sl_timeline *ret);
	int (*timeline_at)(const char *path, struct sl_timeline *ret); /* instead, of what is no stream */
	int (*paths)(FILE *out, struct sl_paths *ret);
	int (*coverage)(FILE *out, struct sl_coverage *ret);
	int (*executed)(FILE *out, const struct sl_executed *executed);
};

int export_paths(struct export_job *job, const struct export_format *format);
int export_coverage(struct export_job *job, const struct export_format *format);
int export_executed(struct export_job *job, const struct export_format *format);
int export_timeline(struct export_job *job, const struct export_format *format);

/* Opens where the format is written to; binary files go to no terminal. An exit code; what is wrong has been said. */
int export_open(const struct export_job *job, const struct export_format *format, struct output *out);
/* Closes it; result is what the writer's close said. With --open, job->file is the file then. The same. */
int export_close(struct export_job *job, struct output *out, int result);
/* Whether the lanes that ran have what the filter's limits are in. An exit code; what is wrong has been said. */
int export_check_limits(const struct export_job *job, const struct sl_calls *calls);
/* When all is written: what is missing from it, and where it is empty why. The same. */
int export_answer(const struct export_job *job, bool empty);
#endif
