/* SPDX-License-Identifier: Apache-2.0 */
/* compare: from two kept profiles to rows and a tree. */
#include "delta.h"

#include <stdlib.h>
#include <string.h>

#include "axis.h"

static int choose_axis(struct sl_compare *c, struct sl_diag *diag)
{
	static const enum sl_axis order[] = { SL_AXIS_CYCLES, SL_AXIS_TICKS, SL_AXIS_INSNS };
	static const enum sl_axis asked[] = { [SL_CHOOSE_TIME] = SL_AXIS_TICKS, [SL_CHOOSE_CYCLES] = SL_AXIS_CYCLES,
					      [SL_CHOOSE_INSNS] = SL_AXIS_INSNS };
	unsigned common = c->options.sides[A]->axes & c->options.sides[B]->axes;

	if (c->options.axis != SL_CHOOSE_AUTO) {
		c->axis = asked[c->options.axis];
		if (common & 1u << c->axis)
			return SL_OK;
		return sl_fail(diag, SL_ERR_CONFIG, "%s has no %s in all that ran: compare in what both have, as --clock insns",
			       c->options.sides[A]->axes & 1u << c->axis ? "B" : "A", axis_unit(c->axis));
	}
	for (size_t i = 0; i < 3; i++) {
		c->axis = order[i];
		if (common & 1u << c->axis)
			return SL_OK;
	}
	return sl_fail(diag, SL_ERR_CONFIG, "A and B have no clock in common");
}

int sl_compare_new(const struct sl_compare_options *options, struct sl_compare **ret, struct sl_diag *diag)
{
	struct sl_compare *c = calloc(1, sizeof(*c));
	int result;

	if (!c)
		return SL_ERR_NOMEM;
	c->options = *options;
	result = choose_axis(c, diag);
	if (result == SL_OK)
		result = delta_match(c);
	if (result == SL_OK)
		result = delta_levels(c);
	if (result == SL_OK)
		result = delta_tree(c);
	if (result == SL_OK)
		result = delta_judge(c);
	if (result == SL_OK)
		result = delta_config(c);
	if (result != SL_OK) {
		sl_compare_free(c);
		return result;
	}
	delta_say(c);
	*ret = c;
	return SL_OK;
}

void sl_compare_free(struct sl_compare *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->row_count; i++) {
		sl_histogram_release(&c->rows[i].sides[A].histogram);
		sl_histogram_release(&c->rows[i].sides[B].histogram);
	}
	sl_map_release(&c->row_at);
	sl_map_release(&c->node_at);
	sl_map_release(&c->levels.at);
	free(c->levels.all);
	free(c->row_of[A]);
	free(c->row_of[B]);
	free(c->rows);
	free(c->nodes);
	free(c->configured);
	free(c->sorted);
	free(c);
}

enum sl_axis sl_compare_axis(const struct sl_compare *c)
{
	return c->axis;
}

/* Exact, side by side: matching and cutting the tree lost nothing and counted nothing twice. */
bool sl_compare_adds_up(const struct sl_compare *c)
{
	for (int side = 0; side < SIDES; side++) {
		struct sl_axes sum = { { 0 } };

		for (size_t i = 0; i < c->row_count; i++)
			sl_axes_add(&sum, c->rows[i].sides[side].self);
		if (memcmp(&sum, &c->whole[side], sizeof(sum)) != 0 ||
		    memcmp(&sum, &c->nodes[0].total[side], sizeof(sum)) != 0)
			return false;
	}
	return true;
}

size_t sl_compare_significant(const struct sl_compare *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++)
		count += c->rows[i].significant;
	return count;
}
