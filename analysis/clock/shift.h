/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHIFT_H
#define SHIFT_H
/* The timestamps of a lane whose clock began at another time than those of the others. Inside of analysis/ only. */
#include "sl_config.h"
#include "sl_elem.h"

/* Moves each timestamp by so many ticks. Zero is none, and stays; one that would come to lie before 1 becomes zero. */
void shift_times(const struct sl_trace_config *config, int64_t ticks, struct sl_elem *elems, size_t len);
#endif
