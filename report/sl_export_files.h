/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_EXPORT_FILES_H
#define SL_EXPORT_FILES_H
/* Writers of other tools' files, one file a format. docs/formats/exports.md says what each holds. */
#include <stdio.h>

#include "sl_coverage.h"
#include "sl_paths.h"
#include "sl_timeline.h"

/*
 * Timelines. Each writes to out, which is not closed by it. SL_OK or SL_ERR_NOMEM.
 *  json, csv: the table "calls": one row a call, as it ends;
 *  chrome: Trace Event Format: {"traceEvents":[...]};
 *  speedscope: its own file; SL_ERR_IO too, where no temporary file can be made;
 *  perfetto: its trace, compressed.
 */
int sl_timeline_json_new(FILE *out, struct sl_timeline *ret);
int sl_timeline_csv_new(FILE *out, struct sl_timeline *ret);
int sl_timeline_chrome_new(FILE *out, struct sl_timeline *ret);
int sl_timeline_speedscope_new(FILE *out, struct sl_timeline *ret);
int sl_timeline_perfetto_new(FILE *out, struct sl_timeline *ret);
/*
 * The same where more than a stream is written. SL_OK; SL_ERR_IO with errno where it cannot be made; SL_ERR_NOMEM;
 * SL_ERR_UNSUPPORTED where this build has none.
 *  sqlite: a database, which replaces the file of that path;
 *  ctf: a directory, which must not exist: CTF 1.8, as LTTng-UST writes calls.
 */
int sl_timeline_sqlite_new(const char *path, struct sl_timeline *ret);
int sl_timeline_ctf_new(const char *dir, struct sl_timeline *ret);

/*
 * Calls by path, the same.
 *  folded: folded stacks, a line a path with its self;
 *  flamegraph: an SVG with a script inside that zooms and searches;
 *  callgrind: for KCachegrind and callgrind_annotate;
 *  pprof: profile.proto in gzip.
 */
int sl_paths_folded_new(FILE *out, struct sl_paths *ret);
int sl_paths_flamegraph_new(FILE *out, struct sl_paths *ret);
int sl_paths_callgrind_new(FILE *out, struct sl_paths *ret);
int sl_paths_pprof_new(FILE *out, struct sl_paths *ret);

/* Coverage by lines, functions and branches, for lcov and genhtml; the same. */
int sl_coverage_lcov_new(FILE *out, struct sl_coverage *ret);
/* Writes AutoFDO's text profile. SL_OK or SL_ERR_IO. */
int sl_executed_autofdo(FILE *out, const struct sl_executed *executed);
#endif
