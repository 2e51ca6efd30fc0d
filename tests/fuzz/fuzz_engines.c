/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both engines over the same registers, image and lane, which are fuzz_decoder's: the same elements come out. Configurations
 * that the fast engine does not cover, or that are refused, say nothing. And where the fast engine may decode parts at once, that
 * gives the same elements, too.
 */
#include "decoder_input.h"
#include "engine_pair.h"
#include "parts_trial.h"

#include <stdio.h>
#include <stdlib.h>

static struct sl_image *image;

static void compare_parts(const struct engine_pair *pair, size_t part_bytes)
{
	static struct sl_pool *pool;
	struct parts_trial trial = { .config = pair->config, .image = image, .lane = pair->lane, .piece = pair->piece > 128 ? 0 : pair->piece,
				     .restart_at = pair->restart_at, .part_bytes = part_bytes };
	struct parts_result result;

	if (!pool && sl_pool_new(3, &pool) < 0)
		abort();
	trial.pool = pool;
	parts_trial_run(&trial, &result);
	if (result.same)
		return;
	fprintf(stderr, "parts: %s\n", result.text);
	abort();
}

/*
 * What OpenCSD 1.3.3 cannot do, and the fast engine can: commits in cycle counts (docs/opencsd-quirks.md, 18), so that none has them
 * (TRCIDR0.COMMOPT and its like); ITE packets (13), which come with ETE 1.3; and the return stack together with speculation, on which
 * it may crash (46).
 */
static void leave_out(struct sl_trace_config *config)
{
	if (config->protocol != SL_PROTOCOL_ETMV4 && config->protocol != SL_PROTOCOL_ETE)
		return;
	config->regs[SL_REG_TRCIDR0] |= UINT32_C(1) << 29 | UINT32_C(1) << 7;
	/* the minor version of ETE at most 1 */
	if ((config->regs[SL_REG_TRCIDR1] >> 8 & 15) > 4)
		config->regs[SL_REG_TRCIDR1] &= ~UINT32_C(0xe0);
	config->regs[SL_REG_TRCDEVARCH] &= ~UINT32_C(0xe0000);
	if (config->regs[SL_REG_TRCIDR8])
		config->regs[SL_REG_TRCCONFIGR] &= ~(UINT32_C(1) << 12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct engine_pair pair = { 0 };
	struct pair_result result;

	if (!image)
		image = input_image();
	if (size < HEAD_BYTES)
		return 0;
	input_config(data, &pair.config);
	leave_out(&pair.config);
	pair.image = image;
	pair.lane = (struct sl_bytes){ data + HEAD_BYTES, size - HEAD_BYTES, 0 };
	pair.piece = 1 + (size_t)data[2];
	pair.restart_at = data[4] == 0xff ? 0 : 8u * data[4];
	engine_pair_run(&pair, &result);
	if (result.verdict == PAIR_DIFFERS) {
		fprintf(stderr, "%s", result.text);
		abort();
	}
	if (pair.config.protocol == SL_PROTOCOL_ETMV4 || pair.config.protocol == SL_PROTOCOL_ETE)
		compare_parts(&pair, 1 + (size_t)data[3]);
	return 0;
}
