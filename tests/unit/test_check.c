/* SPDX-License-Identifier: Apache-2.0 */
/* check on the demo, whose fast engine is a stub that makes one mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_report.h"
#include "sl_run.h"
#include "sl_sinks.h"
#include "stub_engine.h"

static struct sl_capture *capture;
static struct sl_image *image;

int group_setup(void **state)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_diag diag = { "" };

	assert_int_equal(sl_capture_open(SL_SOURCE_DIR "/fixtures/demo", &(struct sl_capture_options){ 0 }, &notes, &capture, &diag), SL_OK);
	assert_int_equal(sl_capture_load_image(capture, &notes, &image, &diag), SL_OK);
	sl_notes_release(&notes);
	return 0;
}

int group_teardown(void **state)
{
	sl_image_free(image);
	sl_capture_free(capture);
	return 0;
}

/* What check says as CSV of one table; ret_holds: whether all does. A new string. */
static char *check(struct stub_plan plan, unsigned jobs, size_t block_bytes, const char *table_name, bool *ret_holds)
{
	struct sl_run_options run = { .capture = capture, .image = image, .sink_count = 1, .trace_id = 0x10, .jobs = jobs,
				      .block_bytes = block_bytes, .engine = SL_ENGINE_FAST, .against = SL_ENGINE_OPENCSD,
				      .new_decoder = stub_decoder_new };
	struct sl_report_style style = { .table = table_name };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result = { 0 };
	struct sl_check *check;
	struct sl_table table;
	struct sl_sink sink;
	char *text = NULL;
	size_t size, differ;
	FILE *file = open_memstream(&text, &size);

	stub_plan = plan;
	assert_int_equal(sl_check_new(image, &check), SL_OK);
	sl_check_sink(check, &sink);
	run.sinks = &sink;
	assert_int_equal(sl_run(&run, &notes, &result, NULL), SL_OK);
	assert_int_equal(sl_report_table(SL_FORMAT_CSV, &style, file, &table), SL_OK);
	sl_check_report(check, &result, &table);
	assert_int_equal(table.ops->close(table.out), SL_OK);
	fclose(file);
	*ret_holds = sl_check_holds(check, &result);
	assert_int_equal(sl_check_compared(check, &differ), 1);
	assert_int_equal(differ, !*ret_holds);
	sl_check_free(check);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
	return text;
}

void test_check__engines_that_agree(void **state)
{
	bool holds;
	char *text = check((struct stub_plan){ 0 }, 1, 0, "lanes", &holds);

	assert_true(holds);
	assert_non_null(strstr(text, "fast,opencsd,143179,111643,310501,111643,,same\r\n"));
	free(text);
}

void test_check__an_element_that_was_dropped(void **state)
{
	bool holds;
	char *text = check((struct stub_plan){ STUB_DROPS, 20000 }, 1, 0, "lanes", &holds);

	assert_false(holds);
	assert_non_null(strstr(text, "fast,opencsd,143179,111642,"));
	assert_non_null(strstr(text, ",differs\r\n"));
	free(text);
}

void test_check__an_element_that_was_changed(void **state)
{
	bool holds;
	char *text = check((struct stub_plan){ STUB_CHANGES, 20000 }, 1, 0, "lanes", &holds);

	assert_false(holds);
	assert_non_null(strstr(text, ",20000,"));
	assert_non_null(strstr(text, ",differs\r\n"));
	free(text);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

void test_check__shows_what_is_around(void **state)
{
	bool holds;
	char *text = check((struct stub_plan){ STUB_CHANGES, 20000 }, 1, 0, "differences", &holds);

	assert_int_equal(count(text, "0x10,packet,"), 7);
	assert_int_equal(count(text, "0x10,both,"), 4);
	assert_int_equal(count(text, "0x10,fast,"), 4);
	assert_int_equal(count(text, "0x10,opencsd,"), 4);
	free(text);
}

/* The packet that the element comes from is shown. */
void test_check__shows_the_packet(void **state)
{
	bool holds;
	char *lanes = check((struct stub_plan){ STUB_REPEATS, 30000 }, 1, 0, "lanes", &holds);
	char *text = check((struct stub_plan){ STUB_REPEATS, 30000 }, 1, 0, "differences", &holds);
	char *offset = strrchr(lanes, ','), row[80];

	while (offset[-1] != ',')
		offset--;
	snprintf(row, sizeof(row), "0x10,fast,%.*s,", (int)strcspn(offset, ","), offset);
	assert_non_null(strstr(text, row));
	snprintf(row, sizeof(row), "0x10,packet,%.*s,", (int)strcspn(offset, ","), offset);
	assert_non_null(strstr(text, row));
	free(lanes);
	free(text);
}

void test_check__the_very_ends(void **state)
{
	static const struct stub_plan plans[] = { { STUB_DROPS, 0 }, { STUB_CHANGES, 0 }, { STUB_DROPS, 44191 },
						  { STUB_REPEATS, 44191 } };

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		bool holds;
		char *text = check(plans[i], 1, 0, "differences", &holds);

		assert_false(holds);
		assert_true(count(text, "0x10,fast,") + count(text, "0x10,opencsd,") > 0);
		free(text);
	}
}

void test_check__jobs_and_blocks_change_nothing(void **state)
{
	static const size_t blocks[] = { 17, 4096, 0 };
	bool holds;
	char *first = check((struct stub_plan){ STUB_DROPS, 12345 }, 1, 0, "differences", &holds);

	for (unsigned jobs = 1; jobs < 8; jobs += 6) {
		for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
			char *text = check((struct stub_plan){ STUB_DROPS, 12345 }, jobs, blocks[i], "differences", &holds);

			assert_string_equal(text, first);
			free(text);
		}
	}
	free(first);
}
