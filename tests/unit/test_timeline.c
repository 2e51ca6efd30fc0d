/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls told to the timeline sink, and what it tells on. An event reads "+name@at" (begins), "-name@start..at=total/self" (ends),
 * "-name~start..at" (ends without costs), "!name@at" (trace lost), "track name:" where another track goes on.
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
#include "sl_export.h"
#include "sl_sinks.h"

struct fixture {
	struct sl_image *image;
	struct sl_calls *calls;
	struct sl_timeline_sink *timeline;
	struct sl_call_sink sink;
	struct sl_buffer buffer;
	struct sl_stream streams[2];
	struct sl_lane lanes[2];
	uint32_t stack, depth[4], lane, last_track;
	char text[4096];
};

static void say(struct fixture *fx, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct fixture *fx, const char *format, ...)
{
	size_t len = strlen(fx->text);
	va_list args;

	va_start(args, format);
	vsnprintf(fx->text + len, sizeof(fx->text) - len, format, args);
	va_end(args);
}

static void on_begin(void *out, const struct sl_timeline_head *head)
{
	struct fixture *fx = out;

	fx->text[0] = '\0';
	fx->last_track = UINT32_MAX;
	assert_non_null(head->unit);
}

static void on_event(void *out, const struct sl_timeline_event *e)
{
	struct fixture *fx = out;
	const char *cut = e->flags & SL_TIMELINE_MOVED ? "*" : "";

	if (e->kind == SL_TIMELINE_RUN)
		return;
	if (e->kind == SL_TIMELINE_MARK) {
		say(fx, "!%s@%d ", e->name, (int)e->at);
		return;
	}
	if (e->track->id != fx->last_track)
		say(fx, "%s: ", e->track->name);
	fx->last_track = e->track->id;
	if (e->kind == SL_TIMELINE_BEGIN)
		say(fx, "+%s%s@%d ", cut, e->name, (int)e->at);
	else if (e->costs)
		say(fx, "-%s%s@%d..%d=%d/%d ", cut, e->name, (int)e->start, (int)e->at, (int)e->total, (int)e->self);
	else
		say(fx, "-%s%s~%d..%d ", cut, e->name, (int)e->start, (int)e->at);
}

static int on_close(void *out)
{
	(void)out;
	return SL_OK;
}

/* Lanes are known before: from a run over nothing, which leaves two that are told of here. */
static void begin_lanes(struct fixture *fx)
{
	struct sl_sink sink;

	sl_calls_sink(fx->calls, &sink);
	fx->buffer.name = "B";
	for (uint32_t i = 0; i < 2; i++) {
		void *shard;

		fx->streams[i] = (struct sl_stream){ .trace_id = (uint8_t)(0x10 + i), .cpu = (int32_t)i, .name = "ETM" };
		fx->lanes[i] = (struct sl_lane){ .index = i, .buffer = &fx->buffer, .stream = &fx->streams[i] };
		assert_int_equal(sink.ops->begin(sink.self, &fx->lanes[i], &shard), SL_OK);
		assert_int_equal(sink.ops->end(sink.self, shard, &fx->lanes[i]), SL_OK);
	}
}

static void begin(struct fixture *fx, enum sl_axis axis, uint64_t hz, const struct sl_filter *filter)
{
	static const struct sl_timeline_ops ops = { on_begin, on_event, on_close };
	const struct sl_timeline_options options = { .image = fx->image, .calls = fx->calls, .axis = axis, .timestamp_hz = hz,
						     .filter = filter, .out = { &ops, fx } };

	sl_timeline_sink_free(fx->timeline);
	assert_int_equal(sl_timeline_sink_new(&options, &fx->timeline, NULL), SL_OK);
	sl_timeline_call_sink(fx->timeline, &fx->sink);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(fx->sink.ops->begin(fx->sink.self, &fx->lanes[i]), SL_OK);
}

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(sl_calls_new(fx->image, NULL, 0, &fx->calls), SL_OK);
	begin_lanes(fx);
	begin(fx, SL_AXIS_INSNS, 0, NULL);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_timeline_sink_free(fx->timeline);
	sl_calls_free(fx->calls);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void tell(struct fixture *fx, struct sl_call call, uint64_t at, uint64_t total, uint64_t self)
{
	enum { P = SL_TICK_PARTS };
	const struct sl_axes now = { { at, 0, at * P } }, whole = { { total, 0, total * P } }, own = { { self, 0, self * P } };
	const struct sl_context context = { .context_id = 100 + fx->stack, .flags = SL_CTX_ID };

	call.stack = fx->stack;
	call.depth = fx->depth[fx->stack];
	call.context = &context;
	call.lane = &fx->lanes[fx->lane];
	call.enter = call.leave = &now;
	call.total = &whole;
	call.self = &own;
	fx->sink.ops->call(fx->sink.self, &call);
}

static uint32_t symbol(const struct fixture *fx, uint64_t address)
{
	return sl_image_symbol_at(fx->image, 0, address).id;
}

static void enter(struct fixture *fx, uint64_t address, uint64_t at)
{
	tell(fx, (struct sl_call){ .kind = SL_CALL_ENTER, .symbol = symbol(fx, address) }, at, 0, 0);
	fx->depth[fx->stack]++;
}

static void leave(struct fixture *fx, uint64_t address, uint64_t at, uint64_t total, uint64_t self)
{
	fx->depth[fx->stack]--;
	tell(fx, (struct sl_call){ .kind = SL_CALL_LEAVE, .symbol = symbol(fx, address) }, at, total, self);
}

static const char *finished(struct fixture *fx)
{
	sl_timeline_sink_finish(fx->timeline);
	return fx->text;
}

void test_timeline__calls_nest(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_MAIN, 0);
	enter(fx, CODE_F, 10);
	leave(fx, CODE_F, 15, 5, 5);
	leave(fx, CODE_MAIN, 30, 30, 25);
	assert_string_equal(finished(fx), "task 100 on CPU 0: +main@0 +f@10 -f@10..15=5/5 -main@0..30=30/25 ");
	assert_false(sl_timeline_sink_empty(fx->timeline));
}

/* What the sink was not told of is closed where it must have been over. */
void test_timeline__every_begin_has_an_end(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_MAIN, 0);
	enter(fx, CODE_F, 10);
	fx->depth[0] = 1;
	enter(fx, CODE_G, 20);
	fx->depth[0] = 3;
	leave(fx, CODE_H, 25, 5, 5);
	assert_string_equal(finished(fx), "task 100 on CPU 0: +main@0 +f@10 -f~10..20 +g@20 +h@25 -h@25..25=5/5 -g~20..25 -main~0..25 ");
}

void test_timeline__levels_are_calls(void **state)
{
	struct fixture *fx = *state;
	const struct sl_call level = { .kind = SL_CALL_LEVEL, .number = 14, .level = SL_LEVEL_IRQ };
	struct sl_call resume = level;

	enter(fx, CODE_MAIN, 0);
	tell(fx, level, 5, 0, 0);
	resume.kind = SL_CALL_RESUME;
	tell(fx, resume, 8, 3, 3);
	leave(fx, CODE_MAIN, 9, 6, 6);
	assert_string_equal(finished(fx), "task 100 on CPU 0: +main@0 +[exception 14: irq]@5 -[exception 14: irq]@5..8=3/3 -main@0..9=6/6 ");
}

/* Clocks of two CPUs count apart: a call that goes on on another one is cut there. */
void test_timeline__a_task_moves_to_another_clock(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_MAIN, 100);
	fx->lane = 1;
	enter(fx, CODE_F, 7);
	leave(fx, CODE_F, 9, 2, 2);
	leave(fx, CODE_MAIN, 10, 50, 48);
	assert_string_equal(finished(fx), "task 100 on CPU 0: +main@100 task 100 on CPU 1: +*main@7 task 100 on CPU 0: -*main~100..100 "
					  "task 100 on CPU 1: +f@7 -f@7..9=2/2 -main@7..10=50/48 ");
}

/* Time is one for all CPUs; where a task comes before it left it stands at when it left. */
void test_timeline__time_never_runs_back(void **state)
{
	struct fixture *fx = *state;

	begin(fx, SL_AXIS_TICKS, 1000000000, NULL);
	enter(fx, CODE_MAIN, 100);
	fx->lane = 1;
	enter(fx, CODE_F, 90);
	leave(fx, CODE_F, 110, 10, 10);
	leave(fx, CODE_MAIN, 120, 20, 10);
	assert_string_equal(finished(fx), "task 100: +main@100 +f@100 -f@100..110=10/10 -main@100..120=20/10 ");
	assert_int_equal(sl_timeline_sink_late(fx->timeline), 1);
}

/* 3 GHz: a tick is a third of a nanosecond. Three calls of a tick are one nanosecond, and not none. */
void test_timeline__sums_are_rounded_once(void **state)
{
	struct fixture *fx = *state;

	begin(fx, SL_AXIS_TICKS, 3000000000u, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		enter(fx, CODE_F, i);
		leave(fx, CODE_F, i + 1, 1, 1);
	}
	assert_string_equal(finished(fx), "task 100: +f@0 -f@0..0=0/0 +f@0 -f@0..0=0/0 +f@0 -f@0..1=1/1 ");
}

void test_timeline__filters_leave_the_nesting(void **state)
{
	struct fixture *fx = *state;
	const struct sl_filter filter = { .function = "[gh]" };

	begin(fx, SL_AXIS_INSNS, 0, &filter);
	enter(fx, CODE_MAIN, 0);
	enter(fx, CODE_G, 1);
	enter(fx, CODE_F, 2);
	enter(fx, CODE_H, 3);
	leave(fx, CODE_H, 4, 1, 1);
	leave(fx, CODE_F, 5, 3, 2);
	leave(fx, CODE_G, 6, 5, 2);
	leave(fx, CODE_MAIN, 7, 7, 2);
	assert_string_equal(finished(fx), "task 100 on CPU 0: +g@1 +h@3 -h@3..4=1/1 -g@1..6=5/2 ");
}

void test_timeline__losses_are_marks_and_filters_are_not(void **state)
{
	struct fixture *fx = *state;

	tell(fx, (struct sl_call){ .kind = SL_CALL_GAP, .number = SL_GAP_FILTER }, 1, 0, 0);
	tell(fx, (struct sl_call){ .kind = SL_CALL_GAP, .number = SL_GAP_OVERFLOW }, 2, 0, 0);
	assert_string_equal(finished(fx), "!overflow@2 ");
	assert_true(sl_timeline_sink_empty(fx->timeline));
}
