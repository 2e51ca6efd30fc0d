/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_PENDING_H
#define E4_PENDING_H
/*
 * What packets have said and what is not yet known to have happened, oldest first. Elements that can be committed are
 * called P0 in the architecture (IHI 0064H, 5.2); the others go with the one behind them.
 */
#include "e4_packet.h"

enum e4_kind {
	E4_P_ATOMS, E4_P_EXCEPTION, E4_P_Q, E4_P_FUNCTION_RETURN, E4_P_SOURCE,
	E4_P_ADDRESS, E4_P_CONTEXT, E4_P_TRACE_ON, E4_P_EXCEPTION_RETURN,
	E4_P_TIME, E4_P_CYCLES, E4_P_EVENT, E4_P_MARKER, E4_P_ITE,
	E4_P_TRANSACTION_INIT, E4_P_TRANSACTION_START, E4_P_TRANSACTION_COMMIT, E4_P_TRANSACTION_FAIL,
	E4_P_UNSEEN, /* an element from before the Trace Info, which only said how many there are */
};

struct e4_pend {
	uint64_t offset;
	uint64_t value; /* address, timestamp; context: context id and VMID */
	uint32_t bits;  /* atoms; cycles; event; exception number; instructions of Q */
	uint8_t kind;   /* enum e4_kind */
	bool is_p0;	/* can be cancelled */
	uint8_t is;	/* instruction set bit of an address, or of the last one before a context */
	uint8_t count;  /* atoms left */
	uint8_t info;   /* of a context */
	uint8_t has;    /* as of the packet */
	bool same_address;
};

struct e4_pending {
	struct e4_pend *elems;
	size_t head, end, cap; /* [head, end) are held */
};

static inline size_t e4_pending_len(const struct e4_pending *p) { return p->end - p->head; }
static inline struct e4_pend *e4_pending_oldest(const struct e4_pending *p) { return &p->elems[p->head]; }
static inline void e4_pending_clear(struct e4_pending *p) { p->head = p->end = 0; }
static inline void e4_pending_drop_oldest(struct e4_pending *p)
{
	if (++p->head == p->end)
		e4_pending_clear(p);
}

void e4_pending_free(struct e4_pending *pending);
/* As the newest. SL_OK or SL_ERR_NOMEM. */
int e4_pending_push(struct e4_pending *pending, const struct e4_pend *elem);
/*
 * Takes back the newest count elements that can be. What trace units say only for the time it is said at (timestamps,
 * counts, events) is kept. The number that could not be taken back.
 */
uint32_t e4_pending_cancel(struct e4_pending *pending, uint32_t count);
/* Turns the newest atom around, and forgets the addresses behind it. False: there is none. */
bool e4_pending_mispredict(struct e4_pending *pending);
#endif
