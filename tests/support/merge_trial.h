/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MERGE_TRIAL_H
#define MERGE_TRIAL_H
/* One lane's elements as they are, and as a decoder merges ranges (sl_decoder_options.merge): do they say the same? */
#include <stdio.h>

#include "sl_elem.h"
#include "sl_image.h"

struct merge_list {
	struct sl_elem *elems;
	size_t len, cap;
	uint64_t merged; /* sl_decoder_merged() */
};
/* Want of memory aborts. */
void merge_list_add(struct merge_list *list, const struct sl_elem *elems, size_t len);
void merge_list_release(struct merge_list *list);

/*
 * True where
 *  - each element of merged is one of plain's, or stands for several as sl_decoder.h says, all of them in one symbol,
 *  - the flow check counts the same ranges and breaks, at the same places,
 *  - the call stack tells the same calls, with the same offsets, and the same account.
 * Else ret gets what differs first. core: whose memory it is until an element tells.
 */
bool merge_same(const struct sl_image *image, uint32_t core, const struct merge_list *plain,
		const struct merge_list *merged, char *ret, size_t cap);
#endif
