/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINDOW_H
#define WINDOW_H
/*
 * The elements of a lane that were decoded, and that the sinks in order of time have not taken yet. One thread may add to it
 * while another one takes what is open, where it is told that; nobody adds while more is opened. Elements are numbered from the first of the lane on. Inside of
 * analysis/ only.
 */
#include "sl_capture.h"
#include "sl_elem.h"

/* Where an order in time may be told, or a task may change: a place among the elements. */
struct cut {
	uint64_t at;			  /* number of the element; of a stretch: of the first that comes of it */
	const struct sl_stretch *stretch; /* which begins here; NULL: it is the element that matters */
};

struct window {
	struct kept {
		struct sl_elem *elems;
		size_t len, cap;
		struct cut *cuts;  /* ascending */
		size_t cut_len, cut_cap;
	} kept;		       /* number first + i is elems[i] */
	struct kept added;     /* where one thread adds while another takes: what is not open yet */
	bool apart;	       /* ... as it is here */
	uint64_t count;	       /* of all that were ever added */
	uint64_t first;	       /* those before are gone */
	uint64_t taken;	       /* those before were taken */
	uint64_t ready;	       /* those from here on are not to be taken yet */
	uint64_t open;	       /* ... and those from here on not to be looked at */
	size_t cut_next;       /* the first that is not taken */
	uint64_t *ends;	       /* of epochs that are not open yet: number behind the last element of each */
	size_t end_len, end_cap;
};

void window_release(struct window *w);
/* Behind those that are there. SL_OK or SL_ERR_NOMEM. */
int window_add(struct window *w, const struct sl_elem *elems, size_t len);
/* What is added next comes of this stretch. */
int window_stretch(struct window *w, const struct sl_stretch *stretch);
/* What was added since the last time is an epoch. */
int window_end_epoch(struct window *w);
/* Opens the next epoch, if there is one. Its elements are ready once somebody says so. SL_OK or SL_ERR_NOMEM. */
int window_open(struct window *w);
/* So many elements, counted from the first, can be taken: no fewer than before, no more than are open. */
void window_set_ready(struct window *w, uint64_t until);
static inline const struct sl_elem *window_at(const struct window *w, uint64_t number) { return &w->kept.elems[number - w->first]; }
/* Whether there is nothing to be taken. */
static inline bool window_is_empty(const struct window *w) { return w->taken == w->ready; }
/* The cut number i from the next one on, among what is open; NULL: there is none. */
static inline const struct cut *window_cut(const struct window *w, size_t i)
{
	size_t at = w->cut_next + i;

	return at < w->kept.cut_len && w->kept.cuts[at].at < w->open ? &w->kept.cuts[at] : NULL;
}
/* Everything before that number was taken. */
void window_take(struct window *w, uint64_t until);
#endif
