/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function of one profile is which of the other: first by name and module, then by canonical name and module, then by
 * canonical name where there is just one on each side. Several of a kind are one row, which says so.
 */
#include <stdlib.h>
#include <string.h>

#include "delta.h"
#include "sl_array.h"

/* A function that has no row yet, and the key that it is looked for by. */
struct item {
	uint32_t side, function;
	const char *name, *module;
	char *canonical;
};

struct items {
	struct item *all;
	size_t len;
};

static int by_name(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->module, b->module);
}

static int by_canonical(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = strcmp(a->canonical, b->canonical);

	return order ? order : strcmp(a->module, b->module);
}

static int by_bare_canonical(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return strcmp(a->canonical, b->canonical);
}

static int add_row(struct sl_compare *c, const struct item *items, size_t count, enum delta_match match)
{
	struct delta_row row = { .name = items->name, .module = items->module, .match = match, .duration_p = 1, .own_p = 1, .work_p = 1, .calls_p = 1 };

	for (int side = 0; side < SIDES; side++)
		row.sides[side].min = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		row.sides[items[i].side].functions++;
		c->row_of[items[i].side][items[i].function] = (uint32_t)c->row_count;
		if (items[i].side == A)
			row.name = items[i].name;
		else
			row.other = items[i].name;
	}
	if (row.other && strcmp(row.other, row.name) == 0)
		row.other = NULL;
	return SL_ARRAY_PUSH(&c->rows, &c->row_count, &c->row_cap, row);
}

/* Whether a run of items with one key is a row: there are some on both sides. */
static bool is_match(const struct item *items, size_t count, enum delta_match match)
{
	size_t of_a = 0;

	for (size_t i = 0; i < count; i++)
		of_a += items[i].side == A;
	if (match == MATCH_ALONE)
		return true;
	return match == MATCH_MODULE ? count == 2 && of_a == 1 : of_a && of_a < count;
}

/* Makes rows of those that match, and drops them. */
static int pass(struct sl_compare *c, struct items *items, enum delta_match match, int (*order)(const void *, const void *))
{
	size_t kept = 0, end;
	int result = SL_OK;

	qsort(items->all, items->len, sizeof(*items->all), order);
	for (size_t i = 0; i < items->len && result == SL_OK; i = end) {
		for (end = i + 1; end < items->len && order(&items->all[i], &items->all[end]) == 0;)
			end++;
		if (is_match(items->all + i, end - i, match)) {
			result = add_row(c, items->all + i, end - i, match);
			for (size_t k = i; k < end; k++)
				free(items->all[k].canonical);
		} else {
			memmove(items->all + kept, items->all + i, (end - i) * sizeof(*items->all));
			kept += end - i;
		}
	}
	items->len = result == SL_OK ? kept : items->len;
	return result;
}

/* By name first and then by side, so that the order does not depend on what came first in a profile. */
static int by_all(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = by_name(left, right);

	return order ? order : (int)a->side - (int)b->side;
}

static int fill(const struct sl_compare *c, struct items *items)
{
	for (uint32_t side = 0; side < SIDES; side++) {
		const struct sl_saved *saved = c->options.sides[side];

		for (uint32_t i = 0; i < saved->function_count; i++) {
			const char *name = sl_saved_string(saved, saved->functions[i].name);
			char *canonical = sl_aliases_name(c->options.aliases, name);

			if (!canonical)
				return SL_ERR_NOMEM;
			items->all[items->len++] = (struct item){
				side, i, name, sl_saved_string(saved, saved->functions[i].module), canonical
			};
		}
	}
	qsort(items->all, items->len, sizeof(*items->all), by_all);
	return SL_OK;
}

int delta_match(struct sl_compare *c)
{
	size_t counts[SIDES] = { c->options.sides[A]->function_count, c->options.sides[B]->function_count };
	struct items items = { calloc(counts[A] + counts[B] + 1, sizeof(*items.all)), 0 };
	int result = items.all ? SL_OK : SL_ERR_NOMEM;

	for (int side = 0; side < SIDES; side++) {
		c->row_of[side] = calloc(counts[side] + 1, sizeof(*c->row_of[side]));
		if (!c->row_of[side])
			result = SL_ERR_NOMEM;
	}
	if (result == SL_OK)
		result = fill(c, &items);
	if (result == SL_OK)
		result = pass(c, &items, MATCH_NAME, by_name);
	if (result == SL_OK)
		result = pass(c, &items, MATCH_CANONICAL, by_canonical);
	if (result == SL_OK)
		result = pass(c, &items, MATCH_MODULE, by_bare_canonical);
	if (result == SL_OK)
		result = pass(c, &items, MATCH_ALONE, by_all);
	for (size_t i = 0; result < 0 && items.all && i < items.len; i++)
		free(items.all[i].canonical);
	free(items.all);
	return result;
}

uint32_t delta_other_row(struct sl_compare *c, const char *name)
{
	uint64_t key = sl_hash(SL_HASH_SEED, name, strlen(name)), *place;
	struct delta_row row = { .name = name, .duration_p = 1, .own_p = 1, .work_p = 1, .calls_p = 1, .match = MATCH_NAME };

	while ((place = sl_map_put(&c->row_at, key)) && *place && strcmp(c->rows[*place - 1].name, name) != 0)
		key++;
	if (!place)
		return SL_SAVED_NONE;
	if (!*place) {
		row.sides[A].min = row.sides[B].min = UINT64_MAX;
		if (SL_ARRAY_PUSH(&c->rows, &c->row_count, &c->row_cap, row) < 0)
			return SL_SAVED_NONE;
		*place = c->row_count;
	}
	return (uint32_t)(*place - 1);
}
