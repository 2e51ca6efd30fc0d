/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PTM_SYNC_H
#define PTM_SYNC_H
/*
 * The search for the first A-sync. What is skipped is told in pieces, as OpenCSD does: they decide at which offsets the
 * capture is asked for the moment.
 */
#include "sl_base.h"

struct ptm_sync {
	size_t held;	 /* zeros that may begin an A-sync, of earlier blocks too */
	unsigned zeros;	 /* of these, those that count for it */
	bool in_zeros;
	uint64_t offset; /* of the next piece or A-sync */
	size_t async_len;
};

/* A piece that is skipped, in the block or before it: the latter is only shown, and not what the decoder begins with. */
typedef void ptm_skipped_fn(void *ctx, uint64_t offset, const uint8_t *bytes, size_t len, bool before);
/*
 * Takes a block of the lane at offset. The bytes used; *ret_found where they end with an A-sync, which begins at
 * sync->offset.
 */
size_t ptm_sync_block(struct ptm_sync *sync, const uint8_t *bytes, size_t len, uint64_t offset, ptm_skipped_fn *skipped,
		      void *ctx, bool *ret_found);
#endif
