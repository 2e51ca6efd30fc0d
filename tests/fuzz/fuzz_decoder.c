/* SPDX-License-Identifier: Apache-2.0 */
/* Any protocol, over a small image. However the lane is cut, the same comes out. */
#include "decode_pieces.h"
#include "decoder_input.h"

static struct sl_image *image;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_decoder_options options = { 0 };
	struct sl_trace_config config;
	struct sl_bytes lane;

	if (!image)
		image = input_image();
	if (size < HEAD_BYTES)
		return 0;
	input_config(data, &config);
	lane = (struct sl_bytes){ data + HEAD_BYTES, size - HEAD_BYTES, 0 };
	options.image = image;
	options.packet = data[1] & 1 ? pieces_packet : NULL;
	options.packet_text = data[1] & 2;
	options.packets_only = data[1] & 4;
	pieces_compare(&config, &options, lane, data + 2, data[4] == 0xff ? SIZE_MAX : 8u * data[4]);
	return 0;
}
