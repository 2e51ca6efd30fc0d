/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSION_H
#define FUSION_H
/* Between fusion.c, which collects, and fusion_now.c, which answers. Inside of analysis/ only. */
#include <string.h>

#include "sl_fusion.h"

/* What comes next on the lane, as far as look() has been; NULL: nothing. */
static inline const struct sl_fusion_count *fusion_next_count(const struct sl_fusion *f)
{
	return f->count_from < f->count_len ? &f->counts[f->count_from] : NULL;
}
static inline const struct sl_fusion_anchor *fusion_next_anchor(const struct sl_fusion *f)
{
	return f->anchor_from < f->anchor_len ? &f->anchors[f->anchor_from] : NULL;
}
/* What was taken out makes room once it is the larger part. */
static inline void fusion_make_room(void *data, size_t elem_size, size_t *from, size_t *len, size_t cap)
{
	if (!*from || *len < cap || *from < *len / 2)
		return;
	*len -= *from;
	memmove(data, (char *)data + *from * elem_size, *len * elem_size);
	*from = 0;
}
/* fusion_sleep.c: what comes next ahead is a range in which the core may have slept; SL_OK or SL_ERR_NOMEM. */
int fusion_look_at_sleep(struct sl_fusion *f, const struct sl_elem *range);
/* Ranges that are over here. True: here is inside of the next one. */
bool fusion_pass_sleeps(struct sl_fusion *f);
/* How much longer than its cycles an interval took, in parts, which is more than the rounding of timestamps and frequency explains; else 0. */
uint64_t fusion_missing(struct sl_rate rate, uint64_t took, uint64_t cycles);
/* The interval behind the last anchor ends at that one: notes what the core slept in it. */
void fusion_note_sleep(struct sl_fusion *f, const struct sl_fusion_anchor *end);
/* The next instruction was executed: what it had waited for is over. */
void fusion_pass_waits(struct sl_fusion *f);
#endif
