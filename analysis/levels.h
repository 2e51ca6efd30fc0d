/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEVELS_H
#define LEVELS_H
/* What the exception numbers of the protocols mean. Inside of analysis/ only. */
#include "sl_callstack.h"

/* What an exception of that number opens a level for. config NULL: ETMv4's numbers of an A profile. */
enum sl_level level_of(const struct sl_trace_config *config, uint32_t number);
#endif
