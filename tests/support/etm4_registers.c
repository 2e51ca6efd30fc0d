/* SPDX-License-Identifier: Apache-2.0 */
#include "etm4_encode.h"

#include <string.h>

/*
 * Registers: IHI 0064H.b 7.3. Fields that the protocol does not depend on say what a Cortex-A would: branch
 * broadcast, cycle counting and a return stack are there, four events, a 64-bit timestamp.
 */
static uint32_t idr0(const struct etm4_config *c)
{
	uint32_t value = 1u | 1u << 5 | 1u << 7 | 1u << 9 | 3u << 10 | 8u << 24;

	if (c->q_elements)
		value |= 1u << 15;
	return c->commit_mode_0 ? value : value | 1u << 29;
}

static uint32_t configr(const struct etm4_config *c)
{
	return 1u | (uint32_t)c->cycle_counts << 4 | (uint32_t)c->context_id << 6 |
	       (uint32_t)(c->vmid_bytes > 0) << 7 | (uint32_t)c->timestamps << 11 |
	       (uint32_t)c->return_stack << 12 | (uint32_t)c->q_elements << 13;
}

static uint32_t idr1(const struct etm4_config *c)
{
	return c->ete ? 0x4100fff3u : 0x4100f403u | (uint32_t)c->minor << 4;
}

static uint32_t idr2(const struct etm4_config *c)
{
	uint32_t address_bytes = c->address32 ? 4 : 8;

	return address_bytes | 4u << 5 | (uint32_t)c->vmid_bytes << 10 | 8u << 25;
}

size_t etm4_registers(const struct etm4_config *c, uint8_t trace_id, struct etm4_reg ret[ETM4_REGS])
{
	const struct etm4_reg regs[ETM4_REGS] = {
		{ "TRCCONFIGR", 0x004, configr(c) },
		{ "TRCTRACEIDR", 0x010, trace_id },
		{ "TRCCCCTLR", 0x00e, c->cycle_threshold },
		{ "TRCAUTHSTATUS", 0x3ee, 0xcc },
		{ "TRCIDR0", 0x078, idr0(c) },
		{ "TRCIDR1", 0x079, idr1(c) },
		{ "TRCIDR2", 0x07a, idr2(c) },
		{ "TRCIDR8", 0x060, c->max_speculation },
		{ "TRCIDR9", 0x061, 0 },
		{ "TRCIDR10", 0x062, 0 },
		{ "TRCIDR11", 0x063, 0 },
		{ "TRCIDR12", 0x064, 0 },
		{ "TRCIDR13", 0x065, 0 },
		{ "TRCDEVARCH", 0x3ef, 0x47705a13 },
	};

	memcpy(ret, regs, sizeof(regs));
	return c->ete ? ETM4_REGS : ETM4_REGS - 1;
}
