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

static void expect(enum sl_format format, struct sl_report_style style, const struct sl_span *spans, size_t count,
		   const char *text)
{
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);
	struct sl_spans flow;

	assert_int_equal(sl_report_spans(format, &style, out, &flow), SL_OK);
	flow.ops->begin(flow.out, "ETB_0 id 10", "insns");
	for (size_t i = 0; i < count; i++)
		flow.ops->step(flow.out, &spans[i]);
	flow.ops->end(flow.out);
	assert_int_equal(flow.ops->close(flow.out), SL_OK);
	fclose(out);
	assert_string_equal(got, text);
	free(got);
}

#define HEAD "ETB_0 id 10\n           insns  flow\n"
#define EXPECT_TEXT(spans, text)                                                                   \
	expect(SL_FORMAT_TEXT, (struct sl_report_style){ 0 }, spans, sizeof(spans) / sizeof((spans)[0]), text)

void test_spans__leaf_calls_take_one_line(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .at = 1024, .name = "main" },
		{ .kind = SL_SPAN_ENTER, .at = 1030, .depth = 1, .name = "fib" },
		{ .kind = SL_SPAN_LEAVE, .at = 1042, .depth = 1, .name = "fib", .duration = 12, .self = 12 },
		{ .kind = SL_SPAN_LEAVE, .at = 1424, .name = "main", .duration = 400, .self = 20 },
	};

	(void)state;
	EXPECT_TEXT(spans, HEAD
		    "           1,024  main() {\n"
		    "           1,030    fib();                                      /* 12 insns */\n"
		    "           1,424  }                                             /* main: 400 insns, self 20 */\n");
}

void test_spans__a_call_on_another_stack_is_no_leaf(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .at = 1, .name = "f", .flags = SL_SPAN_TAIL },
		{ .kind = SL_SPAN_LEAVE, .at = 2, .name = "g", .duration = 2, .self = 2 },
		{ .kind = SL_SPAN_ENTER, .at = 2, .name = "h", .flags = SL_SPAN_TAIL },
		{ .kind = SL_SPAN_LEAVE, .at = 3, .name = "h", .duration = 1, .self = 1, .flags = SL_SPAN_TAIL | SL_SPAN_NO_EXIT },
	};

	(void)state;
	EXPECT_TEXT(spans, HEAD
		    "               1  f() {                                         /* tail */\n"
		    "               2  }                                             /* g: 2 insns, self 2 */\n"
		    "               2  h();                                          /* tail, 1 insns, exit not traced */\n");
}

void test_spans__flags_and_modules_are_comments(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .name = "f(int)", .module = "app", .flags = SL_SPAN_NO_ENTRY },
		{ .kind = SL_SPAN_ENTER, .depth = 1, .name = "g", .module = "app", .flags = SL_SPAN_TAIL },
		{ .kind = SL_SPAN_LEAVE, .depth = 1, .name = "g", .module = "app", .flags = SL_SPAN_NO_EXIT },
		{ .kind = SL_SPAN_LEAVE, .name = "f(int)", .module = "app", .flags = SL_SPAN_NO_ENTRY | SL_SPAN_REPAIRED },
	};

	(void)state;
	EXPECT_TEXT(spans, HEAD
		    "               0  f(int) {                                      /* entry not traced, app */\n"
		    "               0    g();                                        /* tail, 0 insns, exit not traced */\n"
		    "               0  }                                             "
		    "/* f(int): 0 insns, self 0, entry not traced, inferred */\n");
}

void test_spans__levels_gaps_and_notes(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .name = "main" },
		{ .kind = SL_SPAN_LEVEL, .at = 5, .depth = 1, .name = "IRQ (exception 14)" },
		{ .kind = SL_SPAN_RESUME, .at = 9, .depth = 1, .name = "IRQ (exception 14)", .duration = 4 },
		{ .kind = SL_SPAN_GAP, .at = 9, .name = "no image", .address = 0x8000 },
		{ .kind = SL_SPAN_NOTE, .at = 9, .name = "context 12" },
		{ .kind = SL_SPAN_ENTER, .at = 10, .name = "[no image]" },
	};

	(void)state;
	EXPECT_TEXT(spans, HEAD
		    "               0  main() {\n"
		    "               5    --- IRQ (exception 14) ---\n"
		    "               9    --- end of IRQ (exception 14) ---           /* 4 insns */\n"
		    "               9  *** gap: no image at 0x8000 ***\n"
		    "               9  /* context 12 */\n"
		    "              10  [no image] {\n");
}

void test_spans__instructions_with_their_lines(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .name = "main" },
		{ .kind = SL_SPAN_INSN, .depth = 1, .address = 0x8000, .text = "mov\tr0, r1", .file = "main.c", .line = 7 },
		{ .kind = SL_SPAN_INSN, .at = 1, .depth = 1, .address = 0x8004, .text = "nop", .file = "main.c", .line = 7 },
		{ .kind = SL_SPAN_INSN, .at = 2, .depth = 1, .address = 0x8008, .text = "ret", .file = "main.c", .line = 8 },
		{ .kind = SL_SPAN_LEAVE, .at = 3, .name = "main", .duration = 3, .self = 3 },
	};

	(void)state;
	EXPECT_TEXT(spans, HEAD
		    "               0  main() {\n"
		    "               0    0x00008000  mov r0, r1                      /* main.c:7 */\n"
		    "               1    0x00008004  nop\n"
		    "               2    0x00008008  ret                             /* main.c:8 */\n"
		    "               3  }                                             /* main: 3 insns, self 3 */\n");
}

void test_spans__deep_stacks_stay_on_the_screen(void **state)
{
	static const struct sl_span spans[] = { { .kind = SL_SPAN_ENTER, .depth = 100000, .name = "f" } };
	char want[300];

	(void)state;
	snprintf(want, sizeof(want), HEAD "               0  %80s[100000] f() {\n", "");
	EXPECT_TEXT(spans, want);
}

void test_spans__hostile_names(void **state)
{
	static const struct sl_span spans[] = { { .kind = SL_SPAN_ENTER, .name = "\033]0;x\a" },
						{ .kind = SL_SPAN_ENTER, .name = "" } };

	(void)state;
	EXPECT_TEXT(spans, HEAD "               0  ?]0;x?() {\n               0  () {\n");
}

void test_spans__json_steps(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_ENTER, .at = 7, .offset = 64, .address = 0x8000, .name = "ma\"in", .module = "app",
		  .flags = SL_SPAN_NO_ENTRY | SL_SPAN_TAIL },
		{ .kind = SL_SPAN_LEAVE, .at = 9, .offset = 65, .name = "m", .duration = 2, .self = 1 },
		{ .kind = SL_SPAN_INSN, .depth = 1, .text = "nop", .file = "a.c", .line = 3 },
	};
	const struct sl_report_style style = { 0 }, later = { .continuation = true };
	const char *text = "{\"schema\":\"sightline.flow/1\",\"table\":\"flow\"}\n"
			   "{\"table\":\"flow\",\"lane\":\"ETB_0 id 10\",\"kind\":\"enter\",\"depth\":0,\"at_insns\":7,"
			   "\"offset\":64,\"address\":\"0x8000\",\"name\":\"ma\\\"in\",\"module\":\"app\","
			   "\"flags\":[\"no_entry\",\"tail\"]}\n"
			   "{\"table\":\"flow\",\"lane\":\"ETB_0 id 10\",\"kind\":\"leave\",\"depth\":0,\"at_insns\":9,"
			   "\"duration_insns\":2,\"self_insns\":1,\"offset\":65,\"name\":\"m\"}\n"
			   "{\"table\":\"flow\",\"lane\":\"ETB_0 id 10\",\"kind\":\"insn\",\"depth\":1,\"at_insns\":0,"
			   "\"offset\":0,\"text\":\"nop\",\"file\":\"a.c\",\"line\":3}\n";

	(void)state;
	expect(SL_FORMAT_JSON, style, spans, 3, text);
	expect(SL_FORMAT_JSON, later, spans, 3, strchr(text, '\n') + 1);
}

void test_spans__csv_steps(void **state)
{
	static const struct sl_span spans[] = {
		{ .kind = SL_SPAN_LEAVE, .at = 9, .offset = 65, .name = "f(int, int)", .duration = 2, .self = 1,
		  .flags = SL_SPAN_NO_EXIT | SL_SPAN_REPAIRED },
		{ .kind = SL_SPAN_INSN, .depth = 1, .address = 16, .text = "nop", .file = "a.c", .line = 3 },
	};
	const struct sl_report_style style = { 0 }, later = { .continuation = true };
	const char *text = "lane,unit,kind,depth,at,duration,self,offset,address,name,module,flags,text,file,line\r\n"
			   "ETB_0 id 10,insns,leave,0,9,2,1,65,,\"f(int, int)\",,no_exit repaired,,,\r\n"
			   "ETB_0 id 10,insns,insn,1,0,,,0,0x10,,,,nop,a.c,3\r\n";

	(void)state;
	expect(SL_FORMAT_CSV, style, spans, 2, text);
	expect(SL_FORMAT_CSV, later, spans, 2, strchr(text, '\n') + 1);
}

void test_spans__write_error_sticks(void **state)
{
	(void)state;
	for (unsigned format = 0; format < SL_FORMATS; format++) {
		const struct sl_report_style style = { 0 };
		FILE *full = fopen("/dev/full", "w");
		struct sl_spans flow;

		if (!full)
			skip();
		assert_int_equal(sl_report_spans((enum sl_format)format, &style, full, &flow), SL_OK);
		flow.ops->begin(flow.out, "lane", "ns");
		flow.ops->end(flow.out);
		assert_int_equal(flow.ops->close(flow.out), SL_ERR_IO);
		assert_int_equal(errno, ENOSPC);
		fclose(full);
	}
}
