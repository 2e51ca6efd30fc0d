/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_array.h"

#include <stdlib.h>
#include <string.h>

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

int sl_array_splice(void **data, size_t *len, size_t *cap, size_t elem_size, size_t first, size_t last, const void *others,
		    size_t count)
{
	size_t behind = *len - last;
	char *at;

	if (count > SIZE_MAX - first - behind || sl_array_reserve(data, cap, elem_size, first + count + behind) < 0)
		return SL_ERR_NOMEM;
	at = (char *)*data + first * elem_size;
	if (behind)
		memmove(at + count * elem_size, at + (last - first) * elem_size, behind * elem_size);
	if (count)
		memcpy(at, others, count * elem_size);
	*len = first + count + behind;
	return SL_OK;
}
