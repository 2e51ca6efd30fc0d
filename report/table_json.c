/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "number.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json {
	FILE *out;
	const char *only;
	const struct sl_table_head *head;
	bool headless; /* the head object is there already */
	bool active;
};

static void member(FILE *out, const char *key, const char *value)
{
	putc(',', out);
	sl_json_string(out, key);
	putc(':', out);
	sl_json_string(out, value);
}

static void json_begin(void *self, const struct sl_table_head *head)
{
	struct json *json = self;

	json->active = !json->only || strcmp(json->only, head->name) == 0;
	json->head = head;
	if (!json->active || json->headless)
		return;
	fputs("{\"schema\":", json->out);
	sl_json_string(json->out, head->schema);
	member(json->out, "table", head->name);
	for (size_t i = 0; i < head->meta_count; i++) {
		if (head->meta[i].value)
			member(json->out, head->meta[i].key, head->meta[i].value);
	}
	fputs("}\n", json->out);
}

void sl_json_cell(FILE *out, enum sl_type type, struct sl_cell cell)
{
	struct sl_number number;
	const char *real;

	switch (cell.known ? (int)type : -1) {
	case SL_TYPE_COUNT:
		fprintf(out, "%" PRIu64, cell.u);
		break;
	case SL_TYPE_SIGNED:
		fprintf(out, "%" PRId64, cell.i);
		break;
	case SL_TYPE_PERCENT:
	case SL_TYPE_REAL:
	case SL_TYPE_BAR:
		real = sl_number_exact(cell.d, &number);
		fputs(real ? real : "null", out);
		break;
	case SL_TYPE_ADDR:
		fprintf(out, "\"0x%" PRIx64 "\"", cell.u);
		break;
	case SL_TYPE_HEX:
		fprintf(out, "\"0x%02" PRIx64 "\"", cell.u);
		break;
	case SL_TYPE_STRING:
	case SL_TYPE_TREE:
		sl_json_string(out, cell.s);
		break;
	case SL_TYPE_BOOL:
		fputs(cell.u ? "true" : "false", out);
		break;
	default:
		fputs("null", out);
	}
}

static void json_row(void *self, const struct sl_cell *cells)
{
	struct json *json = self;

	if (!json->active)
		return;
	fputs("{\"table\":", json->out);
	sl_json_string(json->out, json->head->name);
	for (size_t i = 0; i < json->head->column_count; i++) {
		putc(',', json->out);
		sl_json_string(json->out, json->head->columns[i].name);
		putc(':', json->out);
		sl_json_cell(json->out, json->head->columns[i].type, cells[i]);
	}
	fputs("}\n", json->out);
}

static void json_end(void *self)
{
	struct json *json = self;

	json->active = false;
}

static int json_close(void *self)
{
	struct json *json = self;
	int ret = sl_writer_flush(json->out);

	free(json);
	return ret;
}

int sl_table_json_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { json_begin, json_row, json_end, json_close };
	struct json *json = calloc(1, sizeof(*json));

	if (!json)
		return SL_ERR_NOMEM;
	json->out = out;
	json->only = style->table;
	json->headless = style->continuation;
	*ret = (struct sl_table){ &ops, json };
	return SL_OK;
}
