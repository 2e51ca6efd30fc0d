/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and paths as lines of JSON: an object begins one, arrays are its rows. */
#include <inttypes.h>

#include "html_page.h"
#include "utf8.h"
#include "writers.h"

static const char *type_name(enum sl_type type)
{
	static const char *const names[] = { [SL_TYPE_COUNT] = "count", [SL_TYPE_SIGNED] = "signed", [SL_TYPE_PERCENT] = "percent",
					     [SL_TYPE_REAL] = "real", [SL_TYPE_ADDR] = "addr", [SL_TYPE_HEX] = "hex",
					     [SL_TYPE_STRING] = "string", [SL_TYPE_BOOL] = "bool", [SL_TYPE_BAR] = "bar",
					     [SL_TYPE_TREE] = "tree" };

	return names[type];
}

static void write_column(FILE *out, const struct sl_column *column)
{
	fputs("{\"name\":", out);
	sl_json_string(out, column->name);
	fputs(",\"heading\":", out);
	sl_json_string(out, column->heading);
	fputs(",\"help\":", out);
	sl_json_string(out, column->help ? column->help : "");
	fprintf(out, ",\"type\":\"%s\",\"rare\":%s}", type_name(column->type), column->width == SL_COLUMN_RARE ? "true" : "false");
}

static void table_begin(void *self, const struct sl_table_head *head)
{
	struct html_table *table = self;
	FILE *out = table->facts;

	table->head = head;
	fputs("{\"table\":", out);
	sl_json_string(out, head->name);
	fputs(",\"schema\":", out);
	sl_json_string(out, head->schema);
	fputs(",\"title\":", out);
	sl_json_string(out, head->title ? head->title : "");
	fputs(",\"columns\":[", out);
	for (size_t i = 0; i < head->column_count; i++) {
		if (i)
			putc(',', out);
		write_column(out, &head->columns[i]);
	}
	fputs("],\"meta\":{", out);
	for (size_t i = 0; i < head->meta_count; i++) {
		if (i)
			putc(',', out);
		sl_json_string(out, head->meta[i].key);
		putc(':', out);
		sl_json_string(out, head->meta[i].value ? head->meta[i].value : "");
	}
	fputs("}}\n", out);
}

/* In a tree a name comes with its depth. */
static void write_cell(FILE *out, enum sl_type type, struct sl_cell cell)
{
	if (type == SL_TYPE_TREE)
		fprintf(out, "[%" PRIu32 ",", cell.depth);
	sl_json_cell(out, type, cell);
	if (type == SL_TYPE_TREE)
		putc(']', out);
}

static void table_row(void *self, const struct sl_cell *cells)
{
	const struct html_table *table = self;

	for (size_t i = 0; i < table->head->column_count; i++) {
		putc(i ? ',' : '[', table->facts);
		write_cell(table->facts, table->head->columns[i].type, cells[i]);
	}
	fputs("]\n", table->facts);
}

static void table_end(void *self)
{
	struct html_table *table = self;

	table->head = NULL;
}

/* The page ends what its parts began. */
static int no_close(void *self)
{
	(void)self;
	return SL_OK;
}

void html_table_ops(struct html_table *table, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { table_begin, table_row, table_end, no_close };

	*ret = (struct sl_table){ &ops, table };
}

static void paths_begin(void *self, const struct sl_paths_head *head)
{
	const struct html_paths *paths = self;

	fprintf(paths->facts, "{\"paths\":{\"unit\":\"%s\",\"whole\":%" PRIu64 "}}\n", head->unit, head->whole);
}

/* [kind, depth, name id, calls, total, self], and where the id comes first its name and module. */
static void paths_path(void *self, const struct sl_path *path)
{
	struct html_paths *paths = self;
	uint64_t *known = sl_map_put(&paths->known, path->name_id);

	if (!known) {
		paths->no_memory = true;
		return;
	}
	fprintf(paths->facts, "[%d,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, path->kind, path->depth, path->name_id,
		path->calls, path->total, path->self);
	if (!*known) {
		putc(',', paths->facts);
		sl_json_string(paths->facts, path->name);
		putc(',', paths->facts);
		sl_json_string(paths->facts, path->module ? path->module : "");
	}
	*known = 1;
	fputs("]\n", paths->facts);
}

void html_paths_ops(struct html_paths *paths, struct sl_paths *ret)
{
	static const struct sl_paths_ops ops = { paths_begin, paths_path, no_close };

	*ret = (struct sl_paths){ &ops, paths };
}
