/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_TRUST_H
#define SL_TRUST_H
/* Flow that was decoded and is not believed, since the trace contradicts it: what it was, and why. docs/decisions/0007. */
#include "sl_decoder.h"

struct sl_trust_part {
	uint64_t count, insns; /* gaps, and instructions in them */
	uint64_t first_offset; /* of the first contradiction, in the buffer */
	uint64_t first_address; /* where the flow had come to; 0: not known */
	enum sl_mark_kind cause;
};
struct sl_trust_account {
	struct sl_trust_part untrusted, image; /* SL_GAP_UNTRUSTED and SL_GAP_IMAGE */
};
/* "1,234 instructions in 5 parts, first at offset 67, where ..., at 0x89 of FILE"; core: whose memory the address is in. */
void sl_trust_text(const struct sl_trust_part *part, const struct sl_image *image, uint32_t core, char *ret, size_t cap);
#endif
