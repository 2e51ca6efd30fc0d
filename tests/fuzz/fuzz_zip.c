/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive: all its entries lie in it. */
#include <stdlib.h>

#include "sl_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_zip_entry entry, other;
	struct sl_zip zip;
	size_t cursor = 0;

	if (sl_zip_open((struct sl_bytes){ data, size, 0 }, &zip) < 0)
		return 0;
	while (sl_zip_next(&zip, &cursor, &entry)) {
		const uint8_t *name = (const uint8_t *)entry.name;

		if (entry.offset > size || entry.len > size - entry.offset)
			abort();
		if (name < data || entry.name_len > size - (size_t)(name - data))
			abort();
		if (cursor < 4096 && entry.len && !sl_zip_find_offset(&zip, entry.offset, &other))
			abort();
	}
	return 0;
}
