/* SPDX-License-Identifier: Apache-2.0 */
/* What a packet leaves pending, and what it asks for: IHI 0064H, 5.3. */
#include "e4_decoder.h"

/* More than any trace unit leaves open: what never commits must not cost memory without bound. */
enum { PENDING_MAX = 1 << 20 };

static void push(struct e4_decoder *dec, const struct e4_pend *p)
{
	if (e4_pending_len(&dec->pending) >= PENDING_MAX)
		dec->gave_up = true;
	else if (e4_pending_push(&dec->pending, p) < 0)
		dec->queue.no_memory = true;
}

static void push_kind(struct e4_decoder *dec, enum e4_kind kind, uint32_t bits, uint64_t offset)
{
	push(dec, &(struct e4_pend){ .offset = offset, .kind = (uint8_t)kind, .bits = bits });
}

/* An element that can be committed or cancelled. */
static void push_p0(struct e4_decoder *dec, struct e4_pend *p)
{
	p->is_p0 = true;
	push(dec, p);
	dec->depth++;
}

static void push_atoms(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	if (!p->atom_count)
		return;
	push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_ATOMS, .is_p0 = true, .bits = p->atoms,
				     .count = p->atom_count });
	dec->depth += p->atom_count;
}

/* A context that is the same as before says nothing, but stands where it stands: behind an exception, it is expected. */
static void push_context(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_CONTEXT, .has = p->has, .info = p->info,
				     .is = dec->last_is, .value = (uint64_t)p->vmid << 32 | p->context_id });
}

void e4_push_address(struct e4_decoder *dec, const struct e4_address *address, uint64_t offset)
{
	dec->last_is = address->is;
	push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_ADDRESS, .is = address->is, .value = address->value });
}

void e4_push_time(struct e4_decoder *dec, const struct sl_elem *e, uint32_t attached)
{
	push(dec, &(struct e4_pend){ .offset = e->offset, .kind = e->kind == SL_ELEM_TIME ? E4_P_TIME : E4_P_CYCLES,
				     .bits = e->kind == SL_ELEM_TIME ? attached : e->count, .value = e->value });
}

static void push_address(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	struct e4_address address = { p->value, p->is };

	dec->last_is = p->is;
	if (p->has & E4_HAS_CONTEXT)
		push_context(dec, p, offset);
	e4_push_address(dec, &address, offset);
	dec->depth += dec->waits_for_address;
	dec->waits_for_address = false;
}

static void push_exception(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_EXCEPTION, .is_p0 = true, .bits = p->count,
				     .same_address = p->same_address });
	dec->waits_for_address = true;
}

static void push_q(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	struct e4_pend q = { .offset = offset, .kind = E4_P_Q, .is_p0 = true, .bits = p->count, .has = p->has,
			     .is = p->is, .value = p->value };

	push(dec, &q);
	if (p->has & E4_HAS_ADDRESS)
		dec->depth++;
	else
		dec->waits_for_address = true;
}

/* Elements with a place, but without a say in the flow: timestamps, counts, events. */
static void push_time(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	switch (p->type) {
	case E4_TIMESTAMP:
		push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_TIME, .bits = p->count, .value = p->value });
		break;
	case E4_EVENT:
		push_kind(dec, E4_P_EVENT, p->info, offset);
		break;
	case E4_TS_MARKER:
		push_kind(dec, E4_P_MARKER, 0, offset);
		break;
	case E4_ITE:
		push_kind(dec, E4_P_ITE, 0, offset);
		break;
	default:
		push_kind(dec, E4_P_CYCLES, p->count, offset);
		if (p->has & E4_HAS_COMMIT && dec->config.max_speculation)
			dec->commit = (int32_t)p->elements;
	}
}

static void push_transaction(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	struct e4_pend start = { .offset = offset, .kind = E4_P_TRANSACTION_START };

	if (p->type == E4_TRANS_COMMIT)
		push_kind(dec, E4_P_TRANSACTION_COMMIT, 0, offset);
	else if (p->type == E4_TRANS_FAIL)
		push_kind(dec, E4_P_TRANSACTION_FAIL, 0, offset);
	else if (dec->config.transactions_are_p0)
		push_p0(dec, &start);
	else
		push(dec, &start);
}

/* M-profile cores: exception and function returns may count as elements of the program. */
static void push_return(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	struct e4_pend e = { .offset = offset, .kind = E4_P_EXCEPTION_RETURN };

	if (p->type == E4_FUNC_RET) {
		e.kind = E4_P_FUNCTION_RETURN;
		push_p0(dec, &e);
	} else if (dec->config.exception_returns) {
		push_p0(dec, &e);
	} else {
		push(dec, &e);
	}
}

static void push_source(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	push(dec, &(struct e4_pend){ .offset = offset, .kind = E4_P_SOURCE, .is = p->is, .value = p->value });
	dec->depth++;
}

/* Commit, cancel, mispredict, and the loss of all that is pending. */
static void ask(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	switch (p->type) {
	case E4_COMMIT:
		dec->commit = (int32_t)p->elements;
		break;
	case E4_OVERFLOW:
		dec->overflowed = true;
		dec->depth = 0;
		dec->discard = true;
		break;
	case E4_DISCARD:
		dec->depth = 0;
		dec->discard = true;
		break;
	case E4_CANCEL_F1:
		dec->cancel = p->elements;
		break;
	default:
		push_atoms(dec, p, offset);
		dec->mispredict = true;
		dec->cancel = p->elements;
	}
}

static void push_trace_on(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	(void)p;
	push_kind(dec, E4_P_TRACE_ON, 0, offset);
}

/* Behind a sync point nothing is known of earlier calls. */
static void take_trace_info(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	(void)p;
	e4_flow_forget_returns(dec);
	e4_mark_sync(dec, offset);
}

static void take_nothing(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	(void)dec, (void)p, (void)offset;
}

typedef void take_fn(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset);

/* By type; NULL: no packet that may be here. */
static take_fn *const takes[E4_TYPES] = {
	[E4_ASYNC] = take_nothing, [E4_IGNORE] = take_nothing, [E4_TRACE_INFO] = take_trace_info,
	[E4_TRACE_ON] = push_trace_on, [E4_CTXT] = push_context, [E4_EXCEPT] = push_exception, [E4_Q] = push_q,
	[E4_ATOM_F1] = push_atoms, [E4_ATOM_F2] = push_atoms, [E4_ATOM_F3] = push_atoms,
	[E4_ATOM_F4] = push_atoms, [E4_ATOM_F5] = push_atoms, [E4_ATOM_F6] = push_atoms,
	[E4_ADDR_MATCH] = push_address, [E4_ADDR_S_IS0] = push_address, [E4_ADDR_S_IS1] = push_address,
	[E4_ADDR_L_32IS0] = push_address, [E4_ADDR_L_32IS1] = push_address,
	[E4_ADDR_L_64IS0] = push_address, [E4_ADDR_L_64IS1] = push_address,
	[E4_ADDR_CTXT_L_32IS0] = push_address, [E4_ADDR_CTXT_L_32IS1] = push_address,
	[E4_ADDR_CTXT_L_64IS0] = push_address, [E4_ADDR_CTXT_L_64IS1] = push_address,
	[E4_SRC_ADDR_MATCH] = push_source, [E4_SRC_ADDR_S_IS0] = push_source, [E4_SRC_ADDR_S_IS1] = push_source,
	[E4_SRC_ADDR_L_32IS0] = push_source, [E4_SRC_ADDR_L_32IS1] = push_source,
	[E4_SRC_ADDR_L_64IS0] = push_source, [E4_SRC_ADDR_L_64IS1] = push_source,
	[E4_EXCEPT_RTN] = push_return, [E4_FUNC_RET] = push_return,
	[E4_EVENT] = push_time, [E4_CCNT_F1] = push_time, [E4_CCNT_F2] = push_time, [E4_CCNT_F3] = push_time,
	[E4_TIMESTAMP] = push_time, [E4_TS_MARKER] = push_time, [E4_ITE] = push_time,
	[E4_MISPREDICT] = ask, [E4_CANCEL_F1_MISPRED] = ask, [E4_CANCEL_F2] = ask, [E4_CANCEL_F3] = ask,
	[E4_CANCEL_F1] = ask, [E4_COMMIT] = ask, [E4_OVERFLOW] = ask, [E4_DISCARD] = ask,
	[E4_TRANS_ST] = push_transaction, [E4_TRANS_COMMIT] = push_transaction, [E4_TRANS_FAIL] = push_transaction,
};

bool e4_elements(struct e4_decoder *dec, const struct e4_packet *packet, uint64_t offset)
{
	if (!takes[packet->type]) {
		e4_reset(dec, SL_GAP_BAD_PACKET);
		return false;
	}
	takes[packet->type](dec, packet, offset);
	/* what is beyond the unit's depth can only be committed */
	if (dec->depth > (int64_t)dec->config.max_speculation)
		dec->commit = dec->depth - dec->config.max_speculation;
	return dec->commit || dec->cancel || dec->mispredict || dec->discard;
}
