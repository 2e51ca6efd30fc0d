/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_map.h"

#include <stdlib.h>

/* The finaliser of SplitMix64: keys are addresses and ids, whose low bits alone would collide. */
static uint64_t mix(uint64_t key)
{
	key ^= key >> 30;
	key *= 0xbf58476d1ce4e5b9u;
	key ^= key >> 27;
	key *= 0x94d049bb133111ebu;
	return key ^ (key >> 31);
}

static struct sl_map_slot *probe(struct sl_map_slot *slots, size_t cap, uint64_t key)
{
	size_t at = (size_t)mix(key) & (cap - 1);

	while (slots[at].used && slots[at].key != key)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

static int grow(struct sl_map *map)
{
	size_t cap = map->cap ? map->cap * 2 : 64;
	struct sl_map_slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < map->cap; i++) {
		if (map->slots[i].used)
			*probe(slots, cap, map->slots[i].key) = map->slots[i];
	}
	free(map->slots);
	map->slots = slots;
	map->cap = cap;
	return SL_OK;
}

uint64_t *sl_map_get(const struct sl_map *map, uint64_t key)
{
	struct sl_map_slot *slot;

	if (!map->cap)
		return NULL;
	slot = probe(map->slots, map->cap, key);
	return slot->used ? &slot->value : NULL;
}

uint64_t *sl_map_put(struct sl_map *map, uint64_t key)
{
	struct sl_map_slot *slot;

	if (map->len * 4 >= map->cap * 3 && grow(map) < 0)
		return NULL;
	slot = probe(map->slots, map->cap, key);
	if (!slot->used) {
		slot->used = true;
		slot->key = key;
		slot->value = 0;
		map->len++;
	}
	return &slot->value;
}

void sl_map_release(struct sl_map *map)
{
	free(map->slots);
	*map = (struct sl_map)SL_MAP_INIT;
}

uint64_t sl_hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		seed = (seed ^ bytes[i]) * 0x100000001b3u;
	return seed;
}
