/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_LATENCY_H
#define SL_LATENCY_H
/*
 * latency: how long it takes from one place of the program to another, and histogram: how long the calls of a function take.
 * A place happens again and again. Each B pairs with the last A before it that has no B yet.
 */
#include "sl_calls.h"
#include "sl_sinks.h"

enum sl_latency_place_kind { SL_PLACE_ENTER, SL_PLACE_LEAVE, SL_PLACE_ADDRESS, SL_PLACE_EXCEPTION, SL_PLACE_RESUME, SL_PLACE_TASK };
/* What may happen; its texts are borrowed. */
struct sl_latency_place {
	enum sl_latency_place_kind kind;
	const char *function; /* ENTER, LEAVE: glob */
	uint64_t value;	      /* ADDRESS; EXCEPTION, RESUME: number; TASK: id */
	int level;	      /* EXCEPTION, RESUME: enum sl_level instead of the number; -1: the number counts */
};
/*
 * "NAME" or "enter:NAME", "leave:NAME", "addr:0x8000", "exception:14", "exception:irq" or "irq", "return:14" or "return:irq", "task:123".
 * SL_OK, or SL_ERR_FORMAT with diag.
 */
int sl_latency_place_parse(const char *text, struct sl_latency_place *ret, struct sl_diag *diag);

enum sl_latency_of {
	SL_LATENCY_PAIRS,    /* from A to B */
	SL_LATENCY_INTERVAL, /* from A to the next A */
	SL_LATENCY_DURATION, /* of the calls that leave at A, with callees */
	SL_LATENCY_SELF,     /* ... without */
};
/* Whose places pair. ANY needs all of them in order of time, and keeps no more than 1,000,000. */
enum sl_latency_pair { SL_PAIR_TASK, SL_PAIR_CPU, SL_PAIR_ANY };

struct sl_latency_options {
	const struct sl_image *image;
	struct sl_sieve *sieve;	 /* which calls count; NULL: all. Borrowed until the end of the run */
	enum sl_latency_of of;
	enum sl_latency_pair pair;
	struct sl_latency_place a, b;	 /* b: of PAIRS only */
};
struct sl_latency;
int sl_latency_new(const struct sl_latency_options *options, struct sl_latency **ret);
void sl_latency_free(struct sl_latency *latency);
void sl_latency_call_sink(struct sl_latency *latency, struct sl_call_sink *ret);

struct sl_latency_counts {
	uint64_t a, b;		 /* how often they happened */
	uint64_t measured;
	uint64_t a_alone, b_alone; /* without the other */
	uint64_t over_gap;	 /* pairs with lost trace between them, where other places may have been: not measured */
	uint64_t other_clock;	 /* pairs on two CPUs, which the axis does not compare: not measured */
	uint64_t lacking;	 /* calls without a traced entry or exit: not measured */
	uint64_t dropped;	 /* places for which there was no room */
};
/* Behind the run, and once, before the others: pairs what has waited for the clocks of all lanes. SL_OK or SL_ERR_NOMEM. */
int sl_latency_finish(struct sl_latency *latency, enum sl_axis axis);
struct sl_latency_counts sl_latency_counts(const struct sl_latency *latency);

struct sl_latency_shown {
	const char *title; /* of the summary; NULL: none */
	enum sl_axis axis; /* that of finish */
	uint64_t timestamp_hz;
	uint64_t worst;	   /* rows of the worst cases */
	bool bars_first;   /* the histogram before the summary */
};
/* Writes the tables "summary", "histogram" and "worst". SL_OK or SL_ERR_NOMEM. */
int sl_latency_report(const struct sl_latency *latency, const struct sl_latency_shown *shown, const struct sl_table *out);
#endif
