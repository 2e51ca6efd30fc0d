/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of options mean, and which calls they let through. Calls come from a call stack, or are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_filter.h"

struct fixture {
	struct sl_image *image;
	struct sl_filter filter;
	struct sl_sieve *sieve;
	struct sl_stream stream;
	struct sl_lane lane;
	char counted[512]; /* names of the calls that left and count */
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	fx->stream = (struct sl_stream){ .cpu = 2 };
	fx->lane = (struct sl_lane){ .stream = &fx->stream };
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_sieve_free(fx->sieve);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void make_sieve(struct fixture *fx)
{
	struct sl_diag diag = { "" };

	sl_sieve_free(fx->sieve);
	assert_int_equal(sl_sieve_new(&fx->filter, fx->image, NULL, 1000000000, &fx->sieve, &diag), SL_OK);
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct fixture *fx = ctx;
	struct sl_call told = *call;
	size_t len = strlen(fx->counted);

	told.lane = &fx->lane;
	if (sl_sieve_call(fx->sieve, &told) && call->kind == SL_CALL_LEAVE)
		snprintf(fx->counted + len, sizeof(fx->counted) - len, "%s%s", len ? " " : "",
			 sl_image_symbol(fx->image, call->symbol)->name);
}

/* The names of the calls that count, in the order in which they leave. */
static const char *sift(struct fixture *fx, const struct sl_elem *elems, size_t len)
{
	struct sl_callstack_options options = { .image = fx->image, .call = on_call, .ctx = fx };
	struct sl_callstack *cs;

	make_sieve(fx);
	fx->counted[0] = '\0';
	assert_int_equal(sl_callstack_new(&options, &cs), SL_OK);
	assert_int_equal(sl_callstack_feed(cs, elems, len), SL_OK);
	assert_int_equal(sl_callstack_finish(cs), SL_OK);
	sl_callstack_free(cs);
	assert_false(sl_sieve_failed(fx->sieve));
	return fx->counted;
}

/* main calls f, which calls g; then main calls h. */
static const char *sift_calls(struct fixture *fx)
{
	struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_calls(CODE_F, 2), elem_returns(CODE_G, 30), elem_returns(CODE_F + 8, 1),
		elem_calls(CODE_MAIN + 4, 1), elem_returns(CODE_H, 5), elem_stops(CODE_MAIN + 8, 1),
	};

	for (unsigned i = 0; i < 7; i++)
		elems[i].offset = i * 16;
	return sift(fx, elems, 7);
}

void test_filter__nothing_asked_for_is_everything(void **state)
{
	struct fixture *fx = *state;

	assert_string_equal(sift_calls(fx), "g f h main");
	assert_int_equal(sl_sieve_needs(fx->sieve), 0);
}

void test_filter__function_and_module(void **state)
{
	struct fixture *fx = *state;

	fx->filter.function = "[fg]";
	assert_string_equal(sift_calls(fx), "g f");
	fx->filter.module = "nothing*";
	assert_string_equal(sift_calls(fx), "");
}

void test_filter__depth(void **state)
{
	struct fixture *fx = *state;

	fx->filter.depth = 2;
	assert_string_equal(sift_calls(fx), "f h main");
}

void test_filter__root_is_what_is_inside(void **state)
{
	struct fixture *fx = *state;

	fx->filter.root = "f";
	assert_string_equal(sift_calls(fx), "g f");
	fx->filter.depth = 1;
	assert_string_equal(sift_calls(fx), "f");
}

void test_filter__least_duration(void **state)
{
	struct fixture *fx = *state;
	struct sl_diag diag = { "" };

	assert_int_equal(sl_filter_set_min_duration(&fx->filter, "30insns", &diag), SL_OK);
	assert_string_equal(sift_calls(fx), "g f main");
	assert_int_equal(sl_filter_axes(&fx->filter), 1 << SL_AXIS_INSNS);
}

void test_filter__window_holds_whole_calls(void **state)
{
	struct fixture *fx = *state;
	struct sl_diag diag = { "" };

	/* f is entered behind 1 instruction, g behind 3 */
	assert_int_equal(sl_filter_set_window(&fx->filter, "2insns..40insns", &diag), SL_OK);
	assert_string_equal(sift_calls(fx), "g");
	assert_int_equal(sl_filter_set_window(&fx->filter, "@64..", &diag), SL_OK);
	assert_string_equal(sift_calls(fx), "h");
	assert_int_equal(sl_filter_axes(&fx->filter), 0);
}

void test_filter__cpu(void **state)
{
	struct fixture *fx = *state;
	struct sl_diag diag = { "" };

	assert_int_equal(sl_filter_set_cpus(&fx->filter, "0,2-3", &diag), SL_OK);
	assert_string_equal(sift_calls(fx), "g f h main");
	assert_int_equal(sl_filter_set_cpus(&fx->filter, "0-1,3", &diag), SL_OK);
	assert_string_equal(sift_calls(fx), "");
	/* a snapshot's CPU is its core */
	fx->stream.cpu = -1;
	fx->stream.core = 1;
	assert_string_equal(sift_calls(fx), "g f h main");
	fx->stream.core = SL_CORE_ANY;
	assert_string_equal(sift_calls(fx), "");
}

void test_filter__task_by_number(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_context(0x21), elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2),
					 elem_stops(CODE_MAIN + 4, 1) };

	fx->filter.task = "33";
	assert_string_equal(sift(fx, elems, 4), "f main");
	fx->filter.task = "0x21";
	assert_string_equal(sift(fx, elems, 4), "f main");
	fx->filter.task = "34";
	assert_string_equal(sift(fx, elems, 4), "");
	fx->filter.task = "unknown";
	assert_string_equal(sift(fx, elems + 1, 3), "f main");
}

/* A call by hand, at a depth of a stack in a level. */
static bool tell(struct fixture *fx, enum sl_call_kind kind, uint32_t symbol, uint32_t depth, enum sl_level level,
		 uint32_t stack)
{
	static const struct sl_axes none;
	static const struct sl_context context;
	const struct sl_call call = { .kind = kind, .symbol = symbol, .depth = depth, .level = level, .stack = stack,
				      .enter = &none, .leave = &none, .total = &none, .self = &none, .context = &context,
				      .lane = &fx->lane };

	return sl_sieve_call(fx->sieve, &call);
}

static uint32_t id_of(const struct fixture *fx, uint64_t address)
{
	return sl_image_symbol_at(fx->image, 0, address).id;
}

void test_filter__root_holds_system_calls_but_no_interrupts(void **state)
{
	struct fixture *fx = *state;
	uint32_t f = id_of(fx, CODE_F), g = id_of(fx, CODE_G);

	fx->filter.root = "f";
	make_sieve(fx);
	assert_true(tell(fx, SL_CALL_ENTER, f, 0, SL_LEVEL_NONE, 0));
	assert_true(tell(fx, SL_CALL_LEVEL, 0, 1, SL_LEVEL_SYSCALL, 0));
	assert_true(tell(fx, SL_CALL_ENTER, g, 2, SL_LEVEL_SYSCALL, 0));
	assert_false(tell(fx, SL_CALL_LEVEL, 0, 3, SL_LEVEL_IRQ, 0));
	assert_false(tell(fx, SL_CALL_ENTER, g, 4, SL_LEVEL_IRQ, 0));
	assert_false(tell(fx, SL_CALL_LEVEL, 0, 5, SL_LEVEL_FAULT, 0));
	assert_false(tell(fx, SL_CALL_RESUME, 0, 5, SL_LEVEL_FAULT, 0));
	assert_false(tell(fx, SL_CALL_LEAVE, g, 4, SL_LEVEL_IRQ, 0));
	assert_false(tell(fx, SL_CALL_RESUME, 0, 3, SL_LEVEL_IRQ, 0));
	assert_true(tell(fx, SL_CALL_LEAVE, g, 2, SL_LEVEL_SYSCALL, 0));
	assert_true(tell(fx, SL_CALL_RESUME, 0, 1, SL_LEVEL_SYSCALL, 0));
	assert_true(tell(fx, SL_CALL_LEAVE, f, 0, SL_LEVEL_NONE, 0));
	assert_false(tell(fx, SL_CALL_ENTER, g, 0, SL_LEVEL_NONE, 0));
}

void test_filter__root_is_of_one_stack(void **state)
{
	struct fixture *fx = *state;
	uint32_t f = id_of(fx, CODE_F), g = id_of(fx, CODE_G);

	fx->filter.root = "f";
	make_sieve(fx);
	assert_true(tell(fx, SL_CALL_ENTER, f, 0, SL_LEVEL_NONE, 3));
	assert_false(tell(fx, SL_CALL_ENTER, g, 5, SL_LEVEL_NONE, 1));
	assert_true(tell(fx, SL_CALL_ENTER, g, 1, SL_LEVEL_NONE, 3));
	/* inside of itself it is open once */
	assert_true(tell(fx, SL_CALL_ENTER, f, 2, SL_LEVEL_NONE, 3));
	assert_true(tell(fx, SL_CALL_LEAVE, f, 2, SL_LEVEL_NONE, 3));
	assert_true(tell(fx, SL_CALL_LEAVE, g, 1, SL_LEVEL_NONE, 3));
}

void test_filter__levels(void **state)
{
	struct fixture *fx = *state;
	struct sl_diag diag = { "" };
	uint32_t f = id_of(fx, CODE_F);

	assert_int_equal(sl_filter_set_levels(&fx->filter, "irq,fiq", &diag), SL_OK);
	make_sieve(fx);
	assert_true(tell(fx, SL_CALL_LEAVE, f, 0, SL_LEVEL_IRQ, 0));
	assert_true(tell(fx, SL_CALL_LEAVE, f, 0, SL_LEVEL_FIQ, 0));
	assert_false(tell(fx, SL_CALL_LEAVE, f, 0, SL_LEVEL_NONE, 0));
}

static struct sl_fused piece_at(void *ctx, uint64_t back)
{
	return (struct sl_fused){ .at = { { *(uint64_t *)ctx - back, 0, 0 } } };
}

void test_filter__pieces(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem range = elem_stops(CODE_F, 1);
	uint64_t now = 7;
	struct sl_piece piece = { .range = &range, .symbol = id_of(fx, CODE_F), .depth = 2, .lane = &fx->lane, .at = piece_at,
				  .ctx = &now };
	struct sl_diag diag = { "" };

	fx->filter.function = "f";
	make_sieve(fx);
	assert_true(sl_sieve_piece(fx->sieve, &piece));
	piece.symbol = id_of(fx, CODE_G);
	assert_false(sl_sieve_piece(fx->sieve, &piece));
	fx->filter = (struct sl_filter){ .root = "f" };
	make_sieve(fx);
	assert_false(sl_sieve_piece(fx->sieve, &piece));
	tell(fx, SL_CALL_ENTER, id_of(fx, CODE_F), 1, SL_LEVEL_NONE, 0);
	assert_true(sl_sieve_piece(fx->sieve, &piece));
	piece.depth = 1;
	assert_false(sl_sieve_piece(fx->sieve, &piece));
	fx->filter = (struct sl_filter){ 0 };
	assert_int_equal(sl_filter_set_window(&fx->filter, "..7insns", &diag), SL_OK);
	make_sieve(fx);
	assert_false(sl_sieve_piece(fx->sieve, &piece));
}

/* Values of options that are refused, each with a word of the reason. */
void test_filter__values_that_are_none(void **state)
{
	static const struct {
		int (*set)(struct sl_filter *filter, const char *text, struct sl_diag *diag);
		const char *text, *why;
	} rows[] = {
		{ sl_filter_set_cpus, "", "--cpu" },	      { sl_filter_set_cpus, "1,", "--cpu" },
		{ sl_filter_set_cpus, "3-1", "--cpu" },	      { sl_filter_set_cpus, "4096", "--cpu" },
		{ sl_filter_set_cpus, "1x", "--cpu" },	      { sl_filter_set_cpus, "99999999999999999999999", "--cpu" },
		{ sl_filter_set_levels, "", "irq" },	      { sl_filter_set_levels, "irqs", "syscall" },
		{ sl_filter_set_levels, "irq,", "irq" },      { sl_filter_set_window, "", "--window" },
		{ sl_filter_set_window, "..", "--window" },   { sl_filter_set_window, "1..2", "--window" },
		{ sl_filter_set_window, "2ms..1ms", "empty" }, { sl_filter_set_window, "1ms", "--window" },
		{ sl_filter_set_window, "1ms..2msx", "--window" }, { sl_filter_set_window, "@..@", "--window" },
		{ sl_filter_set_window, "0xs..", "--window" }, { sl_filter_set_min_duration, "10", "800cycles" },
		{ sl_filter_set_min_duration, "us", "800cycles" }, { sl_filter_set_min_duration, "@1", "800cycles" },
		{ sl_filter_set_min_duration, "18446744073709551615s", "800cycles" },
	};
	struct sl_filter filter = { 0 };
	const struct sl_filter untouched = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sl_diag diag = { "" };

		assert_int_equal(rows[i].set(&filter, rows[i].text, &diag), SL_ERR_FORMAT);
		assert_non_null(strstr(diag.text, rows[i].why));
		assert_memory_equal(&filter, &untouched, sizeof(filter));
	}
}

void test_filter__values(void **state)
{
	struct sl_filter filter = { 0 };
	struct sl_diag diag = { "" };

	(void)state;
	assert_int_equal(sl_filter_set_window(&filter, "0010us..0x10s", &diag), SL_OK);
	assert_int_equal(filter.from.value, 10000);
	assert_int_equal(filter.to.value, 16000000000);
	assert_int_equal(sl_filter_set_min_duration(&filter, "3ms", &diag), SL_OK);
	assert_int_equal(filter.min_duration.unit, SL_UNIT_NS);
	assert_int_equal(filter.min_duration.value, 3000000);
	assert_int_equal(sl_filter_axes(&filter), 1 << SL_AXIS_TICKS);
}

void test_filter__time_needs_a_frequency(void **state)
{
	struct fixture *fx = *state;
	struct sl_diag diag = { "" };

	assert_int_equal(sl_filter_set_min_duration(&fx->filter, "3ms", &diag), SL_OK);
	assert_int_equal(sl_sieve_new(&fx->filter, fx->image, NULL, 0, &fx->sieve, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "--freq"));
}
