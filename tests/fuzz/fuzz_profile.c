/* SPDX-License-Identifier: Apache-2.0 */
/* Kept profiles from strangers: what can be read can be merged with itself, and what cannot says why in one line. */
#include <stdlib.h>
#include <string.h>

#include "sl_saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sl_bytes bytes = { data, size, 0 };
	struct sl_diag diag = { "" };
	struct sl_saved saved, other;
	size_t functions;

	if (sl_saved_parse("a.slp", bytes, &saved, &diag) < 0) {
		if (!*diag.text || strchr(diag.text, '\n'))
			abort();
		return 0;
	}
	if (sl_saved_parse("b.slp", bytes, &other, &diag) < 0)
		abort();
	functions = saved.function_count;
	if (sl_saved_merge(&saved, &other, &diag) < 0 || saved.function_count != functions)
		abort();
	sl_saved_release(&saved);
	sl_saved_release(&other);
	return 0;
}
