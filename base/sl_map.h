/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_MAP_H
#define SL_MAP_H
#include "sl_base.h"

/* A hash map from u64 to u64: open addressing, no removal. */
struct sl_map {
	struct sl_map_slot { uint64_t key, value; bool used; } *slots;
	size_t len, cap;  /* cap is 0 or a power of two */
};
#define SL_MAP_INIT { 0 }

/* The value's place, or NULL. Valid until the next put. */
uint64_t *sl_map_get(const struct sl_map *map, uint64_t key);
/* The place of key, made with value 0 where it is new; NULL when out of memory. Valid until the next put. */
uint64_t *sl_map_put(struct sl_map *map, uint64_t key);
void sl_map_release(struct sl_map *map);

/* A key for what is longer (FNV-1a): seed is SL_HASH_SEED, or the hash of what goes before. Different bytes may have one
 * hash. */
#define SL_HASH_SEED 0xcbf29ce484222325u
uint64_t sl_hash(uint64_t seed, const void *data, size_t len);
#endif
