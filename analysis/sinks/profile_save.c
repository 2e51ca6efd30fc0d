/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of functions as a kept profile has them. */
#include "compare/saved.h"
#include "profile.h"

/* The histogram is copied: the sink keeps its own. */
static int save_measure(const struct measure *from, struct sl_saved_measure *into)
{
	into->spread = from->spread;
	into->min = from->min;
	into->max = from->max;
	into->bounds = from->bounds;
	into->resolution = from->resolution;
	return sl_histogram_merge(&into->histogram, &from->histogram);
}

static int save_row(const struct row *row, struct sl_saved_function *into)
{
	int result = SL_OK;

	for (int i = 0; i < SL_SAVED_LACKS; i++)
		into->calls[i] = row->calls[i];
	into->total = row->total;
	into->self = row->self;
	for (int axis = 0; axis < SL_AXIS_COUNT && result == SL_OK; axis++)
		result = save_measure(&row->measures[axis], &into->measures[axis]);
	return result;
}

int sl_profile_save(const struct sl_profile *p, struct sl_saved *into)
{
	uint32_t index;
	int result = SL_OK;

	for (size_t i = 0; i < p->row_count && result == SL_OK; i++) {
		result = saved_function_of(into, p->options.image, (uint32_t)p->rows[i].key, &index);
		if (result == SL_OK)
			result = save_row(&p->rows[i], &into->functions[index]);
	}
	return result;
}
