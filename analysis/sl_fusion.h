/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_FUSION_H
#define SL_FUSION_H
/*
 * The clock of a lane: timestamps, cycle counts and instruction counts fused into one time, and how exact it is
 * (docs/clock.md has the rules). It reads each element twice: look() while the element is still ahead, run() and elem() when
 * it is consumed, so that what lies between two timestamps can be divided among them.
 *
 *	look at a batch -> consume what is settled: run() for ranges, elem() for what moves the clock, now() when asked
 *
 * Ranges cost an addition each. No I/O, no locks: one thread at a time.
 */
#include "sl_axes.h"
#include "sl_config.h"
#include "sl_elem.h"

/* Ticks are counted in parts, so that nothing is lost by rounding. */
enum { SL_TICK_PARTS = 1024 };
#define SL_FUSION_UNKNOWN UINT64_MAX

/* What a time was made of: from nothing at all to a timestamp. */
enum sl_time_source {
	SL_TIME_UNKNOWN,    /* no timestamp tells anything */
	SL_TIME_BOUND,	    /* only from one side, or somewhere between two timestamps with a gap between them */
	SL_TIME_FREQUENCY,  /* by the cycles since or until a timestamp, if they went on as before */
	SL_TIME_INSNS,	    /* between two timestamps, divided by instructions */
	SL_TIME_CYCLES,	    /* between two timestamps, divided by cycles */
	SL_TIME_ANCHOR,	    /* a timestamp is here */
	SL_TIME_SOURCES,
};
const char *sl_time_source_name(unsigned source);

/* Where the lane is: ticks in parts since sl_fusion_origin(). The true value lies within +- cycles_off and +- ticks_off (half
 * widths, the second in parts); SL_FUSION_UNKNOWN: nobody knows how far. Ticks and cycles never run backwards. Cycles are those that were
 * counted: between two places with other cuts some were not. */
struct sl_fused {
	struct sl_axes at;
	uint64_t cycles_off, ticks_off;
	uint64_t cuts; /* gaps, and counts that may have been larger, since the beginning */
	uint64_t sleeps; /* ranges with a WFI or WFE, since the beginning */
	uint32_t span; /* number of the interval between two timestamps that it lies in; 0: none without a gap */
	bool shares;   /* all of ticks_off but what the cycles are unsure is that of the whole span */
	bool paced;    /* the core slept in the span: it is so many cycles from one of its ends, or from a place where it slept */
	enum sl_time_source source;
};

/* So many cycles in so many ticks, of which as many as unsure says may be the rounding of timestamps; ticks 0: not known. */
struct sl_rate {
	uint64_t cycles, ticks, unsure;
};
struct sl_rate_change {
	uint64_t insns, tick;	/* since the beginning; a timestamp */
	struct sl_rate from, to;
};

struct sl_fusion_facts {
	uint64_t timestamps;	     /* all but the following three */
	uint64_t zero_timestamps;    /* 0: "not available" */
	uint64_t backward_timestamps;
	uint64_t wild_timestamps;    /* further ahead of the first than the clock can hold */
	uint64_t cycle_counts;
	uint64_t limited_counts;     /* that may have been larger, or were not known */
	uint64_t clock_changes;	     /* of the timestamps' clock */
	uint64_t changes_lost;	     /* changes of the frequency beyond those kept */
	uint64_t sleeps;	     /* intervals between two timestamps in which the core slept */
	uint64_t slept, slept_off;   /* in them, in parts; right within +- slept_off */
	uint64_t first_tick, last_tick;
};

/* Place of an anchor: what was executed, counted and told up to it. */
struct sl_frequency_place {
	uint64_t insns, cycles, tick;
};
struct sl_frequency {
	struct sl_rate rate, doubt; /* judged; of a window that differs */
	struct sl_rate_change doubted;
	bool begun, anchored;
	bool agreed; /* two windows say so: before that, it may be anything */
	uint64_t insns, tick;		   /* where the window begins */
	uint64_t window_cycles, window_ticks, pieces; /* gaps: what lies in them is left out */
	struct sl_frequency_place last;
	struct sl_rate_change *changes;
	size_t len, cap;
	uint64_t lost;
};
/* Rows of what lies ahead; the first ones are taken out. */
struct sl_fusion_count {
	uint64_t insns, cycles;
	uint64_t steps, limits; /* ranges and exceptions before it; limited counts up to it */
	bool cut, limited; /* some gap lies in the cycles before it; they may have been more */
	bool entered;	   /* what it took to enter an exception is in it, behind all of its instructions */
};
struct sl_fusion_anchor {
	uint64_t insns, cycles, tick, moment; /* moment: number of the element that it belongs to */
	uint64_t cuts, sleeps, wfi;	      /* since the anchor before */
	struct sl_rate rate;
};
/* A range in which the core may have slept: instructions before it, and up to behind it. */
struct sl_fusion_sleep {
	uint64_t from, to;
};
/* A place in the lane: the one that look() has reached, or the one that was consumed. */
struct sl_fusion_place {
	uint64_t insns, cycles;
	uint64_t moments; /* timestamps and markers */
	uint64_t cuts;	  /* gaps since the last anchor in which cycles were lost */
	uint64_t sleeps;  /* ranges in which it may have slept, since the last anchor */
	uint64_t wfi;	  /* ahead: which of them was the last one with a WFI; 0: none */
	bool cut;	  /* a gap of any kind since the last count */
	bool entered;	  /* here: an exception since the last count, and the cycles that taking it took */
	bool moved;	  /* here: either of them since the last anchor */
};
struct sl_fusion {
	/* how the lane counts */
	bool expects_times, expects_cycles;
	bool gray;	     /* timestamps are in Gray code */
	bool repeats;	     /* a timestamp's count is counted again by the next one (ETMv4) */
	bool zero_unknown;   /* a count of 0 is one that the trace unit did not know */
	bool waits_first;    /* a count on its own is of waiting for the next instruction (ETMv3) */
	uint32_t cycle_limit; /* a count that high may have been higher */
	uint32_t lateness;   /* steps that a count may stand behind where it belongs: the depth of speculation */

	struct sl_fusion_place ahead, here;
	uint64_t cuts_passed, sleeps_passed; /* since the beginning */
	uint32_t span;	      /* here: timestamps passed */
	uint64_t span_took, span_unsure; /* of the last answer's span, in parts: its length, how far it is off the frequency */
	struct sl_rate span_rate;
	uint64_t elems, settled; /* that were looked at; that can be consumed */
	uint64_t steps;		 /* ahead: ranges and exceptions */
	uint64_t entered_ahead;	 /* ahead: instructions at the last exception since the last count */
	uint64_t base;		 /* ahead: cycles up to the last count that is not counted again */
	struct sl_fusion_place marker; /* where the next timestamp belongs to, if marked */
	bool marked;
	bool fresh;   /* the last element ahead was a timestamp: its count may follow */
	bool skipped; /* ... of no use */

	size_t waits;	     /* here: such counts since the last instruction, not yet passed */
	uint64_t entered_at; /* here: instructions at the last exception, where it was what came last */
	struct sl_fusion_count count; /* the last one passed: all 0 before the first */
	struct sl_fusion_anchor anchor;
	bool anchored;
	struct sl_fusion_count *counts;
	size_t count_from, count_len, count_cap;
	size_t count_sure; /* the first one that cannot belong before here, if not before count_from */
	struct sl_fusion_anchor *anchors;
	size_t anchor_from, anchor_len, anchor_cap;
	struct sl_fusion_sleep *sleeps;
	size_t sleep_from, sleep_len, sleep_cap;
	struct sl_frequency frequency;
	uint64_t origin;
	bool started, origin_known; /* something was consumed */
	struct sl_fused last;
	struct sl_fusion_facts facts;
	int result;
};

/* How the lane's registers say that it counts. */
void sl_fusion_init(struct sl_fusion *fusion, const struct sl_trace_config *config);
void sl_fusion_release(struct sl_fusion *fusion);
/* SL_OK, or SL_ERR_NOMEM, which sticks: times are unknown from then on. */
int sl_fusion_result(const struct sl_fusion *fusion);

/*
 * Elements that come next. Returns how many of the lane's elements, counted from its first, can be consumed with the best
 * time that can be had: those up to the last timestamp (without timestamps: up to the last count; without either: all), none before
 * the frequency is known, for a while, and all with SL_ELEM_END. Who cannot wait for more, since the window is full, consumes them all the same, and gets what is
 * known without the next timestamp.
 */
uint64_t sl_fusion_look(struct sl_fusion *fusion, const struct sl_elem *elems, size_t len);

/* Whether elem() has to be told of such an element. Ranges are told to run(). Taking an exception takes time: when it began is what
 * now() says before elem() has heard of it. */
static inline bool sl_fusion_moves(const struct sl_elem *elem)
{
	const unsigned moving = 1u << SL_ELEM_TIME | 1u << SL_ELEM_CYCLES | 1u << SL_ELEM_MARKER | 1u << SL_ELEM_GAP |
				1u << SL_ELEM_EXCEPTION;

	return moving >> elem->kind & 1;
}
/* Whether look() has seen neither timestamps nor cycle counts: there is nothing but instructions. */
static inline bool sl_fusion_is_plain(const struct sl_fusion *fusion)
{
	return !(fusion->facts.timestamps | fusion->facts.cycle_counts);
}
/* Instructions are consumed; ranges may come in pieces. */
static inline void sl_fusion_run(struct sl_fusion *fusion, uint64_t insns) { fusion->here.insns += insns; }
/* ... and such an element: each that was looked at, in the same order. */
void sl_fusion_elem(struct sl_fusion *fusion, const struct sl_elem *elem);
/* Where the lane is. sl_fusion_ask() is the faster one. */
void sl_fusion_ask(struct sl_fusion *fusion, struct sl_fused *ret);
struct sl_fused sl_fusion_now(struct sl_fusion *fusion);

/* How exactly the last answer is known to be so far from an earlier one: half widths on each axis, ticks in parts. Less than
 * the sum of what the two are off, where these lie in one span. */
struct sl_axes sl_fusion_apart(const struct sl_fusion *fusion, const struct sl_fused *from);

/* The reading of the timestamps' clock that at.v[SL_AXIS_TICKS] counts from: the first timestamp, or earlier where the frequency
 * tells how long what lies before it took. It does not change any more when one answer had a time. */
static inline uint64_t sl_fusion_origin(const struct sl_fusion *fusion) { return fusion->origin; }
const struct sl_fusion_facts *sl_fusion_facts(const struct sl_fusion *fusion);
/* Changes of the frequency up to where look() has been, in order; lent until the next look(). */
size_t sl_fusion_changes(const struct sl_fusion *fusion, const struct sl_rate_change **ret);
/* Cycles a second at a rate; 0 where it is not known. */
uint64_t sl_rate_hz(struct sl_rate rate, uint64_t timestamp_hz);
/* a + b, where either may be SL_FUSION_UNKNOWN. */
static inline uint64_t sl_unsure_add(uint64_t a, uint64_t b) { return b > SL_FUSION_UNKNOWN - a ? SL_FUSION_UNKNOWN : a + b; }
/* How fast cycles ran, at the last place that look() has reached. */
struct sl_rate sl_fusion_rate(const struct sl_fusion *fusion);
/* Nanoseconds of so many parts of ticks, and of so many cycles, rounded down; hz: ticks or cycles a second, not 0. UINT64_MAX where
 * that is too large, and for SL_FUSION_UNKNOWN. */
uint64_t sl_parts_ns(uint64_t parts, uint64_t timestamp_hz);
uint64_t sl_cycles_ns(uint64_t cycles, uint64_t hz);
#endif
