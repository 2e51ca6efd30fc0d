/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_GRAPH_H
#define SL_GRAPH_H
/*
 * graph: calls by their path. Every call is counted at the node of its path from the outermost call of its task on. The total
 * of a node is what its calls ran, with callees and with what they asked for (system calls, faults), and so children + self =
 * node. Interrupts come from outside: they are nodes at the root.
 */
#include "sl_calls.h"
#include "sl_sinks.h"

/* Which levels lie below what they interrupted; the others are nodes at the root. */
enum sl_graph_levels { SL_GRAPH_LEVELS_ASKED, SL_GRAPH_LEVELS_BELOW, SL_GRAPH_LEVELS_APART };

struct sl_graph_options {
	const struct sl_image *image;
	const struct sl_capture *capture; /* where tasks have names; may be NULL */
	struct sl_sieve *sieve;		  /* which calls count; NULL: all. Borrowed until the end of the run */
	enum sl_axis_choice axis;	  /* that will be shown: where percentiles are kept */
	uint64_t timestamp_hz;
	bool by_task;		      /* a tree a task, instead of one for all */
	enum sl_graph_levels levels;
	uint32_t node_max;	      /* paths that are kept; 0: 100,000. What runs in others is counted at the last one that is */
};
struct sl_graph;
int sl_graph_new(const struct sl_graph_options *options, struct sl_graph **ret);
void sl_graph_free(struct sl_graph *graph);
void sl_graph_call_sink(struct sl_graph *graph, struct sl_call_sink *ret);

enum sl_graph_view {
	SL_GRAPH_TREE,	   /* from the root on: who calls what */
	SL_GRAPH_CALLEES,  /* what a function calls, wherever it is called */
	SL_GRAPH_CALLERS,  /* who calls it: a node's children are its callers; numbers are those of the function */
	SL_GRAPH_INVERTED, /* the same of all functions, by self */
	SL_GRAPH_LINKAGE,  /* direct callers, the function, direct callees: a flat table */
};
enum sl_graph_order { SL_GRAPH_BY_TOTAL, SL_GRAPH_BY_SELF, SL_GRAPH_BY_CALLS, SL_GRAPH_BY_AVG, SL_GRAPH_BY_MAX, SL_GRAPH_BY_NAME,
		      SL_GRAPH_BY_TIME /* as they were first entered */ };

struct sl_graph_shown {
	enum sl_graph_view view;
	const char *function;	   /* CALLEES, CALLERS, LINKAGE: glob on its name */
	uint32_t depth;		   /* only nodes less than so many below the root. 0: all */
	double percent;		   /* only nodes with such a share; the others of a parent are one row */
	enum sl_graph_order order; /* of siblings */
	enum sl_axis axis;
	uint64_t timestamp_hz;
};
/* The columns of the table "graph" on an axis (static). */
size_t sl_graph_columns(enum sl_axis axis, const struct sl_column **ret);
/* Writes the table "graph"; of lanes, the accounts say what the whole is. SL_OK; SL_END where no function matches (nothing is
 * written); SL_ERR_NOMEM. */
int sl_graph_report(struct sl_graph *graph, const struct sl_calls *calls, const struct sl_graph_shown *shown,
		    const struct sl_table *out);
/* True where all that was counted and the gaps make the whole of all lanes; false too where a filter left something out. */
bool sl_graph_closes(const struct sl_graph *graph, const struct sl_calls *calls);
/* True where no call at all counted. */
bool sl_graph_empty(const struct sl_graph *graph);
/* How many calls were not counted at their own path: for want of nodes, and since the path was too deep (recursion). */
uint64_t sl_graph_beyond(const struct sl_graph *graph);
uint64_t sl_graph_folded(const struct sl_graph *graph);

/*
 * slowest: of all calls of a function the slowest beside the median one, path by path. It takes two runs over the same capture: the
 * first says how long each call is, the second looks into the two. Calls inside of a call of the function are no calls of
 * their own; those that were not seen from entry to exit are left out.
 */
struct sl_slowest;
/* options as for graph; its sieve sifts the first run. function is a glob, borrowed. */
int sl_slowest_new(const struct sl_graph_options *options, const char *function, struct sl_slowest **ret);
void sl_slowest_free(struct sl_slowest *slowest);
/* For either run. */
void sl_slowest_call_sink(struct sl_slowest *slowest, struct sl_call_sink *ret);
/* Between the runs. SL_OK; SL_END where there is no call that was seen from entry to exit. */
int sl_slowest_choose(struct sl_slowest *slowest, enum sl_axis axis);
/* Calls beyond those of which the median was taken: it is that of the first 1,000,000. */
uint64_t sl_slowest_dropped(const struct sl_slowest *slowest);
/* The columns of the table "difference" (static). */
size_t sl_slowest_columns(enum sl_axis axis, const struct sl_column **ret);
/* Writes the tables "instances" and "difference"; of shown: depth, percent (of the slowest one), axis, timestamp_hz. */
int sl_slowest_report(struct sl_slowest *slowest, const struct sl_graph_shown *shown, const struct sl_table *out);
#endif
