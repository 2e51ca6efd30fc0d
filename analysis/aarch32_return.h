/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AARCH32_RETURN_H
#define AARCH32_RETURN_H
/* Which AArch32 branches end an exception: ETMv3 and PTM mark calls and returns, but not these. */
#include "sl_image.h"

/* Whether the instruction that code begins with restores the SPSR while it branches. False for other ISAs. */
bool aarch32_is_exception_return(enum sl_isa isa, struct sl_bytes code);
#endif
