/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both engines over the same registers, image and lane, which are fuzz_decoder's: the same elements come out. Configurations
 * that the fast engine does not cover, or that are refused, say nothing.
 */
#include "decoder_input.h"
#include "engine_pair.h"

static struct sl_image *image;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct engine_pair pair = { .loose = true };
	struct pair_result result;

	if (!image)
		image = input_image();
	if (size < HEAD_BYTES)
		return 0;
	input_config(data, &pair.config);
	pair.image = image;
	pair.lane = (struct sl_bytes){ data + HEAD_BYTES, size - HEAD_BYTES, 0 };
	pair.piece = 1 + (size_t)data[2];
	pair.restart_at = data[4] == 0xff ? 0 : 8u * data[4];
	engine_pair_run(&pair, &result);
	if (result.verdict == PAIR_DIFFERS) {
		fprintf(stderr, "%s", result.text);
		abort();
	}
	return 0;
}
