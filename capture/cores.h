/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORES_H
#define CORES_H
/* Which architecture and profile a core has: what decides how its instructions and exceptions are decoded. */
#include "sl_config.h"

/*
 * A core's type as snapshots and people write it: Cortex-A53, Neoverse-N1, ARMv8-A, ARMv8.1-M, ARM-AA64. Case
 * does not matter. SL_OK, or SL_ERR_FORMAT where the name is not known.
 */
int sl_core_parse(const char *type, enum sl_core_profile *ret_profile, enum sl_arch *ret_arch);

/* What the trace unit's own ID registers tell of its core, for cores that have no known name. */
enum sl_arch sl_core_guess(const struct sl_trace_config *config);

/* A type that sl_core_parse() reads as this profile and architecture. Static. */
const char *sl_core_type(enum sl_core_profile profile, enum sl_arch arch);
#endif
