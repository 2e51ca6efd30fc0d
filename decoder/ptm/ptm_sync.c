/* SPDX-License-Identifier: Apache-2.0 */
#include "ptm_sync.h"

enum { ASYNC_ZEROS = 5, PAD_ZEROS = 11, PIECE = 16 };

struct search {
	struct ptm_sync *sync;
	const uint8_t *bytes;
	size_t len, used;
	size_t entry;	 /* zeros that were held before this block */
	size_t told;	 /* bytes of the block that are told */
	size_t skipped;	 /* that are to be told */
	bool found;
};

/* Zeros, and what ends them. */
static void take_zeros(struct search *s)
{
	struct ptm_sync *sync = s->sync;

	while (s->used < s->len && !s->bytes[s->used]) {
		s->used++;
		sync->held++;
		if (++sync->zeros == PAD_ZEROS + ASYNC_ZEROS) {
			s->skipped += PAD_ZEROS;
			sync->held -= PAD_ZEROS;
			sync->in_zeros = false;
			return;
		}
	}
	if (s->used == s->len)
		return;
	sync->in_zeros = false;
	s->found = s->bytes[s->used++] == 0x80 && sync->zeros >= ASYNC_ZEROS;
	s->skipped += s->found ? 0 : sync->held + 1;
	sync->async_len = sync->held + 1;
	sync->held = 0;
}

static void take_byte(struct search *s)
{
	if (s->bytes[s->used++]) {
		s->skipped++;
		return;
	}
	s->sync->in_zeros = true;
	s->sync->held++;
	s->sync->zeros = 1;
}

/* What came out of earlier blocks is told with each piece: that is how OpenCSD counts. */
static void tell(struct search *s, ptm_skipped_fn *skipped, void *ctx)
{
	size_t left = s->len - s->told, shown = s->skipped < left ? s->skipped : left;

	if (s->entry) {
		static const uint8_t zeros[PIECE];

		skipped(ctx, s->sync->offset, zeros, s->entry < PIECE ? s->entry : PIECE, true);
		s->sync->offset += s->entry;
	}
	skipped(ctx, s->sync->offset, s->bytes + s->told, shown, false);
	s->told += shown;
	s->sync->offset += s->skipped;
	s->skipped = 0;
}

size_t ptm_sync_block(struct ptm_sync *sync, const uint8_t *bytes, size_t len, uint64_t offset, ptm_skipped_fn *skipped,
		      void *ctx, bool *ret_found)
{
	struct search s = { .sync = sync, .bytes = bytes, .len = len, .entry = sync->held };

	if (!sync->in_zeros)
		sync->offset = offset;
	while (s.used < len && !s.found) {
		if (sync->in_zeros)
			take_zeros(&s);
		else
			take_byte(&s);
		if (s.skipped && (s.skipped >= PIECE || s.used == len || s.found))
			tell(&s, skipped, ctx);
	}
	*ret_found = s.found;
	return s.used;
}
