/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include <string.h>

static const struct {
	const char *name;
	int (*table)(const struct sl_report_style *style, FILE *out, struct sl_table *ret);
	int (*spans)(const struct sl_report_style *style, FILE *out, struct sl_spans *ret);
} formats[SL_FORMATS] = {
	[SL_FORMAT_TEXT] = { "text", sl_table_text_new, sl_spans_text_new },
	[SL_FORMAT_JSON] = { "json", sl_table_json_new, sl_spans_json_new },
	[SL_FORMAT_CSV] = { "csv", sl_table_csv_new, sl_spans_csv_new },
};

const char *sl_format_name(unsigned format)
{
	return format < SL_FORMATS ? formats[format].name : NULL;
}

int sl_format_parse(const char *text, enum sl_format *ret)
{
	for (unsigned i = 0; i < SL_FORMATS; i++) {
		if (strcmp(text, formats[i].name) == 0) {
			*ret = (enum sl_format)i;
			return SL_OK;
		}
	}
	return SL_ERR_FORMAT;
}

int sl_report_table(enum sl_format format, const struct sl_report_style *style, FILE *out,
		    struct sl_table *ret)
{
	return formats[format].table(style, out, ret);
}

int sl_report_spans(enum sl_format format, const struct sl_report_style *style, FILE *out,
		    struct sl_spans *ret)
{
	return formats[format].spans(style, out, ret);
}

int sl_writer_flush(FILE *out)
{
	return fflush(out) != 0 || ferror(out) ? SL_ERR_IO : SL_OK;
}
