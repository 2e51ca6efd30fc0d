/* SPDX-License-Identifier: Apache-2.0 */
#include "etm3_sync.h"

#include <string.h>

enum { ASYNC_BYTES = 6, ZEROS_MOST = 13, ZEROS_DROPPED = 8 };

/* What the bytes that are held are after one more. */
enum verdict { GO_ON, SKIP, SKIP_AND_AGAIN, FOUND };

static void hold(struct etm3_sync *sync, uint8_t byte)
{
	sync->held[sync->held_len++] = byte;
}

static enum verdict after_zeros(struct etm3_sync *sync, uint8_t byte)
{
	if (byte == 0x80 && sync->held_len >= ASYNC_BYTES - 1) {
		if (sync->held_len > ASYNC_BYTES - 1)
			return SKIP_AND_AGAIN; /* of the zeros, the last five belong to it */
		hold(sync, byte);
		return FOUND;
	}
	hold(sync, byte);
	if (byte)
		sync->in_zeros = false;
	return sync->held_len >= ZEROS_MOST && sync->in_zeros ? SKIP : GO_ON;
}

static enum verdict after_other(struct etm3_sync *sync, uint8_t byte, bool is_last)
{
	if (!byte && sync->held_len)
		return SKIP_AND_AGAIN;
	hold(sync, byte);
	if (!byte) {
		sync->in_zeros = true;
		return GO_ON;
	}
	return is_last || sync->held_len == sizeof(sync->held) ? SKIP : GO_ON;
}

/* Tells len bytes of those that are held. */
static void tell(struct etm3_sync *sync, size_t len, etm3_skipped_fn *skipped, void *ctx)
{
	skipped(ctx, sync->offset, sync->held, len);
	sync->held_len -= len;
	memmove(sync->held, sync->held + len, sync->held_len);
	sync->offset += len;
}

/* How many bytes of the held ones are skipped: all, or zeros too many. */
static size_t skipped_of(const struct etm3_sync *sync, enum verdict verdict)
{
	if (!sync->in_zeros)
		return sync->held_len;
	return verdict == SKIP ? ZEROS_DROPPED : sync->held_len - (ASYNC_BYTES - 1);
}

size_t etm3_sync_block(struct etm3_sync *sync, const uint8_t *bytes, size_t len, uint64_t offset, etm3_skipped_fn *skipped,
		       void *ctx, bool *ret_found)
{
	bool begins = true;
	size_t used = 0;

	*ret_found = false;
	while (used < len) {
		enum verdict verdict;

		if (begins && !sync->in_zeros)
			sync->offset = offset + used;
		begins = false;
		verdict = sync->in_zeros ? after_zeros(sync, bytes[used]) :
					   after_other(sync, bytes[used], used == len - 1);
		if (verdict == FOUND) {
			*ret_found = true;
			return used + 1;
		}
		used += verdict != SKIP_AND_AGAIN;
		if (verdict == GO_ON)
			continue;
		tell(sync, skipped_of(sync, verdict), skipped, ctx);
		begins = true;
	}
	return used;
}
