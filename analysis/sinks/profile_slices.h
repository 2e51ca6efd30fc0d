/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_SLICES_H
#define PROFILE_SLICES_H
/*
 * How evenly calls come: the run in up to SLICES slices of equal length, and what of a row each has. Calls are not independent of
 * each other, what is called by one comes together: how much more slices differ than chance would have them is how much less
 * a number of calls is worth. Inside of analysis/sinks/profile*.c only.
 */
#include "sl_axes.h"
#include "sl_spread.h"

enum { SLICES = 32 };

struct slices {
	uint64_t calls[SLICES];
	struct sl_axes sums[SLICES], own[SLICES]; /* of the complete ones: durations, and what they ran by themselves */
	uint64_t complete[SLICES];
};
/* One for all rows: how long a slice is, in instructions of a lane, and the last one that was begun. */
struct slicing {
	uint64_t width; /* 0: none yet */
	unsigned last;
};

/* The slice of a place; other lengths than before where it lies behind all: then rows are to be folded so often, ret_folds. */
unsigned slicing_at(struct slicing *slicing, uint64_t place, unsigned *ret_folds);
/* Two slices each become one. */
void slices_fold(struct slices *slices);

enum { EVEN = 1000 }; /* as independent calls come */
/* The variance of slices by that of independent calls, in thousandths; 0 where that is not known. The last slice, which has not ended, is
 * left out. */
uint64_t slices_of_calls(const struct slices *slices, const struct slicing *slicing);
/* The same of the mean of durations, or of own; sums is one of these, and spread of all calls. */
uint64_t slices_of_means(const struct slices *slices, const struct slicing *slicing, const struct sl_axes *sums, enum sl_axis axis,
			 const struct sl_spread *spread);
#endif
