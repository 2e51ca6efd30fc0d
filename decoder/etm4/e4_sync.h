/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_SYNC_H
#define E4_SYNC_H
/*
 * The search for an A-Sync: eleven bytes of 0 and 80, wherever they lie. What is skipped comes out in the small pieces
 * that OpenCSD makes of it, as each is a packet and has its place.
 */
#include "sl_base.h"

struct e4_sync {
	uint64_t start; /* of the piece that is being gathered */
	unsigned len;	/* its bytes so far */
	uint8_t seen;   /* how much of an A-Sync it ends with */
};

enum e4_sync_step { E4_SYNC_MORE, E4_SYNC_SKIPPED, E4_SYNC_BAD, E4_SYNC_FOUND };

/* From offset on there is no sync. */
void e4_sync_reset(struct e4_sync *sync);
/*
 * Takes the byte at offset. Unless MORE, ret is the offset of a piece that is over: skipped bytes; a run of zeros that
 * ends in something else than 80; or the A-Sync itself.
 */
enum e4_sync_step e4_sync_take(struct e4_sync *sync, uint8_t byte, uint64_t offset, uint64_t *ret);
#endif
