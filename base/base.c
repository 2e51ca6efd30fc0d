/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_base.h"

#include <stdio.h>

const char *sl_strerror(int result)
{
	switch (result) {
	case SL_END:
		return "end";
	case SL_OK:
		return "done";
	case SL_ERR_NOMEM:
		return "out of memory";
	case SL_ERR_IO:
		return "cannot read or write";
	case SL_ERR_FORMAT:
		return "malformed input";
	case SL_ERR_CONFIG:
		return "registers are missing or contradict each other";
	case SL_ERR_UNSUPPORTED:
		return "not supported by this build";
	case SL_ERR_LIMIT:
		return "a size in the input is out of bounds";
	default:
		return "unknown result";
	}
}

int sl_fail(struct sl_diag *diag, int result, const char *format, ...)
{
	va_list args;

	if (!diag)
		return result;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	return result;
}
