/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRUST_H
#define TRUST_H
/*
 * Between a decoder and what counts calls: damaged trace looks like trace, and is decoded until it contradicts itself or the
 * image. So elements are held back until the next sync point. Where nothing has contradicted by then, they are passed on; where
 * something has, all since the sync point before becomes one gap, up to the next one: docs/decisions/0007. Inside of
 * analysis/ only.
 */
#include "sl_array.h"
#include "sl_run.h"

enum { TRUST_SITES = 256 };

struct trust {
	const struct sl_image *image; /* NULL: where the flow may go is not looked at */
	uint32_t core;		  /* whose memory what is held began in */
	struct sl_elem *elems;	  /* [head, settled) may be lent, [settled, len) is held */
	size_t head, settled, len, cap;
	size_t since;		  /* where the last sync point lies in elems */
	bool doubtful;		  /* flow is dropped up to the next sync point */
	enum sl_gap gap;	  /* ... as what */
	uint64_t insns;		  /* ... so many so far */
	bool damaged;		  /* the lane has shown that bytes of it are missing or wrong: only what is confirmed counts */
	bool bad_packets;	  /* ... by bytes that are no packets */
	uint64_t doubts, places;  /* how often it has been contradicted, and at how many addresses */
	uint64_t passed;	  /* instructions */
	struct trust_site {
		uint64_t address, count;
	} sites[TRUST_SITES];
	struct sl_trust_account account;
};
void trust_release(struct trust *trust);
/* Elements, and the marks among them: offsets of both are of the same kind, and ascend. SL_OK or SL_ERR_NOMEM. */
int trust_take(struct trust *trust, const struct sl_elem *elems, size_t len, const struct sl_mark *marks, size_t mark_count);
/* The lane or a piece of it ends: no sync point will tell of what is held. SL_OK or SL_ERR_NOMEM. */
int trust_finish(struct trust *trust);
/* What is decided, once; valid until the next call of another function. */
size_t trust_lend(struct trust *trust, const struct sl_elem **ret);
#endif
