/* SPDX-License-Identifier: Apache-2.0 */
#include "ipt_time.h"

void ipt_time_init(struct ipt_time *time, const struct sl_trace_config *config)
{
	*time = (struct ipt_time){
		.mtc_shift = config->regs[SL_REG_RTIT_CTL] >> 14 & 15,
		.numerator = config->regs[SL_REG_CPUID_15_EBX],
		.denominator = config->regs[SL_REG_CPUID_15_EAX],
	};
	if (!sl_config_has(config, SL_REG_RTIT_CTL) || !time->numerator || !time->denominator)
		time->numerator = time->denominator = 0;
}

void ipt_time_reset(struct ipt_time *time)
{
	time->tsc_known = time->tma_known = false;
}

/* The TSC ran fc ticks since the crystal clock had its tick ctc, of which the low 16 bits are told. */
static void take_tma(struct ipt_time *time, const struct pt_packet_tma *tma)
{
	time->tma_known = time->tsc_known && tma->fc <= time->tsc;
	time->base = time->tsc - tma->fc;
	time->ticks = 0;
	time->skew = tma->ctc & ((1u << time->mtc_shift) - 1);
	time->last = (uint8_t)(tma->ctc >> time->mtc_shift);
}

/* An MTC packet has eight bits of the crystal clock; more than 255 of them are never lost without a TSC and a TMA behind. */
static bool take_mtc(struct ipt_time *time, uint8_t ctc, uint64_t *ret_tsc)
{
	unsigned told = time->mtc_shift > 8 && !time->ticks ? 16 - time->mtc_shift : 8; /* by the TMA */
	uint64_t delta = (ctc - time->last) & ((1u << told) - 1);

	if (!time->tma_known || !time->denominator)
		return false;
	time->ticks += (delta << time->mtc_shift) - time->skew;
	time->skew = 0;
	time->last = ctc;
	*ret_tsc = time->base + time->ticks * time->numerator / time->denominator;
	return true;
}

bool ipt_time_take(struct ipt_time *time, const struct pt_packet *packet, uint64_t *ret_tsc)
{
	switch (packet->type) {
	case ppt_tsc:
		time->tsc = *ret_tsc = packet->payload.tsc.tsc;
		time->tsc_known = true;
		time->tma_known = false;
		return true;
	case ppt_tma:
		take_tma(time, &packet->payload.tma);
		return false;
	case ppt_mtc:
		return take_mtc(time, packet->payload.mtc.ctc, ret_tsc);
	default:
		return false;
	}
}
