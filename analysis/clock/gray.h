/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GRAY_H
#define GRAY_H
/* Timestamps in Gray code. Inside of analysis/ only. */
#include "sl_config.h"

/*
 * ETMCCER bit 28, from PFT 1.1 and ETMv3.5 on: timestamps are binary numbers. Without it they are Gray code (IHI 0035B 3.16.29,
 * IHI 0014Q 7.7.3), also in a PFT 1.0, where the bit is reserved; elements have them as they are (docs/opencsd-quirks.md, 43).
 */
static inline bool is_gray(const struct sl_trace_config *config)
{
	bool has_bit = config->protocol == SL_PROTOCOL_PTM || config->protocol == SL_PROTOCOL_ETMV3;

	return has_bit && sl_config_has(config, SL_REG_ETMCCER) && !(config->regs[SL_REG_ETMCCER] >> 28 & 1);
}

static inline uint64_t from_gray(uint64_t gray)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		gray ^= gray >> shift;
	return gray;
}

static inline uint64_t to_gray(uint64_t binary) { return binary ^ binary >> 1; }
#endif
