/* SPDX-License-Identifier: Apache-2.0 */
/* cover: how often which instructions were executed, and which branches were taken. */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

static struct cover_lane *lane_of(struct sl_cover *cover, const struct sl_lane *lane)
{
	size_t need = lane->index + 1;

	if (lane->index < cover->lane_count)
		return &cover->lanes[lane->index];
	if (sl_array_reserve((void **)&cover->lanes, &cover->lane_cap, sizeof(*cover->lanes), need) < 0) {
		cover->failed = true;
		return NULL;
	}
	memset(cover->lanes + cover->lane_count, 0, (need - cover->lane_count) * sizeof(*cover->lanes));
	cover->lane_count = need;
	return &cover->lanes[lane->index];
}

static bool same_piece(const struct cover_piece *a, const struct cover_piece *b)
{
	return a->end == b->end && a->core == b->core && a->isa == b->isa && a->conditional == b->conditional;
}

static void count_piece(struct sl_cover *cover, const struct cover_piece *fresh)
{
	uint64_t *first = sl_map_put(&cover->by_start, fresh->start);
	struct cover_piece piece = *fresh;

	if (!first) {
		cover->failed = true;
		return;
	}
	for (uint32_t i = (uint32_t)*first - 1; i != COVER_NONE; i = cover->pieces[i].next) {
		struct cover_piece *known = &cover->pieces[i];

		if (same_piece(known, fresh)) {
			known->times++;
			known->taken += fresh->taken;
			return;
		}
	}
	piece.next = (uint32_t)*first - 1;
	if (cover->len >= COVER_NONE - 1 || SL_ARRAY_PUSH(&cover->pieces, &cover->len, &cover->cap, piece) < 0)
		cover->failed = true;
	else
		*first = cover->len;
}

static void count_edge(struct sl_cover *cover, const struct cover_lane *lane, const struct sl_piece *to)
{
	const uint64_t ends[] = { lane->from, to->range->range.start, lane->core };
	uint64_t *first = sl_map_put(&cover->by_edge, sl_hash(SL_HASH_SEED, ends, sizeof(ends)));
	struct cover_edge fresh = { .start = lane->start, .from = ends[0], .to = ends[1], .times = 1, .core = lane->core,
				    .from_symbol = lane->symbol, .to_symbol = to->symbol, .isa = lane->isa };

	if (!first) {
		cover->failed = true;
		return;
	}
	for (uint32_t i = (uint32_t)*first - 1; i != COVER_NONE; i = cover->edges[i].next) {
		struct cover_edge *known = &cover->edges[i];

		if (known->from == fresh.from && known->to == fresh.to && known->core == fresh.core) {
			known->times++;
			return;
		}
	}
	fresh.next = (uint32_t)*first - 1;
	if (cover->edge_count >= COVER_NONE - 1 || SL_ARRAY_PUSH(&cover->edges, &cover->edge_count, &cover->edge_cap, fresh) < 0)
		cover->failed = true;
	else
		*first = cover->edge_count;
}

/* A piece that a border of functions cut off does not tell how long its last instruction is: no longer than the piece. */
static uint8_t last_size(const struct sl_elem *range)
{
	uint64_t len = range->range.end - range->range.start;
	unsigned size = sl_isa_is_x86(range->isa) ? 1 : range->flags & SL_FLAG_LAST_16BIT ? 2 : 4;

	return (uint8_t)(size < len ? size : len);
}

static void on_piece(void *self, const struct sl_piece *piece)
{
	struct sl_cover *cover = self;
	const struct sl_elem *range = piece->range;
	bool branch = sl_elem_last(range) == SL_LAST_BRANCH || sl_elem_last(range) == SL_LAST_INDIRECT;
	struct cover_piece fresh = { .start = range->range.start, .end = range->range.end, .times = 1, .core = piece->core,
				     .symbol = piece->symbol, .isa = range->isa };
	struct cover_lane *lane = lane_of(cover, piece->lane);
	bool counts;

	fresh.last_size = last_size(range);
	fresh.conditional = branch && range->flags & SL_FLAG_CONDITIONAL;
	fresh.taken = branch && range->flags & SL_FLAG_EXECUTED;
	if (!lane || !fresh.last_size)
		return;
	counts = !cover->sieve || sl_sieve_piece(cover->sieve, piece);
	if (lane->branched && counts)
		count_edge(cover, lane, piece);
	lane->branched = fresh.taken && counts;
	lane->start = fresh.start;
	lane->from = cover_last(&fresh);
	lane->isa = fresh.isa;
	lane->symbol = piece->symbol;
	lane->core = piece->core;
	if (counts)
		count_piece(cover, &fresh);
}

/* What comes between two pieces besides a branch makes that what goes on is not where the branch went. */
static void on_call(void *self, const struct sl_call *call)
{
	struct sl_cover *cover = self;
	struct cover_lane *lane = lane_of(cover, call->lane);
	bool counts = !cover->sieve || sl_sieve_call(cover->sieve, call);

	if (call->kind == SL_CALL_ENTER)
		cover->calls[call->symbol] += counts;
	else if (call->kind != SL_CALL_LEAVE && lane)
		lane->branched = false;
}

static int on_end(void *self, const struct sl_lane *lane)
{
	const struct sl_cover *cover = self;

	(void)lane;
	return cover->failed || (cover->sieve && sl_sieve_failed(cover->sieve)) ? SL_ERR_NOMEM : SL_OK;
}

void sl_cover_call_sink(struct sl_cover *cover, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = { .name = "cover", .call = on_call, .piece = on_piece, .end = on_end,
						     .untold = 1u << SL_CALL_REPAIR };

	*ret = (struct sl_call_sink){ &ops, cover };
}

int sl_cover_new(const struct sl_image *image, struct sl_sieve *sieve, struct sl_cover **ret)
{
	struct sl_cover *cover = calloc(1, sizeof(*cover));

	if (!cover)
		return SL_ERR_NOMEM;
	cover->image = image;
	cover->calls = calloc((size_t)sl_image_symbol_count(image) + 1, sizeof(*cover->calls));
	cover->sieve = sieve;
	if (!cover->calls) {
		sl_cover_free(cover);
		return SL_ERR_NOMEM;
	}
	*ret = cover;
	return SL_OK;
}

void sl_cover_free(struct sl_cover *cover)
{
	if (!cover)
		return;
	sl_map_release(&cover->by_start);
	sl_map_release(&cover->by_edge);
	free(cover->pieces);
	free(cover->edges);
	free(cover->lanes);
	free(cover->calls);
	free(cover->ranges);
	free(cover->branches);
	free(cover);
}
