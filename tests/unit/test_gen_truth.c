/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen_model.h"
#include "latencies.h"
#include "temp_dir.h"
#include "timing.h"
#include "truth.h"

/* Functions of 0x100 bytes each: f0 at 0x1000, f1 at 0x1100 ...; f6.cold is that of f6. */
enum {
	F0 = 0x1000,
	F1 = 0x1100,
	F2 = 0x1200,
	F3 = 0x1300,
	HANDLER = 0x1400,
	SWITCH = 0x1500,
	F6 = 0x1600,
	F6_COLD = 0x1700
};

struct truth_test {
	struct temp_dir dir;
	struct gen_symbols symbols;
	struct gen_truth *truth;
	struct gen_sink sink;
	uint64_t ns;
	uint32_t tid;
	unsigned cpu;
	struct gen_call *calls;
	size_t len;
};

int case_setup(void **state)
{
	static const char *const names[] = { "f0", "f1", "f2", "f3", "handler", "switch", "f6", "f6.cold" };
	struct truth_test *t = calloc(1, sizeof(*t));

	temp_dir_make(&t->dir);
	gen_symbols_init(&t->symbols);
	for (unsigned i = 0; i < 8; i++)
		gen_symbols_add(&t->symbols, names[i], F0 + 0x100 * i, 0x100);
	gen_symbols_sort(&t->symbols);
	t->truth = gen_truth_new(&(struct gen_truth_options){ t->dir.path, &t->symbols, true, true });
	t->sink = gen_truth_sink(t->truth);
	*state = t;
	return 0;
}

int case_teardown(void **state)
{
	struct truth_test *t = *state;

	if (t->truth)
		gen_truth_finish(t->truth);
	gen_symbols_release(&t->symbols);
	temp_dir_remove(&t->dir);
	free(t->calls);
	free(t);
	return 0;
}

static void tell(struct truth_test *t, struct gen_event event, uint64_t ns)
{
	event.cpu = t->cpu;
	event.time_ns = t->ns;
	gen_tell(&t->sink, &event);
	t->ns += ns;
}

static void context(struct truth_test *t, uint32_t tid)
{
	struct gen_event e = { .kind = GEN_CONTEXT };

	t->tid = e.context.tid = tid;
	tell(t, e, 0);
}

/* Ten ns and five cycles an instruction. */
static void run(struct truth_test *t, uint64_t start, unsigned insns, enum gen_end how, uint64_t target)
{
	struct gen_event e = { .kind = GEN_RUN };

	e.run = (struct gen_run){ .start = start,
				  .end = start + 4 * insns,
				  .insns = insns,
				  .how = how,
				  .target = target,
				  .cycles = 5 * insns };
	tell(t, e, 10 * insns);
}

static void exception(struct truth_test *t, uint64_t back)
{
	struct gen_event e = { .kind = GEN_EXCEPTION };

	e.exception = (struct gen_exception){
		.type = GEN_IRQ, .preferred_return = back, .vector = HANDLER, .cycles = 7
	};
	tell(t, e, 14);
}

/* The context event lets what the last run led to happen: nothing is seen behind it. */
static void end(struct truth_test *t, size_t calls)
{
	FILE *f;

	context(t, t->tid);
	tell(t, (struct gen_event){ .kind = GEN_END }, 0);
	gen_truth_finish(t->truth);
	t->truth = NULL;
	f = fopen(temp_dir_path(&t->dir, "calls.bin"), "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	assert_int_equal((size_t)ftell(f), 16 + calls * sizeof(struct gen_call));
	fseek(f, 16, SEEK_SET);
	t->calls = malloc(calls * sizeof(struct gen_call));
	assert_int_equal(fread(t->calls, sizeof(struct gen_call), calls, f), calls);
	t->len = calls;
	fclose(f);
	for (size_t i = 0; i < calls; i++)
		assert_int_equal(t->calls[i].leave_ns - t->calls[i].enter_ns,
				 t->calls[i].total_ns + t->calls[i].interrupted_ns +
					 t->calls[i].suspended_ns);
}

static void check(const struct truth_test *t, size_t i, const char *name, uint64_t total_insns,
		  uint64_t self_insns, unsigned flags)
{
	const struct gen_call *call = &t->calls[i];

	assert_string_equal(t->symbols.functions[call->function].name, name);
	assert_int_equal(call->total_insns, total_insns);
	assert_int_equal(call->self_insns, self_insns);
	assert_int_equal(call->flags, flags);
}

void test_gen_truth__call_and_return(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0 + 8, 2, GEN_END_CALL, F1);
	run(t, F1, 3, GEN_END_RETURN, F0 + 16);
	run(t, F0 + 16, 1, GEN_END_NONE, 0);
	end(t, 2);
	check(t, 0, "f1", 3, 3, 0);
	assert_int_equal(t->calls[0].enter_ns, 20);
	assert_int_equal(t->calls[0].leave_ns, 50);
	assert_int_equal(t->calls[0].total_cycles, 15);
	assert_int_equal(t->calls[0].caller, 1);
	assert_int_equal(t->calls[0].depth, 1);
	check(t, 1, "f0", 6, 3, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
	assert_int_equal(t->calls[1].caller, UINT32_MAX);
	assert_int_equal(t->calls[1].total_ns, 60);
}

void test_gen_truth__a_tail_call_takes_the_place(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 2, GEN_END_CALL, F1);
	run(t, F1, 3, GEN_END_INDIRECT, F2);
	run(t, F2, 4, GEN_END_RETURN, F0 + 8);
	run(t, F0 + 8, 1, GEN_END_NONE, 0);
	end(t, 3);
	check(t, 0, "f1", 3, 3, GEN_CALL_TAIL_OUT);
	check(t, 1, "f2", 4, 4, GEN_CALL_TAIL_IN);
	check(t, 2, "f0", 10, 3, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__loops_and_local_subroutines_are_no_calls(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 2, GEN_END_TAKEN, F0);
	run(t, F0, 2, GEN_END_CALL, F0 + 0x20);
	run(t, F0 + 0x20, 1, GEN_END_NONE, 0);
	end(t, 1);
	check(t, 0, "f0", 5, 5, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__recursion(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 2, GEN_END_CALL, F1);
	run(t, F1, 5, GEN_END_RETURN, F1 + 8);
	run(t, F1 + 8, 1, GEN_END_RETURN, F0 + 4);
	end(t, 3);
	check(t, 0, "f1", 5, 5, 0);
	check(t, 1, "f1", 8, 3, 0);
}

void test_gen_truth__unwound_by_a_jump(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 2, GEN_END_CALL, F2);
	run(t, F2, 3, GEN_END_INDIRECT, F0 + 0x40);
	run(t, F0 + 0x40, 1, GEN_END_NONE, 0);
	end(t, 3);
	check(t, 0, "f2", 3, 3, GEN_CALL_UNWOUND);
	check(t, 1, "f1", 5, 2, GEN_CALL_UNWOUND);
}

void test_gen_truth__the_cold_part_lies_on_top(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F6);
	run(t, F6, 1, GEN_END_TAKEN, F6_COLD);
	run(t, F6_COLD, 2, GEN_END_TAKEN, F6 + 4);
	run(t, F6 + 4, 1, GEN_END_RETURN, F0 + 4);
	end(t, 3);
	check(t, 0, "f6.cold", 2, 2, GEN_CALL_UNWOUND);
	check(t, 1, "f6", 4, 2, 0);
}

void test_gen_truth__interrupted_time_is_apart(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 2, GEN_END_NONE, 0);
	exception(t, F1 + 8);
	run(t, HANDLER, 3, GEN_END_CALL, F2);
	run(t, F2, 1, GEN_END_RETURN, HANDLER + 12);
	run(t, HANDLER + 12, 1, GEN_END_ERET, F1 + 8);
	run(t, F1 + 8, 2, GEN_END_RETURN, F0 + 4);
	end(t, 4);
	check(t, 0, "f2", 1, 1, 0);
	check(t, 1, "handler", 5, 4, GEN_CALL_HANDLER);
	assert_int_equal(t->calls[1].total_cycles, 25 + 7);
	check(t, 2, "f1", 4, 4, 0);
	assert_int_equal(t->calls[2].interrupted_ns, 50 + 14);
	assert_int_equal(t->calls[2].total_ns, 40);
}

void test_gen_truth__a_call_has_begun_when_its_target_is_interrupted(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	exception(t, F1);
	run(t, HANDLER, 1, GEN_END_ERET, F1);
	run(t, F1, 2, GEN_END_RETURN, F0 + 4);
	end(t, 3);
	check(t, 0, "handler", 1, 1, GEN_CALL_HANDLER);
	check(t, 1, "f1", 2, 2, 0);
	assert_int_equal(t->calls[1].interrupted_ns, 24);
}

/* Each task has a stack: what the other one does meanwhile is no part of a call. */
void test_gen_truth__suspended_time_is_apart(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, SWITCH);
	run(t, SWITCH, 2, GEN_END_BARRIER, 0);
	context(t, 2);
	run(t, SWITCH + 8, 1, GEN_END_RETURN, F2);
	run(t, F2, 5, GEN_END_CALL, SWITCH);
	run(t, SWITCH, 2, GEN_END_BARRIER, 0);
	context(t, 1);
	run(t, SWITCH + 8, 1, GEN_END_RETURN, F0 + 4);
	end(t, 5);
	check(t, 0, "switch", 1, 1, GEN_CALL_NO_ENTRY | GEN_CALL_TAIL_OUT);
	check(t, 1, "switch", 3, 3, 0);
	assert_int_equal(t->calls[1].suspended_ns, 80);
	assert_int_equal(t->calls[1].tid, 1);
	check(t, 2, "f0", 4, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
	check(t, 3, "switch", 2, 2, GEN_CALL_NO_EXIT);
	check(t, 4, "f2", 7, 5, GEN_CALL_TAIL_IN | GEN_CALL_NO_EXIT);
}

void test_gen_truth__a_signal_handler_lies_on_top(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_NONE, 0);
	exception(t, F0 + 4);
	run(t, HANDLER, 1, GEN_END_ERET, F1);
	run(t, F1, 2, GEN_END_RETURN, F2);
	run(t, F2, 1, GEN_END_NONE, 0);
	exception(t, F2 + 4);
	run(t, HANDLER, 1, GEN_END_ERET, F0 + 4);
	run(t, F0 + 4, 1, GEN_END_NONE, 0);
	end(t, 5);
	check(t, 1, "f1", 2, 2, GEN_CALL_BY_ERET | GEN_CALL_TAIL_OUT);
	check(t, 3, "f2", 1, 1, GEN_CALL_TAIL_IN | GEN_CALL_UNWOUND);
	check(t, 4, "f0", 5, 2, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

/* ... and goes back to a function that had not executed anything yet. */
void test_gen_truth__a_signal_before_a_functions_first_instruction(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F3);
	exception(t, F3);
	run(t, HANDLER, 1, GEN_END_ERET, F1);
	run(t, F1, 2, GEN_END_NONE, 0);
	exception(t, F1 + 8);
	run(t, HANDLER, 1, GEN_END_ERET, F3);
	run(t, F3, 1, GEN_END_RETURN, F0 + 4);
	run(t, F0 + 4, 1, GEN_END_NONE, 0);
	end(t, 5);
	check(t, 2, "f1", 2, 2, GEN_CALL_BY_ERET | GEN_CALL_UNWOUND);
	check(t, 3, "f3", 3, 1, 0);
	check(t, 4, "f0", 5, 2, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__a_gap_ends_what_is_open(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 1, GEN_END_NONE, 0);
	tell(t, (struct gen_event){ .kind = GEN_GAP }, 0);
	run(t, F1 + 0x20, 1, GEN_END_RETURN, F0 + 4);
	run(t, F0 + 4, 1, GEN_END_NONE, 0);
	end(t, 4);
	check(t, 0, "f1", 1, 1, GEN_CALL_NO_EXIT);
	check(t, 1, "f0", 2, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
	check(t, 2, "f1", 1, 1, GEN_CALL_NO_ENTRY);
	check(t, 3, "f0", 1, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

static void leave_for_a_kernel(struct truth_test *t, uint64_t back)
{
	struct gen_event e = { .kind = GEN_EXCEPTION };

	e.exception = (struct gen_exception){ .type = GEN_CALL_EXCEPTION, .preferred_return = back };
	tell(t, e, 0);
	tell(t, (struct gen_event){ .kind = GEN_GAP }, 0);
}

void test_gen_truth__a_system_call_comes_back_from_its_gap(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 1, GEN_END_NONE, 0);
	leave_for_a_kernel(t, F1 + 4);
	run(t, F1 + 4, 1, GEN_END_RETURN, F0 + 4);
	run(t, F0 + 4, 1, GEN_END_NONE, 0);
	end(t, 3);
	assert_int_equal(t->calls[0].function, 0); /* the kernel */
	check(t, 1, "f1", 2, 2, 0);
	check(t, 2, "f0", 4, 2, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__a_system_call_that_comes_back_elsewhere(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	run(t, F1, 1, GEN_END_NONE, 0);
	leave_for_a_kernel(t, F1 + 4);
	run(t, F2 + 0x20, 1, GEN_END_NONE, 0);
	end(t, 4);
	check(t, 1, "f1", 1, 1, GEN_CALL_NO_EXIT);
	check(t, 2, "f0", 2, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
	check(t, 3, "f2", 1, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__falls_through_into_the_next_function(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1 + 0xf8);
	run(t, F1 + 0xf8, 4, GEN_END_RETURN, F0 + 4);
	end(t, 3);
	check(t, 0, "f1", 2, 2, GEN_CALL_TAIL_OUT);
	check(t, 1, "f2", 2, 2, GEN_CALL_TAIL_IN);
	assert_int_equal(t->calls[0].total_cycles, 10);
}

void test_gen_truth__a_call_that_nobody_saw_begin_is_none(void **state)
{
	struct truth_test *t = *state;

	context(t, 1);
	run(t, F0, 1, GEN_END_CALL, F1);
	tell(t, (struct gen_event){ .kind = GEN_GAP }, 0);
	run(t, F2, 1, GEN_END_NONE, 0);
	end(t, 2);
	check(t, 0, "f0", 1, 1, GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT);
}

void test_gen_truth__the_flow_is_merged(void **state)
{
	static const uint64_t wanted[] = { F0, F0 + 12, F1, F1 + 4 };
	struct truth_test *t = *state;
	uint64_t found[5];
	FILE *f;

	context(t, 1);
	run(t, F0, 1, GEN_END_NOT_TAKEN, 0);
	run(t, F0 + 4, 2, GEN_END_CALL, F1);
	run(t, F1, 1, GEN_END_NONE, 0);
	end(t, 2);
	f = fopen(temp_dir_path(&t->dir, "flow.0.bin"), "rb");
	assert_int_equal(fread(found, 8, 5, f), 4);
	assert_memory_equal(found, wanted, sizeof(wanted));
	fclose(f);
}

void test_gen_truth__percentiles_by_nearest_rank(void **state)
{
	static const unsigned per_mille[] = { 0, 500, 900, 990, 999, 1000 };
	struct latencies l = { SL_MAP_INIT, 0, 0, 0, 0 };
	uint64_t found[6];

	for (uint64_t i = 1; i <= 1000; i++)
		latencies_add(&l, i * 10);
	latencies_percentiles(&l, per_mille, 6, found);
	assert_int_equal(found[0], 10);
	assert_int_equal(found[1], 5000);
	assert_int_equal(found[2], 9000);
	assert_int_equal(found[3], 9900);
	assert_int_equal(found[4], 9990);
	assert_int_equal(found[5], 10000);
	latencies_release(&l);
	latencies_add(&l, 7);
	latencies_percentiles(&l, per_mille, 6, found);
	assert_int_equal(found[1], 7);
	latencies_release(&l);
}

/* What holds of any program: instructions are somebody's, and times add up. */
void test_gen_truth__adds_up_on_the_model(void **state)
{
	struct truth_test *t = *state;
	struct gen_model_options options = { .seed = 9, .cpus = 2, .processes = 2, .interrupt_every = 3000 };
	struct gen_timing_options timing_options = { .seed = 1, .noise_permille = 100, .timer_ns = 100000 };
	struct gen_model *model = gen_model_new(&options);
	struct gen_timing *timing;
	struct gen_clock clock;
	struct gen_sink sink;
	uint64_t insns, self = 0, whole = 0;
	struct gen_call call;
	FILE *f;

	gen_truth_finish(t->truth);
	gen_symbols_release(&t->symbols);
	gen_symbols_init(&t->symbols);
	gen_model_symbols(model, &t->symbols);
	t->truth = gen_truth_new(&(struct gen_truth_options){ t->dir.path, &t->symbols, true, false });
	sink = gen_truth_sink(t->truth);
	timing = gen_timing_new(&timing_options, &sink);
	sink = gen_timing_sink(timing);
	clock = gen_timing_clock(timing);
	gen_model_begin(model, &sink);
	gen_model_run(model, 1000000, &clock, &sink);
	gen_model_end(model, &sink);
	insns = gen_truth_finish(t->truth);
	t->truth = NULL;
	assert_int_equal(insns, gen_model_insns(model));
	f = fopen(temp_dir_path(&t->dir, "calls.bin"), "rb");
	fseek(f, 16, SEEK_SET);
	while (fread(&call, sizeof(call), 1, f) == 1) {
		assert_int_equal(call.leave_ns - call.enter_ns,
				 call.total_ns + call.interrupted_ns + call.suspended_ns);
		assert_int_not_equal(call.function, 0);
		self += call.self_insns;
		whole += !(call.flags & (GEN_CALL_NO_ENTRY | GEN_CALL_NO_EXIT));
	}
	assert_int_equal(self, insns);
	assert_true(whole > 10000);
	fclose(f);
	gen_timing_free(timing);
	gen_model_free(model);
}
