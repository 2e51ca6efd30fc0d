/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SINKS_H
#define SL_SINKS_H
/* The sinks that ship: what they collect and what they write. Each is made, put into sl_run, and then asked. */
#include <stdio.h>

#include "sl_calls.h"
#include "sl_filter.h"
#include "sl_run.h"
#include "sl_span.h"
#include "sl_table.h"

/*
 * Where sinks that print while decoding write: each lane to a file of its own, which come out one after another in
 * lane order. The first lane writes straight to the final file; others wait in temporary files.
 */
struct sl_outputs;
struct sl_outputs_ops {	 /* how to make a writer on a lane's file; first: it writes the document's head */
	int (*table)(void *ctx, FILE *out, bool first, struct sl_table *ret);
	int (*spans)(void *ctx, FILE *out, bool first, struct sl_spans *ret);
};
int sl_outputs_new(FILE *final, const struct sl_outputs_ops *ops, void *ctx, struct sl_outputs **ret);
/* SL_OK, or the first error of writing or of a temporary file. Frees. */
int sl_outputs_close(struct sl_outputs *outs);

/* ranges: one line a range, "%02x %x %x %d %c\n" = trace id, start, end, enum sl_last, E or N. */
void sl_ranges_sink(struct sl_outputs *outs, struct sl_sink *ret);
/* elements: a table "elements", streamed. */
void sl_elements_sink(struct sl_outputs *outs, struct sl_sink *ret);
/* packets: a table "packets", streamed. */
void sl_packets_sink(struct sl_outputs *outs, struct sl_sink *ret);

enum sl_axis_choice { SL_CHOOSE_AUTO, SL_CHOOSE_TIME, SL_CHOOSE_CYCLES, SL_CHOOSE_INSNS };

/* flow: steps as spans. timestamp_hz 0: not known (the time axis is then refused). insn: each instruction too. */
struct sl_flow_options {
	const struct sl_image *image;
	struct sl_filter filter;
	enum sl_axis_choice axis;
	uint64_t timestamp_hz;
	bool insn;
};
struct sl_flow;
int sl_flow_new(struct sl_outputs *outs, const struct sl_flow_options *options, struct sl_flow **ret);
void sl_flow_free(struct sl_flow *flow);
void sl_flow_sink(struct sl_flow *flow, struct sl_sink *ret);

/* For what is made of calls: the axis that auto means: cycles where every lane that ran has cycle counts, time where every lane
 * that ran has timestamps and timestamp_hz is known, else instructions. SL_ERR_CONFIG with diag where choice cannot be had. */
int sl_calls_axis(const struct sl_calls *calls, enum sl_axis_choice choice, uint64_t timestamp_hz, enum sl_axis *ret,
		  struct sl_diag *diag);
/* How long the lanes are on an axis: the longest of them, and all together. */
struct sl_calls_extent {
	uint64_t longest, sum;
};
struct sl_calls_extent sl_calls_extent(const struct sl_calls *calls, enum sl_axis axis);

/*
 * profile: what report shows: a row a function, or whatever it is by. Lines and files have instructions only, tasks the times of
 * their stays on a CPU instead of calls.
 */
enum sl_profile_by {
	SL_BY_FUNCTION, SL_BY_MODULE, SL_BY_TASK, SL_BY_CPU, SL_BY_LEVEL, SL_BY_LINE, SL_BY_FILE,
	SL_PROFILE_KINDS,
};
/* "function", "functions" (the table's name); NULL beyond the last. */
const char *sl_profile_by_name(unsigned by);
const char *sl_profile_table_name(enum sl_profile_by by);

/* What belongs to a call's duration. */
enum sl_durations {
	SL_DURATIONS_NET,   /* what ran in its level while it was open: it and its callees */
	SL_DURATIONS_GROSS, /* also interrupts, system calls and faults on top of these */
	SL_DURATIONS_WALL,  /* from entry to exit: also while its task did not run */
};

struct sl_profile_options {
	const struct sl_image *image;
	const struct sl_capture *capture; /* where tasks have names; may be NULL */
	const struct sl_filter *filter;	  /* NULL: everything counts */
	uint64_t timestamp_hz;		  /* 0: not known */
	enum sl_axis_choice axis;	  /* that the report will be on */
	enum sl_profile_by by;
	enum sl_durations durations;
	bool outermost;	/* a call inside of another one of the same function is a part of it, and no call */
	bool fold_tails; /* a function lasts on while what it ended in by a jump runs */
	bool repairs;	/* keep each repair */
	bool brief;	/* no more is wanted than sl_profile_brief_columns: then the rest may be left out, which is much faster */
	bool every_axis; /* to be kept: percentiles of every axis, and not only of the one that will be shown; calls by themselves */
};
struct sl_profile;
/* What options point to is borrowed. SL_OK, or as sl_sieve_new with diag. */
int sl_profile_new(const struct sl_profile_options *options, struct sl_profile **ret, struct sl_diag *diag);
void sl_profile_free(struct sl_profile *profile);
void sl_profile_sink(struct sl_profile *profile, struct sl_sink *ret);
/* The same for a stage that others share. */
void sl_profile_call_sink(struct sl_profile *profile, struct sl_call_sink *ret);
/* The stage that it hears of calls from. */
const struct sl_calls *sl_profile_calls(const struct sl_profile *profile);
/* The axis that can be shown, as sl_calls_axis of the options' choice. */
int sl_profile_axis(const struct sl_profile *profile, enum sl_axis *ret, struct sl_diag *diag);
/* The columns on that axis, into ret, which has room for SL_PROFILE_COLUMNS of them; how many. */
enum { SL_PROFILE_COLUMNS = 60 };
size_t sl_profile_columns(enum sl_profile_by by, enum sl_axis axis, struct sl_column *ret);
/* Those of them that durations alone tell: all but when and where, from start to start, what came in between. */
size_t sl_profile_brief_columns(enum sl_profile_by by, enum sl_axis axis, struct sl_column *ret);
/*
 * Writes the table of rows; "root" (what is inside of a call of the filter's root) where there is one; "account" (one row a lane:
 * whole, self, gaps, closed), "gaps" where trace was missing; where they were kept "repairs" and "ledger" (each repair). SL_OK
 * or SL_ERR_NOMEM.
 */
int sl_profile_report(const struct sl_profile *profile, enum sl_axis axis, const struct sl_table *out);
/* True where, in every lane, sum of self + gaps = whole, and all that functions ran is what lanes ran. */
bool sl_profile_closes(const struct sl_profile *profile);
/* Complete calls whose durations are known; returns how many of them are bounds: shorter than the axis can tell (docs/clock.md). */
uint64_t sl_profile_bounds(const struct sl_profile *profile, enum sl_axis axis, uint64_t *ret_complete);

/* check: whether the engines of sl_run_options agree, and rules that hold of every trace. */
struct sl_check;
int sl_check_new(const struct sl_image *image, struct sl_check **ret);
void sl_check_free(struct sl_check *check);
/* For a run with two engines. */
void sl_check_sink(struct sl_check *check, struct sl_sink *ret);
/* Lanes that two different engines decoded, and how many of them differ. */
size_t sl_check_compared(const struct sl_check *check, size_t *ret_differ);
/* Name of the i-th rule of what the engines differ in on purpose, and how often they did; NULL: there are no more. */
const char *sl_check_on_purpose(const struct sl_check *check, unsigned i, uint64_t *ret);
/* True where no lane differs and no rule is broken. */
bool sl_check_holds(const struct sl_check *check, const struct sl_run_result *result);
/* Writes the tables lanes, rules and, where lanes differ, differences: the packets around the first one of each lane, and
 * what either engine says. */
void sl_check_report(const struct sl_check *check, const struct sl_run_result *result, const struct sl_table *out);

/* stats: what info says. */
struct sl_stats;
int sl_stats_new(const struct sl_image *image, struct sl_stats **ret);
void sl_stats_free(struct sl_stats *stats);
void sl_stats_sink(struct sl_stats *stats, struct sl_sink *ret);
/* Writes the tables capture, verdict, buffers, sources, ids, packets, exceptions, gaps, images, wanted (code without an
 * image), contradictions, advice; of a recording also recording, cpus, processes, next_recording. SL_OK or SL_ERR_NOMEM. */
int sl_stats_report(struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		    const struct sl_notes *notes, const struct sl_table *out);
#endif
