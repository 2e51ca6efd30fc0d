/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that are told to latency, and what it measures, checked by hand. Times are instructions, and ten times as many cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_latency.h"
#include "sl_span.h"

struct fixture {
	struct sl_image *image;
	struct sl_latency *latency;
	struct sl_calls *calls;
	struct sl_call_sink sink;
	struct sl_buffer buffer;
	struct sl_stream streams[2];
	struct sl_lane lanes[2];
	unsigned lane;
	uint32_t stack;
	uint64_t now;
	const struct sl_table_head *head;
	char rows[4096];
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(sl_calls_new(fx->image, NULL, 0, &fx->calls), SL_OK);
	fx->buffer.name = "B";
	for (unsigned i = 0; i < 2; i++) {
		fx->streams[i] = (struct sl_stream){ .name = "E", .trace_id = (uint8_t)(16 + i) };
		fx->lanes[i] = (struct sl_lane){ .index = i, .buffer = &fx->buffer, .stream = &fx->streams[i] };
	}
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_latency_free(fx->latency);
	sl_calls_free(fx->calls);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void make(struct fixture *fx, const char *a, const char *b, struct sl_latency_options options)
{
	struct sl_diag diag;

	sl_latency_free(fx->latency);
	options.image = fx->image;
	assert_int_equal(sl_latency_place_parse(a, &options.a, &diag), SL_OK);
	if (b)
		assert_int_equal(sl_latency_place_parse(b, &options.b, &diag), SL_OK);
	assert_int_equal(sl_latency_new(&options, &fx->latency), SL_OK);
	sl_latency_call_sink(fx->latency, &fx->sink);
	fx->now = 0;
	fx->lane = 0;
	fx->stack = 0;
}

static void tell(struct fixture *fx, struct sl_call call)
{
	const struct sl_context context = { .context_id = 7 + fx->stack, .flags = SL_CTX_ID };
	const struct sl_axes now = { { fx->now, 10 * fx->now, 2 * fx->now * SL_TICK_PARTS } };

	call.stack = fx->stack;
	call.lane = &fx->lanes[fx->lane];
	call.context = &context;
	call.enter = call.enter ? call.enter : &now;
	call.leave = call.kind == SL_CALL_LEAVE || call.kind == SL_CALL_RESUME ? &now : NULL;
	call.offset = call.leave_offset = 1000 + fx->now;
	fx->sink.ops->call(fx->sink.self, &call);
}

static uint32_t symbol(const struct fixture *fx, uint64_t address)
{
	return sl_image_symbol_at(fx->image, 0, address).id;
}

static void enter(struct fixture *fx, uint64_t now, uint64_t address)
{
	fx->now = now;
	tell(fx, (struct sl_call){ .kind = SL_CALL_ENTER, .symbol = symbol(fx, address) });
}

static void leave(struct fixture *fx, uint64_t now, uint64_t address, uint64_t total, unsigned flags)
{
	const struct sl_axes entered = { { now - total, 10 * (now - total), 0 } }, whole = { { total, 10 * total, 0 } },
			     self = { { total / 2, 5 * total, 0 } };

	fx->now = now;
	tell(fx, (struct sl_call){ .kind = SL_CALL_LEAVE, .symbol = symbol(fx, address), .flags = flags, .enter = &entered,
				   .total = &whole, .self = &self });
}

static void at(struct fixture *fx, uint64_t now, enum sl_call_kind kind, uint32_t number, enum sl_level level)
{
	fx->now = now;
	tell(fx, (struct sl_call){ .kind = kind, .number = number, .level = level });
}

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;

	fx->head = head;
	sprintf(fx->rows + strlen(fx->rows), "%s|", head->name);
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;
	size_t columns = strcmp(fx->head->name, "histogram") == 0 ? 3 : fx->head->column_count;

	for (size_t i = 0; i < columns; i++) {
		size_t len = strlen(fx->rows), room = sizeof(fx->rows) - len;

		if (!cells[i].known)
			snprintf(fx->rows + len, room, "- ");
		else if (fx->head->columns[i].type == SL_TYPE_REAL)
			snprintf(fx->rows + len, room, "%.1f ", cells[i].d);
		else if (fx->head->columns[i].type == SL_TYPE_STRING)
			snprintf(fx->rows + len, room, "%s ", cells[i].s);
		else
			snprintf(fx->rows + len, room, "%d ", (int)cells[i].u);
	}
	strcat(fx->rows, ";");
}

static void on_end(void *out)
{
	(void)out;
}

static int on_close(void *out)
{
	(void)out;
	return SL_OK;
}

static const char *report(struct fixture *fx, enum sl_axis axis)
{
	static const struct sl_table_ops ops = { on_begin, on_row, on_end, on_close };
	const struct sl_latency_shown shown = { .axis = axis, .worst = 2, .timestamp_hz = 1000000000 };
	const struct sl_table table = { &ops, fx };

	fx->rows[0] = '\0';
	assert_int_equal(sl_latency_finish(fx->latency, axis), SL_OK);
	assert_int_equal(sl_latency_report(fx->latency, &shown, &table), SL_OK);
	return fx->rows;
}

/* measured a b a-alone b-alone over-gap other-clock lacking sum */
static const char *counted(struct fixture *fx, enum sl_axis axis)
{
	struct sl_latency_counts counts;

	assert_int_equal(sl_latency_finish(fx->latency, axis), SL_OK);
	counts = sl_latency_counts(fx->latency);
	snprintf(fx->rows, sizeof(fx->rows), "%d: %d %d, alone %d %d, gap %d, clock %d, lacking %d", (int)counts.measured, (int)counts.a,
		 (int)counts.b, (int)counts.a_alone, (int)counts.b_alone, (int)counts.over_gap, (int)counts.other_clock,
		 (int)counts.lacking);
	return fx->rows;
}

void test_latency__b_pairs_with_the_last_a(void **state)
{
	struct fixture *fx = *state;

	make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	enter(fx, 5, CODE_G);
	enter(fx, 10, CODE_F);
	enter(fx, 20, CODE_F);
	enter(fx, 23, CODE_G);
	enter(fx, 24, CODE_G);
	enter(fx, 30, CODE_F);
	enter(fx, 35, CODE_G);
	enter(fx, 50, CODE_F);
	/* measured min avg max stdev p50 p90 p99 p99.9 sum, seen A B, alone A B, over gap, two CPUs, lacking, dropped */
	assert_string_equal(report(fx, SL_AXIS_INSNS),
			    "summary|2 3 4.0 5 1.0 3 5 5 5 8 4 4 2 2 0 0 0 0 ;histogram|3 3 1 ;4 4 0 ;5 5 1 ;"
			    "worst|1 5 30 B 16 1030 B 16 1035 ;2 3 20 B 16 1020 B 16 1023 ;");
}

void test_latency__on_the_axis_that_is_shown(void **state)
{
	struct fixture *fx = *state;

	make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	enter(fx, 10, CODE_F);
	enter(fx, 13, CODE_G);
	report(fx, SL_AXIS_CYCLES);
	assert_non_null(strstr(fx->rows, "summary|1 30 30.0 30 0.0 30 30 30 30 30 "));
}

void test_latency__intervals(void **state)
{
	struct fixture *fx = *state;

	make(fx, "f", NULL, (struct sl_latency_options){ .of = SL_LATENCY_INTERVAL });
	enter(fx, 10, CODE_F);
	enter(fx, 20, CODE_F);
	enter(fx, 50, CODE_F);
	report(fx, SL_AXIS_INSNS);
	assert_non_null(strstr(fx->rows, "summary|2 10 20.0 30 10.0 10 30 30 30 40 3 - - - 0 0 0 0 ;"));
}

void test_latency__tasks_pair_by_themselves(void **state)
{
	struct fixture *fx = *state;

	for (int pair = SL_PAIR_TASK; pair <= SL_PAIR_ANY; pair++) {
		make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS, .pair = (enum sl_latency_pair)pair });
		enter(fx, 10, CODE_F);
		fx->stack = 1;
		enter(fx, 20, CODE_G);
		fx->stack = 0;
		enter(fx, 30, CODE_G);
		/* The task's own G is the second one. */
		report(fx, SL_AXIS_INSNS);
		assert_non_null(strstr(fx->rows, pair == SL_PAIR_TASK ? "|1 20 20.0 20 0.0 20 20 20 20 20 1 2 0 1 0 "
									: "|1 10 10.0 10 0.0 10 10 10 10 10 1 2 0 1 0 "));
	}
}

void test_latency__only_time_goes_over_lanes(void **state)
{
	struct fixture *fx = *state;

	for (int pair = SL_PAIR_TASK; pair <= SL_PAIR_ANY; pair++) {
		make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS, .pair = (enum sl_latency_pair)pair });
		enter(fx, 10, CODE_F);
		fx->lane = 1;
		enter(fx, 30, CODE_G);
		if (pair == SL_PAIR_CPU)
			assert_string_equal(counted(fx, SL_AXIS_TICKS), "0: 1 1, alone 1 1, gap 0, clock 0, lacking 0");
		else
			assert_non_null(strstr(report(fx, SL_AXIS_TICKS), "summary|1 40 40.0 40 "));
		make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS, .pair = (enum sl_latency_pair)pair });
		enter(fx, 10, CODE_F);
		fx->lane = 1;
		enter(fx, 30, CODE_G);
		if (pair != SL_PAIR_CPU)
			assert_string_equal(counted(fx, SL_AXIS_CYCLES), "0: 1 1, alone 0 0, gap 0, clock 1, lacking 0");
	}
}

/* ANY sorts by time, whichever lane is told first. */
void test_latency__any_is_in_order_of_time(void **state)
{
	struct fixture *fx = *state;

	make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS, .pair = SL_PAIR_ANY });
	enter(fx, 10, CODE_F);
	enter(fx, 40, CODE_F);
	fx->lane = 1;
	enter(fx, 30, CODE_G);
	enter(fx, 45, CODE_G);
	report(fx, SL_AXIS_TICKS);
	assert_non_null(strstr(fx->rows, "summary|2 10 25.0 40 15.0 10 40 40 40 50 2 2 0 0 0 0 0 0 ;"));
}

void test_latency__nothing_is_measured_over_lost_trace(void **state)
{
	struct fixture *fx = *state;

	for (int pair = SL_PAIR_TASK; pair <= SL_PAIR_ANY; pair++) {
		make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS, .pair = (enum sl_latency_pair)pair });
		at(fx, 5, SL_CALL_GAP, SL_GAP_OVERFLOW, SL_LEVEL_NONE);
		enter(fx, 10, CODE_F);
		at(fx, 15, SL_CALL_GAP, SL_GAP_OVERFLOW, SL_LEVEL_NONE);
		enter(fx, 30, CODE_G);
		enter(fx, 40, CODE_F);
		at(fx, 41, SL_CALL_GAP, SL_GAP_FILTER, SL_LEVEL_NONE); /* nothing was lost */
		enter(fx, 42, CODE_G);
		assert_string_equal(counted(fx, SL_AXIS_INSNS), "1: 2 2, alone 0 0, gap 1, clock 0, lacking 0");
	}
}

void test_latency__exceptions_tasks_and_leaving(void **state)
{
	struct fixture *fx = *state;

	make(fx, "irq", "return:irq", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	at(fx, 10, SL_CALL_LEVEL, 14, SL_LEVEL_IRQ);
	at(fx, 11, SL_CALL_LEVEL, 2, SL_LEVEL_SYSCALL);
	at(fx, 12, SL_CALL_RESUME, 2, SL_LEVEL_SYSCALL);
	at(fx, 20, SL_CALL_RESUME, 14, SL_LEVEL_IRQ);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "summary|1 10 10.0 "));
	make(fx, "exception:2", "leave:f", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	at(fx, 10, SL_CALL_LEVEL, 14, SL_LEVEL_IRQ);
	at(fx, 12, SL_CALL_LEVEL, 2, SL_LEVEL_SYSCALL);
	leave(fx, 15, CODE_F, 1, SL_SPAN_NO_EXIT); /* nobody saw it leave */
	leave(fx, 19, CODE_F, 1, SL_SPAN_NO_ENTRY);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "summary|1 7 7.0 "));
	make(fx, "task:8", "f", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	at(fx, 10, SL_CALL_CONTEXT, 0, SL_LEVEL_NONE);
	fx->stack = 1;
	at(fx, 20, SL_CALL_CONTEXT, 0, SL_LEVEL_NONE);
	enter(fx, 26, CODE_F);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "summary|1 6 6.0 "));
}

static struct sl_fused piece_at(void *ctx, uint64_t back)
{
	return (struct sl_fused){ .at = { { *(uint64_t *)ctx - back, 1100, 0 } } };
}

/* The clock stands behind a piece: what of it runs from the address on is counted back. */
void test_latency__addresses(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem range = elem_run(CODE_F, 10, SL_LAST_OTHER, SL_BRANCH_PLAIN);
	uint64_t now = 110;
	const struct sl_piece piece = { .range = &range, .lane = &fx->lanes[0], .at = piece_at, .ctx = &now };

	make(fx, "addr:0x1108", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	fx->sink.ops->piece(fx->sink.self, &piece);
	enter(fx, 120, CODE_G);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "summary|1 18 18.0 "));
	make(fx, "0x1128", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS }); /* behind the piece */
	fx->sink.ops->piece(fx->sink.self, &piece);
	assert_string_equal(counted(fx, SL_AXIS_INSNS), "0: 0 0, alone 0 0, gap 0, clock 0, lacking 0");
	make(fx, "f", "g", (struct sl_latency_options){ .of = SL_LATENCY_PAIRS });
	assert_null(fx->sink.ops->piece);
}

void test_latency__durations_and_self(void **state)
{
	struct fixture *fx = *state;

	make(fx, "f", NULL, (struct sl_latency_options){ .of = SL_LATENCY_DURATION });
	leave(fx, 100, CODE_F, 40, 0);
	leave(fx, 300, CODE_F, 50, 0);
	leave(fx, 400, CODE_F, 400, SL_SPAN_NO_EXIT);
	leave(fx, 410, CODE_G, 1, 0);
	report(fx, SL_AXIS_INSNS);
	assert_non_null(strstr(fx->rows, "summary|2 40 45.0 50 5.0 40 50 50 50 90 3 - - - 0 0 1 0 ;"));
	make(fx, "f", NULL, (struct sl_latency_options){ .of = SL_LATENCY_SELF });
	leave(fx, 100, CODE_F, 40, 0);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "summary|1 20 20.0 20 "));
}

/* Classes hold each value once, whatever the spread. */
void test_latency__classes_hold_all(void **state)
{
	struct fixture *fx = *state;
	static const uint64_t spreads[] = { 1, 3, 127, 129, 70000, UINT64_C(1) << 40 };

	for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++) {
		make(fx, "f", NULL, (struct sl_latency_options){ .of = SL_LATENCY_DURATION });
		for (uint64_t n = 0; n < 200; n++)
			leave(fx, UINT64_C(1) << 41, CODE_F, spreads[i] / 200 * n + n % 7, 0);
		report(fx, SL_AXIS_INSNS);
		assert_non_null(strstr(fx->rows, "summary|200 "));
		int sum = 0, classes = 0, count;

		for (char *row = strstr(fx->rows, "histogram|") + 10; strncmp(row, "worst", 5) != 0; row = strchr(row, ';') + 1) {
			assert_int_equal(sscanf(row, "%*d %*d %d", &count), 1);
			sum += count;
			classes++;
		}
		assert_int_equal(sum, 200);
		assert_in_range(classes, 1, i == 5 ? 41 : 24);
	}
}

void test_latency__what_is_no_place(void **state)
{
	static const char *const wrong[] = { "", "enter:", "leave:", "addr:", "addr:main", "addr:010", "exception:x", "exception:-1",
					     "return:", "task:", "0x", "addr: 5" };
	struct sl_latency_place place = { .value = 42 };
	struct sl_diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(sl_latency_place_parse(wrong[i], &place, &diag), SL_ERR_FORMAT);
		assert_non_null(strstr(diag.text, "a place is NAME"));
	}
	assert_int_equal(place.value, 42);
	assert_int_equal(sl_latency_place_parse("enter:irq", &place, &diag), SL_OK);
	assert_string_equal(place.function, "irq");
}
