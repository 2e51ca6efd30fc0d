/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "delta.h"

struct delta_lens delta_lens(const struct sl_compare *c, int side, const char *lens)
{
	const struct sl_saved *saved = c->options.sides[side];
	struct delta_lens sum = { 0, 0 };

	for (size_t i = 0; i < saved->event_count; i++) {
		if (strcmp(sl_saved_string(saved, saved->events[i].lens), lens) != 0)
			continue;
		sum.count += saved->events[i].count;
		sum.total += saved->events[i].total.v[c->axis];
	}
	return sum;
}

/* Of merged runs the longest lane is that of the longest run, which stands for all. */
double delta_rate(const struct sl_compare *c, int side, const char *lens)
{
	const struct sl_saved *saved = c->options.sides[side];
	double unit = c->axis == SL_AXIS_TICKS ? 1e9 : 1e6;
	double extent = delta_scaled(c, side, c->axis, (double)sl_saved_extent(saved, c->axis)) * (double)saved->runs;

	return extent > 0 ? (double)delta_lens(c, side, lens).count * unit / extent : 0;
}
