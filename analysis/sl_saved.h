/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SAVED_H
#define SL_SAVED_H
/*
 * A profile that is kept: what report, graph and events know of a run, without its trace and its image, so that it can be
 * stored, merged and compared. Its file: docs/formats/profile.md.
 */
#include "sl_callstack.h"
#include "sl_calls.h"
#include "sl_events.h"
#include "sl_filter.h"
#include "sl_graph.h"
#include "sl_histogram.h"
#include "sl_map.h"
#include "sl_sinks.h"
#include "sl_spread.h"

enum { SL_SAVED_LACKS = 4 }; /* calls by what of them was not seen: SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT */
#define SL_SAVED_NONE UINT32_MAX

/* Durations of complete calls on one axis: as the sink profile keeps them. */
struct sl_saved_measure {
	struct sl_histogram histogram; /* of those that are no bounds */
	struct sl_spread spread;       /* of all of them */
	struct sl_spread own;	       /* the same calls by themselves, without callees */
	struct sl_products own_work;   /* ... times their instructions by themselves */
	uint64_t min, max;	       /* min: UINT64_MAX where there is none */
	uint64_t bounds, resolution;
	uint64_t unevenness, own_unevenness; /* of the means in time, as of calls */
};

/* Where in the trace a call was is not kept: the trace is not there. */
struct sl_saved_function {
	uint32_t name, module; /* strings */
	uint64_t calls[SL_SAVED_LACKS];
	struct sl_axes total, self;
	uint64_t unevenness; /* of calls in time: how much more than of independent ones, in thousandths. 0: not known */
	struct sl_saved_measure measures[SL_AXIS_COUNT];
};

enum sl_saved_kind { SL_SAVED_ROOT, SL_SAVED_LEVEL, SL_SAVED_FUNCTION, SL_SAVED_KINDS };
/* A path of calls. The first node is the root; nodes are in preorder, callees of one in the order in which they first ran. */
struct sl_saved_node {
	uint8_t kind;
	uint32_t parent;
	uint32_t what;	 /* FUNCTION: index of functions; LEVEL: a string */
	uint32_t depth; /* the root: 0. Only what reads the file sets and needs it */
	uint64_t calls[SL_SAVED_LACKS];
	struct sl_axes self, beyond; /* beyond: of paths below it that were not kept */
	struct sl_axes total;	     /* self and beyond, with all below */
};

/* What a lens saw. */
struct sl_saved_event {
	uint32_t lens, event, module; /* strings; module may be NONE */
	uint64_t count, no_entry, no_exit, complete;
	struct sl_axes total, self;
};

/* Whose instructions a lane tells. */
enum sl_machine { SL_MACHINE_UNKNOWN, SL_MACHINE_ARM, SL_MACHINE_X86_64 };

struct sl_saved_lane {
	uint32_t buffer, source; /* strings */
	uint32_t trace_id;
	uint32_t machine; /* enum sl_machine; a profile may have other numbers */
	int64_t cpu; /* -1: not known */
	struct sl_axes whole, self, gap;
	uint64_t repairs; /* of the call stack */
};

struct sl_saved {
	char **strings;
	size_t string_count, string_cap;
	struct sl_map string_at;
	struct sl_saved_function *functions;
	size_t function_count, function_cap;
	struct sl_map by_symbol; /* while it is made of a run: index + 1 */
	struct sl_saved_node *nodes;
	size_t node_count, node_cap;
	struct sl_saved_event *events;
	size_t event_count, event_cap;
	struct sl_saved_lane *lanes;
	size_t lane_count, lane_cap;
	uint32_t name, options; /* strings: of the capture; what chose and formed the calls, "" where all count */
	enum sl_axis axis;	/* that was chosen */
	unsigned axes;		/* that every lane that ran has: bits 1 << enum sl_axis */
	uint64_t timestamp_hz;	/* 0: not known */
	uint64_t trace_bytes, runs;
};

void sl_saved_release(struct sl_saved *saved);
static inline const char *sl_saved_string(const struct sl_saved *saved, uint32_t string)
{
	return string == SL_SAVED_NONE ? NULL : saved->strings[string];
}
/* Of a function: calls whose entry was seen, as report counts them. */
static inline uint64_t sl_saved_calls(const uint64_t calls[SL_SAVED_LACKS])
{
	return calls[0] + calls[SL_SPAN_NO_EXIT];
}
/* What all lanes are on an axis: what ran, and what passed while trace was missing. */
uint64_t sl_saved_self(const struct sl_saved *saved, enum sl_axis axis);
uint64_t sl_saved_gap(const struct sl_saved *saved, enum sl_axis axis);
/* The longest lane. */
uint64_t sl_saved_extent(const struct sl_saved *saved, enum sl_axis axis);

/* What makes a profile of a run: the sinks profile, graph and events on one stage. */
struct sl_saver;
struct sl_saver_options {
	const struct sl_image *image;
	const struct sl_capture *capture;
	const struct sl_filter *filter; /* NULL: everything counts */
	const char *name, *form;	/* of the capture; options as text. Copied */
	uint64_t timestamp_hz;
	enum sl_axis_choice axis;
	enum sl_durations durations;
	bool outermost, fold_tails;
};
/* What options point to is borrowed until sl_saver_finish. SL_OK, SL_ERR_NOMEM, or as sl_sieve_new with diag. */
int sl_saver_new(const struct sl_saver_options *options, struct sl_saver **ret, struct sl_diag *diag);
void sl_saver_free(struct sl_saver *saver);
void sl_saver_sink(struct sl_saver *saver, struct sl_sink *ret);
/* Behind the run. ret is to be released. SL_OK, SL_ERR_NOMEM, or SL_ERR_CONFIG where the chosen axis cannot be had, with diag. */
int sl_saver_finish(struct sl_saver *saver, struct sl_saved *ret, struct sl_diag *diag);

/* Parts of it. SL_OK or SL_ERR_NOMEM. */
int sl_profile_save(const struct sl_profile *profile, struct sl_saved *into);
int sl_graph_save(const struct sl_graph *graph, struct sl_saved *into);
int sl_events_save(const struct sl_events *events, struct sl_saved *into);

/* Writes the file. SL_OK; SL_ERR_IO with diag; SL_ERR_NOMEM. What was written is removed where it failed. */
int sl_saved_write(const struct sl_saved *saved, const char *path, struct sl_diag *diag);
/* Whether a file begins as a profile does: with the header of xz or gzip, or a brace. */
bool sl_saved_is(const char *path);
/* SL_OK; SL_ERR_IO, SL_ERR_FORMAT, SL_ERR_UNSUPPORTED (another version), SL_ERR_LIMIT with diag that names the file; SL_ERR_NOMEM. */
int sl_saved_read(const char *path, struct sl_saved *ret, struct sl_diag *diag);
/* The same of bytes; file stands in messages. */
int sl_saved_parse(const char *file, struct sl_bytes bytes, struct sl_saved *ret, struct sl_diag *diag);

/* Adds all of from. Functions are those of the same name and module. SL_OK; SL_ERR_CONFIG with diag where they do not belong
 * together (other timestamps, other options); SL_ERR_NOMEM. */
int sl_saved_merge(struct sl_saved *into, const struct sl_saved *from, struct sl_diag *diag);
/* All of count profiles, at least one; ret is to be released. The same. */
int sl_saved_sum(const struct sl_saved *profiles, size_t count, struct sl_saved *ret, struct sl_diag *diag);
#endif
