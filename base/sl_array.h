/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_ARRAY_H
#define SL_ARRAY_H
#include "sl_base.h"

/*
 * Room for need elements of elem_size bytes in the malloc'd array *data of capacity *cap, which grows by
 * doubling. SL_OK, or SL_ERR_NOMEM with the array untouched (also where the size overflows).
 */
int sl_array_reserve(void **data, size_t *cap, size_t elem_size, size_t need);

/*
 * Appends *elem to an array described by three variables. The array's type is that of data.
 *	if (SL_ARRAY_PUSH(&list->items, &list->len, &list->cap, item) < 0) ...
 */
#define SL_ARRAY_PUSH(data, len, cap, elem)                                                        \
	(*(len) == *(cap) && sl_array_reserve((void **)(data), (cap), sizeof(**(data)), *(len) + 1) < 0 \
		 ? SL_ERR_NOMEM                                                                    \
		 : ((*(data))[(*(len))++] = (elem), SL_OK))

/*
 * Replaces the elements from first to before last of such an array by count others, which lie elsewhere. SL_OK, or
 * SL_ERR_NOMEM with the array's elements untouched.
 */
#define SL_ARRAY_SPLICE(data, len, cap, first, last, others, count) \
	sl_array_splice((void **)(data), (len), (cap), sizeof(**(data)), (first), (last), (others), (count))
int sl_array_splice(void **data, size_t *len, size_t *cap, size_t elem_size, size_t first, size_t last, const void *others,
		    size_t count);
#endif
