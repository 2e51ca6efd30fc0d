/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "sl_report.h"

static const struct sl_column columns[] = {
	{ "function", "", "", SL_TYPE_STRING, 0 }, { "total_ns", "", "", SL_TYPE_COUNT, 0 },
	{ "share", "", "", SL_TYPE_PERCENT, 0 },   { "address", "", "", SL_TYPE_ADDR, 0 },
	{ "closed", "", "", SL_TYPE_BOOL, 0 },
};
static const struct sl_table_head functions = { .name = "functions", .columns = columns, .column_count = 5 };
static const struct sl_table_head account = { .name = "account", .columns = columns, .column_count = 1 };

static void expect(const char *name, struct sl_report_style style, const char *text)
{
	const struct sl_cell cells[] = { sl_cell_str(name), sl_cell_u64(1234567), sl_cell_real(12.5), sl_cell_u64(0x8000),
					 sl_cell_u64(0) };
	const struct sl_cell none[5] = { 0 };
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table;

	assert_int_equal(sl_report_table(SL_FORMAT_CSV, &style, out, &table), SL_OK);
	table.ops->begin(table.out, &functions);
	table.ops->row(table.out, cells);
	table.ops->row(table.out, none);
	table.ops->end(table.out);
	table.ops->begin(table.out, &account);
	table.ops->row(table.out, cells);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

void test_table_csv__first_table_without_choice(void **state)
{
	(void)state;
	expect("main", (struct sl_report_style){ 0 },
	       "function,total_ns,share,address,closed\r\nmain,1234567,12.5,0x8000,false\r\n,,,,\r\n");
}

void test_table_csv__chosen_table(void **state)
{
	(void)state;
	expect("main", (struct sl_report_style){ .table = "account" }, "function\r\nmain\r\n");
}

void test_table_csv__continuation_has_no_header(void **state)
{
	(void)state;
	expect("main", (struct sl_report_style){ .continuation = true }, "main,1234567,12.5,0x8000,false\r\n,,,,\r\n");
}

void test_table_csv__fields_are_quoted(void **state)
{
	static const struct { const char *raw, *csv; } cases[] = {
		{ "f(int, char)", "\"f(int, char)\"" }, { "say \"hi\"", "\"say \"\"hi\"\"\"" },
		{ "a\nb", "\"a\nb\"" },			{ "\033[2J\xff", "\xef\xbf\xbd[2J\xef\xbf\xbd" },
		{ "a b", "a b" },
	};
	char want[100];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(want, sizeof(want), "function\r\n%s\r\n", cases[i].csv);
		expect(cases[i].raw, (struct sl_report_style){ .table = "account" }, want);
	}
}
