/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSION_H
#define FUSION_H
/* Between fusion.c, which collects, and fusion_now.c, which answers. Inside of analysis/ only. */
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
/* The next instruction was executed: what it had waited for is over. */
void fusion_pass_waits(struct sl_fusion *f);
#endif
