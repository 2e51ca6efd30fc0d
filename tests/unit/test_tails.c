/* SPDX-License-Identifier: Apache-2.0 */
/* Tail calls as calls: what a sink is told of stacks behind the stage, as one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_span.h"
#include "tails.h"

struct fixture {
	struct sl_image *image;
	struct tails *tails;
	struct sl_call_sink sink;
	char log[512];
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

static const char *name_of(const struct fixture *fx, uint32_t symbol)
{
	return symbol == UINT32_MAX ? "-" : sl_image_symbol(fx->image, symbol)->name;
}

/* "+name@depth<caller", "-name@depth:total/self" and R: recursive, !: no exit. */
static void on_told(void *self, const struct sl_call *call)
{
	struct fixture *fx = self;

	if (call->kind == SL_CALL_ENTER)
		note(fx, "+%s@%u<%s ", name_of(fx, call->symbol), call->depth, name_of(fx, call->caller));
	if (call->kind == SL_CALL_LEAVE)
		note(fx, "-%s@%u:%d/%d%s%s ", name_of(fx, call->symbol), call->depth, (int)call->total->v[SL_AXIS_INSNS],
		     (int)call->self->v[SL_AXIS_INSNS], call->recursive ? "R" : "", call->flags & SL_SPAN_NO_EXIT ? "!" : "");
	if (call->kind == SL_CALL_LEVEL)
		note(fx, "[@%u ", call->depth);
	if (call->kind == SL_CALL_RESUME)
		note(fx, "]@%u ", call->depth);
}

static const struct sl_call_sink_ops told_ops = { .name = "told", .call = on_told };

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct sl_call_sink inner = { &told_ops, fx };

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(tails_new(&inner, &fx->tails), SL_OK);
	tails_sink(fx->tails, &fx->sink);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	tails_free(fx->tails);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct fixture *fx = ctx;

	fx->sink.ops->call(fx->sink.self, call);
}

static const char *fold(struct fixture *fx, const struct sl_elem *elems, size_t len)
{
	const struct sl_callstack_options options = { .image = fx->image, .call = on_call, .ctx = fx };
	const struct sl_lane lane = { .index = 0 };
	struct sl_callstack *cs;

	assert_int_equal(sl_callstack_new(&options, &cs), SL_OK);
	assert_int_equal(sl_callstack_feed(cs, elems, len), SL_OK);
	assert_int_equal(sl_callstack_finish(cs), SL_OK);
	assert_int_equal(fx->sink.ops->end(fx->sink.self, &lane), SL_OK);
	sl_callstack_free(cs);
	if (*fx->log)
		fx->log[strlen(fx->log) - 1] = '\0';
	return fx->log;
}

/* main calls f, which jumps to g, which jumps to h, which returns to main. */
void test_tails__a_chain_lasts_until_its_end(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_jumps_far(CODE_G, 3),
					 elem_returns(CODE_H, 4), elem_stops(CODE_MAIN + 4, 1) };

	assert_string_equal(fold(*state, elems, 5), "+main@0<- +f@1<main +g@2<f +h@3<g -h@3:4/4 -g@2:7/3 -f@1:9/2 -main@0:11/2!");
}

/* What the last of a chain calls is deeper by the chain. */
void test_tails__calls_above_a_chain(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_calls(CODE_G, 1), elem_returns(CODE_H, 5),
					 elem_returns(CODE_G + 4, 1), elem_stops(CODE_MAIN + 4, 1) };

	assert_string_equal(fold(*state, elems, 6), "+main@0<- +f@1<main +g@2<f +h@3<g -h@3:5/5 -g@2:7/2 -f@1:9/2 -main@0:11/2!");
}

/* f jumps to g, which calls f: that is recursion now. */
void test_tails__recursion_through_a_jump(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_calls(CODE_G, 1), elem_returns(CODE_F, 5),
					 elem_returns(CODE_G + 4, 1), elem_stops(CODE_MAIN + 4, 1) };

	assert_string_equal(fold(*state, elems, 6), "+main@0<- +f@1<main +g@2<f +f@3<g -f@3:5/5R -g@2:7/2 -f@1:9/2 -main@0:11/2!");
}

/* ... but not where an interrupt lies in between. */
void test_tails__no_recursion_through_a_level(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_stops(CODE_G, 1),
					 elem_exception(14, CODE_G + 4), elem_calls(CODE_VECTORS, 1), elem_returns(CODE_F, 5),
					 elem_erets(CODE_VECTORS + 4, 1), elem_returns(CODE_G + 4, 1), elem_stops(CODE_MAIN + 4, 1) };

	assert_string_equal(fold(*state, elems, 9), "+main@0<- +f@1<main +g@2<f [@3 +vectors@4<- +f@5<vectors -f@5:5/5 -vectors@4:7/2 ]@3 "
						    "-g@2:2/2 -f@1:4/2 -main@0:6/2!");
}

/* f.cold is on top of f: coming back from it is no tail call. */
void test_tails__cold_parts_stay(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_jumps_far(CODE_F_COLD, 3),
					 elem_returns(CODE_F + 8, 1), elem_stops(CODE_MAIN + 4, 1) };

	assert_string_equal(fold(*state, elems, 5), "+main@0<- +f@1<main +f.cold@2<f -f.cold@2:3/3 -f@1:6/3 -main@0:8/2!");
}

/* Where the end of the chain has no exit, nobody in it has one. */
void test_tails__lost_ends(void **state)
{
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_stops(CODE_G, 3) };

	assert_string_equal(fold(*state, elems, 3), "+main@0<- +f@1<main +g@2<f -g@2:3/3! -f@1:5/2! -main@0:6/1!");
}
