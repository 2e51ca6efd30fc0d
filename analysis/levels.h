/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEVELS_H
#define LEVELS_H
/* What the exception numbers of the protocols mean, and which levels interrupt. Inside of analysis/ only. */
#include "sl_callstack.h"

/* What an exception of that number opens a level for. config NULL: ETMv4's numbers of an A profile. */
enum sl_level level_of(const struct sl_trace_config *config, uint32_t number);
/* What the program did not ask for, and would not do alone. */
static inline bool level_interrupts(enum sl_level level)
{
	return level == SL_LEVEL_IRQ || level == SL_LEVEL_FIQ || level == SL_LEVEL_SERROR || level == SL_LEVEL_RESET;
}
#endif
