/* SPDX-License-Identifier: Apache-2.0 */
#include "e4_sync.h"

enum { SKIP_BYTES = 8, ASYNC_BYTES = 12 };
enum { NOTHING, ONE_ZERO, ZEROS };

void e4_sync_reset(struct e4_sync *sync)
{
	*sync = (struct e4_sync){ 0 };
}

/* A zero may begin an A-Sync: what lies before it is a piece of its own. */
static enum e4_sync_step begin(struct e4_sync *sync, uint64_t offset, uint64_t *ret)
{
	bool skipped = sync->len > 1;

	*ret = sync->start;
	sync->start = offset;
	sync->len = 1;
	sync->seen = ONE_ZERO;
	return skipped ? E4_SYNC_SKIPPED : E4_SYNC_MORE;
}

static enum e4_sync_step skip(struct e4_sync *sync, uint64_t offset, uint64_t *ret)
{
	if (sync->len < SKIP_BYTES)
		return E4_SYNC_MORE;
	*ret = sync->start;
	sync->start = offset + 1;
	sync->len = 0;
	return E4_SYNC_SKIPPED;
}

static enum e4_sync_step go_on(struct e4_sync *sync, uint8_t byte, uint64_t *ret)
{
	if (byte == 0) {
		if (sync->len < ASYNC_BYTES)
			return E4_SYNC_MORE;
		sync->len--; /* one zero too many in front */
		*ret = sync->start;
		return E4_SYNC_SKIPPED;
	}
	sync->seen = NOTHING;
	if (sync->len != ASYNC_BYTES)
		return E4_SYNC_MORE;
	*ret = sync->start;
	sync->len = 0;
	return byte == 0x80 ? E4_SYNC_FOUND : E4_SYNC_BAD;
}

enum e4_sync_step e4_sync_take(struct e4_sync *sync, uint8_t byte, uint64_t offset, uint64_t *ret)
{
	if (!sync->len)
		sync->start = offset;
	sync->len++;
	switch (sync->seen) {
	case NOTHING:
		return byte ? skip(sync, offset, ret) : begin(sync, offset, ret);
	case ONE_ZERO:
		sync->seen = byte ? NOTHING : ZEROS;
		return E4_SYNC_MORE;
	default:
		return go_on(sync, byte, ret);
	}
}
