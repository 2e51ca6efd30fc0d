/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PIECES_H
#define PIECES_H
/* A range of instructions cut where the symbol changes: code falls through from one function into the next. */
#include "sl_elem.h"
#include "sl_image.h"

enum { PIECE_CACHE = 8192, PIECE_CACHE_WIDE = 4096 };

/* Symbol ranges by address: code repeats itself, and most look-ups are answered here. */
struct piece_cache {
	const struct sl_image *image;
	uint32_t core;	/* whose memory; it may change between two calls */
	struct sl_symbol_range *slots; /* PIECE_CACHE; zeros are empty. Behind them PIECE_CACHE_WIDE for what has no place there any
					* more, each for more addresses */
	void *memory;		       /* that they are aligned in */
};
_Static_assert(sizeof(struct sl_symbol_range) == 32, "two to a cache line");

/* SL_OK or SL_ERR_NOMEM. A slot that is never used costs no memory. */
int piece_cache_init(struct piece_cache *cache, const struct sl_image *image, uint32_t core);
void piece_cache_release(struct piece_cache *cache);
/* The slow path of the next one. */
const struct sl_symbol_range *piece_look_up(struct piece_cache *cache, struct sl_symbol_range *slot, uint64_t address);
static inline size_t piece_place(uint64_t address)
{
	return (address >> 4 ^ address >> 16) & (PIECE_CACHE - 1);
}
static inline bool piece_has(const struct piece_cache *cache, const struct sl_symbol_range *slot, uint64_t address)
{
	return address - slot->start < slot->end - slot->start && slot->core == cache->core;
}
/* Valid until the next call. */
static inline const struct sl_symbol_range *piece_symbol(struct piece_cache *cache, uint64_t address)
{
	struct sl_symbol_range *slot = &cache->slots[piece_place(address)];

	if (piece_has(cache, slot, address))
		return slot;
	return piece_look_up(cache, slot, address);
}

/* What piece_symbol() will read first is on its way from memory. */
static inline void piece_fetch(const struct piece_cache *cache, uint64_t address)
{
	__builtin_prefetch(&cache->slots[piece_place(address)]);
}

/* Where what begins at address, in that symbol, and ends at end, comes to another symbol; or end. */
static inline uint64_t piece_stop(const struct sl_symbol_range *symbol, uint64_t address, uint64_t end)
{
	return symbol->id && symbol->end > address && symbol->end < end ? symbol->end : end;
}
/*
 * Instructions from start to before stop, where the range that ends at end is cut; where sizes differ they are read from the
 * image. An instruction of x86 that lies across stop, as over two pages without names, is the first piece's: stop moves behind it.
 */
uint32_t piece_count(const struct piece_cache *cache, enum sl_isa isa, uint64_t start, uint64_t end, uint64_t *stop);
#endif
