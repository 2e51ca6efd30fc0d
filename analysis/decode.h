/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_H
#define DECODE_H
/*
 * A lane's decoder that decodes parts of what it is fed at once, on a pool, where it can be forked and there are sync points:
 * feed, lend, finish and restart as in sl_decoder.h, and the elements are the same, for any pool. Inside of analysis/ only.
 */
#include "moments.h"
#include "sl_threads.h"

struct decode;

struct decode_options {
	struct sl_decoder *decoder; /* borrowed; all calls for it go through here from now on */
	struct moments *moments;    /* its moment_ctx; or NULL where it has no moments */
	struct sl_pool *pool;	    /* NULL: it decodes alone */
	size_t part_bytes;	    /* about so many a part; 0: what suits caches */
	/* for tests: may make what was foreseen for a part wrong, and so have it decoded twice; or NULL */
	void (*spoil)(void *ctx, struct sl_seam *begin);
	void *spoil_ctx;
};

/* SL_OK or SL_ERR_NOMEM. */
int decode_new(const struct decode_options *options, struct decode **ret);
void decode_free(struct decode *d);
void decode_feed(struct decode *d, struct sl_bytes in);
void decode_finish(struct decode *d);
void decode_restart(struct decode *d);
/* Of no elements, too, where there are marks. */
int decode_lend(struct decode *d, struct sl_elem **ret, size_t *ret_len);
/* As sl_decoder_marks(), of whoever decoded. */
size_t decode_marks(const struct decode *d, const struct sl_mark **ret);

/* Parts that were decoded at once with others, and those of them that began otherwise than foreseen and were decoded again. */
struct decode_stats {
	uint64_t parts, again;
};
struct decode_stats decode_stats(const struct decode *d);
#endif
