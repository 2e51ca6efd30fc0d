/* SPDX-License-Identifier: Apache-2.0 */
/* Events of libipt: where they happen, and what they mean (Intel SDM, volume 3, 33.4). */
#include "ipt.h"

#include <string.h>

enum { PAGE_BITS = 12 };

/* An event that has an address happens where the flow comes to it. */
static enum ipt_bind bind_to(struct ipt *d, uint64_t ip)
{
	d->event_ip = ip;
	return IPT_AT_IP;
}

static enum ipt_bind bind(struct ipt *d, const struct pt_event *event)
{
	switch (event->type) {
	case ptev_async_disabled:
		return bind_to(d, event->variant.async_disabled.at);
	case ptev_async_branch:
		return bind_to(d, event->variant.async_branch.from);
	case ptev_async_paging:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.async_paging.ip);
	case ptev_async_vmcs:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.async_vmcs.ip);
	case ptev_exec_mode:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.exec_mode.ip);
	case ptev_tsx:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.tsx.ip);
	case ptev_exstop:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.exstop.ip);
	case ptev_mwait:
		return event->ip_suppressed ? IPT_NOW : bind_to(d, event->variant.mwait.ip);
	case ptev_ptwrite:
		return event->ip_suppressed ? IPT_AT_INSN : bind_to(d, event->variant.ptwrite.ip);
	case ptev_disabled: case ptev_paging: case ptev_vmcs:
		return IPT_AT_INSN;
	default:
		return IPT_NOW;
	}
}

void ipt_event_take(struct ipt *d)
{
	int status;

	d->event_at = d->at;
	status = pt_qry_event(d->query, &d->event, sizeof(d->event));
	if (status < 0) {
		ipt_give_up(d, status);
		return;
	}
	pt_qry_get_offset(d->query, &d->at);
	d->status = status;
	d->has_event = true;
	d->bind = d->event.status_update || !d->enabled || d->lost ? IPT_NOW : bind(d, &d->event);
}

static bool is_far(const struct run_cold *cold)
{
	return cold->x86 != X86_NONE && cold->x86 < X86_PAGING;
}

/* The branch that led out of what is traced: to where the packet says; it says nothing where it led out of a level. */
static bool leads_out(const struct pt_event *event, const struct run_cold *cold)
{
	if (event->ip_suppressed)
		return is_far(cold) || cold->x86 == X86_PAGING;
	if (cold->what == RUN_DIRECT)
		return cold->target == event->variant.disabled.ip;
	return cold->what == RUN_INDIRECT || is_far(cold);
}

bool ipt_event_is_of(const struct pt_event *event, const struct run *run, const struct run_cold *cold)
{
	(void)run;
	switch (event->type) {
	case ptev_disabled:
		return leads_out(event, cold);
	case ptev_paging:
		return is_far(cold) || cold->x86 == X86_PAGING;
	case ptev_vmcs:
		return cold->x86 == X86_VMPTRLD || is_far(cold);
	default:
		return cold->x86 == X86_PTWRITE;
	}
}

static void tell_context(struct ipt *d, const struct sl_context *context)
{
	if (memcmp(context, &d->context, sizeof(*context)) == 0)
		return;
	d->context = *context;
	ipt_push(d, d->event_at, SL_ELEM_CONTEXT)->context = *context;
}

static void set_paging(struct ipt *d, uint64_t cr3)
{
	struct sl_context context = d->context;

	context.context_id = (uint32_t)(cr3 >> PAGE_BITS);
	context.flags |= SL_CTX_ID;
	tell_context(d, &context);
}

static void set_vmcs(struct ipt *d, uint64_t base)
{
	struct sl_context context = d->context;

	context.vmid = (uint32_t)(base >> PAGE_BITS);
	context.flags |= SL_CTX_VMID;
	tell_context(d, &context);
}

static void set_mode(struct ipt *d, enum pt_exec_mode mode)
{
	struct sl_context context = d->context;

	d->isa = mode == ptem_16bit ? SL_ISA_X86_16 : mode == ptem_32bit ? SL_ISA_X86_32 : SL_ISA_X86_64;
	context.flags = (uint8_t)((context.flags & ~SL_CTX_64BIT) | (d->isa == SL_ISA_X86_64 ? SL_CTX_64BIT : 0));
	tell_context(d, &context);
}

static void set_transaction(struct ipt *d, const struct pt_event *event)
{
	bool now = event->variant.tsx.speculative;

	if (now == d->in_transaction && !event->variant.tsx.aborted)
		return;
	d->in_transaction = now;
	ipt_push(d, d->event_at, SL_ELEM_TRANSACTION)->count = now			     ? SL_TRANSACTION_START
							       : event->variant.tsx.aborted ? SL_TRANSACTION_FAIL
											    : SL_TRANSACTION_COMMIT;
}

static void tell_exception(struct ipt *d, uint64_t from, uint64_t to)
{
	struct sl_elem *e = ipt_push(d, d->event_at, SL_ELEM_EXCEPTION);

	e->count = SL_X86_UNKNOWN;
	e->flags = SL_FLAG_ADDRESS;
	e->range.start = from;
	e->range.end = to;
}

static void tell_message(struct ipt *d, unsigned channel, uint64_t value)
{
	struct sl_elem *e = ipt_push(d, d->event_at, SL_ELEM_MESSAGE);

	e->count = (uint32_t)value;
	e->message = (struct sl_message){ .channel = channel, .bits = 32, .kind = SL_MESSAGE_DATA };
}

/* A PTWRITE of eight bytes is two messages: the low half on channel 0, the high one on channel 1. */
static void tell_written(struct ipt *d, const struct pt_event *event)
{
	tell_message(d, 0, event->variant.ptwrite.payload);
	if (event->variant.ptwrite.size > 4)
		tell_message(d, 1, event->variant.ptwrite.payload >> 32);
}

static void set_ratio(struct ipt *d, uint16_t ratio)
{
	if (ratio != d->bus_ratio)
		ipt_push(d, d->event_at, SL_ELEM_EVENT)->count = ratio;
	d->bus_ratio = ratio;
}

static void tell_gap(struct ipt *d, enum sl_gap gap)
{
	ipt_push(d, d->event_at, SL_ELEM_GAP)->count = gap;
}

/* Events that change where execution is. True where it was one. */
static bool move(struct ipt *d, const struct pt_event *event)
{
	switch (event->type) {
	case ptev_enabled:
		tell_gap(d, SL_GAP_FILTER);
		ipt_go_to(d, event->variant.enabled.ip);
		return true;
	case ptev_disabled:
	case ptev_async_disabled: /* an interrupt to what is not traced, or a write to RTIT_CTL: nothing tells which */
		d->enabled = d->lost = false;
		return true;
	case ptev_async_branch:
		tell_exception(d, event->variant.async_branch.from, event->ip_suppressed ? 0 : event->variant.async_branch.to);
		ipt_go_to(d, event->variant.async_branch.to);
		d->lost = event->ip_suppressed;
		return true;
	case ptev_overflow:
		tell_gap(d, SL_GAP_OVERFLOW);
		ipt_go_to(d, event->variant.overflow.ip);
		d->enabled = !event->ip_suppressed;
		return true;
	default:
		return false;
	}
}

void ipt_event_status(struct ipt *d, const struct pt_packet *packet)
{
	const struct pt_packet_mode *mode = &packet->payload.mode;

	switch (packet->type) {
	case ppt_pip:
		set_paging(d, packet->payload.pip.cr3);
		break;
	case ppt_vmcs:
		set_vmcs(d, packet->payload.vmcs.base);
		break;
	case ppt_cbr:
		set_ratio(d, packet->payload.cbr.ratio);
		break;
	case ppt_mode:
		if (mode->leaf == pt_mol_exec)
			set_mode(d, pt_get_exec_mode(&mode->bits.exec));
		else if (mode->leaf == pt_mol_tsx)
			d->in_transaction = mode->bits.tsx.intx;
		break;
	default:
		break;
	}
}

static void change_state(struct ipt *d, const struct pt_event *event)
{
	switch (event->type) {
	case ptev_paging:
		set_paging(d, event->variant.paging.cr3);
		break;
	case ptev_async_paging:
		set_paging(d, event->variant.async_paging.cr3);
		break;
	case ptev_vmcs:
		set_vmcs(d, event->variant.vmcs.base);
		break;
	case ptev_async_vmcs:
		set_vmcs(d, event->variant.async_vmcs.base);
		break;
	case ptev_exec_mode:
		set_mode(d, event->variant.exec_mode.mode);
		break;
	case ptev_tsx:
		set_transaction(d, event);
		break;
	case ptev_ptwrite:
		tell_written(d, event);
		break;
	case ptev_cbr:
		set_ratio(d, event->variant.cbr.ratio);
		break;
	default: /* power states, ticks of the clock: nothing of the flow */
		break;
	}
}

void ipt_event_apply(struct ipt *d)
{
	d->has_event = false;
	if (!move(d, &d->event))
		change_state(d, &d->event);
	ipt_tell_cycles(d);
	ipt_packets_until(d, d->at);
	ipt_confirm(d);
}
