/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PIECES_H
#define PIECES_H
/* A range of instructions cut where the symbol changes: code falls through from one function into the next. */
#include "sl_elem.h"
#include "sl_image.h"

enum { PIECE_CACHE = 4096 };

/* Symbol ranges by address: code repeats itself, and most look-ups are answered here. */
struct piece_cache {
	const struct sl_image *image;
	uint32_t core;
	const struct sl_symbol_range *last;  /* code stays in a function for a while */
	struct piece_slot { uint64_t address; struct sl_symbol_range range; } slots[PIECE_CACHE];
};
void piece_cache_init(struct piece_cache *cache, const struct sl_image *image, uint32_t core);
/* Other memory from now on. */
void piece_cache_core(struct piece_cache *cache, uint32_t core);
/* Valid until the next call. */
const struct sl_symbol_range *piece_symbol(struct piece_cache *cache, uint64_t address);

/* Instructions in [start, end), which lies inside of a range; sizes of T32 ones are read from the image. */
uint32_t piece_count(const struct piece_cache *cache, enum sl_isa isa, uint64_t start, uint64_t end);
#endif
