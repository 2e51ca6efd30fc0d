/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs of one side: how much more they differ than chance would have independent calls do it. */
#include <stdlib.h>
#include <string.h>

#include "delta.h"

static uint64_t key_of(const char *name, const char *module)
{
	uint64_t key = sl_hash(SL_HASH_SEED, name, strlen(name) + 1);

	return sl_hash(key, module, strlen(module));
}

static const char *name_on(const struct delta_row *row, int side)
{
	return side == B && row->other ? row->other : row->name;
}

/* Rows of a side by name and module: row + 1. */
static int index_rows(const struct sl_compare *c, int side, struct sl_map *ret)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct delta_row *row = &c->rows[i];
		uint64_t *place = row->module ? sl_map_put(ret, key_of(name_on(row, side), row->module)) : NULL;

		if (row->module && !place)
			return SL_ERR_NOMEM;
		if (place)
			*place = i + 1;
	}
	return SL_OK;
}

/* What a run's mean is off the mean of all, squared, by what a mean of so many varies. */
static double mean_off(const struct sl_spread *run, const struct sl_spread *all)
{
	double deviation = sl_spread_deviation(all), off = sl_spread_mean(run) - sl_spread_mean(all);

	return run->count && deviation > 0 ? off * off * (double)run->count / (deviation * deviation) : 0;
}

static void add_run(struct delta_side *all, const struct delta_side *run, double part)
{
	double expected = (double)all->calls * part, off = (double)run->calls - expected;

	all->between[UNEVEN_CALLS] += expected > 0 ? off * off / expected : 0;
	all->between[UNEVEN_DURATIONS] += mean_off(&run->spread, &all->spread);
	all->between[UNEVEN_OWN] += mean_off(&run->own, &all->own);
}

/* A run as both sides of a comparison has the rows that it adds. */
static int take_run(struct sl_compare *c, int side, const struct sl_saved *run, const struct sl_map *rows)
{
	struct sl_compare *one = calloc(1, sizeof(*one));
	int result;

	if (!one)
		return SL_ERR_NOMEM;
	one->axis = c->axis;
	one->options = (struct sl_compare_options){ .sides = { run, run }, .aliases = c->options.aliases, .per = c->options.per };
	result = delta_match(one);
	if (result == SL_OK)
		result = delta_tree(one);
	if (result == SL_OK)
		result = delta_durations(one);
	for (size_t i = 0; result == SL_OK && i < one->row_count; i++) {
		const struct delta_row *row = &one->rows[i];
		const uint64_t *place = row->module ? sl_map_get(rows, key_of(row->name, row->module)) : NULL;

		if (place)
			add_run(&c->rows[*place - 1].sides[side], &row->sides[A], (double)one->units[A] / (double)c->units[side]);
	}
	sl_compare_free(one);
	/* a run without a call of per has none of its parts */
	return result == SL_END ? SL_OK : result;
}

static int take_runs(struct sl_compare *c, int side)
{
	struct sl_map rows = SL_MAP_INIT;
	int result = index_rows(c, side, &rows);

	for (size_t i = 0; result == SL_OK && i < c->options.run_counts[side]; i++)
		result = take_run(c, side, &c->options.runs[side][i], &rows);
	sl_map_release(&rows);
	return result;
}

enum { OFTEN = 10 }; /* calls of which chi square is one */

static void find_average(struct sl_compare *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++) {
		const struct delta_row *row = &c->rows[i];

		if (!row->module || row->sides[A].calls < OFTEN || row->sides[B].calls < OFTEN)
			continue;
		count++;
		for (int kind = 0; kind < UNEVEN_KINDS; kind++)
			c->between[kind] += (row->sides[A].between[kind] + row->sides[B].between[kind]) / c->freedom;
	}
	for (int kind = 0; kind < UNEVEN_KINDS; kind++)
		c->between[kind] = count ? c->between[kind] / (double)count : 1;
}

int delta_runs(struct sl_compare *c)
{
	for (int side = 0; side < SIDES; side++) {
		if (c->options.run_counts[side] < 2)
			continue;
		c->freedom += (unsigned)c->options.run_counts[side] - 1;
		if (take_runs(c, side) < 0)
			return SL_ERR_NOMEM;
	}
	if (c->freedom)
		find_average(c);
	return SL_OK;
}
