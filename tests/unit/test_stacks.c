/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of tasks that lanes share. The log reads "A+f" entered on lane A, "B-f:total+interrupted+suspended" left on lane B (in
 * ticks, or instructions where asked), "/" behind calls that ended without exit.
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
#include "sl_callstack.h"
#include "sl_span.h"

enum { LANES = 2 };

struct fixture;
struct lane {
	struct fixture *fx;
	char name;
	struct sl_callstack *cs;
};
struct fixture {
	struct sl_image *image;
	struct sl_stacks *stacks;
	struct lane lanes[LANES];
	enum sl_axis axis;
	char log[4096];
	uint32_t last_stack;
	enum sl_level last_level;
};

static void note(struct fixture *fx, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct fixture *fx, const char *format, ...)
{
	size_t len = strlen(fx->log);
	va_list args;

	va_start(args, format);
	vsnprintf(fx->log + len, sizeof(fx->log) - len, format, args);
	va_end(args);
}

static int shown(const struct fixture *fx, const struct sl_axes *axes)
{
	return (int)(axes->v[fx->axis] / (fx->axis == SL_AXIS_TICKS ? SL_TICK_PARTS : 1));
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct lane *lane = ctx;
	struct fixture *fx = lane->fx;
	const char *name = sl_image_symbol(fx->image, call->symbol)->name;

	if (call->kind == SL_CALL_ENTER)
		note(fx, "%c+%s ", lane->name, name);
	if (call->kind == SL_CALL_LEAVE)
		note(fx, "%c-%s:%d+%d+%d%s ", lane->name, name, shown(fx, call->total), shown(fx, call->interrupted), shown(fx, call->suspended),
		     call->flags & SL_SPAN_NO_EXIT ? "/" : "");
	if (call->kind == SL_CALL_ENTER || call->kind == SL_CALL_LEVEL) {
		fx->last_stack = call->stack;
		fx->last_level = call->level;
	}
}

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	fx->axis = SL_AXIS_TICKS;
	assert_int_equal(sl_stacks_new(&fx->stacks), SL_OK);
	for (int i = 0; i < LANES; i++) {
		struct sl_callstack_options options = { .image = fx->image, .stacks = fx->stacks, .call = on_call,
							.ctx = &fx->lanes[i] };

		fx->lanes[i] = (struct lane){ .fx = fx, .name = (char)('A' + i) };
		assert_int_equal(sl_callstack_new(&options, &fx->lanes[i].cs), SL_OK);
	}
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	for (int i = 0; i < LANES; i++)
		sl_callstack_free(fx->lanes[i].cs);
	sl_stacks_free(fx->stacks);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void feed(struct fixture *fx, int lane, struct sl_elem elem)
{
	assert_int_equal(sl_callstack_feed(fx->lanes[lane].cs, &elem, 1), SL_OK);
}

static struct sl_elem elem_tick(uint64_t tick)
{
	return (struct sl_elem){ .kind = SL_ELEM_TIME, .value = tick };
}

static void expect(struct fixture *fx, const char *log)
{
	for (int i = 0; i < LANES; i++) {
		const struct sl_account *account = sl_callstack_account(fx->lanes[i].cs);
		struct sl_axes sum;

		assert_int_equal(sl_callstack_finish(fx->lanes[i].cs), SL_OK);
		sum = account->self;
		sl_axes_add(&sum, account->gap);
		assert_memory_equal(&sum, &account->whole, sizeof(sum));
	}
	if (*fx->log)
		fx->log[strlen(fx->log) - 1] = '\0';
	assert_string_equal(fx->log, log);
}

/* Both lanes begin, with nothing lost. */
static void begin(struct fixture *fx, uint64_t tick)
{
	for (int i = 0; i < LANES; i++) {
		feed(fx, i, elem_gap(SL_GAP_FILTER, 0));
		feed(fx, i, elem_tick(tick));
	}
}

/* The task of that context calls f on lane A, and is in it. */
static void call_f(struct fixture *fx, uint32_t context)
{
	feed(fx, 0, elem_context(context));
	feed(fx, 0, elem_calls(CODE_MAIN, 1));
	feed(fx, 0, elem_stops(CODE_F, 2));
}

/* ... and from there returns to main. */
static void return_from_f(struct fixture *fx, int lane)
{
	feed(fx, lane, elem_returns(CODE_F + 8, 4));
	feed(fx, lane, elem_stops(CODE_MAIN + 4, 1));
}

/* Task 1 calls f on lane A, moves, and returns from it on lane B. */
static void migrate(struct fixture *fx, bool with_loss)
{
	begin(fx, 100);
	feed(fx, 0, elem_context(1));
	feed(fx, 0, elem_calls(CODE_MAIN, 1));
	feed(fx, 0, elem_tick(110));
	feed(fx, 0, elem_stops(CODE_F, 2));
	feed(fx, 0, elem_tick(130));
	feed(fx, 0, elem_context(2));
	feed(fx, 0, elem_stops(CODE_TASK_B + 8, 3));
	feed(fx, 0, elem_tick(140));
	feed(fx, 1, elem_context(3));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	if (with_loss)
		feed(fx, 1, elem_gap(SL_GAP_OVERFLOW, 0));
	if (with_loss)
		feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	feed(fx, 1, elem_tick(160));
	feed(fx, 1, elem_context(1));
	feed(fx, 1, elem_returns(CODE_F + 8, 4));
	feed(fx, 1, elem_tick(165));
	feed(fx, 1, elem_stops(CODE_MAIN + 4, 1));
	feed(fx, 1, elem_tick(166));
}

void test_stacks__a_task_goes_on_where_it_left_off(void **state)
{
	struct fixture *fx = *state;

	migrate(fx, false);
	/* f ran from 110 to 130 and 160 to 165; main from 100 */
	expect(fx, "A+main A+f A+task_b B+task_b B-f:25+0+30 A-task_b:10+0+0/ B-main:36+0+30/ B-task_b:60+0+0/");
}

void test_stacks__totals_are_of_what_ran_on_both(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	migrate(fx, false);
	expect(fx, "A+main A+f A+task_b B+task_b B-f:6+0+0 A-task_b:3+0+0/ B-main:8+0+0/ B-task_b:1+0+0/");
}

/* It may have run where trace was lost on any CPU. */
void test_stacks__loss_elsewhere_ends_what_was_left(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	migrate(fx, true);
	expect(fx, "A+main A+f A+task_b B+task_b B-task_b:1+0+0/ B+task_b A-f:2+0+0/ A-main:3+0+0/ B+f B-f:4+0+0 B+main "
		   "A-task_b:3+0+0/ B-main:1+0+0/ B-task_b:1+0+0/");
}

/* ... unless it ran on another one all the time. */
void test_stacks__loss_elsewhere_is_not_of_who_runs(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	call_f(fx, 1);
	feed(fx, 1, elem_context(3));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	feed(fx, 1, elem_gap(SL_GAP_OVERFLOW, 0));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	return_from_f(fx, 0);
	expect(fx, "A+main A+f B+task_b B-task_b:1+0+0/ B+task_b A-f:6+0+0 A-main:8+0+0/ B-task_b:1+0+0/");
}

/* What it takes to enter an exception is its handler's: that began when the exception was taken. The first count may hold some of the gap. */
void test_stacks__entering_an_exception_is_the_handlers(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_cycles(10), elem_stops(CODE_F, 2), elem_cycles(20),
					 elem_exception(14, CODE_F + 8), elem_cycles(7), elem_erets(CODE_VECTORS, 1), elem_cycles(3),
					 elem_returns(CODE_F + 8, 1), elem_cycles(5), elem_stops(CODE_MAIN + 4, 1) };

	fx->axis = SL_AXIS_CYCLES;
	begin(fx, 100);
	assert_int_equal(sl_callstack_feed(fx->lanes[0].cs, elems, sizeof(elems) / sizeof(elems[0])), SL_OK);
	expect(fx, "A+main A+f A+vectors A-vectors:10+0+0 A-f:25+10+0 A-main:25+10+0/");
}

/* Times of all lanes count from one beginning. */
void test_stacks__one_beginning_for_all_lanes(void **state)
{
	struct fixture *fx = *state;

	sl_stacks_begin_at(fx->stacks, 100);
	for (int i = 0; i < LANES; i++) {
		feed(fx, i, elem_tick(100 + 50 * (uint64_t)i));
		feed(fx, i, elem_stops(CODE_F, 1));
		assert_int_equal(sl_callstack_now(fx->lanes[i].cs, 0).at.v[SL_AXIS_TICKS], 50 * i * SL_TICK_PARTS);
		assert_int_equal(sl_callstack_account(fx->lanes[i].cs)->gap.v[SL_AXIS_TICKS], 0);
	}
	expect(fx, "A+f B+f A-f:0+0+0/ B-f:0+0+0/");
}

void test_stacks__interrupts_and_other_tasks_are_apart(void **state)
{
	struct fixture *fx = *state;

	begin(fx, 100);
	feed(fx, 0, elem_context(1));
	feed(fx, 0, elem_calls(CODE_MAIN, 1));
	feed(fx, 0, elem_tick(110));
	feed(fx, 0, elem_stops(CODE_F, 2));
	feed(fx, 0, elem_tick(113));
	feed(fx, 0, elem_exception(14, CODE_F + 8));
	feed(fx, 0, elem_stops(CODE_VECTORS, 1));
	feed(fx, 0, elem_tick(117));
	assert_int_equal(fx->last_level, SL_LEVEL_IRQ);
	feed(fx, 0, elem_context(2));
	feed(fx, 0, elem_stops(CODE_TASK_B + 8, 1));
	feed(fx, 0, elem_tick(150));
	feed(fx, 0, elem_context(1));
	feed(fx, 0, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, 0, elem_tick(152));
	feed(fx, 0, elem_returns(CODE_F + 8, 1));
	feed(fx, 0, elem_tick(155));
	feed(fx, 0, elem_stops(CODE_MAIN + 4, 1));
	/* vectors: 113-117, 150-152; away 117-150; f: 110-113, 152-155 */
	expect(fx, "A+main A+f A+vectors A+task_b A-vectors:6+0+33 A-f:6+6+33 A-main:16+6+33/ A-task_b:33+0+0/");
}

/* Whoever has an id of his own on each CPU stays there. */
void test_stacks__apart_is_never_joined(void **state)
{
	struct fixture *fx = *state;
	uint32_t first;

	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	sl_callstack_set_apart(fx->lanes[0].cs, true);
	sl_callstack_set_apart(fx->lanes[1].cs, true);
	call_f(fx, 7);
	first = fx->last_stack;
	feed(fx, 1, elem_context(7));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	assert_int_not_equal(fx->last_stack, first);
	return_from_f(fx, 0);
	expect(fx, "A+main A+f B+task_b A-f:6+0+0 A-main:8+0+0/ B-task_b:1+0+0/");
}

/* Context id 0 is the idle task, of which there is one a CPU. */
void test_stacks__nobody_is_each_cpus_own(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	call_f(fx, 0);
	feed(fx, 1, elem_context(0));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	expect(fx, "A+main A+f B+task_b A-f:2+0+0/ A-main:3+0+0/ B-task_b:1+0+0/");
}

/* A lane that has not said yet that the task left it. */
void test_stacks__a_task_is_in_one_place(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	call_f(fx, 1);
	feed(fx, 1, elem_context(3));
	feed(fx, 1, elem_stops(CODE_TASK_B + 8, 1));
	feed(fx, 1, elem_context(1));
	return_from_f(fx, 1);
	feed(fx, 0, elem_context(2));
	feed(fx, 0, elem_stops(CODE_TASK_B + 8, 1));
	expect(fx, "A+main A+f B+task_b B-f:6+0+0 A+task_b A-task_b:1+0+0/ B-main:8+0+0/ B-task_b:1+0+0/");
}

static struct sl_elem elem_seam(void)
{
	return (struct sl_elem){ .kind = SL_ELEM_GAP, .count = SL_GAP_RESET, .flags = SL_FLAG_SEAM };
}

static void seam(struct fixture *fx, int lane, bool traced)
{
	feed(fx, lane, elem_seam());
	if (traced)
		feed(fx, lane, elem_gap(SL_GAP_FILTER, 0));
}

/* main calls f; a piece of trace ends with the call, in f, or where it returns. */
static void cross(struct fixture *fx, int place, bool traced)
{
	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	feed(fx, 0, elem_context(1));
	feed(fx, 0, elem_calls(CODE_MAIN, 1));
	if (place == 0)
		seam(fx, 0, traced);
	feed(fx, 0, elem_stops(CODE_F, 2));
	if (place == 1)
		seam(fx, 0, traced);
	feed(fx, 0, elem_returns(CODE_F + 8, 4));
	if (place == 2)
		seam(fx, 0, traced);
	feed(fx, 0, elem_stops(CODE_MAIN + 4, 1));
}

void test_stacks__calls_go_on_in_the_next_piece(void **state)
{
	struct fixture *fx = *state;

	for (int place = 0; place < 3; place++) {
		if (place)
			case_setup((void **)&fx);
		cross(fx, place, true);
		expect(fx, "A+main A+f A-f:6+0+0 A-main:8+0+0/");
		if (place)
			case_teardown((void **)&fx);
	}
}

/* A piece that does not begin with Trace On lacks its beginning. */
void test_stacks__a_piece_without_its_beginning_is_loss(void **state)
{
	struct fixture *fx = *state;

	cross(fx, 1, false);
	expect(fx, "A+main A+f A-f:2+0+0/ A-main:3+0+0/ A+f A-f:4+0+0 A+main A-main:1+0+0/");
}

/* Nothing explains where the next piece goes on: the task's calls end, those of others do not. */
void test_stacks__a_piece_that_goes_on_elsewhere(void **state)
{
	struct fixture *fx = *state;

	fx->axis = SL_AXIS_INSNS;
	begin(fx, 100);
	call_f(fx, 2);
	feed(fx, 0, elem_context(1));
	feed(fx, 0, elem_stops(CODE_TASK_B + 8, 3));
	seam(fx, 0, true);
	feed(fx, 0, elem_stops(CODE_F + 4, 1));
	feed(fx, 0, elem_context(2));
	feed(fx, 0, elem_returns(CODE_F + 8, 1));
	feed(fx, 0, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "A+main A+f A+task_b A-task_b:3+0+0/ A+f A-f:3+0+4 A-main:5+0+4/ A-f:1+0+0/");
}

/* A thread's own pieces, on one CPU, on another one, and back, which the first one does not tell. */
void test_stacks__pieces_of_a_thread_on_two_lanes(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem task = { .kind = SL_ELEM_TASK, .count = 7, .value = 1 };

	fx->axis = SL_AXIS_INSNS;
	for (int i = 0; i < 3; i++) {
		int lane = i % 2;

		if (i < 2)
			feed(fx, lane, task);
		seam(fx, lane, true);
		if (i == 0) {
			feed(fx, lane, elem_calls(CODE_MAIN, 1));
			feed(fx, lane, elem_stops(CODE_F, 2));
		} else {
			feed(fx, lane, elem_stops(CODE_F + 4 + 4 * (uint64_t)i, 1));
		}
	}
	expect(fx, "A+main A+f A-f:4+0+0/ A-main:5+0+0/");
}
