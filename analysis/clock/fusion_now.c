/* SPDX-License-Identifier: Apache-2.0 */
/* Where the lane is between what was counted and what was told: docs/clock.md has the rules. */
#include "frequency.h"
#include "fusion.h"

const char *sl_time_source_name(unsigned source)
{
	static const char *const names[SL_TIME_SOURCES] = { "unknown", "bound", "frequency", "instructions", "cycles", "timestamp" };

	return source < SL_TIME_SOURCES ? names[source] : "?";
}

/* Something between two bounds. */
struct reach {
	uint64_t low, value, high;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static uint64_t half_width(const struct reach *r)
{
	uint64_t below = r->value - r->low, above = r->high == UINT64_MAX ? UINT64_MAX : r->high - r->value;

	return above > below ? above : below;
}

/* Cycles are counted between commits, which come late: a count may belong before here as far as the trace unit speculates. The
 * first one that cannot is the bound. */
static uint64_t bound_when_late(struct sl_fusion *f)
{
	const struct sl_fusion_count *next = fusion_next_count(f), *sure;

	if (!next)
		return UINT64_MAX;
	if (f->count_sure < f->count_from)
		f->count_sure = f->count_from;
	while (f->count_sure < f->count_len && f->counts[f->count_sure].steps - next->steps < f->lateness)
		f->count_sure++;
	sure = &f->counts[f->count_sure];
	if (f->count_sure == f->count_len || next->limited || sure->limits > next->limits)
		return UINT64_MAX;
	return sure->cycles;
}

/*
 * Where a count ends in entering an exception, its instructions get half of it: what the rest took is not known.
 * At a count it is exact, unless the next instruction had to wait: whose time that is, is a question of taste. Between two of them instructions divide. Around a gap, what the count says beyond what was executed
 * is the gap's: before it nothing of that has passed, and behind it all.
 */
static struct reach cycles_counted(const struct sl_fusion *f)
{
	const struct sl_fusion_count *last = &f->count, *next = fusion_next_count(f);
	struct reach c = { last->cycles, last->cycles, UINT64_MAX };

	if (!f->facts.cycle_counts)
		return c;
	if (f->waits && f->here.insns == last->insns) {
		c.high = f->counts[f->count_from + f->waits - 1].cycles;
		return c;
	}
	if (f->here.insns == last->insns && !f->here.cut && !f->here.entered) {
		c.high = c.value;
		return c;
	}
	if (!next || next->limited)
		return c;
	c.high = next->cycles;
	if (next->cut)
		c.value = f->here.cut ? c.high : c.low;
	else if (next->insns > last->insns)
		c.value += frequency_scale(next->entered && !f->here.entered ? (c.high - c.low) / 2 : c.high - c.low,
					   f->here.insns - last->insns, next->insns - last->insns);
	return c;
}

static struct reach cycles_here(struct sl_fusion *f)
{
	struct reach c = cycles_counted(f);

	if (f->lateness && c.high != UINT64_MAX)
		c.high = bound_when_late(f);
	return c;
}

/* Two timestamps in parts, and what lies between them. */
struct interval {
	const struct sl_fusion_anchor *a, *b;
	uint64_t from, to;
	struct sl_rate rate;
};

/* A timestamp is the clock's reading rounded down: time has not come before it, and may be almost one tick behind it. */
static uint64_t widest(const struct interval *i, uint64_t value)
{
	uint64_t below = value - i->from, above = i->to + SL_TICK_PARTS - value;

	return above > below ? above : below;
}

/*
 * Cycles are as far apart as the frequency says, unless the core slept, or its frequency changed, on the way: where it did,
 * nobody knows, and so the interval's deviation from the frequency is what the time may be off. Where there were more cycles
 * than the frequency allows, it is another one, that nothing is known of.
 */
static uint64_t off_by_cycles(const struct interval *i, const struct reach *c, uint64_t *ret_unsure)
{
	uint64_t took = i->to - i->from, needs = frequency_parts(i->rate, i->b->cycles - i->a->cycles);
	uint64_t unsure = took > needs ? took - needs : needs - took, off = more(SL_TICK_PARTS, unsure);

	*ret_unsure = unsure;
	if (!i->rate.ticks || needs > took + 2 * SL_TICK_PARTS + took / FREQUENCY_SAME)
		return UINT64_MAX;
	if (half_width(c) == UINT64_MAX)
		return UINT64_MAX;
	return more(off, frequency_parts(i->rate, half_width(c)));
}

/* So far from a timestamp by the frequency, which is not known exactly, and of which a change of less than a step is not
 * noticed. */
static uint64_t off_by_frequency(struct sl_rate rate, uint64_t distance, const struct reach *c)
{
	uint64_t unsure = half_width(c), off = SL_TICK_PARTS + distance / FREQUENCY_STEP;

	if (!rate.ticks || unsure == UINT64_MAX)
		return UINT64_MAX;
	off = more(off, frequency_scale(distance, rate.unsure, rate.ticks));
	return more(off, frequency_parts(rate, unsure));
}

/*
 * Between two timestamps, where more time passed than cycles: it slept, where it executed WFI or WFE. Before the first of these, and
 * behind the last one, nothing is missing. Where there are several, nobody knows in which: it is told as if in the last WFI, or where there
 * is none in the last WFE.
 */
static void time_around_sleep(struct sl_fusion *f, const struct interval *i, const struct reach *c, uint64_t missing,
			      struct sl_fused *ret)
{
	bool during = fusion_pass_sleeps(f), slept = f->here.sleeps >= (i->b->wfi ? i->b->wfi : i->b->sleeps);
	bool sure = f->here.sleeps >= i->b->sleeps || (!f->here.sleeps && !during);
	uint64_t since = frequency_parts(i->rate, less(c->value, i->a->cycles));
	uint64_t until = frequency_parts(i->rate, less(i->b->cycles, c->value));
	uint64_t value = slept ? i->to - until : i->from + since;
	uint64_t off = more(off_by_frequency(i->rate, slept ? until : since, c), sure ? 0 : missing);

	ret->source = SL_TIME_CYCLES;
	ret->at.v[SL_AXIS_TICKS] = value;
	ret->ticks_off = widest(i, value) < off ? widest(i, value) : off;
	ret->paced = !during;
	ret->sleeps = f->sleeps_passed;
	ret->span = f->span;
	f->span_took = i->to - i->from;
	f->span_rate = i->rate;
}

static void time_between(struct sl_fusion *f, const struct interval *i, const struct reach *c, struct sl_fused *ret)
{
	uint64_t cycles = less(i->b->cycles, i->a->cycles), count = i->b->insns - i->a->insns;
	uint64_t took = i->to - i->from, off = UINT64_MAX, value = i->from;
	uint64_t missing = i->b->sleeps ? fusion_missing(i->rate, took, cycles) : 0;

	if (missing) {
		time_around_sleep(f, i, c, missing, ret);
		return;
	}
	if (cycles) {
		ret->source = SL_TIME_CYCLES;
		value += frequency_scale(took, less(c->value, i->a->cycles), cycles);
		off = off_by_cycles(i, c, &f->span_unsure);
	} else if (count) {
		ret->source = SL_TIME_INSNS;
		value += frequency_scale(took, f->here.insns - i->a->insns, count);
	} else {
		ret->source = SL_TIME_BOUND;
	}
	if (value > i->to)
		value = i->to;
	ret->at.v[SL_AXIS_TICKS] = value;
	ret->ticks_off = widest(i, value) < off ? widest(i, value) : off;
	ret->shares = ret->ticks_off == off;
	ret->span = f->span;
	f->span_took = took;
}

/* Whether the core cannot have slept since the last timestamp; between here and the next one. */
static bool is_awake_since(struct sl_fusion *f)
{
	return !fusion_pass_sleeps(f) && !f->here.sleeps;
}

static bool is_awake_until(struct sl_fusion *f, const struct sl_fusion_anchor *next)
{
	fusion_pass_sleeps(f);
	return f->here.sleeps >= next->sleeps;
}

/* Between two timestamps with gaps between them: it is near that one which no gap lies before. How long a gap took is what is
 * left. */
static void time_around_gap(struct sl_fusion *f, const struct interval *i, const struct reach *c, struct sl_fused *ret)
{
	bool behind = f->here.cuts >= i->b->cuts && is_awake_until(f, i->b), before = !f->here.cuts && is_awake_since(f);
	uint64_t since = frequency_parts(i->rate, less(c->value, i->a->cycles));
	uint64_t until = frequency_parts(i->rate, less(i->b->cycles, c->value));
	uint64_t off = UINT64_MAX, took = i->to - i->from, value;

	if (since > took)
		since = took;
	if (until > took)
		until = took;
	value = behind ? i->to - until : i->from + since;
	if (behind || before)
		off = off_by_frequency(i->rate, behind ? until : since, c);
	ret->source = off == UINT64_MAX ? SL_TIME_BOUND : SL_TIME_FREQUENCY;
	ret->at.v[SL_AXIS_TICKS] = value;
	ret->ticks_off = widest(i, value) < off ? widest(i, value) : off;
}

/* Behind the last timestamp that is known of. */
static void time_after(struct sl_fusion *f, const struct interval *i, const struct reach *c, struct sl_fused *ret)
{
	uint64_t since = frequency_parts(i->rate, less(c->value, i->a->cycles));

	ret->at.v[SL_AXIS_TICKS] = more(i->from, since);
	ret->ticks_off = f->here.cuts || !is_awake_since(f) ? UINT64_MAX : off_by_frequency(i->rate, since, c);
	ret->source = ret->ticks_off == UINT64_MAX ? SL_TIME_BOUND : SL_TIME_FREQUENCY;
}

/* Before the first one. */
static void time_before(struct sl_fusion *f, const struct interval *i, const struct reach *c, struct sl_fused *ret)
{
	uint64_t until = frequency_parts(i->rate, less(i->b->cycles, c->value));

	ret->source = SL_TIME_BOUND;
	ret->ticks_off = UINT64_MAX;
	if (f->here.cuts < i->b->cuts || !is_awake_until(f, i->b))
		return;
	ret->at.v[SL_AXIS_TICKS] = less(i->to, until);
	ret->ticks_off = off_by_frequency(i->rate, until, c);
	if (ret->ticks_off != UINT64_MAX)
		ret->source = SL_TIME_FREQUENCY;
}

static bool is_at_anchor(const struct sl_fusion *f, const struct reach *c)
{
	return f->anchored && f->here.insns == f->anchor.insns && !f->here.moved && c->value == f->anchor.cycles &&
	       (c->high == c->value || f->lateness || !f->facts.cycle_counts);
}

static void time_here(struct sl_fusion *f, const struct reach *c, struct sl_fused *ret)
{
	struct interval i = { .a = f->anchored ? &f->anchor : NULL, .b = fusion_next_anchor(f) };

	if (i.a)
		i.from = (i.a->tick - f->origin) * SL_TICK_PARTS;
	if (i.b)
		i.to = (i.b->tick - f->origin) * SL_TICK_PARTS;
	i.rate = i.b ? i.b->rate : frequency_now(&f->frequency);
	if (i.a && i.b && !i.b->cuts)
		time_between(f, &i, c, ret);
	if (is_at_anchor(f, c)) {
		ret->source = SL_TIME_ANCHOR;
		ret->at.v[SL_AXIS_TICKS] = i.from;
		ret->ticks_off = SL_TICK_PARTS;
	} else if (ret->span) {
		return;
	} else if (i.a && i.b) {
		time_around_gap(f, &i, c, ret);
	} else if (i.a) {
		time_after(f, &i, c, ret);
	} else if (i.b) {
		time_before(f, &i, c, ret);
	}
}

/* Estimates of two sides of a timestamp may contradict each other; what was told before stands. */
static void keep_order(uint64_t *value, uint64_t *off, uint64_t last)
{
	if (*value >= last)
		return;
	*off = more(*off, last - *value);
	*value = last;
}

/* Field by field: a copy of all of it would read in one piece what was just written in several, and wait for that. */
static inline void put(struct sl_fused *to, const struct sl_fused *from)
{
	for (int i = 0; i < SL_AXIS_COUNT; i++)
		to->at.v[i] = from->at.v[i];
	to->cycles_off = from->cycles_off;
	to->ticks_off = from->ticks_off;
	to->cuts = from->cuts;
	to->sleeps = from->sleeps;
	to->span = from->span;
	to->shares = from->shares;
	to->paced = from->paced;
	to->source = from->source;
}

void sl_fusion_ask(struct sl_fusion *f, struct sl_fused *ret)
{
	struct sl_fused now = { .source = SL_TIME_UNKNOWN, .ticks_off = SL_FUSION_UNKNOWN };
	struct reach c;

	if (f->waits && f->here.insns > f->count.insns)
		fusion_pass_waits(f);
	c = cycles_here(f);
	now.at.v[SL_AXIS_INSNS] = f->here.insns;
	now.at.v[SL_AXIS_CYCLES] = c.value;
	now.cycles_off = half_width(&c);
	now.cuts = f->cuts_passed;
	if (f->result < 0)
		now.cycles_off = SL_FUSION_UNKNOWN;
	else if (f->origin_known)
		time_here(f, &c, &now);
	keep_order(&now.at.v[SL_AXIS_CYCLES], &now.cycles_off, f->last.at.v[SL_AXIS_CYCLES]);
	if (now.at.v[SL_AXIS_TICKS] < f->last.at.v[SL_AXIS_TICKS])
		now.span = 0;
	keep_order(&now.at.v[SL_AXIS_TICKS], &now.ticks_off, f->last.at.v[SL_AXIS_TICKS]);
	put(&f->last, &now);
	put(ret, &now);
}

struct sl_fused sl_fusion_now(struct sl_fusion *f)
{
	struct sl_fused now;

	sl_fusion_ask(f, &now);
	return now;
}

/*
 * In one span neither is before its beginning or behind its end. Where both are told by cycles, they are off the same way: what the
 * beginning's rounding is to either hardly matters to their distance, and the cycles that the core slept lie between them or not.
 */
static uint64_t apart_in_span(const struct sl_fusion *f, const struct sl_fused *from)
{
	uint64_t distance = f->last.at.v[SL_AXIS_TICKS] - from->at.v[SL_AXIS_TICKS], took = f->span_took, off;
	uint64_t shared = SL_TICK_PARTS + f->span_unsure, rest = took + SL_TICK_PARTS - distance;

	off = distance > rest ? distance : rest;
	if (from->shares && f->last.shares && took) {
		uint64_t by_cycles = less(from->ticks_off, shared) + less(f->last.ticks_off, shared) + f->span_unsure +
				     frequency_scale(SL_TICK_PARTS, distance, took) + 1;

		off = by_cycles < off ? by_cycles : off;
	}
	if (from->paced && f->last.paced && from->sleeps == f->last.sleeps) {
		uint64_t cycles = sl_unsure_add(from->cycles_off, f->last.cycles_off);
		struct reach none = { 0 };
		uint64_t paced = cycles == UINT64_MAX ? cycles : more(off_by_frequency(f->span_rate, distance, &none) - SL_TICK_PARTS, frequency_parts(f->span_rate, cycles) + 1);

		off = paced < off ? paced : off;
	}
	return off;
}

struct sl_axes sl_fusion_apart(const struct sl_fusion *f, const struct sl_fused *from)
{
	const struct sl_fused *to = &f->last;
	struct sl_axes off = { { 0, more(from->cycles_off, to->cycles_off), more(from->ticks_off, to->ticks_off) } };

	if (from->cuts != to->cuts)
		off.v[SL_AXIS_CYCLES] = SL_FUSION_UNKNOWN;
	if (from->span && from->span == to->span) {
		uint64_t inside = apart_in_span(f, from);

		if (inside < off.v[SL_AXIS_TICKS])
			off.v[SL_AXIS_TICKS] = inside;
	}
	return off;
}
