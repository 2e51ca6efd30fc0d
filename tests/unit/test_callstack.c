/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rule of docs/callstack.md: elements in, calls out. The log reads "+f" entered, "-f:total/self" left,
 * "[n" level of exception n opened, "]:total" closed, "*n" gap, "@n" context n; behind it ? entry not traced,
 * ! exit not traced, t tail, r repaired, p through a pointer.
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

struct fixture {
	struct sl_image *image;
	struct sl_callstack *cs;
	char log[4096];
	uint64_t pieces;
	struct sl_elem elems[64];  /* those fed; more are only counted */
	size_t len;
	uint64_t told[SL_REPAIRS];
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

static void note_flags(struct fixture *fx, unsigned flags)
{
	note(fx, "%s%s%s%s%s ", flags & SL_SPAN_NO_ENTRY ? "?" : "", flags & SL_SPAN_NO_EXIT ? "!" : "",
	     flags & SL_SPAN_TAIL ? "t" : "", flags & SL_SPAN_REPAIRED ? "r" : "", flags & SL_SPAN_POINTER ? "p" : "");
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct fixture *fx = ctx;
	bool repair = call->kind == SL_CALL_REPAIR;
	const char *name = repair ? NULL : sl_image_symbol(fx->image, call->symbol)->name;

	if (repair) {
		fx->told[call->number]++;
		return;
	}
	switch (call->kind) {
	case SL_CALL_ENTER:
		note(fx, "+%s", name);
		break;
	case SL_CALL_LEAVE:
		note(fx, "-%s:%d/%d", name, (int)call->total->v[SL_AXIS_INSNS], (int)call->self->v[SL_AXIS_INSNS]);
		note(fx, "%s", call->recursive ? "R" : "");
		break;
	case SL_CALL_LEVEL:
		note(fx, "[%u", call->number);
		break;
	case SL_CALL_RESUME:
		note(fx, "]:%d", (int)call->total->v[SL_AXIS_INSNS]);
		break;
	case SL_CALL_GAP:
		note(fx, "*%s", sl_gap_name(call->number));
		break;
	case SL_CALL_CONTEXT:
		note(fx, "@%u", call->context->context_id);
		break;
	case SL_CALL_REPAIR:
		break;
	}
	note_flags(fx, call->flags);
}

static void on_piece(void *ctx, const struct sl_elem *range, uint32_t symbol, uint32_t depth)
{
	(void)symbol;
	(void)depth;
	((struct fixture *)ctx)->pieces += range->count;
}

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct sl_callstack_options options = { .call = on_call, .piece = on_piece, .ctx = fx };

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	options.image = fx->image;
	assert_int_equal(sl_callstack_new(&options, &fx->cs), SL_OK);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_callstack_free(fx->cs);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void feed(struct fixture *fx, struct sl_elem elem)
{
	assert_int_equal(sl_callstack_feed(fx->cs, &elem, 1), SL_OK);
	if (fx->len < sizeof(fx->elems) / sizeof(fx->elems[0]))
		fx->elems[fx->len] = elem;
	fx->len++;
}

static uint64_t repairs(struct fixture *fx, enum sl_repair repair)
{
	return sl_callstack_account(fx->cs)->repairs[repair];
}

/* Who wants no pieces, and feeds all at once, is served by a shorter way through the code: it must not show. */
static void expect_the_same_at_once(struct fixture *fx)
{
	struct fixture other = { .image = fx->image };
	const struct sl_callstack_options options = { .image = fx->image, .call = on_call, .ctx = &other };

	assert_true(fx->len <= sizeof(fx->elems) / sizeof(fx->elems[0]));
	assert_int_equal(sl_callstack_new(&options, &other.cs), SL_OK);
	assert_int_equal(sl_callstack_feed(other.cs, fx->elems, fx->len), SL_OK);
	assert_int_equal(sl_callstack_finish(other.cs), SL_OK);
	assert_string_equal(other.log, fx->log);
	assert_memory_equal(sl_callstack_account(other.cs), sl_callstack_account(fx->cs), sizeof(struct sl_account));
	sl_callstack_free(other.cs);
}

/* Ends the lane; the log must be this, and the account must close. */
static void expect(struct fixture *fx, const char *log)
{
	const struct sl_account *account = sl_callstack_account(fx->cs);
	struct sl_axes sum;

	assert_int_equal(sl_callstack_finish(fx->cs), SL_OK);
	expect_the_same_at_once(fx);
	if (*fx->log)
		fx->log[strlen(fx->log) - 1] = '\0';
	assert_string_equal(fx->log, log);
	assert_memory_equal(fx->told, account->repairs, sizeof(fx->told));
	sum = account->self;
	sl_axes_add(&sum, account->gap);
	assert_memory_equal(&sum, &account->whole, sizeof(sum));
	assert_int_equal(fx->pieces, account->self.v[SL_AXIS_INSNS]);
}

static uint64_t all_repairs(struct fixture *fx)
{
	uint64_t sum = 0;

	for (int i = 0; i < SL_REPAIRS; i++)
		sum += repairs(fx, (enum sl_repair)i);
	return sum;
}

void test_callstack__call_and_return(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 3));
	feed(fx, elem_calls(CODE_F, 2));
	feed(fx, elem_returns(CODE_G, 5));
	feed(fx, elem_returns(CODE_F + 8, 4));
	feed(fx, elem_stops(CODE_MAIN + 12, 1));
	expect(fx, "+main? +f +g -g:5/5 -f:11/6 -main:15/4?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__found_in_the_middle_has_no_entry(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN + 16, 1));
	feed(fx, elem_returns(CODE_F, 1));
	feed(fx, elem_stops(CODE_MAIN + 20, 1));
	expect(fx, "+main? +f -f:1/1 -main:3/2?!");
}

void test_callstack__tail_call_returns_to_the_first_caller(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_F, 2));
	feed(fx, elem_returns(CODE_G, 3));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:2/2t +gt -g:3/3t -main:7/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__recursion_counts_each_activation(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_returns(CODE_F, 2));
	feed(fx, elem_returns(CODE_F + 4, 3));
	feed(fx, elem_stops(CODE_F + 4, 1));
	expect(fx, "+f? +f +f -f:2/2R -f:6/4R -f:8/2?!");
}

/* What is open on another stack is not below it. */
void test_callstack__recursion_is_of_one_context(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_context(1));
	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_context(2));
	feed(fx, elem_returns(CODE_F, 1));
	feed(fx, elem_context(1));
	feed(fx, elem_stops(CODE_F + 4, 1));
	expect(fx, "@1 +f? +f @2 +f @1 -f:1/1R -f:3/2?! -f:1/1!");
}

void test_callstack__loop_and_local_call_stay(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_jumps(CODE_F, 2));
	feed(fx, elem_calls(CODE_F, 2));
	feed(fx, elem_calls(CODE_F, 2));
	feed(fx, elem_returns(CODE_F + 0x40, 1));
	feed(fx, elem_stops(CODE_F + 8, 1));
	/* a call to the own beginning is recursion, one into the own middle is not */
	expect(fx, "+f? +f -f:3/3R -f:8/5?!");
}

void test_callstack__fall_through_into_the_next_function(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_returns(CODE_F + 0xf8, 4));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:2/2t +gt -g:2/2t -main:6/2?!");
}

void test_callstack__longjmp_unwinds(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_jumps_far(CODE_G, 1));
	feed(fx, elem_stops(CODE_MAIN + 0x40, 1));
	expect(fx, "+main? +f +g -g:1/1r -f:2/1r -main:4/2?!");
	assert_int_equal(repairs(fx, SL_REPAIR_UNWOUND), 1);
}

void test_callstack__cold_part_belongs_to_its_function(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_F, 1));
	feed(fx, elem_jumps(CODE_F_COLD + 8, 2));
	feed(fx, elem_returns(CODE_F + 0x20, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f +f.coldt -f.cold:2/2t -f:4/2 -main:6/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* A call thunk calls 1: in itself, writes over the return address, and returns to what was meant. */
void test_callstack__a_call_thunk_calls_through_a_pointer(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_calls(CODE_CALL_THUNK, 1));
	feed(fx, elem_returns(CODE_CALL_THUNK + 0x20, 2));
	feed(fx, elem_returns(CODE_F, 4));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +__x86_indirect_thunk_rax -__x86_indirect_thunk_rax:3/3t +fp -f:4/4p -main:9/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__a_jump_through_a_call_thunk_is_a_tail_call(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_F, 1));
	feed(fx, elem_jumps_far(CODE_CALL_THUNK, 1));
	feed(fx, elem_returns(CODE_G, 2));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:1/1t +__x86_indirect_thunk_raxt -__x86_indirect_thunk_rax:1/1t +gt -g:2/2t -main:6/2?!");
}

void test_callstack__a_return_thunk_returns_for_its_function(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_F, 3));
	feed(fx, elem_calls(CODE_RETURN_THUNK, 1));
	feed(fx, elem_returns(CODE_SAFE_RET, 2));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f +srso_return_thunkt +srso_safe_ret -srso_safe_ret:2/2 -srso_return_thunk:3/1t -f:6/3 -main:8/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__jump_into_a_middle_is_a_repair(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_F, 1));
	feed(fx, elem_returns(CODE_G + 8, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:1/1r +g?r -g:1/1?r -main:4/2?!");
	assert_int_equal(repairs(fx, SL_REPAIR_JUMP), 1);
}

/* Stripped code: a frame below in the same page is another function, and a page's border is none. */
void test_callstack__pages_are_no_functions(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_PAGES + 0x100, 1));
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps(CODE_PAGES + 0x1008, 2));
	feed(fx, elem_returns(CODE_PAGES + 0x40, 1));
	feed(fx, elem_returns(CODE_MAIN + 4, 1));
	feed(fx, elem_stops(CODE_PAGES + 0x104, 1));
	expect(fx, "+[400000]? +main +[401000] -[401000]:2/2t +[400000]t -[400000]:1/1Rt -main:5/2 -[400000]:7/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* A call within a page is one, and the function that made it is still there when what was called jumps elsewhere. */
void test_callstack__calls_within_a_page(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_PAGES + 0x100, 1));
	feed(fx, elem_jumps(CODE_PAGES + 0x200, 2));
	feed(fx, elem_returns(CODE_F, 1));
	feed(fx, elem_stops(CODE_PAGES + 0x104, 1));
	expect(fx, "+[400000]? +[400000] -[400000]:2/2Rt +ft -f:1/1t -[400000]:5/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__return_to_before_the_trace(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_returns(CODE_F + 4, 2));
	feed(fx, elem_stops(CODE_MAIN + 8, 1));
	expect(fx, "+f? -f:2/2? +main?r -main:1/1?!r");
	assert_int_equal(repairs(fx, SL_REPAIR_RETURN), 1);
}

void test_callstack__return_used_as_a_jump(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_returns(CODE_F, 1));
	feed(fx, elem_returns(CODE_G, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:1/1t +gt -g:1/1t -main:4/2?!");
}

void test_callstack__interrupt_is_apart(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 3));
	feed(fx, elem_exception(14, CODE_F + 12));
	feed(fx, elem_calls(CODE_VECTORS, 2));
	feed(fx, elem_returns(CODE_H, 10));
	feed(fx, elem_erets(CODE_VECTORS + 8, 1));
	feed(fx, elem_returns(CODE_F + 12, 4));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f [14 +vectors +h -h:10/10 -vectors:13/3 ]:13 -f:7/7 -main:9/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__interrupt_nests(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_stops(CODE_MAIN, 1));
	feed(fx, elem_exception(14, CODE_MAIN + 4));
	feed(fx, elem_stops(CODE_VECTORS, 1));
	feed(fx, elem_exception(3, CODE_VECTORS + 4));
	feed(fx, elem_erets(CODE_H, 2));
	feed(fx, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? [14 +vectors [3 +h -h:2/2 ]:2 -vectors:2/2 ]:4 -main:2/2?!");
}

/* The call was taken, but the interrupt came before its first instruction. */
void test_callstack__interrupt_at_the_target_of_a_call(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_exception(14, CODE_F));
	feed(fx, elem_erets(CODE_VECTORS, 2));
	feed(fx, elem_returns(CODE_F, 3));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f [14 +vectors -vectors:2/2 ]:2 -f:3/3 -main:5/2?!");
}

void test_callstack__system_call_steps_over_its_instruction(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_stops(CODE_MAIN, 2));
	feed(fx, elem_exception(2, CODE_MAIN + 4));
	feed(fx, elem_erets(CODE_VECTORS, 2));
	feed(fx, elem_stops(CODE_MAIN + 8, 1));
	expect(fx, "+main? [2 +vectors -vectors:2/2 ]:2 -main:3/3?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* A signal handler, or a uprobe's instruction out of line: runs on top until an exception returns to what it left. */
void test_callstack__exception_returns_elsewhere_and_back(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_stops(CODE_MAIN, 1));
	feed(fx, elem_exception(6, CODE_MAIN + 4));
	feed(fx, elem_erets(CODE_VECTORS, 1));
	feed(fx, elem_stops(CODE_G, 2));
	feed(fx, elem_exception(6, CODE_G + 8));
	feed(fx, elem_erets(CODE_VECTORS, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? [6 +vectors -vectors:1/1 ]:1 +g [6 +vectors -vectors:1/1 ]:1 -g:2/2 -main:4/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

static void feed_exception(struct fixture *fx, uint64_t preferred_return)
{
	feed(fx, elem_exception(6, preferred_return));
	feed(fx, elem_erets(CODE_VECTORS, 1));
}

/* A signal comes while its handler runs: that is called again, and what was interrupted goes on one by one. */
void test_callstack__handler_of_a_signal_in_itself(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_stops(CODE_MAIN, 1));
	feed_exception(fx, CODE_MAIN + 4);
	feed(fx, elem_stops(CODE_G, 2));
	feed_exception(fx, CODE_G + 8);
	feed(fx, elem_stops(CODE_G, 3));
	feed_exception(fx, CODE_G + 12);
	feed(fx, elem_stops(CODE_G + 8, 1));
	feed_exception(fx, CODE_G + 12);
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? [6 +vectors -vectors:1/1 ]:1 +g [6 +vectors -vectors:1/1 ]:1 +g [6 +vectors -vectors:1/1 ]:1 -g:3/3R "
		   "[6 +vectors -vectors:1/1 ]:1 -g:6/3 -main:8/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* What a signal interrupted was just called: where its handler returns to is that call's beginning, and no new one. */
void test_callstack__signal_at_a_functions_beginning(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed_exception(fx, CODE_F);
	feed(fx, elem_stops(CODE_G, 2));
	feed_exception(fx, CODE_G + 8);
	feed(fx, elem_returns(CODE_F, 3));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f [6 +vectors -vectors:1/1 ]:1 +g [6 +vectors -vectors:1/1 ]:1 -g:2/2 -f:5/3 -main:7/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* Without context ids, a task switch in an exception handler ends what is known of the task that was interrupted. */
void test_callstack__exception_returns_to_another_task(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, elem_exception(10, CODE_F + 4));
	feed(fx, elem_erets(CODE_VECTORS, 1));
	feed(fx, elem_stops(CODE_TASK_B + 8, 2));
	expect(fx, "+main? +f [10 +vectors -vectors:1/1 ]:1 -f:1/1! -main:2/1?! +task_b? -task_b:2/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__exception_return_without_exception(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+vectors? -vectors:1/1?!r +main?r -main:1/1?!r");
	assert_int_equal(repairs(fx, SL_REPAIR_LEVEL), 1);
}

/* Armv7: nothing marks the branch that ends an exception. */
/* What was decoded and is not believed is lost trace, also where the lane begins with it. */
void test_callstack__exception_return_behind_untrusted_trace(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_gap(SL_GAP_START, 0));
	feed(fx, elem_gap(SL_GAP_UNTRUSTED, CODE_H));
	feed(fx, elem_erets(CODE_VECTORS, 1));
	feed(fx, elem_stops(CODE_F, 1));
	expect(fx, "*start *untrusted +vectors? -vectors:1/1?!r +f?r -f:1/1?!r");
}

void test_callstack__indirect_branch_ends_an_exception(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_stops(CODE_MAIN, 1));
	feed(fx, elem_exception(14, CODE_MAIN + 4));
	feed(fx, elem_jumps_far(CODE_VECTORS, 2));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? [14 +vectors -vectors:2/2 ]:2 -main:2/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__indirect_branch_returns(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_jumps_far(CODE_F, 2));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:2/2 -main:4/2?!");
}

void test_callstack__loss_joins_nothing(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, elem_gap(SL_GAP_LOST_SYNC, 0));
	feed(fx, elem_gap(SL_GAP_OVERFLOW, 0));
	feed(fx, elem_returns(CODE_F + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f *lost sync *overflow -f:1/1! -main:2/1?! +f? -f:1/1? +main?r -main:1/1?!r");
}

/* User space only: the kernel's part is filtered, and flow goes on where the exception returns to. */
void test_callstack__filtered_exception_is_no_loss(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 2));
	feed(fx, elem_exception(2, CODE_F + 8));
	feed(fx, elem_gap(SL_GAP_FILTER, 0));
	feed(fx, elem_returns(CODE_F + 8, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f [2 *filter ]:0 -f:3/3 -main:5/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* ETMv3 does not say where an exception came: behind the last instruction, or of what a branch went to nobody knows. */
void test_callstack__exception_of_no_address(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem exception = elem_exception(10, 0);

	exception.flags = 0;
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 2));
	feed(fx, exception);
	feed(fx, elem_gap(SL_GAP_FILTER, 0));
	feed(fx, elem_returns(CODE_F + 8, 1));
	feed(fx, elem_jumps(CODE_MAIN + 4, 1));
	feed(fx, exception);
	feed(fx, elem_gap(SL_GAP_FILTER, 0));
	feed(fx, elem_stops(CODE_MAIN + 0x20, 1));
	expect(fx, "+main? +f [10 *filter ]:0 -f:3/3 [10 *filter ]:0! -main:5/2?! +main? -main:1/1?!");
	assert_int_equal(all_repairs(fx), 0);
}

void test_callstack__filter_elsewhere_is_loss(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 2));
	feed(fx, elem_gap(SL_GAP_FILTER, 0));
	feed(fx, elem_stops(CODE_F + 8, 1));
	expect(fx, "+main? +f *filter -f:2/2! -main:3/1?! +f? -f:1/1?!");
}

void test_callstack__code_without_image_is_a_frame(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE + 64));
	feed(fx, elem_returns(CODE_F, 3));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE + 128));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? *no image +[no image] +f *no image -f:3/3 -[no image]:3/0 -main:5/2?!");
	assert_int_equal(all_repairs(fx), 0);
}

/* A BPF program: its name is known, its bytes are not. One calls another, and returns to the kernel. */
void test_callstack__code_without_image_has_its_name(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NAMED));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NAMED + 64));
	feed(fx, elem_returns(CODE_F, 3));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NAMED + 128));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NAMED + 0x100));
	feed(fx, elem_gap(SL_GAP_NO_IMAGE, CODE_NAMED + 0xc0));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? *no image +bpf_a +f *no image -f:3/3 *no image +bpf_b *no image -bpf_b:0/0r "
		   "-bpf_a:3/0 -main:5/2?!");
	assert_int_equal(all_repairs(fx), 1); /* nobody saw bpf_b return */
}

/* Only the number is known: no function gets them, and an absurd end costs nothing. */
void test_callstack__instructions_without_a_path(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem q = elem_calls(CODE_G, 9);

	q.kind = SL_ELEM_RANGE_NO_PATH;
	q.range.end = UINT64_MAX;
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, q);
	feed(fx, elem_returns(CODE_F + 8, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "+main? +f -f:11/2 -main:13/2?!");
	assert_int_equal(sl_callstack_account(fx->cs)->gap.v[SL_AXIS_INSNS], 9);
}

void test_callstack__each_context_has_its_stack(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_context(1));
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, elem_exception(14, CODE_F + 4));
	feed(fx, elem_stops(CODE_VECTORS, 1));
	feed(fx, elem_context(2));
	feed(fx, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, elem_stops(CODE_TASK_B + 8, 7));
	feed(fx, elem_exception(14, CODE_TASK_B + 36));
	feed(fx, elem_stops(CODE_VECTORS, 1));
	feed(fx, elem_context(1));
	feed(fx, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, elem_returns(CODE_F + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "@1 +main? +f [14 +vectors @2 +vectors? -vectors:1/1?!r +task_b?r [14 +vectors @1 "
		   "-vectors:2/2 ]:2 -f:2/2 -main:4/2?! -vectors:1/1! ]:1! -task_b:7/7?!r");
}

/* Where trace is lost, any of them may have run: none of the other one's calls goes on afterwards. */
void test_callstack__loss_is_of_all_contexts(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_context(1));
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 2));
	feed(fx, elem_context(2));
	feed(fx, elem_stops(CODE_TASK_B + 8, 3));
	feed(fx, elem_gap(SL_GAP_OVERFLOW, 0));
	feed(fx, elem_context(2));
	feed(fx, elem_stops(CODE_TASK_B + 8, 1));
	feed(fx, elem_context(1));
	feed(fx, elem_returns(CODE_F + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "@1 +main? +f @2 +task_b? *overflow -task_b:3/3?! +task_b? -f:2/2! -main:3/1?! @1 +f? -f:1/1? "
		   "+main?r -main:1/1?!r -task_b:1/1?!");
}

/* A handler calls what it has interrupted: its call is a whole one, since its time is no part of the other. */
void test_callstack__recursion_is_of_one_level(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_calls(CODE_F, 1));
	feed(fx, elem_exception(14, CODE_F + 4));
	feed(fx, elem_calls(CODE_VECTORS, 1));
	feed(fx, elem_stops(CODE_F, 2));
	feed(fx, elem_returns(CODE_F + 8, 1));
	feed(fx, elem_erets(CODE_VECTORS + 4, 1));
	feed(fx, elem_stops(CODE_F + 4, 1));
	expect(fx, "+f? [14 +vectors +f -f:3/3 -vectors:5/2 ]:5 -f:2/2?!");
}

void test_callstack__depth_is_bounded(void **state)
{
	struct fixture *fx = *state;

	for (int i = 0; i < 5000; i++) {
		feed(fx, elem_calls(CODE_F, 1));
		fx->log[0] = '\0';
	}
	assert_int_equal(sl_callstack_finish(fx->cs), SL_OK);
	assert_int_equal(repairs(fx, SL_REPAIR_DEPTH), 1);
	assert_int_equal(sl_callstack_account(fx->cs)->self.v[SL_AXIS_INSNS], 5000);
}

void test_callstack__time_goes_to_the_function_on_top(void **state)
{
	struct fixture *fx = *state;

	feed(fx, elem_time(100));
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, elem_time(130));
	feed(fx, elem_cycles(7));
	feed(fx, elem_gap(SL_GAP_OVERFLOW, 0));
	feed(fx, elem_time(150));
	feed(fx, elem_stops(CODE_G, 1));
	feed(fx, elem_time(145));
	expect(fx, "+main? +f *overflow -f:1/1! -main:2/1?! +g? -g:1/1?!");
	assert_int_equal(sl_callstack_account(fx->cs)->self.v[SL_AXIS_TICKS], 30 * SL_TICK_PARTS);
	assert_int_equal(sl_callstack_account(fx->cs)->self.v[SL_AXIS_CYCLES], 7);
	assert_int_equal(sl_callstack_account(fx->cs)->gap.v[SL_AXIS_TICKS], 20 * SL_TICK_PARTS);
	assert_int_equal(sl_fusion_facts(sl_callstack_clock(fx->cs))->backward_timestamps, 1);
}

static struct sl_elem elem_task(uint32_t task)
{
	return (struct sl_elem){ .kind = SL_ELEM_TASK, .count = task, .value = 1 };
}

/* The capture names the task where the trace names none; each has its own stack. */
void test_callstack__tasks_of_the_capture(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem unnamed = elem_context(0);

	unnamed.context.flags &= (uint8_t)~SL_CTX_ID;
	feed(fx, elem_task(5));
	feed(fx, unnamed);
	feed(fx, elem_calls(CODE_MAIN, 1));
	feed(fx, elem_stops(CODE_F, 1));
	feed(fx, elem_task(6));
	feed(fx, elem_stops(CODE_TASK_B, 1));
	feed(fx, elem_task(5));
	feed(fx, elem_returns(CODE_F + 4, 1));
	feed(fx, elem_stops(CODE_MAIN + 4, 1));
	expect(fx, "@5 +main? +f @6 +task_b? @5 -f:2/2 -main:4/2?! -task_b:1/1?!");
}
