/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_EVENTS_H
#define SL_EVENTS_H
/* events: what lenses see: how often, how long, in which rhythm, and who asked for it. */
#include "sl_filter.h"
#include "sl_lens.h"
#include "sl_table.h"

enum sl_events_by { SL_EVENTS_BY_EVENT, SL_EVENTS_BY_TASK, SL_EVENTS_BY_CPU };

struct sl_events_options {
	const struct sl_image *image;
	const struct sl_lenses *lenses;
	const struct sl_lens *lens; /* one of them; NULL: all */
	enum sl_events_by by;
	const struct sl_capture *capture; /* for the names of tasks; NULL: they have none */
	struct sl_sieve *sieve;		  /* what counts as an event; NULL: all. Requests and switches are not sifted */
};
struct sl_events;
/* Options are copied; what they point to is borrowed. SL_OK or SL_ERR_NOMEM. */
int sl_events_new(const struct sl_events_options *options, struct sl_events **ret);
void sl_events_free(struct sl_events *events);
void sl_events_sink(struct sl_events *events, struct sl_call_sink *ret);
/* Whether there was memory for all of it: after the run. SL_OK or SL_ERR_NOMEM. */
int sl_events_result(const struct sl_events *events);
/* Whether any lens saw an event. */
bool sl_events_empty(const struct sl_events *events);

struct sl_events_view {
	enum sl_axis axis;
	uint64_t timestamp_hz;
	uint64_t whole;	   /* of the axis: from the first to the last of what was traced; rates are of this */
	uint64_t whole_all; /* the same summed over lanes; shares are of this */
};
/* Writes the tables lenses, events, requesters, tasks. */
void sl_events_report(const struct sl_events *events, const struct sl_events_view *view, const struct sl_table *out);
size_t sl_events_columns(enum sl_axis axis, const struct sl_column **ret);
#endif
