/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "timing.h"

struct seen {
	struct gen_event events[4096];
	size_t len;
	uint64_t cycles;
	size_t runs;
};

static void keep(void *ctx, const struct gen_event *event)
{
	struct seen *seen = ctx;

	seen->events[seen->len++ % 4096] = *event;
	if (event->kind == GEN_RUN) {
		seen->cycles += event->run.cycles;
		seen->runs++;
	}
}

/* add, ldr, mul, b */
static const uint32_t words[] = { 0x91000400, 0xf9400001, 0x9b017c02, 0x14000000 };

static struct gen_event a_run(enum gen_end how, uint64_t target)
{
	struct gen_event e = { .kind = GEN_RUN };

	e.run = (struct gen_run){ .start = 0x1000,
				  .end = 0x1010,
				  .code = (const uint8_t *)words,
				  .insns = 4,
				  .how = how,
				  .target = target };
	return e;
}

static void feed(const struct gen_timing_options *options, struct seen *seen, const struct gen_event *event,
		 size_t times)
{
	struct gen_sink sink = { keep, seen };
	struct gen_timing *t = gen_timing_new(options, &sink);
	struct gen_sink in = gen_timing_sink(t);

	memset(seen, 0, sizeof(*seen));
	for (size_t i = 0; i < times; i++)
		gen_tell(&in, event);
	gen_timing_free(t);
}

static struct seen seen, again;

void test_gen_timing__classes_of_instructions(void **state)
{
	struct gen_timing_options options = { .hz = 500000000, .start_ns = 100 };
	struct gen_event taken = a_run(GEN_END_TAKEN, 0x1000), not_taken = a_run(GEN_END_NOT_TAKEN, 0);

	feed(&options, &seen, &taken, 2);
	assert_int_equal(seen.events[0].run.cycles, 1 + 2 + 3 + 1 + 1);
	assert_int_equal(seen.events[0].time_ns, 100);
	assert_int_equal(seen.events[1].time_ns, 100 + 8 * 2);
	feed(&options, &seen, &not_taken, 1);
	assert_int_equal(seen.events[0].run.cycles, 7);
}

void test_gen_timing__noise_keeps_the_sum(void **state)
{
	struct gen_timing_options options = { .seed = 7, .noise_permille = 200 };
	struct gen_event run = a_run(GEN_END_TAKEN, 0x1000);
	bool differs = false;

	feed(&options, &seen, &run, 100000);
	assert_in_range(seen.cycles, 798000, 802000);
	for (size_t i = 1; i < 4096; i++)
		differs |= seen.events[i].run.cycles != seen.events[0].run.cycles;
	assert_true(differs);
	feed(&options, &again, &run, 100000);
	assert_memory_equal(&seen, &again, sizeof(seen));
}

void test_gen_timing__misses_at_their_rate(void **state)
{
	struct gen_timing_options options = { .seed = 3, .miss_one_in = 50, .miss_cycles = 100 };
	struct gen_event run = a_run(GEN_END_TAKEN, 0x1000);

	feed(&options, &seen, &run, 100000); /* one load each */
	assert_in_range((seen.cycles - 800000) / 100, 1940, 2060);
}

/* Calls alternate with a run of the callee, which has one of two lengths. */
void test_gen_timing__slow_calls_fixed(void **state)
{
	struct gen_timing_options options = { .seed = 5, .slow_count = 1 };
	struct gen_event call = a_run(GEN_END_CALL, 0x2000), body = a_run(GEN_END_RETURN, 0x1010);
	struct gen_sink sink = { keep, &seen };
	struct gen_timing *t;
	struct gen_sink in;
	size_t slow = 0;

	options.slow[0] = (struct gen_slow_calls){ .target = 0x2000, .one_in = 10, .median = 1000 };
	memset(&seen, 0, sizeof(seen));
	t = gen_timing_new(&options, &sink);
	in = gen_timing_sink(t);
	for (int i = 0; i < 2000; i++) {
		gen_tell(&in, &call);
		gen_tell(&in, &body);
	}
	for (size_t i = 0; i < 4000; i += 2) {
		uint64_t cycles = seen.events[i + 1].run.cycles;

		assert_int_equal(seen.events[i].run.cycles, 8);
		assert_true(cycles == 8 || cycles == 1008);
		slow += cycles == 1008;
	}
	assert_in_range(slow, 160, 240);
	gen_timing_free(t);
}

void test_gen_timing__slow_calls_lognormal(void **state)
{
	struct gen_timing_options options = { .seed = 5, .slow_count = 1 };
	struct gen_event call = a_run(GEN_END_CALL, 0x2000);
	size_t above = 0, above_sigma = 0;

	options.slow[0] = (struct gen_slow_calls){ .one_in = 1, .median = 10000, .sigma = 1 };
	feed(&options, &seen, &call, 4000);
	for (size_t i = 1; i < 4000; i++) {
		above += seen.events[i].run.cycles > 10008;
		above_sigma += seen.events[i].run.cycles > 27190;
	}
	assert_in_range(above, 1900, 2100);	/* half of them */
	assert_in_range(above_sigma, 570, 700); /* 15.9 % */
}

void test_gen_timing__wfi_waits_for_the_timer(void **state)
{
	static const uint32_t wfi[] = { 0xd503207f };
	struct gen_timing_options options = { .hz = 1000000000, .start_ns = 1000300, .timer_ns = 1000 };
	struct gen_event run = a_run(GEN_END_NONE, 0);

	run.run.code = (const uint8_t *)wfi;
	run.run.end = run.run.start + 4;
	run.run.insns = 1;
	feed(&options, &seen, &run, 2);
	assert_in_range(seen.events[1].time_ns, 1001000, 1001010);
}

void test_gen_timing__sleeps_as_the_log_says(void **state)
{
	struct gen_timing_options options = { .hz = 1000000000, .sleep_scale = 3, .start_ns = 1000 };
	struct gen_event run = a_run(GEN_END_TAKEN, 0x1000);

	run.run.slept_ns = 500;
	feed(&options, &seen, &run, 2);
	assert_int_equal(seen.events[0].run.cycles, 8); /* it waits without cycles */
	assert_int_equal(seen.events[0].time_ns, 1000 + 1500);
	assert_int_equal(seen.events[1].time_ns, 1000 + 1500 + 8 + 1500);
}

/* Ten runs of each of two CPUs in turn, the second one ten times as fast; every run is that one. */
static void feed_in_turns(struct gen_event run)
{
	struct gen_timing_options options = { .serial = true, .cpu_hz = { 100000000, 1000000000 } };
	struct gen_sink sink = { keep, &seen };
	struct gen_timing *t = gen_timing_new(&options, &sink);
	struct gen_sink in = gen_timing_sink(t);

	memset(&seen, 0, sizeof(seen));
	for (int i = 0; i < 100; i++) {
		run.cpu = (unsigned)i / 10 % 2;
		gen_tell(&in, &run);
	}
	gen_timing_free(t);
}

static uint64_t end_of(const struct gen_event *event)
{
	return event->time_ns + event->run.cycles * (event->cpu ? 1 : 10);
}

void test_gen_timing__serial_takes_turns(void **state)
{
	feed_in_turns(a_run(GEN_END_TAKEN, 0x1000));
	assert_int_equal(seen.events[1].time_ns, 80);
	assert_int_equal(seen.events[10].time_ns, seen.events[9].time_ns); /* its first one */
	for (int i = 1; i < 100; i++) {
		const struct gen_event *event = &seen.events[i], *before = &seen.events[i < 20 ? i - 1 : i % 10 ? i - 1 : i - 11];

		assert_true(end_of(event) >= seen.events[i - 1].time_ns);
		if (i != 10)
			assert_int_equal(event->time_ns, end_of(before)); /* no time without cycles */
	}
	assert_true(seen.events[30].run.cycles > 700);
}

/* Behind a WFE it waits without cycles. */
void test_gen_timing__serial_waits_where_it_sleeps(void **state)
{
	static const uint32_t wfe[] = { 0xd503205f };
	struct gen_event run = a_run(GEN_END_NONE, 0);

	run.run.code = (const uint8_t *)wfe;
	run.run.end = run.run.start + 4;
	run.run.insns = 1;
	feed_in_turns(run);
	for (int i = 1; i < 100; i++) {
		assert_true(seen.events[i].time_ns >= seen.events[i - 1].time_ns);
		assert_int_equal(seen.events[i].run.cycles, 1);
	}
	assert_int_equal(seen.events[30].time_ns, seen.events[29].time_ns);
}

void test_gen_timing__t32_and_a32_lengths(void **state)
{
	static const uint8_t thumb[] = {
		0x08, 0x68, 0xd1, 0xf8, 0x00, 0x20, 0x00, 0xbf
	}; /* ldr; ldr.w; nop */
	struct gen_timing_options options = { .hz = 0 };
	struct gen_event run = a_run(GEN_END_NONE, 0);

	run.run.code = thumb;
	run.run.end = run.run.start + sizeof(thumb);
	run.run.isa = GEN_T32;
	run.run.insns = 3;
	feed(&options, &seen, &run, 1);
	assert_int_equal(seen.events[0].run.cycles, 2 + 2 + 1);
}

void test_gen_timing__time_conversion_is_perfs(void **state)
{
	static const uint64_t rates[] = { 1000000,  19200000,  24000000,  25000000,
					  54000000, 100000000, 1000000000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t shift, mult, ns = UINT64_C(123456789012), ticks = gen_ticks(ns, rates[i]), back;

		gen_time_conv(rates[i], &shift, &mult);
		assert_true(mult <= UINT32_MAX);
		back = (ticks >> shift) * mult + (((ticks & ((UINT64_C(1) << shift) - 1)) * mult) >> shift);
		assert_true(back <= ns && ns - back <= 1000000000 / rates[i] + ns / 1000000000);
	}
}
