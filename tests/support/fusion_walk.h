/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSION_WALK_H
#define FUSION_WALK_H
/* What the clock promises of any elements, however they come. */
#include "sl_config.h"
#include "sl_elem.h"

struct fusion_walk {
	uint64_t batch;	 /* elements that it looks at in one go; not 0 */
	uint64_t window; /* ... before it consumes what is settled, and what is further back; 0: before it consumes any */
};
/* Walks over elements of a lane, asking before each. NULL where all was as promised, else what was not; ret_hash: of all
 * answers, which without a window do not depend on the batch. */
const char *fusion_walk(const struct sl_trace_config *config, const struct fusion_walk *walk, const struct sl_elem *elems,
			size_t len, uint64_t *ret_hash);
#endif
