/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include "sl_insn.h"

const struct sl_symbol_range *piece_look_up(struct piece_cache *cache, struct piece_slot *slot, uint64_t address)
{
	struct piece_slot *wide = &cache->wide[(address >> 8 ^ address >> 20) % PIECE_CACHE_WIDE];

	if (!piece_has(cache, wide, address)) {
		wide->range = sl_image_symbol_at(cache->image, cache->core, address);
		wide->core = cache->core;
	}
	*slot = *wide;
	return &slot->range;
}

uint32_t piece_count(const struct piece_cache *cache, enum sl_isa isa, uint64_t start, uint64_t end, uint64_t *stop)
{
	uint32_t count = 0;

	if (isa == SL_ISA_A64 || isa == SL_ISA_A32)
		return (uint32_t)((*stop - start) / 4);
	for (; start < *stop; count++)
		start += sl_insn_size(isa, sl_image_bytes(cache->image, cache->core, SL_SPACE_ANY, start));
	if (sl_isa_is_x86(isa))
		*stop = start < end ? start : end;
	return count;
}
