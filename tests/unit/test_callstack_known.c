/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the call stack is known to have wrong, as small as it gets: the causes in tests/generator/known_differences.tsv. Each case says what
 * is right, and passes while it is not so: a case that fails is mended, and moves to test_callstack.c. "migration" is not among
 * them: it needs two lanes (tests/generator/report.sh, model-migrates).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_callstack.h"
#include "sl_span.h"

struct known {
	struct sl_image *image;
	struct sl_callstack *cs;
	const char *function; /* whose calls are counted */
	uint64_t entered, total_insns;
};

static void on_call(void *ctx, const struct sl_call *call)
{
	struct known *k = ctx;

	if (call->kind != SL_CALL_LEAVE || strcmp(sl_image_symbol(k->image, call->symbol)->name, k->function) != 0)
		return;
	k->entered += !(call->flags & SL_SPAN_NO_ENTRY);
	if (!call->recursive)
		k->total_insns += call->total.v[SL_AXIS_INSNS];
}

int case_setup(void **state)
{
	struct known *k = calloc(1, sizeof(*k));
	struct sl_callstack_options options = { .call = on_call, .ctx = k };

	assert_non_null(k);
	options.image = k->image = code_image();
	assert_non_null(k->image);
	assert_int_equal(sl_callstack_new(&options, &k->cs), SL_OK);
	*state = k;
	return 0;
}

int case_teardown(void **state)
{
	struct known *k = *state;

	sl_callstack_free(k->cs);
	sl_image_free(k->image);
	free(k);
	return 0;
}

static void feed(struct known *k, struct sl_elem elem)
{
	assert_int_equal(sl_callstack_feed(k->cs, &elem, 1), SL_OK);
}

static void still_wrong(struct known *k, uint64_t entered, uint64_t total_insns)
{
	assert_int_equal(sl_callstack_finish(k->cs), SL_OK);
	if (k->entered == entered && k->total_insns == total_insns)
		fail_msg("%s is right now: move this case to test_callstack.c, and its cause out of known_differences.tsv", k->function);
}

/* loop-head: f loops to its own first instruction while trace is lost. It was entered once. */
void test_callstack_known__loop_head_behind_a_loss(void **state)
{
	struct known *k = *state;

	k->function = "f";
	feed(k, elem_calls(CODE_MAIN, 1));
	feed(k, elem_stops(CODE_F, 2));
	feed(k, elem_gap(SL_GAP_OVERFLOW, 0));
	feed(k, elem_jumps(CODE_F, 2));
	feed(k, elem_returns(CODE_F, 2));
	still_wrong(k, 1, 6);
}

/* middle: f ends in a jump behind the first instructions of g (setjmp to __sigsetjmp). Nobody entered g. */
void test_callstack_known__jump_into_a_middle(void **state)
{
	struct known *k = *state;

	k->function = "g";
	feed(k, elem_calls(CODE_MAIN, 1));
	feed(k, elem_jumps(CODE_F, 1));
	feed(k, elem_returns(CODE_G + 8, 1));
	feed(k, elem_stops(CODE_MAIN + 4, 1));
	still_wrong(k, 0, 1);
}

/* levels: h runs, is interrupted, and the handler calls h, too. In its own level each is an outermost call. */
void test_callstack_known__recursive_across_levels(void **state)
{
	struct known *k = *state;

	k->function = "h";
	feed(k, elem_calls(CODE_MAIN, 1));
	feed(k, elem_stops(CODE_H, 1));
	feed(k, elem_exception(14, CODE_H + 4));
	feed(k, elem_calls(CODE_VECTORS, 1));
	feed(k, elem_returns(CODE_H, 3));
	feed(k, elem_erets(CODE_VECTORS + 4, 1));
	feed(k, elem_returns(CODE_H + 4, 1));
	feed(k, elem_stops(CODE_MAIN + 4, 1));
	still_wrong(k, 2, 5);
}
