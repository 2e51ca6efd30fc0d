/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include <string.h>

void piece_cache_init(struct piece_cache *cache, const struct sl_image *image, uint32_t core)
{
	memset(cache, 0, sizeof(*cache));
	cache->image = image;
	cache->core = core;
	cache->last = &cache->slots[0].range;
	for (size_t i = 0; i < PIECE_CACHE; i++)
		cache->slots[i].address = UINT64_MAX;
}

void piece_cache_core(struct piece_cache *cache, uint32_t core)
{
	if (core != cache->core)
		piece_cache_init(cache, cache->image, core);
}

const struct sl_symbol_range *piece_symbol(struct piece_cache *cache, uint64_t address)
{
	struct piece_slot *slot;

	if (address - cache->last->start < cache->last->end - cache->last->start)
		return cache->last;
	slot = &cache->slots[(address >> 1 ^ address >> 13) & (PIECE_CACHE - 1)];
	if (slot->address != address || address == UINT64_MAX) {
		slot->address = address;
		slot->range = sl_image_symbol_at(cache->image, cache->core, address);
	}
	cache->last = &slot->range;
	return cache->last;
}

/* A T32 instruction has 4 bytes where the top five bits of its first halfword are 0b11101, 0b11110 or 0b11111. */
static uint64_t t32_size(const struct piece_cache *cache, uint64_t address)
{
	struct sl_bytes code = sl_image_bytes(cache->image, cache->core, SL_SPACE_ANY, address);

	return code.len >= 2 && code.data[1] >= 0xe8 ? 4 : 2;
}

uint32_t piece_count(const struct piece_cache *cache, enum sl_isa isa, uint64_t start, uint64_t end)
{
	uint32_t count = 0;

	if (isa != SL_ISA_T32)
		return (uint32_t)((end - start) / 4);
	while (start < end) {
		start += t32_size(cache, start);
		count++;
	}
	return count;
}
