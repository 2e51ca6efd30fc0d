/* SPDX-License-Identifier: Apache-2.0 */
/* From what is pending to elements: IHI 0064H, 5.2 and 5.3. */
#include "e4_decoder.h"

void e4_reset(struct e4_decoder *dec, enum sl_gap gap)
{
	dec->stage = E4_NO_SYNC;
	dec->gap = gap;
	dec->depth = dec->commit = dec->cancel = 0;
	dec->mispredict = dec->discard = false;
	dec->waits_for_address = dec->overflowed = dec->time_marker_seen = false;
	dec->need_context = dec->need_address = true;
	dec->owes_address = dec->sync_due = false;
	dec->is_64bit = false;
	dec->is_secure = true;
	dec->last_is = 0;
	e4_pending_clear(&dec->pending);
	if (dec->speculation)
		speculation_reset(dec->speculation);
	e4_flow_memory(dec);
}

static bool is_time(const struct e4_pend *p)
{
	return p->kind >= E4_P_TIME && p->kind <= E4_P_ITE;
}

/* Timestamps mean something only from the first marker on, where a unit sends markers. */
static void commit_timestamp(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_elem e = { .offset = p->offset, .kind = SL_ELEM_TIME, .value = p->value };

	if (dec->config.has_time_marker && !dec->time_marker_seen)
		return;
	e4_emit(dec, &e);
	if (!dec->config.cycle_counts)
		return;
	e = (struct sl_elem){ .offset = p->offset, .kind = SL_ELEM_CYCLES, .flags = SL_FLAG_ATTACHED, .count = p->bits };
	queue_add(&dec->queue, &e);
}

/* What is so whether or not the instructions around it are taken back. */
static void commit_time(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_elem e = { .offset = p->offset, .count = p->bits };

	switch ((enum e4_kind)p->kind) {
	case E4_P_TIME:
		commit_timestamp(dec, p);
		return;
	case E4_P_CYCLES:
		e.kind = SL_ELEM_CYCLES;
		break;
	case E4_P_EVENT:
		e.kind = SL_ELEM_EVENT;
		break;
	case E4_P_MARKER:
		dec->time_marker_seen = true;
		e.kind = SL_ELEM_MARKER;
		break;
	default: /* E4_P_ITE: nothing reads what software wrote there */
		return;
	}
	e4_emit(dec, &e);
}

static void commit_trace_on(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_elem e = { .offset = p->offset, .kind = SL_ELEM_GAP,
			     .count = dec->overflowed ? SL_GAP_OVERFLOW : SL_GAP_FILTER };

	e4_emit(dec, &e);
	dec->overflowed = false;
	dec->moved = dec->owes_address = true;
	e4_flow_forget_returns(dec);
}

static uint8_t security_of(uint8_t info)
{
	if (info & 8)
		return info & 0x20 ? SL_REALM : SL_ROOT;
	return info & 0x20 ? SL_NONSECURE : SL_SECURE;
}

static void take_context(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_context *c = &dec->context;

	dec->is_64bit = p->info & 0x10;
	dec->is_secure = !(p->info & 0x20);
	dec->el = p->info & 3;
	dec->el_known = true;
	if (p->has & E4_HAS_CONTEXT_ID) {
		c->context_id = (uint32_t)p->value;
		c->flags |= SL_CTX_ID;
	}
	if (p->has & E4_HAS_VMID) {
		c->vmid = (uint32_t)(p->value >> 32);
		c->flags |= SL_CTX_VMID;
	}
	c->el = dec->el;
	c->security = security_of(p->info);
	c->flags = (uint8_t)((c->flags & (SL_CTX_ID | SL_CTX_VMID)) | SL_CTX_EL | (dec->is_64bit ? SL_CTX_64BIT : 0));
}

static void commit_context(struct e4_decoder *dec, const struct e4_pend *p, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_CONTEXT };

	take_context(dec, p);
	e.context = dec->context;
	e4_emit(dec, &e);
	e4_flow_memory(dec);
	dec->isa = e4_isa(dec->is_64bit, p->is);
	dec->need_context = false;
}

static void commit_address(struct e4_decoder *dec, const struct e4_pend *p)
{
	e4_check_address(dec, p->value, p->offset);
	dec->return_pending = false;
	e4_flow_at(dec, p->value, e4_isa(dec->is_64bit, p->is));
	dec->need_address = dec->owes_address = dec->moved = false;
}

/* As many of the oldest pending element's atoms as are to be committed. False: a return without a call. */
static bool commit_atoms(struct e4_decoder *dec, struct e4_pend *p)
{
	while (p->count && dec->commit) {
		bool executed = p->bits & 1;

		p->bits >>= 1;
		p->count--;
		if (!e4_flow_return(dec))
			return false;
		e4_check_atom(dec, p->offset);
		if (!dec->need_context && !dec->need_address)
			e4_flow_atom(dec, executed, p->offset);
		dec->commit--;
	}
	return true;
}

/* Takes the context and the address that follow an exception or a Q element. False: no address follows. */
static bool take_address(struct e4_decoder *dec, struct e4_pend *context, struct e4_pend *address)
{
	context->kind = E4_P_ADDRESS;
	if (e4_pending_len(&dec->pending) && e4_pending_oldest(&dec->pending)->kind == E4_P_CONTEXT) {
		*context = *e4_pending_oldest(&dec->pending);
		e4_pending_drop_oldest(&dec->pending);
	}
	if (!e4_pending_len(&dec->pending) || e4_pending_oldest(&dec->pending)->kind != E4_P_ADDRESS)
		return false;
	*address = *e4_pending_oldest(&dec->pending);
	e4_pending_drop_oldest(&dec->pending);
	return true;
}

static void emit_exception(struct e4_decoder *dec, const struct e4_pend *p, uint64_t address)
{
	struct sl_elem e = { .offset = p->offset, .kind = SL_ELEM_EXCEPTION, .count = p->bits, .address = address,
			     .flags = (uint8_t)(SL_FLAG_ADDRESS | (p->same_address ? SL_FLAG_TARGET : 0)) };

	e4_emit(dec, &e);
}

/* An exception: what was executed before it, up to its preferred return address, and the exception itself. */
static bool commit_exception(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct e4_pend context, address;
	bool is_64bit;

	if (!take_address(dec, &context, &address))
		return false;
	e4_flow_settle(dec);
	if (p->same_address) {
		/* as OpenCSD does it: an address of T32 is one, whatever the context says */
		is_64bit = context.kind == E4_P_CONTEXT ? (context.info & 0x10) != 0 : dec->isa == SL_ISA_A64;
		e4_flow_at(dec, address.value, e4_isa(is_64bit && !address.is, address.is));
		dec->need_address = false;
	}
	if (context.kind == E4_P_CONTEXT)
		commit_context(dec, &context, p->offset);
	e4_flow_until(dec, address.value, p->offset);
	emit_exception(dec, p, address.value);
	dec->moved = dec->owes_address = true;
	return true;
}

/* A context that comes with the address of a Q element counts behind all that is pending. */
static bool commit_q(struct e4_decoder *dec, struct e4_pend *p)
{
	struct e4_pend context, address;

	if (!(p->has & E4_HAS_ADDRESS)) {
		dec->gave_up = !take_address(dec, &context, &address);
		if (dec->gave_up)
			return false;
		p->value = address.value;
		p->is = address.is;
		context.is = 1;
		if (context.kind == E4_P_CONTEXT && e4_pending_push(&dec->pending, &context) < 0)
			dec->queue.no_memory = true;
	}
	e4_flow_q(dec, p);
	dec->moved = true;
	dec->owes_address = false;
	return true;
}

static void commit_transaction(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_elem e = { .offset = p->offset, .kind = SL_ELEM_TRANSACTION,
			     .count = (uint32_t)(p->kind - E4_P_TRANSACTION_INIT) };

	e4_emit(dec, &e);
}

static void commit_exception_return(struct e4_decoder *dec, const struct e4_pend *p)
{
	struct sl_elem e = { .offset = p->offset, .kind = SL_ELEM_EXCEPTION_RETURN };

	e4_emit(dec, &e);
	dec->moved = true;
}

/* An exception or a Q element: it takes more of what is pending along. */
static bool commit_compound(struct e4_decoder *dec)
{
	struct e4_pend p = *e4_pending_oldest(&dec->pending);

	e4_pending_drop_oldest(&dec->pending);
	dec->commit--;
	if (p.kind == E4_P_Q) {
		if (!commit_q(dec, &p))
			return false;
		/* as OpenCSD does it: what is pending behind a Q element goes with it */
		if (e4_pending_len(&dec->pending))
			e4_pending_drop_oldest(&dec->pending);
		return true;
	}
	return e4_flow_return(dec) && commit_exception(dec, &p);
}

/* The others. */
static void commit_simple(struct e4_decoder *dec, const struct e4_pend *p)
{
	switch ((enum e4_kind)p->kind) {
	case E4_P_TRACE_ON:
		commit_trace_on(dec, p);
		break;
	case E4_P_ADDRESS:
		commit_address(dec, p);
		break;
	case E4_P_CONTEXT:
		if (p->has & E4_HAS_CONTEXT)
			commit_context(dec, p, p->offset);
		break;
	case E4_P_EXCEPTION_RETURN:
		commit_exception_return(dec, p);
		break;
	case E4_P_SOURCE:
		e4_flow_source(dec, p);
		dec->moved = true;
		dec->owes_address = false;
		break;
	case E4_P_TRANSACTION_INIT:
	case E4_P_TRANSACTION_START:
	case E4_P_TRANSACTION_COMMIT:
	case E4_P_TRANSACTION_FAIL:
		commit_transaction(dec, p);
		break;
	default:
		commit_time(dec, p);
	}
}

/* The oldest pending element. False where it contradicts what went before. */
static bool commit_one(struct e4_decoder *dec)
{
	struct e4_pend *p = e4_pending_oldest(&dec->pending);

	if (p->kind == E4_P_EXCEPTION || p->kind == E4_P_Q)
		return commit_compound(dec);
	if (p->kind != E4_P_ATOMS) {
		dec->commit -= p->is_p0 || p->kind == E4_P_SOURCE;
		commit_simple(dec, p);
	} else if (!commit_atoms(dec, p)) {
		return false;
	} else if (p->count) {
		return true;
	}
	e4_pending_drop_oldest(&dec->pending);
	return true;
}

/* One that is the same as before does not count. */
static bool is_new_context(const struct e4_pend *p)
{
	return p->kind == E4_P_CONTEXT && p->has & E4_HAS_CONTEXT;
}

/* Queue and what is to be told as they were, so that elements can be taken back. */
struct mark {
	size_t queue_len;
	unsigned told_len;
	struct sl_elem told[SPACE_TOLD_MAX];
};

static void set_mark(const struct e4_decoder *dec, struct mark *ret)
{
	ret->queue_len = dec->queue.len;
	ret->told_len = dec->space.told_len;
	for (unsigned i = 0; i < ret->told_len; i++)
		ret->told[i] = dec->space.told[i];
}

static void take_back(struct e4_decoder *dec, const struct mark *mark)
{
	dec->queue.len = mark->queue_len;
	dec->space.told_len = mark->told_len;
	for (unsigned i = 0; i < mark->told_len; i++)
		dec->space.told[i] = mark->told[i];
}

/* Commits what was asked for. mark: behind the last context. */
static bool commit(struct e4_decoder *dec, struct mark *mark)
{
	int64_t asked = dec->commit;

	while (dec->commit) {
		bool is_context = e4_pending_len(&dec->pending) && is_new_context(e4_pending_oldest(&dec->pending));

		if (!e4_pending_len(&dec->pending) || !commit_one(dec))
			return false;
		if (is_context)
			set_mark(dec, mark);
	}
	dec->depth -= asked;
	return true;
}

static bool cancel(struct e4_decoder *dec)
{
	uint32_t asked = dec->cancel, left = e4_pending_cancel(&dec->pending, asked);

	dec->cancel = 0;
	dec->depth -= asked;
	return !left;
}

static bool mispredict(struct e4_decoder *dec)
{
	bool found = e4_pending_mispredict(&dec->pending);

	dec->mispredict = false;
	return found;
}

/* The trace unit gave up what was not committed. */
static void discard(struct e4_decoder *dec)
{
	while (e4_pending_len(&dec->pending)) {
		struct e4_pend p = *e4_pending_oldest(&dec->pending);

		e4_pending_drop_oldest(&dec->pending);
		if (is_time(&p))
			commit_time(dec, &p);
	}
	dec->stage = E4_NO_SYNC;
	dec->gap = SL_GAP_LOST_SYNC;
	dec->depth = 0;
	dec->discard = dec->waits_for_address = false;
	dec->need_context = dec->need_address = true;
}

/*
 * Where what was asked for cannot be, what it has yielded since the last context is taken back: the packets contradict
 * one another, and which of them is wrong nobody knows.
 */
void e4_resolve(struct e4_decoder *dec)
{
	uint32_t asked = (uint32_t)dec->commit;
	struct mark mark;

	set_mark(dec, &mark);
	if ((dec->commit && !commit(dec, &mark)) || (dec->cancel && !cancel(dec)) || (dec->mispredict && !mispredict(dec))) {
		take_back(dec, &mark);
		e4_reset(dec, SL_GAP_BAD_PACKET);
		/* as OpenCSD does it: no depth that a Trace Info tells, but an event before it may ask for it (quirk 54) */
		dec->depth = (int32_t)(0 - asked);
		return;
	}
	if (dec->discard)
		discard(dec);
}

/* What is told by an element that no instruction follows. False: nothing behind it counts. */
static bool commit_last(struct e4_decoder *dec, const struct e4_pend *p)
{
	switch ((enum e4_kind)p->kind) {
	case E4_P_ATOMS:
	case E4_P_EXCEPTION:
	case E4_P_Q:
	case E4_P_TRACE_ON:
	case E4_P_EXCEPTION_RETURN:
		return false;
	case E4_P_TRANSACTION_START:
		return !p->is_p0;
	case E4_P_TRANSACTION_COMMIT:
	case E4_P_TRANSACTION_FAIL:
		if (!dec->config.max_speculation || !dec->depth)
			commit_transaction(dec, p);
		return true;
	default:
		if (is_time(p))
			commit_time(dec, p);
		return true;
	}
}

void e4_commit_end(struct e4_decoder *dec)
{
	while (e4_pending_len(&dec->pending) && commit_last(dec, e4_pending_oldest(&dec->pending)))
		e4_pending_drop_oldest(&dec->pending);
	e4_pending_clear(&dec->pending);
}
