/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPEN_H
#define OPEN_H
#include "options.h"
#include "sl_capture.h"

/* Opens options->operand with all options that say how. SL_OK, or the error of sl_capture_open with diag. */
int open_capture(const struct options *options, struct sl_notes *notes, struct sl_capture **ret,
		 struct sl_diag *diag);

/* "FILE@0x8000" into *ret, whose path is new (free() it). What follows the last '@' and is no number belongs
 * to the name. SL_OK or SL_ERR_NOMEM. */
int parse_image_file(const char *text, struct sl_image_file *ret);
#endif
