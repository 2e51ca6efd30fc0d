/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of functions as a kept profile has them. */
#include "compare/saved.h"
#include "profile.h"

/* The histogram is copied: the sink keeps its own. */
static int save_measure(const struct measure *from, const struct circumstances *c, struct sl_saved_measure *into)
{
	into->spread = from->spread;
	into->own = c->own;
	into->own_work = c->own_work;
	into->min = from->min;
	into->max = from->max;
	into->bounds = from->bounds;
	into->resolution = from->resolution;
	return sl_histogram_merge(&into->histogram, &from->histogram);
}

static void save_unevenness(const struct sl_profile *p, const struct row *row, enum sl_axis axis, struct sl_saved_measure *into)
{
	const struct slices *s = &p->slices[row->slices - 1];

	into->unevenness = slices_of_means(s, &p->slicing, s->sums, axis, &row->measures[axis].spread);
	into->own_unevenness = slices_of_means(s, &p->slicing, s->own, axis, &row->circumstances[axis].own);
}

static int save_row(const struct sl_profile *p, const struct row *row, struct sl_saved_function *into)
{
	const struct slices *slices = row->slices ? &p->slices[row->slices - 1] : NULL;
	int result = SL_OK;

	for (int i = 0; i < SL_SAVED_LACKS; i++)
		into->calls[i] = row->calls[i];
	into->total = row->total;
	into->self = row->self;
	into->unevenness = slices ? slices_of_calls(slices, &p->slicing) : 0;
	for (int axis = 0; axis < SL_AXIS_COUNT && result == SL_OK; axis++) {
		struct sl_saved_measure *m = &into->measures[axis];

		if (slices)
			save_unevenness(p, row, (enum sl_axis)axis, m);
		result = save_measure(&row->measures[axis], &row->circumstances[axis], m);
	}
	return result;
}

int sl_profile_save(const struct sl_profile *p, struct sl_saved *into)
{
	uint32_t index;
	int result = SL_OK;

	for (size_t i = 0; i < p->row_count && result == SL_OK; i++) {
		result = saved_function_of(into, p->options.image, (uint32_t)p->rows[i].key, &index);
		if (result == SL_OK)
			result = save_row(p, &p->rows[i], &into->functions[index]);
	}
	return result;
}
