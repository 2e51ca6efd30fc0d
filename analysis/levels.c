/* SPDX-License-Identifier: Apache-2.0 */
#include "levels.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NO SL_LEVEL_OTHER /* reserved, or none of them */

/* ETMv4 (IHI 0064H, Exception packet, TYPE) and ETE, A and R profiles: reset, debug halt, call (SVC, HVC, SMC), trap, system
 * error, -, instruction debug, data debug, -, -, alignment, instruction fault, data fault, -, IRQ, FIQ. */
static const uint8_t v4_levels[] = {
	SL_LEVEL_RESET, SL_LEVEL_DEBUG, SL_LEVEL_SYSCALL, SL_LEVEL_FAULT, SL_LEVEL_SERROR, NO, SL_LEVEL_DEBUG, SL_LEVEL_DEBUG,
	NO, NO, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, NO, SL_LEVEL_IRQ, SL_LEVEL_FIQ,
};

/* ... and of an M profile, which are the architecture's: -, reset, NMI, hard, memory, bus, usage and secure fault, -, -, -, SVC,
 * debug monitor, -, PendSV, SysTick, IRQ 0 to 7, debug halt, lazy FP push, lockup. */
static const uint8_t v4_m_levels[] = {
	NO, SL_LEVEL_RESET, SL_LEVEL_IRQ, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT,
	NO, NO, NO, SL_LEVEL_SYSCALL, SL_LEVEL_DEBUG, NO, SL_LEVEL_IRQ, SL_LEVEL_IRQ,
	SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ,
	SL_LEVEL_DEBUG, NO, SL_LEVEL_FAULT, NO, NO, NO, NO, NO,
};
enum { V4_M_IRQ_8 = 0x208 };

/* PTM (IHI 0035B) and ETMv3 (IHI 0014Q) of Armv7-A and -R: none, debug halt, SMC, to Hyp, asynchronous abort, ThumbEE check, -, -,
 * reset, undefined, SVC, prefetch abort or breakpoint, data fault or watchpoint, generic, IRQ, FIQ. */
static const uint8_t v7_levels[] = {
	NO, SL_LEVEL_DEBUG, SL_LEVEL_SYSCALL, SL_LEVEL_SYSCALL, SL_LEVEL_SERROR, SL_LEVEL_FAULT, NO, NO,
	SL_LEVEL_RESET, SL_LEVEL_FAULT, SL_LEVEL_SYSCALL, SL_LEVEL_FAULT, SL_LEVEL_FAULT, NO, SL_LEVEL_IRQ, SL_LEVEL_FIQ,
};

/* ETMv3 of Armv7-M (IHI 0014Q): none, IRQ 1 to 7, IRQ 0, usage fault, NMI, SVC, debug monitor, memory fault, PendSV, SysTick, -, reset, -,
 * hard fault, -, bus fault, -, -; then IRQ 8 and on. */
static const uint8_t v3_m_levels[] = {
	NO, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ, SL_LEVEL_IRQ,
	SL_LEVEL_IRQ, SL_LEVEL_FAULT, SL_LEVEL_IRQ, SL_LEVEL_SYSCALL, SL_LEVEL_DEBUG, SL_LEVEL_FAULT, SL_LEVEL_IRQ, SL_LEVEL_IRQ,
	NO, SL_LEVEL_RESET, NO, SL_LEVEL_FAULT, NO, SL_LEVEL_FAULT, NO, NO,
};

/* x86: the vectors of exceptions (SDM, volume 3, 6.3.1): divide, debug, NMI, breakpoint, ..., machine check (18). */
static const uint8_t x86_levels[32] = {
	SL_LEVEL_FAULT, SL_LEVEL_DEBUG, SL_LEVEL_IRQ, SL_LEVEL_DEBUG, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT,
	SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, NO,
	SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_SERROR, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, NO, NO,
	NO, NO, NO, NO, SL_LEVEL_FAULT, SL_LEVEL_FAULT, SL_LEVEL_FAULT, NO,
};

/* A vector from 32 on is an INT instruction's here: packets do not name those of interrupts. */
static enum sl_level level_of_x86(uint32_t number)
{
	if (number < COUNT(x86_levels))
		return (enum sl_level)x86_levels[number];
	if (number == SL_X86_INTERRUPT)
		return SL_LEVEL_IRQ;
	return number < SL_X86_UNKNOWN ? SL_LEVEL_SYSCALL : NO;
}

static enum sl_level look_up(const uint8_t *levels, size_t count, uint32_t number)
{
	return number < count ? (enum sl_level)levels[number] : NO;
}

enum sl_level level_of(const struct sl_trace_config *config, uint32_t number)
{
	bool v4 = !config || config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE;

	if (config && config->protocol == SL_PROTOCOL_IPT)
		return level_of_x86(number);
	if (!config || config->profile != SL_PROFILE_M)
		return v4 ? look_up(v4_levels, COUNT(v4_levels), number) : look_up(v7_levels, COUNT(v7_levels), number);
	if (number >= (v4 ? V4_M_IRQ_8 : COUNT(v3_m_levels)))
		return SL_LEVEL_IRQ;
	return v4 ? look_up(v4_m_levels, COUNT(v4_m_levels), number) : look_up(v3_m_levels, COUNT(v3_m_levels), number);
}
