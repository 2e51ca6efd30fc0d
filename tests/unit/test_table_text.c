/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_report.h"

static const struct sl_column columns[] = {
	{ "function", "function", "", SL_TYPE_STRING, 12 },
	{ "calls", "calls", "", SL_TYPE_COUNT, 8 },
	{ "share", "%", "", SL_TYPE_PERCENT, 6 },
	{ "address", "address", "", SL_TYPE_ADDR, 10 },
	{ "id", "id", "", SL_TYPE_HEX, 4 },
	{ "closed", "closed", "", SL_TYPE_BOOL, 0 },
	{ "module", "module", "", SL_TYPE_STRING, 6 },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct sl_table_head functions = {
	.schema = "sightline.test/1", .name = "functions", .title = "Functions", .columns = columns, .column_count = COLUMNS,
};

static void row(struct sl_table *table, const char *name, uint64_t calls, double share)
{
	const struct sl_cell cells[COLUMNS] = {
		sl_cell_str(name), sl_cell_u64(calls), sl_cell_real(share), sl_cell_u64(0x8000),
		sl_cell_u64(5), sl_cell_u64(calls > 5), sl_cell_none(),
	};

	table->ops->row(table->out, cells);
}

static struct sl_table open_table(FILE *out, struct sl_report_style style)
{
	struct sl_table table;

	assert_int_equal(sl_report_table(SL_FORMAT_TEXT, &style, out, &table), SL_OK);
	return table;
}

/* Writes one table with the rows main and a name, and checks the whole text. */
static void expect(struct sl_table_head head, const char *name, struct sl_report_style style, const char *text)
{
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table = open_table(out, style);

	table.ops->begin(table.out, &head);
	row(&table, "main", 1234567, 12.345);
	row(&table, name, 5, 100);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

void test_table_text__measured_columns_are_aligned(void **state)
{
	(void)state;
	expect(functions, "interrupt_entry", (struct sl_report_style){ 0 },
	       "Functions\n"
	       "function             calls       %  address    id  closed  module\n"
	       "main             1,234,567   12.35   0x8000  0x05     yes  -\n"
	       "interrupt_entry          5  100.00   0x8000  0x05      no  -\n");
}

void test_table_text__stream_uses_column_widths(void **state)
{
	struct sl_table_head head = functions;

	(void)state;
	head.stream = true;
	/* A name and a number too long for their columns push only their own line, and blanks make up for it. */
	expect(head, "interrupt_entry_veneer", (struct sl_report_style){ 0 },
	       "Functions\n"
	       "function         calls       %     address    id  closed  module\n"
	       "main          1,234,567  12.35      0x8000  0x05     yes  -\n"
	       "interrupt_entry_veneer 5 100.00     0x8000  0x05      no  -\n");
}

void test_table_text__color_only_in_headings(void **state)
{
	(void)state;
	expect(functions, "f", (struct sl_report_style){ .color = true },
	       "\033[1mFunctions\033[0m\n"
	       "\033[4mfunction      calls       %  address    id  closed  module\n"
	       "\033[0mmain      1,234,567   12.35   0x8000  0x05     yes  -\n"
	       "f                 5  100.00   0x8000  0x05      no  -\n");
}

void test_table_text__names_cannot_drive_the_terminal(void **state)
{
	(void)state;
	expect(functions, "a\033[2J\xff\xc3\xa4", (struct sl_report_style){ 0 },
	       "Functions\n"
	       "function      calls       %  address    id  closed  module\n"
	       "main      1,234,567   12.35   0x8000  0x05     yes  -\n"
	       "a?[2J?\xc3\xa4           5  100.00   0x8000  0x05      no  -\n");
}

void test_table_text__long_names_do_not_widen_the_table(void **state)
{
	char name[401], want[2000];
	const char *head = "Functions\n%-64s      calls       %%  address    id  closed  module\n";

	(void)state;
	memset(name, 'n', 400);
	name[400] = '\0';
	snprintf(want, sizeof(want), head, "function");
	sprintf(want + strlen(want), "%-64s  1,234,567   12.35   0x8000  0x05     yes  -\n%s 5 100.00 0x8000 0x05 no -\n",
		"main", name);
	expect(functions, name, (struct sl_report_style){ 0 }, want);
}

void test_table_text__blank_line_between_tables_and_none(void **state)
{
	static const struct sl_column bare[] = { { "key", "", "", SL_TYPE_STRING, 0 }, { "value", "", "", SL_TYPE_REAL, 0 } };
	const struct sl_table_head facts = { .schema = "s", .name = "facts", .columns = bare, .column_count = 2 };
	const struct sl_cell cells[] = { sl_cell_str("rate"), sl_cell_real(-12345.678) };
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table = open_table(out, (struct sl_report_style){ 0 });

	(void)state;
	table.ops->begin(table.out, &functions);
	table.ops->end(table.out);
	table.ops->begin(table.out, &facts);
	table.ops->row(table.out, cells);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, "Functions\nfunction  calls  %  address  id  closed  module\n(none)\n\nrate  -12,345.68\n");
	free(got);
}

void test_table_text__only_the_chosen_table(void **state)
{
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table = open_table(out, (struct sl_report_style){ .table = "account" });

	(void)state;
	table.ops->begin(table.out, &functions);
	row(&table, "main", 1, 1);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, "");
	free(got);
}

void test_table_text__write_error_sticks(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct sl_table table;

	(void)state;
	if (!full)
		skip();
	table = open_table(full, (struct sl_report_style){ 0 });
	table.ops->begin(table.out, &functions);
	row(&table, "main", 1, 1);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_ERR_IO);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
}

/* Writes a tree of five rows, and checks the whole text. */
static void expect_tree(bool ascii, const char *text)
{
	static const struct sl_column tree_columns[] = {
		{ "total", "total", "", SL_TYPE_COUNT, 0 },
		{ "function", "function", "", SL_TYPE_TREE, 0 },
		{ "module", "module", "", SL_TYPE_STRING, 0 },
	};
	static const struct sl_table_head head = { .schema = "s", .name = "graph", .columns = tree_columns, .column_count = 3 };
	static const struct { uint32_t depth; const char *name; } rows[] = {
		{ 0, "main" }, { 1, "a" }, { 2, "deep" }, { 1, "b" }, { 2, "c" }, { 0, "irq" },
	};
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table = open_table(out, (struct sl_report_style){ .ascii = ascii });

	table.ops->begin(table.out, &head);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sl_cell cells[] = { sl_cell_u64(1000 - i), sl_cell_tree(rows[i].depth, rows[i].name),
						 sl_cell_str("m") };

		table.ops->row(table.out, cells);
	}
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

void test_table_text__draws_a_tree(void **state)
{
	(void)state;
	expect_tree(false, "total  function  module\n"
			   "1,000  main      m\n"
			   "  999  ├─a       m\n"
			   "  998  │ └─deep  m\n"
			   "  997  └─b       m\n"
			   "  996    └─c     m\n"
			   "  995  irq       m\n");
	expect_tree(true, "total  function  module\n"
			  "1,000  main      m\n"
			  "  999  |-a       m\n"
			  "  998  | `-deep  m\n"
			  "  997  `-b       m\n"
			  "  996    `-c     m\n"
			  "  995  irq       m\n");
}

void test_table_text__shows_signs(void **state)
{
	static const struct sl_column signed_columns[] = { { "change_ns", "change", "", SL_TYPE_SIGNED, 0 } };
	static const struct sl_table_head head = { .schema = "s", .name = "n", .columns = signed_columns, .column_count = 1 };
	static const int64_t values[] = { 1234567, -1234, 0, INT64_MIN };
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table = open_table(out, (struct sl_report_style){ .color = false });

	(void)state;
	table.ops->begin(table.out, &head);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct sl_cell cell = sl_cell_i64(values[i]);

		table.ops->row(table.out, &cell);
	}
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, "                    change\n"
				 "                +1,234,567\n"
				 "                    -1,234\n"
				 "                         0\n"
				 "-9,223,372,036,854,775,808\n");
	free(got);
}

void test_table_text__draws_bars(void **state)
{
	static const struct sl_column bar_columns[] = { { "bar", "", "", SL_TYPE_BAR, 0 }, { "n", "n", "", SL_TYPE_COUNT, 0 } };
	static const struct sl_table_head head = { .schema = "s", .name = "n", .columns = bar_columns, .column_count = 2 };
	static const double values[] = { 0, 0.0001, 0.025, 0.0375 };

	(void)state;
	for (int ascii = 0; ascii < 2; ascii++) {
		char *got;
		size_t len;
		FILE *out = open_memstream(&got, &len);
		struct sl_table table = open_table(out, (struct sl_report_style){ .ascii = ascii });

		table.ops->begin(table.out, &head);
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			const struct sl_cell cells[] = { sl_cell_real(values[i]), sl_cell_u64(i) };

			table.ops->row(table.out, cells);
		}
		table.ops->end(table.out);
		assert_int_equal(table.ops->close(table.out), SL_OK);
		fclose(out);
		assert_string_equal(got, ascii ? "    n\n    0\n#   1\n#   2\n##  3\n" : "    n\n    0\n▏   1\n█   2\n█▌  3\n");
		free(got);
	}
}
