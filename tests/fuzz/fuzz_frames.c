/* SPDX-License-Identifier: Apache-2.0 */
/* Formatter frames: any framing, cut anywhere; the lanes must be the same, and each byte accounted for. */
#include <stdlib.h>
#include <string.h>

#include "sl_demux.h"

/* What a demux left, over all splits. */
struct lanes {
	uint8_t *data[SL_TRACE_IDS];
	size_t len[SL_TRACE_IDS];
	uint64_t first[SL_TRACE_IDS], last[SL_TRACE_IDS];  /* buffer offsets of the first and the last byte */
};

static void keep(struct lanes *lanes, const struct sl_demux *demux)
{
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		const struct sl_lane_bytes *lane = sl_demux_lane(demux, (uint8_t)id);

		if (!lane->len)
			continue;
		lanes->data[id] = realloc(lanes->data[id], lanes->len[id] + lane->len);
		if (!lanes->data[id])
			abort();
		memcpy(lanes->data[id] + lanes->len[id], lane->data, lane->len);
		if (!lanes->len[id])
			lanes->first[id] = sl_lane_to_buffer(lane, lane->offset);
		lanes->len[id] += lane->len;
		lanes->last[id] = sl_lane_to_buffer(lane, lane->offset + lane->len - 1);
	}
}

static void check_account(const struct sl_demux_stats *s, size_t size)
{
	uint64_t sum = s->frame_bytes + s->unknown_id_bytes + s->skipped_bytes;

	for (unsigned id = 0; id < SL_TRACE_IDS; id++)
		sum += s->lane_bytes[id];
	if (sum != size || s->bytes != size)
		abort();
}

static void split(enum sl_framing framing, const uint8_t *data, size_t size, size_t step, struct lanes *lanes)
{
	struct sl_demux *demux;

	if (sl_demux_new(framing, &demux) < 0)
		abort();
	for (size_t at = 0; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;

		if (sl_demux_split(demux, (struct sl_bytes){ data + at, n, at }) < 0)
			abort();
		keep(lanes, demux);
	}
	sl_demux_finish(demux);
	keep(lanes, demux);
	check_account(sl_demux_stats(demux), size);
	sl_demux_free(demux);
}

static void compare(struct lanes *a, struct lanes *b, size_t size)
{
	for (unsigned id = 0; id < SL_TRACE_IDS; id++) {
		if (a->len[id] != b->len[id] || a->first[id] != b->first[id] || a->last[id] != b->last[id])
			abort();
		if (a->len[id] && (memcmp(a->data[id], b->data[id], a->len[id]) != 0 || a->last[id] >= size))
			abort();
		free(a->data[id]);
		free(b->data[id]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lanes whole = { 0 }, cut = { 0 };
	enum sl_framing framing;

	if (size < 3)
		return 0;
	framing = (enum sl_framing)(SL_FRAMING_CORESIGHT + data[0] % 4);
	split(framing, data + 2, size - 2, size, &whole);
	split(framing, data + 2, size - 2, 1 + data[1] % 64, &cut);
	compare(&whole, &cut, size - 2);
	return 0;
}
