/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H
/* What the parts of report/html*.c share. Internal to report/. */
#include <stdio.h>

#include "sl_html.h"
#include "sl_map.h"

/* Bytes as base64 of their gzip, as they come. */
struct html_block;
int html_block_new(FILE *out, struct html_block **ret);
void html_block_put(struct html_block *block, const void *data, size_t len);
/* Writes what is left, and frees. SL_OK or SL_ERR_IO (of out too). */
int html_block_close(struct html_block *block);
/* A whole file, from its beginning. */
void html_block_copy(struct html_block *block, FILE *facts);
/* A page up to a marker; what is behind it. */
const char *html_write_until(FILE *out, const char *page, const char *marker);

/* Tables and paths as lines of JSON. What the ops are made for lives as long as they are used. */
struct html_table {
	FILE *facts;
	const struct sl_table_head *head;
};
void html_table_ops(struct html_table *table, struct sl_table *ret);
struct html_paths {
	FILE *facts;
	struct sl_map known; /* name ids that have been told */
	bool no_memory;
};
void html_paths_ops(struct html_paths *paths, struct sl_paths *ret);

/* Calls in columns. */
struct html_timeline;
int html_timeline_new(struct html_timeline **ret);
void html_timeline_ops(struct html_timeline *timeline, struct sl_timeline *ret);
/* What the columns are of, as lines of JSON. No more than calls_max are told of; apart: all are, and it is said which these are. */
void html_timeline_facts(struct html_timeline *timeline, FILE *facts, uint64_t calls_max, bool apart);
/* ... and then the columns: one behind the other, each of all rows. */
void html_timeline_columns(struct html_timeline *timeline, struct html_block *block);
/* The same as rows, one behind the other, each with all columns. */
void html_timeline_rows(struct html_timeline *timeline, FILE *out);
int html_timeline_close(struct html_timeline *timeline);
#endif
