/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_REPORT_H
#define SL_REPORT_H
/* Writers of rows and of flow, one file a format, and the stage that sorts, cuts and chooses columns. */
#include <stdio.h>

#include "sl_base.h"
#include "sl_span.h"
#include "sl_table.h"

enum sl_format { SL_FORMAT_TEXT, SL_FORMAT_JSON, SL_FORMAT_CSV, SL_FORMATS };
/* "text" and so on; NULL beyond the last. */
const char *sl_format_name(unsigned format);
int sl_format_parse(const char *text, enum sl_format *ret);

struct sl_report_style {
	bool color;	    /* text: highlight headings */
	bool ascii;	    /* text: trees are drawn in ASCII, not in UTF-8 */
	bool continuation;  /* another writer of the same document came before (each lane writes rows of its own):
			     * JSON, CSV: the head object or line is there already; text: a blank line first */
	const char *table;  /* only the table of this name is printed; NULL: all, in CSV the first (borrowed) */
};

/*
 * A writer of tables to out (not closed by it).
 *  text: aligned columns, numbers to the right with thousands separated by commas;
 *  json: one object a line; a table's first line is {"schema":...,"table":...,meta...}, its rows are
 *        {"table":"functions","function":"main",...}; addresses and hex numbers are strings "0x...";
 *  csv: RFC 4180 (lines end with CR LF), the header line is the columns' names.
 * SL_OK or SL_ERR_NOMEM.
 */
int sl_report_table(enum sl_format format, const struct sl_report_style *style, FILE *out, struct sl_table *ret);

/* A writer of flow: indented C-like text (leaf calls on one line), or one JSON object or CSV line a step. */
int sl_report_spans(enum sl_format format, const struct sl_report_style *style, FILE *out, struct sl_spans *ret);

/*
 * A stage before a table writer. It applies to the table called name; others pass.
 * sort: column names separated by commas, each with '-' (descending) or '+' (ascending) before it; without,
 * strings and addresses ascend and all else descends. Rows without a value come last, ties keep the order of the rows.
 * limit 0: all; where it cuts, title and meta say of how many rows. fields: column names, in order; "all" stands for all
 * columns, "usual" for those that are not rare, and '-' before a name takes one away from what stands before; where the first
 * one begins with '-' or '+', "all" stands before it. A name may leave out its unit: "self" is the first column "self_...". NULL
 * for sort or fields: as the table comes.
 * Takes next over, also on failure: its close() closes it. SL_OK or SL_ERR_NOMEM. Names are checked by
 * sl_report_check_columns before; unknown ones are passed over here.
 */
int sl_report_select(const char *name, const char *sort, uint64_t limit, const char *fields, struct sl_table next,
		     struct sl_table *ret);
/* SL_OK, or SL_ERR_FORMAT with diag naming the unknown column of list (the value of option), the nearest one and all
 * that there are. */
int sl_report_check_columns(const struct sl_column *columns, size_t count, const char *option, const char *list,
			    struct sl_diag *diag);
#endif
