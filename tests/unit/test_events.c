/* SPDX-License-Identifier: Apache-2.0 */
/* What the lenses see: calls are told by hand, rows are caught by a table of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_events.h"
#include "sl_span.h"

/* main dispatches f and g; h asks for it; vectors is how task_b gives the CPU away. */
static const char lens_text[] = "[d]\ndispatcher=main\nexcept=g\nrequester=h\n[t]\nswitches=yes\nvoluntary=f\npreempted=vectors\n"
				"[x]\nlevel=fault\n";

struct fixture {
	struct sl_image *image;
	struct sl_lenses lenses;
	struct sl_events *events;
	struct sl_call_sink sink;
	struct sl_stream stream;
	struct sl_lane lanes[2];
	const struct sl_table_head *head;
	char rows[4096];
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct sl_diag diag;
	struct sl_events_options options;

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(sl_lenses_add_text(&fx->lenses, "t.ini", strdup(lens_text), strlen(lens_text), &diag), SL_OK);
	options = (struct sl_events_options){ .image = fx->image, .lenses = &fx->lenses };
	assert_int_equal(sl_events_new(&options, &fx->events), SL_OK);
	sl_events_sink(fx->events, &fx->sink);
	fx->lanes[0] = (struct sl_lane){ .stream = &fx->stream };
	fx->lanes[1] = (struct sl_lane){ .stream = &fx->stream, .index = 1 };
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_events_free(fx->events);
	sl_lenses_release(&fx->lenses);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static uint32_t symbol_at(const struct fixture *fx, uint64_t address)
{
	return sl_image_symbol_at(fx->image, 0, address).id;
}

/* One call: from when to when on all axes. */
static void tell(struct fixture *fx, uint64_t what, uint64_t caller, uint64_t from, uint64_t to, unsigned flags)
{
	const struct sl_axes enter = { { from, from, from } }, leave = { { to, to, to } }, total = { { to - from, to - from, to - from } };
	struct sl_context context = { .flags = SL_CTX_ID, .context_id = 7 };
	struct sl_call call = { .kind = SL_CALL_ENTER, .symbol = symbol_at(fx, what), .flags = flags, .offset = from + 1,
				.caller = caller ? symbol_at(fx, caller) : UINT32_MAX, .enter = &enter, .lane = &fx->lanes[0],
				.context = &context };

	fx->sink.ops->call(fx->sink.self, &call);
	call.kind = SL_CALL_LEAVE;
	call.leave = &leave;
	call.total = call.self = &total;
	fx->sink.ops->call(fx->sink.self, &call);
}

static void switch_to(struct fixture *fx, uint32_t stack, uint64_t when)
{
	const struct sl_axes at = { { when, when, when } };
	const struct sl_context context = { .flags = SL_CTX_ID, .context_id = stack + 100 };
	const struct sl_call call = { .kind = SL_CALL_CONTEXT, .stack = stack, .enter = &at, .context = &context, .lane = &fx->lanes[0] };

	fx->sink.ops->call(fx->sink.self, &call);
}

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;
	size_t len = strlen(fx->rows);

	fx->head = head;
	snprintf(fx->rows + len, sizeof(fx->rows) - len, "[%s]", head->name);
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;

	for (size_t i = 0; i < fx->head->column_count; i++) {
		size_t len = strlen(fx->rows), room = sizeof(fx->rows) - len;
		enum sl_type type = fx->head->columns[i].type;

		if (strcmp(fx->head->columns[i].name, "title") == 0 || strcmp(fx->head->columns[i].name, "module") == 0)
			continue;
		if (!cells[i].known)
			snprintf(fx->rows + len, room, " -");
		else if (type == SL_TYPE_STRING)
			snprintf(fx->rows + len, room, " %s", cells[i].s);
		else if (type == SL_TYPE_PERCENT || type == SL_TYPE_REAL)
			snprintf(fx->rows + len, room, " %.1f", cells[i].d);
		else
			snprintf(fx->rows + len, room, " %d", (int)cells[i].u);
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

/* The rows of all tables behind that of lenses, of a trace of 1000 instructions. */
static const char *report(struct fixture *fx)
{
	static const struct sl_table_ops ops = { on_begin, on_row, on_end, on_close };
	const struct sl_table table = { &ops, fx };
	const struct sl_events_view view = { SL_AXIS_INSNS, 0, 1000, 1000 };
	const char *rows;

	fx->rows[0] = '\0';
	assert_int_equal(sl_events_result(fx->events), SL_OK);
	sl_events_report(fx->events, &view, &table);
	rows = strchr(fx->rows + 1, '[');
	return rows ? rows : "";
}

void test_events__callees_of_a_dispatcher(void **state)
{
	struct fixture *fx = *state;

	tell(fx, CODE_F, CODE_MAIN, 100, 110, 0);
	tell(fx, CODE_G, CODE_MAIN, 110, 120, 0);      /* is excepted */
	tell(fx, CODE_F, CODE_H, 120, 130, 0);	       /* h is no dispatcher */
	tell(fx, CODE_F, 0, 130, 140, 0);
	tell(fx, CODE_F, CODE_MAIN, 200, 230, 0);
	assert_string_equal(report(fx), "[events] d f - 2 0 0 2000.0 4.0 40 40 10 20.0 30 201 100 100.0 100 - - - - 101;");
}

void test_events__ends_that_were_not_seen(void **state)
{
	struct fixture *fx = *state;

	tell(fx, CODE_F, CODE_MAIN, 100, 110, SL_SPAN_NO_ENTRY);
	tell(fx, CODE_F, CODE_MAIN, 200, 230, SL_SPAN_NO_EXIT);
	assert_string_equal(report(fx), "[events] d f - 1 1 1 1000.0 4.0 40 40 - - - - - - - - - - - 201;");
}

/* Five times three calls 2 apart, every 100: the border lies between the two. */
void test_events__bursts_are_told_from_the_rhythm(void **state)
{
	struct fixture *fx = *state;

	for (uint64_t burst = 0; burst < 5; burst++) {
		for (uint64_t i = 0; i < 3; i++)
			tell(fx, CODE_F, CODE_MAIN, burst * 100 + i * 2, burst * 100 + i * 2 + 1, 0);
	}
	assert_string_equal(report(fx), "[events] d f - 15 0 0 15000.0 1.5 15 15 1 1.0 1 1 2 28.9 96 5 3.0 4.0 100.0 1;");
}

void test_events__who_asked_for_them(void **state)
{
	struct fixture *fx = *state;

	tell(fx, CODE_H, CODE_G, 10, 11, 0);
	tell(fx, CODE_H, CODE_G, 30, 31, 0);
	tell(fx, CODE_H, CODE_H, 31, 32, 0); /* the same request */
	assert_string_equal(report(fx), "[requesters] d g h 2 2000.0 20 20.0 20 11;");
}

void test_events__exceptions_by_level(void **state)
{
	struct fixture *fx = *state;
	const struct sl_axes at = { { 5, 5, 5 } }, total = { { 7, 7, 7 } };
	struct sl_call call = { .kind = SL_CALL_LEVEL, .level = SL_LEVEL_FAULT, .number = 13, .enter = &at, .lane = &fx->lanes[0] };

	fx->sink.ops->call(fx->sink.self, &call);
	call.kind = SL_CALL_RESUME;
	call.total = call.self = &total;
	fx->sink.ops->call(fx->sink.self, &call);
	call.kind = SL_CALL_LEVEL;
	call.level = SL_LEVEL_IRQ;
	fx->sink.ops->call(fx->sink.self, &call);
	assert_string_equal(report(fx), "[events] x fault, exception 13 - 1 0 0 1000.0 0.7 7 7 7 7.0 7 0 - - - - - - - 0;");
}

/* Of a task's ends, one lies in f (voluntary), one in vectors (preempted), one in neither. */
void test_events__switches_of_tasks(void **state)
{
	struct fixture *fx = *state;
	const struct sl_axes at = { { 0, 0, 0 } };
	const struct sl_context context = { .flags = SL_CTX_ID, .context_id = 101 };
	struct sl_call call = { .kind = SL_CALL_ENTER, .enter = &at, .total = &at, .self = &at, .leave = &at, .lane = &fx->lanes[0],
				.stack = 1, .caller = UINT32_MAX, .context = &context };

	switch_to(fx, 1, 0);
	call.symbol = symbol_at(fx, CODE_F);
	fx->sink.ops->call(fx->sink.self, &call);
	switch_to(fx, 2, 100);
	switch_to(fx, 1, 150);
	call.kind = SL_CALL_LEAVE;
	fx->sink.ops->call(fx->sink.self, &call);
	call.kind = SL_CALL_ENTER;
	call.symbol = symbol_at(fx, CODE_VECTORS);
	fx->sink.ops->call(fx->sink.self, &call);
	switch_to(fx, 2, 180);
	assert_string_equal(report(fx), "[tasks] task 101 2 2000.0 130 13.0 65.0 100 50.0 50 1 1 0;"
					" task 102 2 2000.0 50 5.0 50.0 50 30.0 30 0 0 1;");
}
