/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_nearest.h"
#include "sl_report.h"

static const struct sl_column columns[] = {
	{ "function", "", "", SL_TYPE_STRING, 0 },
	{ "calls", "", "", SL_TYPE_COUNT, SL_COLUMN_RARE },
	{ "self_ns", "", "", SL_TYPE_COUNT, 0 },
	{ "self_percent", "", "", SL_TYPE_PERCENT, 0 },
};
static const struct sl_table_head functions = {
	.schema = "t/1", .name = "functions", .title = "Functions", .columns = columns, .column_count = 4,
};
static const struct sl_table_head other = { .schema = "t/1", .name = "other", .columns = columns, .column_count = 1 };

static void row(struct sl_table *table, const char *name, uint64_t calls, struct sl_cell self, double percent)
{
	char borrowed[16];
	const struct sl_cell cells[] = { sl_cell_str(strcpy(borrowed, name)), sl_cell_u64(calls), self, sl_cell_real(percent) };

	table->ops->row(table->out, cells);
	memset(borrowed, '!', sizeof(borrowed));
}

static void expect_as(enum sl_format format, const char *sort, uint64_t limit, const char *fields, const char *text)
{
	const struct sl_report_style style = { 0 };
	const struct sl_cell cells[] = { sl_cell_str("zz") };
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table;

	assert_int_equal(sl_report_table(format, &style, out, &table), SL_OK);
	assert_int_equal(sl_report_select("functions", sort, limit, fields, table, &table), SL_OK);
	table.ops->begin(table.out, &functions);
	row(&table, "b", 2, sl_cell_u64(10), 1.5);
	row(&table, "a", 1, sl_cell_u64(30), 2.5);
	row(&table, "c", 2, sl_cell_none(), 0.5);
	table.ops->end(table.out);
	table.ops->begin(table.out, &other);
	table.ops->row(table.out, cells);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

static void expect(const char *sort, uint64_t limit, const char *fields, const char *text)
{
	expect_as(SL_FORMAT_CSV, sort, limit, fields, text);
}

void test_table_select__nothing_asked_changes_nothing(void **state)
{
	(void)state;
	expect(NULL, 0, NULL, "function,calls,self_ns,self_percent\r\nb,2,10,1.5\r\na,1,30,2.5\r\nc,2,,0.5\r\n");
}

void test_table_select__numbers_descend_and_strings_ascend(void **state)
{
	(void)state;
	expect("self_percent", 0, "function", "function\r\na\r\nb\r\nc\r\n");
	expect("function", 0, "function", "function\r\na\r\nb\r\nc\r\n");
	expect("-function", 0, "function", "function\r\nc\r\nb\r\na\r\n");
	expect("+self_percent", 0, "function", "function\r\nc\r\nb\r\na\r\n");
}

void test_table_select__unknown_values_come_last_both_ways(void **state)
{
	(void)state;
	expect("self_ns", 0, "function", "function\r\na\r\nb\r\nc\r\n");
	expect("+self_ns", 0, "function", "function\r\nb\r\na\r\nc\r\n");
}

void test_table_select__ties_keep_their_order_or_go_by_the_next_key(void **state)
{
	(void)state;
	expect("calls", 0, "function", "function\r\nb\r\nc\r\na\r\n");
	expect("calls, -function", 0, "function", "function\r\nc\r\nb\r\na\r\n");
}

void test_table_select__a_name_may_leave_out_its_unit(void **state)
{
	(void)state;
	expect("self", 0, "self,function", "self_ns,function\r\n30,a\r\n10,b\r\n,c\r\n");
}

void test_table_select__fields_with_minus_are_left_out(void **state)
{
	(void)state;
	expect(NULL, 1, "-calls,-self_percent", "function,self_ns\r\nb,10\r\n");
}

void test_table_select__sets_of_columns(void **state)
{
	(void)state;
	expect(NULL, 1, "usual", "function,self_ns,self_percent\r\nb,10,1.5\r\n");
	expect(NULL, 1, "usual,-self_ns", "function,self_percent\r\nb,1.5\r\n");
	expect(NULL, 1, "usual,+calls", "function,self_ns,self_percent,calls\r\nb,10,1.5,2\r\n");
	expect(NULL, 1, "calls,all,-function", "calls,calls,self_ns,self_percent\r\n2,2,10,1.5\r\n");
}

void test_table_select__what_is_cut_is_said(void **state)
{
	(void)state;
	expect_as(SL_FORMAT_JSON, "self", 1, "function",
		  "{\"schema\":\"t/1\",\"table\":\"functions\",\"rows\":\"3\",\"rows_shown\":\"1\"}\n"
		  "{\"table\":\"functions\",\"function\":\"a\"}\n"
		  "{\"schema\":\"t/1\",\"table\":\"other\"}\n{\"table\":\"other\",\"function\":\"zz\"}\n");
	expect_as(SL_FORMAT_TEXT, "self", 2, "function", "Functions (2 of 3 rows)\na\nb\n\nzz\n");
}

void test_table_select__columns_are_checked(void **state)
{
	struct sl_diag diag;

	(void)state;
	assert_int_equal(sl_report_check_columns(columns, 4, "--sort", "-self_ns,calls,self", &diag), SL_OK);
	assert_int_equal(sl_report_check_columns(columns, 4, "--sort", "calls,functoin", &diag), SL_ERR_FORMAT);
	assert_string_equal(diag.text, "--sort: no column 'functoin' (did you mean 'function'?); "
				       "there are: function calls self_ns self_percent");
	assert_int_equal(sl_report_check_columns(columns, 4, "--fields", "xyzzy", &diag), SL_ERR_FORMAT);
	assert_string_equal(diag.text, "--fields: no column 'xyzzy'; there are: function calls self_ns self_percent");
	assert_int_equal(sl_report_check_columns(columns, 4, "--fields", "usual,-calls,all", &diag), SL_OK);
	assert_int_equal(sl_report_check_columns(columns, 4, "--sort", "all", &diag), SL_ERR_FORMAT);
	assert_int_equal(sl_report_check_columns(columns, 4, "--fields", "", &diag), SL_ERR_FORMAT);
	assert_int_equal(sl_report_check_columns(columns, 4, "--fields", "calls,,", &diag), SL_ERR_FORMAT);
}

void test_table_select__nearest_word(void **state)
{
	static const struct { const char *typed, *best; } cases[] = {
		{ "reprot", "report" }, { "inf", "info" }, { "xyz", NULL }, { "", NULL }, { "flw", "flow" },
	};
	static const char *const words[] = { "info", "packets", "flow", "report" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_nearest nearest;

		sl_nearest_init(&nearest, cases[i].typed);
		for (size_t w = 0; w < 4; w++)
			sl_nearest_offer(&nearest, words[w]);
		if (cases[i].best)
			assert_string_equal(nearest.best, cases[i].best);
		else
			assert_null(nearest.best);
	}
}
