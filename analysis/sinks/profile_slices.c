/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_slices.h"

#include <math.h>

enum { FIRST_WIDTH = 64, FEWEST = 8 };

unsigned slicing_at(struct slicing *s, uint64_t place, unsigned *ret_folds)
{
	unsigned slice;

	*ret_folds = 0;
	s->width = s->width ? s->width : FIRST_WIDTH;
	while (place / s->width >= SLICES) {
		s->width *= 2;
		s->last /= 2;
		++*ret_folds;
	}
	slice = (unsigned)(place / s->width);
	s->last = slice > s->last ? slice : s->last;
	return slice;
}

static void fold_axes(struct sl_axes *axes, unsigned i)
{
	struct sl_axes sum = { { 0 } };

	if (2 * i < SLICES) {
		sum = axes[2 * i];
		sl_axes_add(&sum, axes[2 * i + 1]);
	}
	axes[i] = sum;
}

void slices_fold(struct slices *s)
{
	for (unsigned i = 0; i < SLICES; i++) {
		unsigned from = 2 * i;
		bool there = from < SLICES;

		s->calls[i] = there ? s->calls[from] + s->calls[from + 1] : 0;
		s->complete[i] = there ? s->complete[from] + s->complete[from + 1] : 0;
		fold_axes(s->sums, i);
		fold_axes(s->own, i);
	}
}

/* Known, so at least 1. */
static uint64_t thousandths(double value)
{
	return value < 1e12 ? (uint64_t)fmax(1, value * EVEN + 0.5) : (uint64_t)1e15;
}

uint64_t slices_of_calls(const struct slices *s, const struct slicing *slicing)
{
	double sum = 0, squares = 0, mean, count = slicing->last;

	for (unsigned i = 0; i < slicing->last; i++)
		sum += (double)s->calls[i];
	mean = sum / count;
	for (unsigned i = 0; i < slicing->last; i++)
		squares += ((double)s->calls[i] - mean) * ((double)s->calls[i] - mean);
	return slicing->last < FEWEST || !(sum > 0) ? 0 : thousandths(squares / (count - 1) / mean);
}

/* What a slice's durations are off, all together, by what as many independent ones would be. */
uint64_t slices_of_means(const struct slices *s, const struct slicing *slicing, const struct sl_axes *sums, enum sl_axis axis,
			 const struct sl_spread *spread)
{
	double sum = 0, calls = 0, squares = 0, count = slicing->last, deviation = sl_spread_deviation(spread);

	for (unsigned i = 0; i < slicing->last; i++) {
		sum += (double)sums[i].v[axis];
		calls += (double)s->complete[i];
	}
	for (unsigned i = 0; i < slicing->last && calls > 0; i++) {
		double off = (double)sums[i].v[axis] - sum / calls * (double)s->complete[i];

		squares += off * off;
	}
	if (slicing->last < FEWEST || !(calls > 1) || !(deviation > 0))
		return 0;
	return thousandths(squares * count / (count - 1) / (calls * deviation * deviation));
}
