/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include <stdlib.h>

#include "sl_insn.h"

enum { CACHE_LINE = 64 };

int piece_cache_init(struct piece_cache *cache, const struct sl_image *image, uint32_t core)
{
	size_t count = PIECE_CACHE + PIECE_CACHE_WIDE;

	*cache = (struct piece_cache){ .image = image, .core = core };
	/* not aligned_alloc(): pages that nobody touches stay unused */
	cache->memory = calloc(1, count * sizeof(*cache->slots) + CACHE_LINE);
	if (!cache->memory)
		return SL_ERR_NOMEM;
	cache->slots = (void *)(((uintptr_t)cache->memory + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
	return SL_OK;
}

void piece_cache_release(struct piece_cache *cache)
{
	free(cache->memory);
}

const struct sl_symbol_range *piece_look_up(struct piece_cache *cache, struct sl_symbol_range *slot, uint64_t address)
{
	struct sl_symbol_range *wide = &cache->slots[PIECE_CACHE + (address >> 8 ^ address >> 20) % PIECE_CACHE_WIDE];

	if (!piece_has(cache, wide, address))
		*wide = sl_image_symbol_at(cache->image, cache->core, address);
	*slot = *wide;
	return slot;
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
