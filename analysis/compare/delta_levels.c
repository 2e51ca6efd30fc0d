/* SPDX-License-Identifier: Apache-2.0 */
/* Which exception is whose: of one name, and else, since architectures number them otherwise, all that are of one kind and on one side only. */
#include <string.h>

#include "delta.h"
#include "sl_array.h"

/* Profiles name them [exception 256: syscall]. What the trace does not tell is no kind. */
static const char *const kinds[DELTA_LEVEL_KINDS] = { "[exception: irq]",   "[exception: fiq]",	  "[exception: serror]", "[exception: syscall]",
						      "[exception: fault]", "[exception: debug]", "[exception: reset]" };

static int kind_of(const char *name)
{
	const char *tail = strrchr(name, ':');

	for (int i = 0; tail && i < DELTA_LEVEL_KINDS; i++) {
		if (strcmp(strrchr(kinds[i], ':'), tail) == 0)
			return i;
	}
	return -1;
}

/* Where the name is, or where it belongs. NULL: no memory. */
static uint64_t *place_of(struct delta_levels *levels, const char *name)
{
	uint64_t key = sl_hash(SL_HASH_SEED, name, strlen(name)), *place;

	while ((place = sl_map_put(&levels->at, key)) && *place && strcmp(levels->all[*place - 1].name, name) != 0)
		key++;
	return place;
}

static int see(struct delta_levels *levels, int side, const char *name)
{
	const struct delta_level fresh = { .name = name };
	uint64_t *place = place_of(levels, name);

	if (!place)
		return SL_ERR_NOMEM;
	if (!*place) {
		if (SL_ARRAY_PUSH(&levels->all, &levels->len, &levels->cap, fresh) < 0)
			return SL_ERR_NOMEM;
		*place = levels->len;
	}
	levels->all[*place - 1].seen |= 1u << side;
	return SL_OK;
}

int delta_levels(struct sl_compare *c)
{
	struct delta_levels *levels = &c->levels;

	for (int side = 0; side < SIDES; side++) {
		const struct sl_saved *saved = c->options.sides[side];

		for (size_t i = 0; i < saved->node_count; i++) {
			const struct sl_saved_node *node = &saved->nodes[i];

			if (node->kind == SL_SAVED_LEVEL && see(levels, side, sl_saved_string(saved, node->what)) < 0)
				return SL_ERR_NOMEM;
		}
	}
	for (size_t i = 0; i < levels->len; i++) {
		int kind = kind_of(levels->all[i].name);

		for (int side = 0; side < SIDES; side++)
			levels->alone[side][kind < 0 ? DELTA_LEVEL_KINDS : kind] += levels->all[i].seen == 1u << side;
	}
	return SL_OK;
}

static bool is_matched(const struct delta_levels *levels, int kind)
{
	return kind >= 0 && levels->alone[A][kind] && levels->alone[B][kind];
}

const char *delta_level_name(struct sl_compare *c, const char *name)
{
	const uint64_t *place = place_of(&c->levels, name);
	int kind = kind_of(name);

	if (place && *place && c->levels.all[*place - 1].seen == (1u << A | 1u << B))
		return name;
	return is_matched(&c->levels, kind) ? kinds[kind] : name;
}

bool delta_level_matched(const struct sl_compare *c, const char *row, size_t ret[SIDES])
{
	int kind = kind_of(row);

	if (!is_matched(&c->levels, kind) || strcmp(row, kinds[kind]) != 0)
		return false;
	ret[A] = c->levels.alone[A][kind];
	ret[B] = c->levels.alone[B][kind];
	return true;
}
