/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OFFSETS_H
#define OFFSETS_H
/* --clock-offset ID=NS: lanes whose timestamps count from another beginning than those of the others. */
#include "options.h"
#include "sl_run.h"

/* One for each option, in ticks of hz a second; *ret is for free(). SL_OK, SL_ERR_NOMEM, or SL_ERR_FORMAT and SL_ERR_CONFIG with diag. */
int offsets_parse(const struct options *options, uint64_t hz, struct sl_clock_offset **ret, struct sl_diag *diag);
#endif
