/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_HTML_H
#define SL_HTML_H
/*
 * The report as one HTML file, which shows a capture in a browser and loads nothing from anywhere. docs/formats/html-data.md says what
 * is in it. Tables, paths and the timeline come in any order, each through its own meeting point.
 */
#include <stdio.h>

#include "sl_paths.h"
#include "sl_table.h"
#include "sl_timeline.h"

enum { SL_HTML_CALLS = 20000000 };

struct sl_html_options {
	FILE *out;	     /* not closed */
	const char *title;
	uint64_t calls_max;  /* of the timeline, whose deepest levels are left out where there are more; 0: SL_HTML_CALLS */
	FILE *columns;	     /* NULL; or the timeline goes there, with all its levels: a page that is served beside it asks for "columns" */
};
struct sl_html;
/* SL_OK; SL_ERR_IO where no temporary file can be made; SL_ERR_NOMEM. title is borrowed until close. */
int sl_html_new(const struct sl_html_options *options, struct sl_html **ret);
/* Writers of its parts, which end with it: their close is not needed, and returns SL_OK. Tables may be any number. */
void sl_html_table(struct sl_html *html, struct sl_table *ret);
void sl_html_paths(struct sl_html *html, struct sl_paths *ret);
void sl_html_timeline(struct sl_html *html, struct sl_timeline *ret);
/* Writes the page where write is true, and frees. SL_OK, or the first error of all parts: SL_ERR_IO, SL_ERR_NOMEM. */
int sl_html_close(struct sl_html *html, bool write);

/* The page of compare: a writer of tables, whose close writes the page to out (which stays open): SL_OK, SL_ERR_IO, SL_ERR_NOMEM.
 * SL_OK; SL_ERR_IO where no temporary file can be made; SL_ERR_NOMEM. title is borrowed until then. */
int sl_html_compare_new(FILE *out, const char *title, struct sl_table *ret);
#endif
