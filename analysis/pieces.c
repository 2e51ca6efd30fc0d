/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

const struct sl_symbol_range *piece_look_up(const struct piece_cache *cache, struct piece_slot *slot, uint64_t address)
{
	slot->range = sl_image_symbol_at(cache->image, cache->core, address);
	slot->core = cache->core;
	return &slot->range;
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
