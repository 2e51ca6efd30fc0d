/* SPDX-License-Identifier: Apache-2.0 */
#include "e4_state.h"

enum { CONTEXT_64BIT = 0x10 };

void e4_state_reset(struct e4_state *state)
{
	/* The stack of addresses and the threshold stay, too: they count only behind a Trace Info, which resets them. */
	state->address.is = 0;
	state->time = 0;
	state->time_known = state->trace_info_seen = state->context_known = false;
}

static uint64_t low_bits(unsigned count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static void take_address(struct e4_state *state, struct e4_packet *p)
{
	uint64_t mask = low_bits(p->address_bits);

	if (!p->address_bits) {
		state->address = state->addresses[p->info];
	} else {
		/* 32 bits are all of an address unless the last context was a 64-bit one */
		if (p->address_bits == 32 && !(state->context_known && state->context_info & CONTEXT_64BIT))
			mask = UINT64_MAX;
		state->address.value = (state->address.value & ~mask) | (p->value & mask);
		state->address.is = p->is;
	}
	e4_state_push(state);
	p->value = state->address.value;
	p->is = state->address.is;
}

static void take_context(struct e4_state *state, struct e4_packet *p)
{
	state->context_known = true;
	state->context_info = p->info;
	if (p->has & E4_HAS_CONTEXT_ID)
		state->context_id = p->context_id;
	if (p->has & E4_HAS_VMID)
		state->vmid = p->vmid;
}

/* The context is that of the last packet that said one. */
static void take_same_context(struct e4_state *state, struct e4_packet *p)
{
	state->context_known = true;
	p->info = state->context_info;
}

static void take_trace_info(struct e4_state *state, const struct e4_packet *p)
{
	for (unsigned i = 0; i < E4_ADDRESSES; i++)
		state->addresses[i] = (struct e4_address){ 0 };
	state->address = (struct e4_address){ 0 };
	state->threshold = p->has & E4_HAS_THRESHOLD ? p->threshold : 0;
	state->time_known = false;
	state->trace_info_seen = true;
}

/* The first timestamp behind a Trace Info is complete; later ones replace the low bits of the one before. */
static void take_time(struct e4_state *state, struct e4_packet *p)
{
	uint64_t mask = !state->time_known && state->trace_info_seen ? UINT64_MAX : low_bits(p->time_bits);

	state->time = (state->time & ~mask) | (p->value & mask);
	state->time_known = true;
	p->value = state->time;
}

void e4_state_take(struct e4_state *state, struct e4_packet *p)
{
	if (p->type == E4_TRACE_INFO)
		take_trace_info(state, p);
	else if (p->type == E4_TIMESTAMP)
		take_time(state, p);
	else if (p->type == E4_CCNT_F1 || p->type == E4_CCNT_F2 || p->type == E4_CCNT_F3)
		p->count += p->has & E4_HAS_COUNT ? state->threshold : 0;
	else if (p->type == E4_CTXT && !(p->has & E4_HAS_CONTEXT))
		take_same_context(state, p);
	if (p->has & E4_HAS_ADDRESS)
		take_address(state, p);
	if (p->has & E4_HAS_CONTEXT)
		take_context(state, p);
}
