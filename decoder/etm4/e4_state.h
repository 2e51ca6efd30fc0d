/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_STATE_H
#define E4_STATE_H
/* What packets of ETMv4 and ETE say relative to earlier ones: addresses, timestamps, cycle counts and the context. */
#include "e4_packet.h"

enum { E4_ADDRESSES = 3 };

struct e4_address {
	uint64_t value;
	uint8_t is;
};

struct e4_state {
	struct e4_address addresses[E4_ADDRESSES]; /* newest first */
	struct e4_address address;		   /* of the last packet that had one */
	uint64_t time;
	uint32_t threshold;
	bool time_known;	/* since the last Trace Info */
	bool trace_info_seen;
	bool context_known;
	uint8_t context_info;	/* as in a packet */
	uint32_t context_id, vmid;
};

/* Back to before the first sync point. Numbers of the context stay, as nobody has said that they are others now. */
void e4_state_reset(struct e4_state *state);
/* Takes a packet in, and completes it: value becomes the whole address or timestamp, count all cycles. */
void e4_state_take(struct e4_state *state, struct e4_packet *packet);
/* The address of a packet that is not taken in as a whole. */
static inline void e4_state_push(struct e4_state *state)
{
	state->addresses[2] = state->addresses[1];
	state->addresses[1] = state->addresses[0];
	state->addresses[0] = state->address;
}
#endif
