/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DELTA_H
#define DELTA_H
/* What compare makes of two kept profiles. Inside of analysis/compare only. */
#include "significance.h"
#include "sl_compare.h"

enum { SIDES = SL_COMPARE_SIDES, A = 0, B = 1 };

enum delta_match {
	MATCH_ALONE,	 /* there is none on the other side */
	MATCH_NAME,	 /* of the same name in the same module */
	MATCH_CANONICAL, /* of the same canonical name in the same module */
	MATCH_MODULE,	 /* of the same canonical name in another module; the only ones of it */
};

enum delta_verdict {
	VERDICT_SAME, VERDICT_SLOWER, VERDICT_FASTER, VERDICT_MORE, VERDICT_FEWER, VERDICT_SLOWER_MORE, VERDICT_SLOWER_FEWER,
	VERDICT_FASTER_MORE, VERDICT_FASTER_FEWER, VERDICT_ONLY_A, VERDICT_ONLY_B, VERDICT_INLINED, VERDICT_UNRESOLVED,
	VERDICT_FEW, VERDICT_SLOWER_BELOW, VERDICT_FASTER_BELOW, VERDICT_TOOK_IN, VERDICT_OTHER_UNITS,
};

/* What is known to vary more than independent values would, by how much (of variances), and of how many calls that is. */
enum delta_uneven { UNEVEN_CALLS, UNEVEN_DURATIONS, UNEVEN_OWN, UNEVEN_KINDS };

/* A row on a side. Calls, self and total are of what is compared; durations are of all complete calls, wherever they are. */
struct delta_side {
	uint32_t functions; /* how many of the profile */
	uint64_t calls, bounds, resolution;
	struct sl_axes self, total;
	struct sl_spread spread, own, work; /* work: own instructions of the same calls */
	struct sl_products products;	    /* own times work */
	struct sl_histogram histogram;
	uint64_t min, max;
	double between[UNEVEN_KINDS]; /* of runs: chi square of what they differ by */
	double uneven[UNEVEN_KINDS], uneven_calls[UNEVEN_KINDS]; /* sums over calls; of how many */
};

/* A function, or what else has time of its own: exceptions outside of functions, paths that were not kept. */
struct delta_row {
	const char *name, *module; /* of a profile; module NULL: it is no function */
	const char *other;	   /* the name on side B where it differs */
	enum delta_match match;
	struct delta_side sides[SIDES];
	struct mean_test mean, own; /* of whole calls, and of what they run by themselves */
	struct mean_test at_work;   /* the latter for as many instructions */
	struct rank_test rank;
	double duration_p, own_p, work_p, calls_p; /* adjusted for many tests */
	double contribution;	    /* to the whole difference, per unit, on the axis as it is shown */
	double sure;		    /* what of it is more than chance */
	enum delta_verdict verdict;
	bool significant;
	uint32_t nodes; /* the last made one of it; others by same. 0: none, or the root */
};

struct delta_node {
	uint32_t parent, row, depth, child, next, same;
	uint64_t calls[SIDES];
	uint32_t first[SIDES]; /* place among the side's paths, callees in the order in which they first ran, from 1 on; 0: not there */
	struct sl_axes self[SIDES], total[SIDES];
};

/* An option of the kernel that is not set alike. */
struct delta_option {
	const char *name, *values[SIDES], *patterns; /* patterns NULL: it is not known what belongs to it */
	double difference;			     /* of the whole, per unit, as it is shown */
	size_t functions;			     /* of it that differ */
};

/* An exception that a profile has paths through, and on which sides: bits 1 << side. */
struct delta_level {
	const char *name;
	unsigned seen;
};
enum { DELTA_LEVEL_KINDS = 7 };
struct delta_levels {
	struct delta_level *all;
	size_t len, cap;
	struct sl_map at; /* hash of the name -> place + 1 */
	size_t alone[SIDES][DELTA_LEVEL_KINDS + 1]; /* by kind: how many one side has alone; the last: of no kind */
};

struct sl_compare {
	struct sl_compare_options options;
	enum sl_axis axis;
	struct delta_row *rows;
	size_t row_count, row_cap;
	uint32_t *row_of[SIDES]; /* by function */
	struct delta_levels levels;
	struct sl_map row_at;	 /* of what is no function: hash of its name -> row + 1 */
	struct delta_node *nodes; /* the first is the root */
	size_t node_count, node_cap;
	struct sl_map node_at;
	uint64_t units[SIDES];	    /* calls of per; runs where the whole is compared */
	double usual[UNEVEN_KINDS]; /* what most functions have */
	unsigned freedom;	    /* runs beyond the first of each side */
	double between[UNEVEN_KINDS]; /* of runs: what functions have on average */
	struct sl_axes whole[SIDES]; /* of what is compared, as the profiles have it */
	struct delta_option *configured; /* by difference */
	size_t configured_count, configured_cap;
	uint32_t *sorted;	    /* rows by contribution */
	char sentence[768];
};

/* delta_match.c: makes the rows of functions. SL_OK or SL_ERR_NOMEM. */
int delta_match(struct sl_compare *c);
/* delta_levels.c: which exceptions there are. SL_OK or SL_ERR_NOMEM. */
int delta_levels(struct sl_compare *c);
/* What the row of an exception is called. */
const char *delta_level_name(struct sl_compare *c, const char *name);
/* Whether a row is of exceptions that were matched by their kind, and of how many on each side. */
bool delta_level_matched(const struct sl_compare *c, const char *row, size_t ret[SIDES]);
/* delta_tree.c: fills nodes, and calls, self and total of rows. SL_OK, SL_END where a side has no call of per, SL_ERR_NOMEM. */
int delta_tree(struct sl_compare *c);
/* delta_rows.c: durations, tests, verdicts, order. SL_OK or SL_ERR_NOMEM. */
int delta_judge(struct sl_compare *c);
/* The first part of it: sides have their durations. */
int delta_durations(struct sl_compare *c);
/* delta_runs.c: how much the runs of a side differ. Behind delta_durations. SL_OK or SL_ERR_NOMEM. */
int delta_runs(struct sl_compare *c);
/* The row of what is no function, made where it is new. SL_SAVED_NONE: no memory. */
uint32_t delta_other_row(struct sl_compare *c, const char *name);

/* delta_config.c: options that differ. SL_OK or SL_ERR_NOMEM. */
int delta_config(struct sl_compare *c);
/* An option's functions that differ, with their verdicts. */
void delta_evidence(const struct sl_compare *c, const struct delta_option *option, char *ret, size_t cap);

/* A value of a side as it is shown, and per unit. */
double delta_scaled(const struct sl_compare *c, int side, enum sl_axis axis, double value);
double delta_per_unit(const struct sl_compare *c, int side, enum sl_axis axis, double value);
/* Whether A and B are known to have executed instructions of different architectures. */
bool delta_other_machine(const struct sl_compare *c);
/* False where it is not known: among the calls that are shorter than the clock can tell. */
bool delta_percentile(const struct delta_side *side, unsigned per_mille, uint64_t *ret);
const char *delta_verdict_name(enum delta_verdict verdict);
#define DELTA_SCHEMA "sightline.compare/1"
/* Whether the table of functions has a row: where either side ran it. */
bool delta_is_shown(const struct delta_row *row);
/* delta_lens.c: what a lens saw on a side. */
struct delta_lens {
	uint64_t count, total;
};
struct delta_lens delta_lens(const struct sl_compare *c, int side, const char *lens);
/* Events a second; a million cycles or instructions where there is no time. */
double delta_rate(const struct sl_compare *c, int side, const char *lens);
/* delta_sentence.c: for a manager. */
void delta_say(struct sl_compare *c);
#endif
