/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as rows: a call each, when it ends. */
#include "sl_export_files.h"

#include <stdlib.h>
#include <string.h>

#include "writers.h"

struct rows {
	struct sl_table table;
	struct sl_table_head head;
	struct sl_meta meta[2];
	bool begun;
};

#define COLUMNS(unit)                                                                                                      \
	{ "start_" unit, "start " unit, "when it was entered", SL_TYPE_COUNT, 14 },                                        \
	{ "duration_" unit, "duration " unit, "from entry to exit", SL_TYPE_COUNT, 14 },                                   \
	{ "total_" unit, "total " unit, "what it ran with its callees, without interrupts and other tasks", SL_TYPE_COUNT, 14 }, \
	{ "self_" unit, "self " unit, "what it ran without callees", SL_TYPE_COUNT, 14 },                                  \
	{ "track", "track", "number of the task's track", SL_TYPE_COUNT, 5 },                                              \
	{ "task", "task", "thread, process or context id", SL_TYPE_COUNT, 8 },                                             \
	{ "task_name", "task name", "what the track is called", SL_TYPE_STRING, 16 },                                      \
	{ "cpu", "cpu", "where it ended", SL_TYPE_COUNT, 4 },                                                              \
	{ "depth", "depth", "calls and levels below it", SL_TYPE_COUNT, 5 },                                               \
	{ "function", "function", "its name; of a level, the exception", SL_TYPE_STRING, 32 },                             \
	{ "module", "module", "its file", SL_TYPE_STRING, 16 },                                                            \
	{ "level", "level", "it is an exception's level", SL_TYPE_BOOL, 5 },                                               \
	{ "no_entry", "no entry", "its entry was not traced", SL_TYPE_BOOL, 5 },                                           \
	{ "no_exit", "no exit", "its exit was not traced", SL_TYPE_BOOL, 5 },                                              \
	{ "recursive", "recursive", "its total is in that of a call of the same function", SL_TYPE_BOOL, 5 },              \
	{ "moved", "moved", "a part of a call, whose task moved to another CPU", SL_TYPE_BOOL, 5 },                        \
	{ "offset", "offset", "of the trace byte at its entry", SL_TYPE_COUNT, 12 },                                       \
	{ "address", "address", "of its first instruction seen", SL_TYPE_ADDR, 18 },

enum { COLUMN_COUNT = 18 };
static const struct sl_column ns_columns[COLUMN_COUNT] = { COLUMNS("ns") };
static const struct sl_column cycles_columns[COLUMN_COUNT] = { COLUMNS("cycles") };
static const struct sl_column insns_columns[COLUMN_COUNT] = { COLUMNS("insns") };

static const struct sl_column *columns_of(const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return ns_columns;
	return strcmp(unit, "cycles") == 0 ? cycles_columns : insns_columns;
}

static void rows_begin(void *self, const struct sl_timeline_head *head)
{
	struct rows *rows = self;

	rows->meta[0] = (struct sl_meta){ "unit", head->unit };
	rows->meta[1] = (struct sl_meta){ "about", head->about };
	rows->head = (struct sl_table_head){ .schema = "sightline.calls/1", .name = "calls", .columns = columns_of(head->unit),
					     .column_count = COLUMN_COUNT, .meta = rows->meta, .meta_count = 2, .stream = true };
	rows->table.ops->begin(rows->table.out, &rows->head);
	rows->begun = true;
}

static void rows_event(void *self, const struct sl_timeline_event *e)
{
	struct rows *rows = self;
	struct sl_cell cells[COLUMN_COUNT];
	size_t n = 0;

	if (e->kind != SL_TIMELINE_END)
		return;
	cells[n++] = sl_cell_u64(e->start);
	cells[n++] = sl_cell_u64(e->at - e->start);
	cells[n++] = e->costs ? sl_cell_u64(e->total) : sl_cell_none();
	cells[n++] = e->costs ? sl_cell_u64(e->self) : sl_cell_none();
	cells[n++] = sl_cell_u64(e->track->id);
	cells[n++] = e->track->has_task ? sl_cell_u64(e->track->task) : sl_cell_none();
	cells[n++] = sl_cell_str(e->track->name);
	cells[n++] = e->cpu >= 0 ? sl_cell_u64((uint64_t)e->cpu) : sl_cell_none();
	cells[n++] = sl_cell_u64(e->depth);
	cells[n++] = sl_cell_str(e->name);
	cells[n++] = sl_cell_str(e->module);
	cells[n++] = sl_cell_u64((e->flags & SL_TIMELINE_LEVEL) != 0);
	cells[n++] = sl_cell_u64((e->flags & SL_SPAN_NO_ENTRY) != 0);
	cells[n++] = sl_cell_u64((e->flags & SL_SPAN_NO_EXIT) != 0);
	cells[n++] = sl_cell_u64((e->flags & SL_TIMELINE_RECURSIVE) != 0);
	cells[n++] = sl_cell_u64((e->flags & SL_TIMELINE_MOVED) != 0);
	cells[n++] = sl_cell_u64(e->offset);
	cells[n++] = e->address ? sl_cell_u64(e->address) : sl_cell_none();
	rows->table.ops->row(rows->table.out, cells);
}

static int rows_close(void *self)
{
	struct rows *rows = self;
	int result;

	if (rows->begun)
		rows->table.ops->end(rows->table.out);
	result = rows->table.ops->close(rows->table.out);
	free(rows);
	return result;
}

static int rows_new(enum sl_format format, FILE *out, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { rows_begin, rows_event, rows_close };
	const struct sl_report_style style = { .table = NULL };
	struct rows *rows = calloc(1, sizeof(*rows));

	if (!rows || sl_report_table(format, &style, out, &rows->table) < 0) {
		free(rows);
		return SL_ERR_NOMEM;
	}
	*ret = (struct sl_timeline){ &ops, rows };
	return SL_OK;
}

int sl_timeline_json_new(FILE *out, struct sl_timeline *ret)
{
	return rows_new(SL_FORMAT_JSON, out, ret);
}

int sl_timeline_csv_new(FILE *out, struct sl_timeline *ret)
{
	return rows_new(SL_FORMAT_CSV, out, ret);
}
