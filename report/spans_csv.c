/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv {
	FILE *out;
	bool headless;
	int error;
	char *lane, *unit;
};

static const char header[] =
	"lane,unit,kind,depth,at,duration,self,offset,address,name,module,flags,text,file,line\r\n";

static void csv_begin(void *self, const char *label, const char *unit)
{
	struct csv *csv = self;

	free(csv->lane);
	free(csv->unit);
	csv->lane = strdup(label);
	csv->unit = strdup(unit);
	if (!csv->lane || !csv->unit)
		csv->error = SL_ERR_NOMEM;
	if (!csv->headless)
		fputs(header, csv->out);
	csv->headless = true;
}

static void string_field(FILE *out, const char *text)
{
	putc(',', out);
	if (text)
		sl_csv_field(out, text);
}

static void flags_field(FILE *out, unsigned flags)
{
	const char *between = "", *name;

	putc(',', out);
	for (unsigned i = 0; (name = sl_span_flag_name(i)) != NULL; i++) {
		if (!(flags >> i & 1))
			continue;
		fprintf(out, "%s%s", between, name);
		between = " ";
	}
}

static void csv_step(void *self, const struct sl_span *span)
{
	struct csv *csv = self;
	FILE *out = csv->out;

	if (csv->error)
		return;
	sl_csv_field(out, csv->lane);
	string_field(out, csv->unit);
	fprintf(out, ",%s,%u,%" PRIu64, sl_span_kind_name(span->kind), span->depth, span->at);
	if (sl_span_has_duration(span->kind))
		fprintf(out, ",%" PRIu64 ",%" PRIu64, span->duration, span->self);
	else
		fputs(",,", out);
	fprintf(out, ",%" PRIu64 ",", span->offset);
	if (span->address)
		fprintf(out, "0x%" PRIx64, span->address);
	string_field(out, span->name);
	string_field(out, span->module);
	flags_field(out, span->flags);
	string_field(out, span->text);
	string_field(out, span->file);
	putc(',', out);
	if (span->file)
		fprintf(out, "%u", span->line);
	fputs("\r\n", out);
}

static void csv_end(void *self)
{
	(void)self;
}

static int csv_close(void *self)
{
	struct csv *csv = self;
	int ret = csv->error ? csv->error : sl_writer_flush(csv->out);

	free(csv->lane);
	free(csv->unit);
	free(csv);
	return ret;
}

int sl_spans_csv_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret)
{
	static const struct sl_span_ops ops = { csv_begin, csv_step, csv_end, csv_close };
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return SL_ERR_NOMEM;
	csv->out = out;
	csv->headless = style->continuation;
	*ret = (struct sl_spans){ &ops, csv };
	return SL_OK;
}
