/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETM3_SYNC_H
#define ETM3_SYNC_H
/*
 * The search for the first A-sync. What is skipped is told in pieces, as OpenCSD does: they decide at which offsets the
 * capture is asked for the moment.
 */
#include "sl_base.h"

struct etm3_sync {
	uint8_t held[16]; /* bytes of the next piece, of earlier blocks too */
	size_t held_len;
	bool in_zeros;	  /* they may begin an A-sync */
	uint64_t offset;  /* of the next piece or A-sync */
};

/* A piece that is skipped. */
typedef void etm3_skipped_fn(void *ctx, uint64_t offset, const uint8_t *bytes, size_t len);
/*
 * Takes a block of the lane at offset. The bytes used; *ret_found where they end with an A-sync, which begins at
 * sync->offset.
 */
size_t etm3_sync_block(struct etm3_sync *sync, const uint8_t *bytes, size_t len, uint64_t offset, etm3_skipped_fn *skipped,
		       void *ctx, bool *ret_found);
#endif
