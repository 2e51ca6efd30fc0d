/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_array.h"

#include <stdlib.h>

int sl_array_reserve(void **data, size_t *cap, size_t elem_size, size_t need)
{
	size_t grown = *cap ? *cap : 8;
	void *moved;

	if (need <= *cap)
		return SL_OK;
	while (grown < need) {
		if (grown > SIZE_MAX / 2)
			return SL_ERR_NOMEM;
		grown *= 2;
	}
	if (grown > SIZE_MAX / elem_size)
		return SL_ERR_NOMEM;
	moved = realloc(*data, grown * elem_size);
	if (!moved)
		return SL_ERR_NOMEM;
	*data = moved;
	*cap = grown;
	return SL_OK;
}
