/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json {
	FILE *out;
	bool headless;
	int error;
	char *lane, *unit;
};

static void json_begin(void *self, const char *label, const char *unit)
{
	struct json *json = self;

	free(json->lane);
	free(json->unit);
	json->lane = strdup(label);
	json->unit = strdup(unit);
	if (!json->lane || !json->unit)
		json->error = SL_ERR_NOMEM;
	if (!json->headless)
		fputs("{\"schema\":\"sightline.flow/1\",\"table\":\"flow\"}\n", json->out);
	json->headless = true;
}

static void string_member(FILE *out, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(out, ",\"%s\":", key);
	sl_json_string(out, text);
}

/* "at_ns": the axis is part of the name, so that nobody takes one unit for another. */
static void amount(const struct json *json, const char *key, uint64_t value)
{
	fprintf(json->out, ",\"%s_%s\":%" PRIu64, key, json->unit, value);
}

static void flags_member(FILE *out, unsigned flags)
{
	const char *between = "", *name;

	if (!flags)
		return;
	fputs(",\"flags\":[", out);
	for (unsigned i = 0; (name = sl_span_flag_name(i)) != NULL; i++) {
		if (!(flags >> i & 1))
			continue;
		fprintf(out, "%s\"%s\"", between, name);
		between = ",";
	}
	putc(']', out);
}

static void json_step(void *self, const struct sl_span *span)
{
	struct json *json = self;
	FILE *out = json->out;

	if (json->error)
		return;
	fputs("{\"table\":\"flow\"", out);
	string_member(out, "lane", json->lane);
	fprintf(out, ",\"kind\":\"%s\",\"depth\":%u", sl_span_kind_name(span->kind), span->depth);
	amount(json, "at", span->at);
	if (sl_span_has_duration(span->kind)) {
		amount(json, "duration", span->duration);
		amount(json, "self", span->self);
	}
	fprintf(out, ",\"offset\":%" PRIu64, span->offset);
	if (span->address)
		fprintf(out, ",\"address\":\"0x%" PRIx64 "\"", span->address);
	string_member(out, "name", span->name);
	string_member(out, "module", span->module);
	flags_member(out, span->flags);
	string_member(out, "text", span->text);
	string_member(out, "file", span->file);
	if (span->file)
		fprintf(out, ",\"line\":%u", span->line);
	fputs("}\n", out);
}

static void json_end(void *self)
{
	(void)self;
}

static int json_close(void *self)
{
	struct json *json = self;
	int ret = json->error ? json->error : sl_writer_flush(json->out);

	free(json->lane);
	free(json->unit);
	free(json);
	return ret;
}

int sl_spans_json_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret)
{
	static const struct sl_span_ops ops = { json_begin, json_step, json_end, json_close };
	struct json *json = calloc(1, sizeof(*json));

	if (!json)
		return SL_ERR_NOMEM;
	json->out = out;
	json->headless = style->continuation;
	*ret = (struct sl_spans){ &ops, json };
	return SL_OK;
}
