/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MERGE_TRIAL_H
#define MERGE_TRIAL_H
/* One lane's elements as they are, and as a decoder merges ranges (sl_decoder_options.merge): do they say the same? */
#include <stdio.h>

#include "sl_decoder.h"

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

/* A lane, fed in pieces (0: at once) and restarted at an offset (0: nowhere). */
struct merge_lane {
	const struct sl_trace_config *config;
	const struct sl_decoder_options *options; /* engine and merge are not looked at */
	struct sl_bytes bytes;
	size_t piece, restart_at;
	uint64_t merged; /* ranges that were merged into others: added to */
};
/* merge_same() of what the fast engine makes of it at once, and merged in pieces. Failures abort. */
bool merge_lane(struct merge_lane *lane, char *ret, size_t cap);
#endif
