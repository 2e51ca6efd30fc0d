/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "number.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv {
	FILE *out;
	const char *only;
	const struct sl_table_head *head;
	bool headless; /* the header line is there already */
	bool chosen;   /* the table that is printed has come */
	bool active;   /* ... and has not ended */
};

static void csv_begin(void *self, const struct sl_table_head *head)
{
	struct csv *csv = self;

	csv->active = !csv->chosen && (!csv->only || strcmp(csv->only, head->name) == 0);
	if (!csv->active)
		return;
	csv->chosen = true;
	csv->head = head;
	for (size_t i = 0; i < head->column_count && !csv->headless; i++) {
		if (i)
			putc(',', csv->out);
		sl_csv_field(csv->out, head->columns[i].name);
	}
	if (!csv->headless)
		fputs("\r\n", csv->out);
}

static void field(FILE *out, enum sl_type type, struct sl_cell cell)
{
	struct sl_number number;
	const char *real;

	switch (type) {
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
		fputs(real ? real : "", out);
		break;
	case SL_TYPE_ADDR:
		fprintf(out, "0x%" PRIx64, cell.u);
		break;
	case SL_TYPE_HEX:
		fprintf(out, "0x%02" PRIx64, cell.u);
		break;
	case SL_TYPE_STRING:
	case SL_TYPE_TREE:
		sl_csv_field(out, cell.s);
		break;
	case SL_TYPE_BOOL:
		fputs(cell.u ? "true" : "false", out);
		break;
	}
}

static void csv_row(void *self, const struct sl_cell *cells)
{
	struct csv *csv = self;

	if (!csv->active)
		return;
	for (size_t i = 0; i < csv->head->column_count; i++) {
		if (i)
			putc(',', csv->out);
		if (cells[i].known)
			field(csv->out, csv->head->columns[i].type, cells[i]);
	}
	fputs("\r\n", csv->out);
}

static void csv_end(void *self)
{
	struct csv *csv = self;

	csv->active = false;
}

static int csv_close(void *self)
{
	struct csv *csv = self;
	int ret = sl_writer_flush(csv->out);

	free(csv);
	return ret;
}

int sl_table_csv_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { csv_begin, csv_row, csv_end, csv_close };
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return SL_ERR_NOMEM;
	csv->out = out;
	csv->only = style->table;
	csv->headless = style->continuation;
	*ret = (struct sl_table){ &ops, csv };
	return SL_OK;
}
