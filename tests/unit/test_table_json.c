/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_report.h"

static const struct sl_column columns[] = {
	{ "function", "", "", SL_TYPE_STRING, 0 }, { "calls", "", "", SL_TYPE_COUNT, 0 },
	{ "share", "", "", SL_TYPE_PERCENT, 0 },   { "address", "", "", SL_TYPE_ADDR, 0 },
	{ "id", "", "", SL_TYPE_HEX, 0 },	   { "closed", "", "", SL_TYPE_BOOL, 0 },
};
static const struct sl_meta meta[] = { { "axis", "ns" }, { "capture", "a\"b" }, { "none", NULL } };
static const struct sl_table_head head = {
	.schema = "sightline.test/1", .name = "functions", .title = "T", .columns = columns, .column_count = 6,
	.meta = meta, .meta_count = 3,
};

static void expect(const struct sl_cell *cells, struct sl_report_style style, const char *text)
{
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_table table;

	assert_int_equal(sl_report_table(SL_FORMAT_JSON, &style, out, &table), SL_OK);
	table.ops->begin(table.out, &head);
	table.ops->row(table.out, cells);
	table.ops->end(table.out);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

void test_table_json__head_and_row(void **state)
{
	const struct sl_cell cells[] = { sl_cell_str("main"),	    sl_cell_u64(UINT64_MAX), sl_cell_real(0.1),
					 sl_cell_u64(0xffff0000u), sl_cell_u64(0x10),	     sl_cell_u64(1) };

	(void)state;
	expect(cells, (struct sl_report_style){ 0 },
	       "{\"schema\":\"sightline.test/1\",\"table\":\"functions\",\"axis\":\"ns\",\"capture\":\"a\\\"b\"}\n"
	       "{\"table\":\"functions\",\"function\":\"main\",\"calls\":18446744073709551615,\"share\":0.1,"
	       "\"address\":\"0xffff0000\",\"id\":\"0x10\",\"closed\":true}\n");
}

void test_table_json__continuation_has_no_head_and_none_is_null(void **state)
{
	const struct sl_cell cells[] = { sl_cell_none(), sl_cell_none(), sl_cell_real(NAN),
					 sl_cell_none(), sl_cell_none(), sl_cell_none() };

	(void)state;
	expect(cells, (struct sl_report_style){ .continuation = true },
	       "{\"table\":\"functions\",\"function\":null,\"calls\":null,\"share\":null,\"address\":null,\"id\":null,"
	       "\"closed\":null}\n");
}

void test_table_json__strings_are_escaped(void **state)
{
	static const struct { const char *raw, *json; } cases[] = {
		{ "a\"\\b", "a\\\"\\\\b" },
		{ "\n\t\x01\x7f", "\\n\\t\\u0001\\u007f" },
		{ "\xc2\x9b", "\\u009b" },			       /* C1: CSI for some terminals */
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },	       /* overlong */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },	       /* cut at the end */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_cell cells[6] = { sl_cell_str(cases[i].raw) };
		char want[300];

		snprintf(want, sizeof(want),
			 "{\"table\":\"functions\",\"function\":\"%s\",\"calls\":null,\"share\":null,"
			 "\"address\":null,\"id\":null,\"closed\":null}\n",
			 cases[i].json);
		expect(cells, (struct sl_report_style){ .continuation = true }, want);
	}
}

void test_table_json__no_table_but_the_chosen_one(void **state)
{
	const struct sl_cell cells[6] = { 0 };

	(void)state;
	expect(cells, (struct sl_report_style){ .table = "account" }, "");
}

void test_table_json__numbers_do_not_follow_the_locale(void **state)
{
	const struct sl_cell cells[6] = { [2] = sl_cell_real(1234.5) };

	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE"))
		skip();
	expect(cells, (struct sl_report_style){ .continuation = true },
	       "{\"table\":\"functions\",\"function\":null,\"calls\":null,\"share\":1234.5,\"address\":null,\"id\":null,"
	       "\"closed\":null}\n");
	setlocale(LC_NUMERIC, "C");
}
