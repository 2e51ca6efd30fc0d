/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of docs/clock.md: elements in, times out. A tick is 1024 parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "fusion_walk.h"
#include "gen_util.h"
#include "sl_fusion.h"

enum { TICK = SL_TICK_PARTS, ELEMS = 4096 };

struct fixture {
	struct sl_fusion fusion;
	struct sl_elem elems[ELEMS];
	size_t len, looked, consumed;
};

/* Bits of TRCCONFIGR: cycle counts, timestamps. */
enum { COUNTS = 1 << 4, TIMES = 1 << 11 };

static void begin(struct fixture *fx, enum sl_protocol protocol, uint32_t configr, uint32_t threshold)
{
	struct sl_trace_config config = { .protocol = protocol };

	memset(fx, 0, sizeof(*fx));
	if (protocol == SL_PROTOCOL_PTM) {
		sl_config_set(&config, SL_REG_ETMCR, (configr & COUNTS ? 1u << 12 : 0) | (configr & TIMES ? 1u << 28 : 0));
	} else {
		sl_config_set(&config, SL_REG_TRCCONFIGR, configr);
		sl_config_set(&config, SL_REG_TRCIDR2, 8u << 25); /* counts of 20 bits */
		sl_config_set(&config, SL_REG_TRCCCCTLR, threshold);
	}
	sl_fusion_init(&fx->fusion, &config);
}

int case_setup(void **state)
{
	static struct fixture fx;

	begin(&fx, SL_PROTOCOL_ETMV4, COUNTS | TIMES, 0);
	*state = &fx;
	return 0;
}

int case_teardown(void **state)
{
	sl_fusion_release(&((struct fixture *)*state)->fusion);
	return 0;
}

/* Another lane in its place. */
static void again(struct fixture *fx, enum sl_protocol protocol, uint32_t configr, uint32_t threshold)
{
	sl_fusion_release(&fx->fusion);
	begin(fx, protocol, configr, threshold);
}

static void add(struct fixture *fx, struct sl_elem elem)
{
	assert_true(fx->len < ELEMS);
	fx->elems[fx->len++] = elem;
}

static void runs(struct fixture *fx, uint32_t insns)
{
	add(fx, (struct sl_elem){ .kind = SL_ELEM_RANGE, .count = insns });
}

/* Instructions, and the cycles that they took. */
static void counted(struct fixture *fx, uint32_t insns, uint32_t cycles)
{
	runs(fx, insns);
	add(fx, elem_cycles(cycles));
}

/* A timestamp with the cycles since the last count, as ETMv4 and PTM send them. */
static void timed(struct fixture *fx, uint64_t tick, uint32_t cycles)
{
	struct sl_elem count = elem_cycles(cycles);

	count.flags = SL_FLAG_ATTACHED;
	add(fx, elem_time(tick));
	add(fx, count);
}

static void ends(struct fixture *fx)
{
	add(fx, (struct sl_elem){ .kind = SL_ELEM_END });
}

static uint64_t look(struct fixture *fx)
{
	uint64_t settled = sl_fusion_look(&fx->fusion, fx->elems + fx->looked, fx->len - fx->looked);

	fx->looked = fx->len;
	assert_int_equal(sl_fusion_result(&fx->fusion), SL_OK);
	return settled;
}

/* Consumes up to before that element, and so many instructions of it. */
static struct sl_fused at(struct fixture *fx, size_t elem, uint32_t insns)
{
	for (; fx->consumed < elem; fx->consumed++) {
		if (sl_fusion_moves(&fx->elems[fx->consumed]))
			sl_fusion_elem(&fx->fusion, &fx->elems[fx->consumed]);
		else if (fx->elems[fx->consumed].kind == SL_ELEM_RANGE)
			sl_fusion_run(&fx->fusion, fx->elems[fx->consumed].count);
	}
	sl_fusion_run(&fx->fusion, insns);
	fx->elems[elem].count -= insns;
	return sl_fusion_now(&fx->fusion);
}

static void expect_time(struct sl_fused now, enum sl_time_source source, uint64_t parts, uint64_t off)
{
	assert_int_equal(now.source, source);
	assert_int_equal(now.at.v[SL_AXIS_TICKS], parts);
	assert_int_equal(now.ticks_off, off);
}

static void expect_cycles(struct sl_fused now, uint64_t cycles, uint64_t off)
{
	assert_int_equal(now.at.v[SL_AXIS_CYCLES], cycles);
	assert_int_equal(now.cycles_off, off);
}

void test_fusion__instructions_divide(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	add(fx, elem_time(100));
	runs(fx, 4);
	runs(fx, 6);
	add(fx, elem_time(200));
	ends(fx);
	assert_int_equal(look(fx), 5);
	expect_time(at(fx, 1, 0), SL_TIME_ANCHOR, 0, TICK);
	/* anywhere between both, and up to a tick behind the second */
	expect_time(at(fx, 1, 3), SL_TIME_INSNS, 30 * TICK, 71 * TICK);
	expect_time(at(fx, 2, 0), SL_TIME_INSNS, 40 * TICK, 61 * TICK);
	expect_time(at(fx, 2, 5), SL_TIME_INSNS, 90 * TICK, 90 * TICK);
	expect_time(at(fx, 4, 0), SL_TIME_ANCHOR, 100 * TICK, TICK);
	assert_int_equal(sl_fusion_origin(&fx->fusion), 100);
	assert_int_equal(at(fx, 4, 0).at.v[SL_AXIS_INSNS], 10);
	assert_int_equal(at(fx, 4, 0).cycles_off, SL_FUSION_UNKNOWN);
}

/* Two stretches of 1000 ticks that agree on a frequency, up to a timestamp. The lane's first 10 elements. */
static void known(struct fixture *fx, uint64_t tick, uint32_t cycles)
{
	timed(fx, tick - 2000, 0);
	counted(fx, 100, cycles);
	timed(fx, tick - 1000, 0);
	counted(fx, 100, cycles);
	timed(fx, tick, 0);
	assert_int_equal(fx->len, 10);
}

void test_fusion__cycles_divide(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 50, 10);
	counted(fx, 10, 90);
	timed(fx, 3100, 0);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2010 * TICK, TICK);
	expect_cycles(at(fx, 12, 0), 2010, 0);
	/* half of the instructions between two counts, anywhere between them */
	expect_time(at(fx, 12, 5), SL_TIME_CYCLES, 2055 * TICK, 46 * TICK);
	expect_cycles(at(fx, 12, 0), 2055, 45);
}

/* ETMv4: the timestamp's count is part of the next one. PTM: it is not. */
void test_fusion__counts_of_timestamps(void **state)
{
	struct fixture *fx = *state;

	for (int ptm = 0; ptm < 2; ptm++) {
		again(fx, ptm ? SL_PROTOCOL_PTM : SL_PROTOCOL_ETMV4, COUNTS | TIMES, 0);
		counted(fx, 1, 5);
		runs(fx, 1);
		timed(fx, 1000, 7);
		counted(fx, 1, 10);
		timed(fx, 1010, 0);
		look(fx);
		expect_cycles(at(fx, 5, 0), 12, 0);
		assert_int_equal(at(fx, 5, 0).source, SL_TIME_ANCHOR);
		expect_cycles(at(fx, 7, 0), ptm ? 22 : 15, 0);
	}
}

void test_fusion__before_the_first_by_frequency(void **state)
{
	struct fixture *fx = *state;

	counted(fx, 1, 40);
	counted(fx, 1, 40);
	timed(fx, 1000, 0);
	counted(fx, 1, 2000);
	/* it waits for two stretches, which tell the frequency */
	assert_int_equal(look(fx), 0);
	timed(fx, 2000, 0);
	counted(fx, 1, 2000);
	assert_int_equal(look(fx), 0);
	timed(fx, 3000, 0);
	ends(fx);
	assert_int_equal(look(fx), 15);
	assert_int_equal(sl_fusion_origin(&fx->fusion), 960);
	/* one tick, a 32nd of the distance, and a 1000th, since each 1000 ticks may be 999 or 1001 */
	expect_time(at(fx, 2, 0), SL_TIME_FREQUENCY, 20 * TICK, TICK + 20 * TICK / 32 + 20 * TICK / 1000);
	expect_time(at(fx, 6, 0), SL_TIME_ANCHOR, 40 * TICK, TICK);
}

void test_fusion__before_the_first_without_cycles(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	runs(fx, 10);
	add(fx, elem_time(1000));
	runs(fx, 10);
	look(fx);
	expect_time(at(fx, 0, 5), SL_TIME_BOUND, 0, SL_FUSION_UNKNOWN);
	expect_time(at(fx, 2, 0), SL_TIME_ANCHOR, 0, TICK);
	assert_int_equal(sl_fusion_origin(&fx->fusion), 1000);
}

/* Behind the last: never the last one as if it were now. */
void test_fusion__behind_the_last(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 2000);
	counted(fx, 1, 64);
	ends(fx);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_FREQUENCY, 2032 * TICK, TICK + TICK + 32 * TICK / 1000);

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	add(fx, elem_time(1000));
	runs(fx, 10);
	ends(fx);
	look(fx);
	expect_time(at(fx, 2, 0), SL_TIME_BOUND, 0, SL_FUSION_UNKNOWN);
}

void test_fusion__nothing_tells(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETMV4, 0, 0);
	runs(fx, 10);
	assert_int_equal(look(fx), 1);
	expect_time(at(fx, 1, 0), SL_TIME_UNKNOWN, 0, SL_FUSION_UNKNOWN);
	expect_cycles(at(fx, 1, 0), 0, SL_FUSION_UNKNOWN);
}

void test_fusion__useless_timestamps(void **state)
{
	struct fixture *fx = *state;
	const struct sl_fusion_facts *facts = sl_fusion_facts(&fx->fusion);

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	add(fx, elem_time(100));
	runs(fx, 5);
	add(fx, elem_time(0));
	add(fx, elem_time(99));
	add(fx, elem_time(UINT64_MAX));
	runs(fx, 5);
	add(fx, elem_time(200));
	look(fx);
	expect_time(at(fx, 5, 0), SL_TIME_INSNS, 50 * TICK, 51 * TICK);
	assert_int_equal(facts->timestamps, 2);
	assert_int_equal(facts->zero_timestamps, 1);
	assert_int_equal(facts->backward_timestamps, 1);
	assert_int_equal(facts->wild_timestamps, 1);
}

/* How long a gap took is what is left when both sides have got theirs. */
void test_fusion__gap_with_cycles(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 32);
	add(fx, elem_gap(SL_GAP_OVERFLOW, 0));
	timed(fx, 3500, 0);
	counted(fx, 10, 100);
	timed(fx, 3600, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_FREQUENCY, 2032 * TICK, 2 * TICK + 32 * TICK / 1000);
	expect_time(at(fx, 15, 0), SL_TIME_ANCHOR, 2500 * TICK, TICK);
	assert_int_equal(sl_fusion_origin(&fx->fusion), 1000);
}

/* The timestamp comes some way behind the gap: back from it by the frequency. The first count behind a gap may hold some of
 * the gap. */
void test_fusion__back_to_a_gap(void **state)
{
	struct fixture *fx = *state;

	timed(fx, 1000, 0);
	counted(fx, 10, 1000);
	add(fx, elem_gap(SL_GAP_FILTER, 0));
	counted(fx, 10, 400);
	counted(fx, 10, 64);
	timed(fx, 3000, 0);
	counted(fx, 10, 1000);
	timed(fx, 4000, 0);
	counted(fx, 10, 1000);
	timed(fx, 5000, 0);
	ends(fx);
	look(fx);
	/* the frequency comes from further ahead: 2000 ticks, three of them unsure, since the gap makes two pieces of the first */
	expect_time(at(fx, 4, 0), SL_TIME_FREQUENCY, 1000 * TICK, TICK + 1000 * TICK / 32 + 1000 * TICK * 3 / 2000);
	expect_cycles(at(fx, 4, 0), 1000, 0);
	expect_cycles(at(fx, 5, 1), 1400, 400);
	expect_time(at(fx, 7, 0), SL_TIME_FREQUENCY, 1936 * TICK, TICK + 2 * TICK + 64 * TICK * 3 / 2000);
	expect_cycles(at(fx, 7, 0), 1400, 0);
	expect_time(at(fx, 11, 0), SL_TIME_ANCHOR, 2000 * TICK, TICK);
}

/* Without cycles both sides are at their timestamps, and as far off as the gap may have been long. */
void test_fusion__gap_without_cycles(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	add(fx, elem_time(100));
	runs(fx, 10);
	add(fx, elem_gap(SL_GAP_FILTER, 0));
	runs(fx, 10);
	add(fx, elem_time(200));
	look(fx);
	expect_time(at(fx, 1, 5), SL_TIME_BOUND, 0, 101 * TICK);
	expect_time(at(fx, 3, 5), SL_TIME_BOUND, 100 * TICK, 100 * TICK);
	expect_time(at(fx, 5, 0), SL_TIME_ANCHOR, 100 * TICK, TICK);
}

/* Code without an image lacks instructions, not time. */
void test_fusion__no_image_is_no_gap_in_time(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 50);
	add(fx, elem_gap(SL_GAP_NO_IMAGE, 0x1000));
	add(fx, elem_cycles(40));
	counted(fx, 10, 10);
	timed(fx, 3100, 0);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2050 * TICK, TICK);
	/* but nobody knows how many instructions ran there, when they are not where they were before */
	expect_time(at(fx, 13, 0), SL_TIME_CYCLES, 2090 * TICK, 41 * TICK);
	expect_cycles(at(fx, 13, 0), 2090, 40);
	expect_time(at(fx, 14, 0), SL_TIME_CYCLES, 2090 * TICK, TICK);
	expect_cycles(at(fx, 14, 0), 2090, 0);
}

/* Fewer cycles than the frequency wants: the core slept, nobody knows when. */
void test_fusion__sleep_widens(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 100);
	counted(fx, 10, 100);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 10, 0), SL_TIME_ANCHOR, 2000 * TICK, TICK);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2500 * TICK, 501 * TICK);
	assert_int_equal(sl_fusion_changes(&fx->fusion, &(const struct sl_rate_change *){ NULL }), 0);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->sleeps, 0);
}

/* The first interval is compared with nothing: here the core slept in it, which only the next ones show. */
void test_fusion__first_interval(void **state)
{
	struct fixture *fx = *state;

	timed(fx, 1000, 0);
	counted(fx, 10, 100);
	counted(fx, 10, 100);
	timed(fx, 2000, 0);
	counted(fx, 10, 1000);
	timed(fx, 3000, 0);
	counted(fx, 10, 1000);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 4, 0), SL_TIME_CYCLES, 500 * TICK, 501 * TICK);
	assert_int_equal(sl_fusion_changes(&fx->fusion, &(const struct sl_rate_change *){ NULL }), 0);
	assert_int_equal(sl_rate_hz(sl_fusion_rate(&fx->fusion), 25000000), 25000000);
}

/* One stretch alone tells no frequency: a core that sleeps in each is slower than it seems. */
void test_fusion__only_interval(void **state)
{
	struct fixture *fx = *state;

	timed(fx, 1000, 0);
	counted(fx, 10, 100);
	counted(fx, 10, 100);
	timed(fx, 2000, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 4, 0), SL_TIME_CYCLES, 500 * TICK, 501 * TICK);
	assert_int_equal(sl_rate_hz(sl_fusion_rate(&fx->fusion), 25000000), 0);
}

/* A range in which the core may sleep; how many cycles it counts. */
static void waits(struct fixture *fx, uint32_t insns, unsigned flags, uint32_t cycles)
{
	add(fx, (struct sl_elem){ .kind = SL_ELEM_RANGE, .count = insns, .flags = (uint8_t)flags });
	add(fx, elem_cycles(cycles));
}

enum { WFE = SL_FLAG_SLEEPS, WFI = SL_FLAG_SLEEPS | SL_FLAG_WFI };
/* Half a width around what is so many cycles from a timestamp: a tick, a 32nd, and what the frequency of known() is unsure. */
#define PACED(cycles) (TICK + (cycles) * TICK / 32 + (cycles) * TICK / 1000)

/* What is missing is the WFI's: before and behind it cycles tell the time. */
void test_fusion__sleeps_at_a_wfi(void **state)
{
	struct fixture *fx = *state;
	struct sl_fused from;

	known(fx, 3000, 1000);
	counted(fx, 10, 100);
	counted(fx, 10, 100);
	waits(fx, 4, WFI, 20);
	counted(fx, 10, 100);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	from = at(fx, 12, 0);
	expect_time(from, SL_TIME_CYCLES, 2100 * TICK, PACED(100));
	expect_time(at(fx, 14, 0), SL_TIME_CYCLES, 2200 * TICK, PACED(200));
	/* no timestamp rounds what lies between both */
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS], PACED(100) - TICK + 1);
	/* in the range itself nobody knows */
	assert_true(at(fx, 14, 2).ticks_off > 600 * TICK);
	expect_time(at(fx, 16, 0), SL_TIME_CYCLES, 2900 * TICK, PACED(100));
	assert_true(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS] >= PACED(100));
	at(fx, 20, 0);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->sleeps, 1);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->slept, 680 * TICK);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->slept_off, TICK + 320 * TICK / 32);
}

/* Where several may have been it, it is told as if in the last WFI, and within all that is missing. */
void test_fusion__sleeps_anywhere_of_several(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 100);
	waits(fx, 4, WFE, 20);
	counted(fx, 10, 80);
	waits(fx, 4, WFI, 20);
	counted(fx, 10, 80);
	waits(fx, 4, WFE, 20);
	counted(fx, 10, 80);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2100 * TICK, PACED(100));
	expect_time(at(fx, 16, 0), SL_TIME_CYCLES, 2200 * TICK, PACED(200) + 600 * TICK);
	expect_time(at(fx, 20, 0), SL_TIME_CYCLES, 2900 * TICK, PACED(100) + 600 * TICK);
	expect_time(at(fx, 22, 0), SL_TIME_CYCLES, 2920 * TICK, PACED(80));
}

/* Where nothing is missing nobody slept. */
void test_fusion__wfe_that_goes_on(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 400);
	waits(fx, 4, WFE, 100);
	counted(fx, 10, 500);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2400 * TICK, TICK);
	expect_time(at(fx, 14, 0), SL_TIME_CYCLES, 2500 * TICK, TICK);
	at(fx, 18, 0);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->sleeps, 0);
}

/* Outside of two timestamps nobody knows how long it slept; nor does such an interval tell the frequency. */
void test_fusion__sleeps_outside(void **state)
{
	struct fixture *fx = *state;
	uint64_t tick = 1000;

	counted(fx, 10, 100);
	waits(fx, 4, WFI, 20);
	counted(fx, 10, 100);
	timed(fx, tick, 0);
	for (unsigned i = 0; i < 3; i++) {
		waits(fx, 4, WFI, 20);
		counted(fx, 10, 80);
		timed(fx, tick += 1000, 0);
	}
	counted(fx, 10, 1000);
	timed(fx, tick += 1000, 0);
	counted(fx, 10, 1000);
	timed(fx, tick += 1000, 0);
	waits(fx, 4, WFI, 20);
	counted(fx, 10, 100);
	ends(fx);
	look(fx);
	assert_int_equal(at(fx, 2, 0).ticks_off, SL_FUSION_UNKNOWN);
	assert_int_equal(at(fx, 4, 0).source, SL_TIME_FREQUENCY);
	assert_int_equal(sl_rate_hz(sl_fusion_rate(&fx->fusion), 25000000), 25000000);
	assert_int_equal(at(fx, fx->len - 3, 0).ticks_off, SL_FUSION_UNKNOWN);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->slept, 3 * 900 * TICK);
}

/* Between two timestamps a thousand ticks apart: what rounds the first one rounds both places. */
void test_fusion__apart_in_one_span(void **state)
{
	struct fixture *fx = *state;
	struct sl_fused from;
	struct sl_axes off;

	known(fx, 3000, 1000);
	counted(fx, 10, 100);
	counted(fx, 10, 500);
	counted(fx, 10, 400);
	timed(fx, 4000, 0);
	ends(fx);
	look(fx);
	from = at(fx, 12, 0);
	expect_time(at(fx, 14, 0), SL_TIME_CYCLES, 2600 * TICK, TICK);
	off = sl_fusion_apart(&fx->fusion, &from);
	assert_int_equal(off.v[SL_AXIS_CYCLES], 0);
	assert_int_equal(off.v[SL_AXIS_TICKS], TICK / 2 + 1);
	/* unless cycles stand at none of them: anywhere between two counts */
	from = at(fx, 14, 5);
	at(fx, 16, 0);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_CYCLES], 200);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS], 200 * TICK + TICK / 5 + 1);
}

/* Without cycles: neither is outside of both timestamps. */
void test_fusion__apart_by_instructions(void **state)
{
	struct fixture *fx = *state;
	struct sl_fused from, to;

	again(fx, SL_PROTOCOL_ETMV4, TIMES, 0);
	add(fx, elem_time(100));
	runs(fx, 10);
	add(fx, elem_time(200));
	runs(fx, 10);
	add(fx, elem_time(300));
	ends(fx);
	look(fx);
	from = at(fx, 1, 1);
	at(fx, 1, 2);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS], 81 * TICK);
	to = at(fx, 3, 1);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS], from.ticks_off + to.ticks_off);
}

/* What is lost in a gap was not counted: nobody knows how many cycles it was. */
void test_fusion__apart_over_a_gap(void **state)
{
	struct fixture *fx = *state;
	struct sl_fused from, to;

	timed(fx, 1000, 0);
	counted(fx, 10, 1000);
	timed(fx, 2000, 0);
	add(fx, elem_gap(SL_GAP_OVERFLOW, 0));
	timed(fx, 2500, 0);
	counted(fx, 10, 100);
	timed(fx, 2600, 0);
	ends(fx);
	look(fx);
	from = at(fx, 2, 0);
	to = at(fx, 9, 0);
	assert_int_equal(from.cuts, 0);
	assert_int_equal(to.cuts, 1);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_CYCLES], SL_FUSION_UNKNOWN);
	assert_int_equal(sl_fusion_apart(&fx->fusion, &from).v[SL_AXIS_TICKS], from.ticks_off + to.ticks_off);
}

/* An exception behind 10 instructions, counted together: when it was taken lies between both counts. */
void test_fusion__entering_an_exception(void **state)
{
	struct fixture *fx = *state;

	timed(fx, 1000, 0);
	counted(fx, 10, 1000);
	runs(fx, 10);
	add(fx, (struct sl_elem){ .kind = SL_ELEM_EXCEPTION });
	add(fx, elem_cycles(40));
	counted(fx, 10, 960);
	timed(fx, 2000, 0);
	ends(fx);
	look(fx);
	expect_cycles(at(fx, 4, 5), 1010, 30);
	expect_cycles(at(fx, 5, 0), 1020, 20);
	expect_cycles(at(fx, 6, 0), 1040, 40);
	expect_cycles(at(fx, 7, 0), 1040, 0);
}

/* Stretches of 1000 ticks, each with so many cycles. */
static void stretches(struct fixture *fx, uint64_t *tick, unsigned count, uint32_t cycles)
{
	for (; count; count--) {
		counted(fx, 100, cycles);
		timed(fx, *tick += 1000, 0);
	}
}

void test_fusion__frequency_changes(void **state)
{
	struct fixture *fx = *state;
	const struct sl_rate_change *changes;
	uint64_t tick = 5000;

	timed(fx, tick, 0);
	stretches(fx, &tick, 4, 20000);
	stretches(fx, &tick, 2, 40000); /* two in a row */
	stretches(fx, &tick, 1, 30000); /* slept */
	stretches(fx, &tick, 1, 40000);
	stretches(fx, &tick, 1, 60000); /* a timestamp is late */
	stretches(fx, &tick, 3, 10000);
	look(fx);
	assert_int_equal(sl_fusion_changes(&fx->fusion, &changes), 2);
	assert_int_equal(changes[0].tick, 9000);
	assert_int_equal(changes[0].insns, 400);
	assert_int_equal(sl_rate_hz(changes[0].from, 25000000), 500000000);
	assert_int_equal(sl_rate_hz(changes[0].to, 25000000), 1000000000);
	assert_int_equal(changes[1].tick, 14000);
	assert_int_equal(sl_rate_hz(changes[1].to, 25000000), 250000000);
}

/* More cycles than the frequency allows: it is another one, and where it changed is not known. */
void test_fusion__faster_than_known(void **state)
{
	struct fixture *fx = *state;
	uint64_t tick = 1000;

	timed(fx, tick, 0);
	stretches(fx, &tick, 2, 1000);
	counted(fx, 10, 100); /* a short one, of no window */
	counted(fx, 10, 100);
	timed(fx, tick + 100, 0);
	look(fx);
	expect_time(at(fx, 12, 0), SL_TIME_CYCLES, 2050 * TICK, 51 * TICK);
}

/* A count of all ones may have been more; one of 0 below the threshold was not known. */
void test_fusion__limited_counts(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETMV4, COUNTS | TIMES, 4);
	known(fx, 3000, 1000);
	counted(fx, 10, 100);
	counted(fx, 10, 0xfffff);
	counted(fx, 10, 0);
	timed(fx, 5000000, 0);
	ends(fx);
	look(fx);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->limited_counts, 2);
	assert_int_equal(at(fx, 12, 0).source, SL_TIME_FREQUENCY);
	expect_cycles(at(fx, 12, 5), 2100, SL_FUSION_UNKNOWN);
	assert_int_equal(at(fx, 15, 0).source, SL_TIME_BOUND);
}

/* Counts belong to commits, which come up to TRCIDR8 elements late. */
void test_fusion__speculation(void **state)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_ETMV4 };
	struct fixture *fx = *state;

	sl_config_set(&config, SL_REG_TRCCONFIGR, COUNTS);
	sl_config_set(&config, SL_REG_TRCIDR2, 8u << 25);
	sl_config_set(&config, SL_REG_TRCIDR8, 2);
	sl_fusion_release(&fx->fusion);
	memset(fx, 0, sizeof(*fx));
	sl_fusion_init(&fx->fusion, &config);
	for (unsigned i = 0; i < 5; i++)
		counted(fx, 10, 10);
	look(fx);
	expect_cycles(at(fx, 2, 0), 10, 30); /* the count behind the fourth range may be the second one's */
	expect_cycles(at(fx, 2, 5), 15, 25);
	expect_cycles(at(fx, 8, 0), 40, SL_FUSION_UNKNOWN);
}

/* ETE: the timestamp belongs to where its marker is. */
void test_fusion__marker(void **state)
{
	struct fixture *fx = *state;

	again(fx, SL_PROTOCOL_ETE, TIMES, 0);
	add(fx, elem_time(100));
	runs(fx, 10);
	add(fx, (struct sl_elem){ .kind = SL_ELEM_MARKER });
	runs(fx, 10);
	add(fx, elem_time(200));
	runs(fx, 10);
	add(fx, elem_time(300));
	look(fx);
	expect_time(at(fx, 1, 5), SL_TIME_INSNS, 50 * TICK, 51 * TICK);
	expect_time(at(fx, 3, 0), SL_TIME_ANCHOR, 100 * TICK, TICK);
	expect_time(at(fx, 5, 0), SL_TIME_INSNS, 150 * TICK, 51 * TICK);
	expect_time(at(fx, 7, 0), SL_TIME_ANCHOR, 200 * TICK, TICK);
}

void test_fusion__clock_of_timestamps_changes(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem changed = elem_time(3000);
	uint64_t tick = 1000;

	timed(fx, tick, 0);
	stretches(fx, &tick, 1, 1000);
	changed.flags = SL_FLAG_FREQUENCY;
	add(fx, changed);
	tick = 3000;
	stretches(fx, &tick, 2, 5000);
	look(fx);
	assert_int_equal(sl_fusion_facts(&fx->fusion)->clock_changes, 1);
	assert_int_equal(sl_fusion_changes(&fx->fusion, &(const struct sl_rate_change *){ NULL }), 0);
}

/* Who cannot wait gets what is known so far. */
void test_fusion__consumed_before_it_is_settled(void **state)
{
	struct fixture *fx = *state;

	known(fx, 3000, 1000);
	counted(fx, 10, 32);
	assert_int_equal(look(fx), 10);
	expect_time(at(fx, 12, 0), SL_TIME_FREQUENCY, 2032 * TICK, 2 * TICK + 32 * TICK / 1000);
	timed(fx, 3016, 0);
	look(fx);
	/* what was told stands, and is off by as much */
	expect_time(at(fx, 14, 0), SL_TIME_ANCHOR, 2032 * TICK, 17 * TICK);
}

/* Timestamps are told of their counts across batches. */
void test_fusion__settled(void **state)
{
	struct fixture *fx = *state;

	timed(fx, 1000, 0);
	fx->len--;
	assert_int_equal(look(fx), 0);
	fx->len++;
	assert_int_equal(look(fx), 0); /* the frequency is not known */
	counted(fx, 10, 1000);
	timed(fx, 2000, 0);
	counted(fx, 10, 1000);
	assert_int_equal(look(fx), 0); /* nor by one stretch */
	add(fx, elem_time(3000));
	assert_int_equal(look(fx), 0); /* its count may follow */
	runs(fx, 1);
	assert_int_equal(look(fx), 9);
	ends(fx);
	assert_int_equal(look(fx), 11);

	again(fx, SL_PROTOCOL_ETMV4, COUNTS, 0);
	counted(fx, 10, 100);
	runs(fx, 10);
	assert_int_equal(look(fx), 2);
}

/* It does not wait for ever for a frequency that nothing tells. */
void test_fusion__settled_without_a_frequency(void **state)
{
	enum { HELD = 1 << 16 };
	struct fixture *fx = *state;
	uint64_t settled = 0, looked = 0;

	for (uint64_t i = 1; looked < 3 * HELD; i++) {
		fx->len = fx->looked = 0;
		counted(fx, 10, i % 2 ? 1000 : 5000);
		timed(fx, 1000 * i, 0);
		settled = look(fx);
		looked += fx->len;
		assert_true(looked - settled <= HELD + 4);
	}
	assert_int_equal(sl_rate_hz(sl_fusion_rate(&fx->fusion), 1000), 0);
	assert_true(settled >= 2 * HELD);
}

/* What a Cortex-A9's trace unit sent: in the order of Gray code. */
void test_fusion__gray_code(void **state)
{
	static const uint64_t ticks[] = { 381866981479, 381866816627, 381866751844, 381866740353, 381869279632 };
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_PTM };
	struct fixture *fx = *state;

	for (int binary = 0; binary < 2; binary++) {
		sl_config_set(&config, SL_REG_ETMCR, 1u << 28);
		sl_config_set(&config, SL_REG_ETMCCER, binary ? 1u << 28 : 0x8ea);
		sl_fusion_release(&fx->fusion);
		memset(fx, 0, sizeof(*fx));
		sl_fusion_init(&fx->fusion, &config);
		for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++)
			add(fx, elem_time(ticks[i]));
		look(fx);
		assert_int_equal(sl_fusion_facts(&fx->fusion)->backward_timestamps, binary ? 3 : 0);
	}
	assert_int_equal(sl_fusion_facts(&fx->fusion)->first_tick, ticks[0]);
}

void test_fusion__nanoseconds(void **state)
{
	assert_int_equal(sl_parts_ns(3 * TICK + TICK / 2, 25000000), 140);
	assert_int_equal(sl_parts_ns(UINT64_C(1) << 62, 1000000000), UINT64_C(1) << 52);
	assert_int_equal(sl_parts_ns(SL_FUSION_UNKNOWN, 1000000000), UINT64_MAX);
	assert_int_equal(sl_parts_ns(UINT64_C(1) << 63, 1), UINT64_MAX);
	assert_int_equal(sl_parts_ns(TICK, UINT64_MAX), 0);
	assert_int_equal(sl_cycles_ns(3, 2000000000), 1);
	assert_int_equal(sl_cycles_ns(UINT64_C(1) << 60, 4000000000), UINT64_C(1) << 58);
}

static struct sl_elem random_elem(uint64_t *seed, uint64_t *tick)
{
	static const enum sl_gap gaps[] = { SL_GAP_FILTER, SL_GAP_OVERFLOW, SL_GAP_NO_IMAGE, SL_GAP_BAD_PACKET };
	struct sl_elem cycles = elem_cycles((uint32_t)gen_below(seed, 50)), huge = elem_cycles(UINT32_MAX);

	switch (gen_below(seed, 40)) {
	case 0:
		return elem_time(*tick += gen_below(seed, 1000));
	case 1:
		return elem_time(gen_below(seed, 8) ? *tick : gen_draw(seed) >> gen_below(seed, 64));
	case 2:
		return (struct sl_elem){ .kind = SL_ELEM_MARKER };
	case 3:
		return elem_gap(gaps[gen_below(seed, 4)], 0);
	case 4:
		return gen_below(seed, 20) ? cycles : huge;
	case 5:
	case 6:
		cycles.flags = SL_FLAG_ATTACHED;
		return cycles;
	case 7:
		return (struct sl_elem){ .kind = SL_ELEM_EXCEPTION };
	default:
		return (struct sl_elem){ .kind = SL_ELEM_RANGE, .count = (uint32_t)gen_below(seed, 30) };
	}
}

static void config_of(uint64_t seed, struct sl_trace_config *ret)
{
	static const enum sl_protocol protocols[] = { SL_PROTOCOL_ETMV4, SL_PROTOCOL_ETE };

	*ret = (struct sl_trace_config){ .protocol = protocols[seed % 2] };
	sl_config_set(ret, SL_REG_TRCCONFIGR, seed & 8 ? TIMES : seed & 16 ? 0 : COUNTS | TIMES);
	sl_config_set(ret, SL_REG_TRCCCCTLR, 4);
	sl_config_set(ret, SL_REG_TRCIDR8, seed & 4 ? 3 : 0);
	if (seed % 3 == 0)
		ret->protocol = SL_PROTOCOL_PTM;
}

/* Whatever comes, in whatever batches. */
void test_fusion__random_elements(void **state)
{
	struct fixture *fx = *state;

	for (uint64_t seed = 0; seed < 300; seed++) {
		uint64_t tick = 1000, draw = seed, hash, other;
		struct sl_trace_config config;

		config_of(seed, &config);
		fx->len = 0;
		while (fx->len < ELEMS - 1)
			add(fx, random_elem(&draw, &tick));
		ends(fx);
		assert_null(fusion_walk(&config, &(struct fusion_walk){ ELEMS, 0 }, fx->elems, fx->len, &hash));
		assert_null(fusion_walk(&config, &(struct fusion_walk){ 1 + seed % 7, 0 }, fx->elems, fx->len, &other));
		assert_int_equal(hash, other);
		assert_null(fusion_walk(&config, &(struct fusion_walk){ 16, 16 + seed }, fx->elems, fx->len, &other));
	}
}
