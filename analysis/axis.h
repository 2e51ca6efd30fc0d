/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AXIS_H
#define AXIS_H
/* What a number on an axis is shown as. Inside of analysis/ only. */
#include "sl_axes.h"
#include "sl_sinks.h"

/* "ns", "cycles" or "insns" */
const char *axis_unit(enum sl_axis axis);
/* The value in that unit: ticks become nanoseconds. */
uint64_t axis_value(enum sl_axis axis, uint64_t value, uint64_t timestamp_hz);
/* What value adds to *sum as it is shown: each of a row of values is rounded down, and together they are what their sum is. */
uint64_t axis_carried(enum sl_axis axis, uint64_t *sum, uint64_t value, uint64_t timestamp_hz);
/* What a lane's registers promise: the axis that it can be shown on before it is decoded. */
enum sl_axis axis_promised(enum sl_axis_choice choice, const struct sl_trace_config *config, uint64_t timestamp_hz);
#endif
