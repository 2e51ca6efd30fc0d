/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_WRITERS_H
#define SL_WRITERS_H
/* One pair of constructors a format; format.c chooses. Internal to report/. */
#include "sl_report.h"

int sl_table_text_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret);
int sl_table_json_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret);
int sl_table_csv_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret);
int sl_spans_text_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret);
int sl_spans_json_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret);
int sl_spans_csv_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret);

/* A table's value as JSON has it. */
void sl_json_cell(FILE *out, enum sl_type type, struct sl_cell cell);

/* SL_OK or SL_ERR_IO with errno: whether all that was written to out has arrived. */
int sl_writer_flush(FILE *out);

/* Names of spans in JSON and CSV. */
const char *sl_span_kind_name(unsigned kind);
/* The name of the flag with number i, or NULL beyond the last; the flag's value is 1 << i. */
const char *sl_span_flag_name(unsigned i);
/* Whether duration and self mean something for a kind. */
static inline bool sl_span_has_duration(enum sl_span_kind kind)
{
	return kind == SL_SPAN_LEAVE || kind == SL_SPAN_RESUME;
}
#endif
