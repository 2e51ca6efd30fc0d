/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ITM: ITMTCR[9:8] and switches, two sizes of pieces, where to restart (0xff: nowhere), then the lane. The
 * packets cover each byte once and in order; elements do not go back.
 */
#include <stdlib.h>
#include <string.h>

#include "decode_pieces.h"

enum { HEAD_BYTES = 4 };

static void next_packet(void *ctx, const struct sl_packet *packet)
{
	uint64_t *at = ctx;

	if (packet->offset != *at || !packet->len || strncmp(packet->name, "ITM_", 4) != 0 || !*packet->text)
		abort();
	*at += packet->len;
}

static void check(struct sl_decoder *dec, struct sl_bytes lane)
{
	struct pieces p = { 0 };

	sl_decoder_feed(dec, lane);
	pieces_drain(dec, &p);
	sl_decoder_finish(dec);
	pieces_drain(dec, &p);
	for (size_t i = 1; i < p.len; i++) {
		if (p.elems[i].offset < p.elems[i - 1].offset)
			abort();
	}
	if (p.elems[p.len - 1].kind != SL_ELEM_END || p.elems[p.len - 1].offset != lane.len)
		abort();
	free(p.elems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_ITM };
	struct sl_decoder_options options = { 0 };
	struct sl_decoder *dec;
	struct sl_bytes lane;
	uint64_t at = 0;

	if (size < HEAD_BYTES)
		return 0;
	lane = (struct sl_bytes){ data + HEAD_BYTES, size - HEAD_BYTES, 0 };
	sl_config_set(&config, SL_REG_ITMTCR, (data[0] & 3u) << 8);
	options = (struct sl_decoder_options){ .packet = pieces_packet,
					       .packet_text = data[0] & 4,
					       .packets_only = data[0] & 8 };
	pieces_compare(&config, &options, lane, data + 1, data[3] == 0xff ? SIZE_MAX : data[3]);
	options =
		(struct sl_decoder_options){ .packet = next_packet, .packet_ctx = &at, .packet_text = true };
	if (sl_decoder_new(&config, &options, &dec, NULL) < 0)
		abort();
	check(dec, lane);
	sl_decoder_free(dec);
	if (at != lane.len)
		abort();
	return 0;
}
