/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program goes between packets, and what it asks them. */
#include <stddef.h>
#include <string.h>

#include "ipt.h"

enum {
	STEPS = 256,	    /* that one call makes */
	WALK_MAX = 4096,    /* runs that no packet asks for, one after another: a wrong image, or a loop without a way out */
};

void ipt_forget(struct ipt *d)
{
	d->in_sync = d->enabled = d->lost = d->has_event = false;
	d->isa = SL_ISA_X86_64;
	d->stack_len = 0;
	d->context = (struct sl_context){ .security = SL_NONSECURE };
	d->in_transaction = false;
	d->bus_ratio = 0;
	d->cycles = 0;
	d->runs = NULL;
	ipt_time_reset(&d->time);
}

void ipt_go_to(struct ipt *d, uint64_t ip)
{
	d->ip = ip;
	d->from = 0;
	d->enabled = true;
	d->lost = false;
}

/* Elements that no packet has followed yet. */
static size_t unconfirmed(const struct ipt *d)
{
	return d->queue.len - d->confirmed;
}

/* Before the first element that no packet has followed. */
static void note_sure(struct ipt *d)
{
	if (unconfirmed(d))
		return;
	d->sure.ip = d->ip;
	d->sure.merged = d->base.merged;
	d->sure.stack_top = d->stack_top;
	d->sure.stack_len = d->stack_len;
}

void ipt_rewind(struct ipt *d)
{
	unsigned pushed = (d->stack_top - d->sure.stack_top) % IPT_STACK, kept = IPT_STACK - pushed;

	if (!unconfirmed(d))
		return;
	d->queue.len = d->confirmed;
	d->base.merged = d->sure.merged;
	d->ip = d->sure.ip;
	d->from = 0;
	d->stack_top = d->sure.stack_top;
	d->stack_len = d->sure.stack_len < kept ? d->sure.stack_len : kept;
}

static struct sl_elem *tell_gap(struct ipt *d, enum sl_gap gap)
{
	struct sl_elem *e = ipt_push(d, d->at, SL_ELEM_GAP);

	e->count = gap;
	return e;
}

/* Ranges are not merged across what is marked. */
static void mark(struct ipt *d, enum sl_mark_kind kind, uint64_t address)
{
	d->open = 0;
	if (engine_mark(&d->base, kind, ipt_offset(d, d->at), address) < 0)
		d->queue.no_memory = true;
}

/* What came last, and no packet has followed, may not have been executed. */
void ipt_give_up(struct ipt *d, int error)
{
	bool bad = error == -pte_bad_opc || error == -pte_bad_packet;

	d->queue.len = d->confirmed;
	ipt_tell_cycles(d);
	ipt_packets_until(d, d->at);
	mark(d, SL_MARK_PACKET, d->enabled && !d->lost ? d->ip : 0);
	tell_gap(d, bad ? SL_GAP_BAD_PACKET : SL_GAP_DECODE_ERROR)->last = (uint8_t)-error;
	ipt_confirm(d);
	d->in_sync = d->enabled = d->lost = d->has_event = false;
	d->stack_len = 0;
}

/* The flow cannot be followed before a packet tells an address. */
static void lose(struct ipt *d, enum sl_gap gap, int reason, uint64_t address)
{
	struct sl_elem *e;

	ipt_tell_cycles(d);
	ipt_packets_until(d, d->at);
	e = tell_gap(d, gap);
	e->last = (uint8_t)-reason;
	if (address) {
		e->flags = SL_FLAG_ADDRESS;
		e->address = address;
	}
	ipt_confirm(d);
	d->lost = true;
	d->stack_len = 0;
	if (d->has_event)
		d->bind = IPT_NOW;
}

void ipt_ask_moment(struct ipt *d)
{
	uint64_t offset = ipt_offset(d, d->at);

	if (offset >= d->space.moment.until && space_packet(&d->space, 0, offset))
		d->runs = NULL;
}

/* libipt may have read on, up to the next packet that tells of the flow. */
static void advance(struct ipt *d)
{
	uint64_t at = d->at;

	pt_qry_get_offset(d->query, &at);
	if (at == d->at)
		return;
	ipt_tell_cycles(d);
	d->at = at;
	ipt_packets_until(d, at);
	ipt_ask_moment(d);
}

static bool find_runs(struct ipt *d)
{
	code_set(&d->code, d->space.core, SL_SPACE_ANY);
	d->runs = run_tables_of(&d->tables, &d->code);
	d->from = 0;
	if (!d->runs)
		d->queue.no_memory = true;
	return d->runs;
}

/* The run that followed the one before when it was left like this before; 0: it never was. */
static inline uint32_t foreseen(const struct ipt *d)
{
	if (!d->from)
		return 0;
	if (d->taken && d->runs->cold[d->from].what == RUN_INDIRECT)
		return d->runs->cold[d->from].guess;
	return d->runs->hot[d->from].next[d->taken];
}

static void foresee(struct ipt *d, uint32_t id)
{
	if (!d->from || id < RUN_FIRST)
		return;
	if (d->taken && d->runs->cold[d->from].what == RUN_INDIRECT)
		d->runs->cold[d->from].guess = id;
	else
		runs_link(d->runs, &d->code, d->from, d->taken, id);
}

/* The run at ip, looked up; 0: no memory. */
static uint32_t look_up(struct ipt *d)
{
	uint32_t id;

	if (!d->runs && !find_runs(d))
		return 0;
	d->joins = false;
	id = runs_find(d->runs, &d->code, d->isa, d->ip);
	foresee(d, id);
	if (!id)
		d->queue.no_memory = true;
	return id;
}

/* The same, most often as it was foreseen. */
static inline uint32_t run_here(struct ipt *d)
{
	uint32_t next = d->runs ? foreseen(d) : RUN_UNKNOWN, id = run_id(next);

	if (id < RUN_FIRST || d->runs->hot[id].start != d->ip || d->runs->hot[id].isa != d->isa)
		return look_up(d);
	d->joins = next & RUN_JOINS;
	return id;
}

static bool is_asked(const struct run *run, const struct run_cold *cold);

/* A PSB packet tells where execution was when it was made: somewhere on the way from here to the next packet of the flow. */
static bool leads_to(struct ipt *d, uint64_t ip)
{
	uint64_t back = d->ip;
	bool found = false, more = true;

	d->from = 0;
	for (unsigned i = 0; more && !found && i < WALK_MAX; i++) {
		uint32_t id = run_here(d);
		const struct run *run = id ? &d->runs->hot[id] : NULL;
		const struct run_cold *cold = id ? &d->runs->cold[id] : NULL;

		if (!id)
			break;
		found = ip == run->start || ip - run->start < run->end - run->start;
		more = cold->what < RUN_NO_BYTES && !is_asked(run, cold);
		d->ip = cold->what == RUN_DIRECT ? cold->target : run->end;
	}
	d->ip = back;
	return found;
}

static void tell_run(struct ipt *d, const struct run *run, bool executed)
{
	struct sl_elem *e = ipt_push(d, d->at, SL_ELEM_RANGE);

	e->isa = run->isa;
	e->last = run->last;
	e->flags = (uint8_t)(run->flags | (executed ? SL_FLAG_EXECUTED : 0));
	e->count = run->count;
	e->range.start = run->start;
	e->range.end = run->end;
}

/* Added to the last element, which holds no longer than both do. */
static inline void add_run(struct ipt *d, const struct run *run, bool executed)
{
	struct sl_elem *e = &d->queue.elems[d->queue.len - 1];

	e->last = run->last;
	e->flags = (uint8_t)(run->flags | (executed ? SL_FLAG_EXECUTED : 0) | SL_FLAG_MERGED);
	e->count += run->count;
	e->range.end = run->end;
	d->base.merged++;
}

/* A whole run; sure: a packet has told of it. */
static inline void tell_next(struct ipt *d, const struct run *run, bool executed, bool sure)
{
	bool last = d->joins && d->open && d->open == d->queue.len && (sure || unconfirmed(d));

	if (last && d->queue.elems[d->queue.len - 1].count < RUN_MERGED_MAX)
		add_run(d, run, executed);
	else
		tell_run(d, run, executed);
	d->open = d->queue.len;
}

/* The run up to an address where something happens. */
static bool walk_to(struct ipt *d, uint64_t until)
{
	struct run part = { .isa = d->isa, .start = d->ip, .end = d->ip };
	struct isa_insn insn;

	while (part.end < until && code_insn(&d->code, d->isa, part.end, &insn) == CODE_WAYPOINT) {
		part.end += insn.size;
		part.count++;
	}
	if (part.end != until) {
		ipt_give_up(d, -pte_event_ignored);
		return true;
	}
	note_sure(d);
	tell_run(d, &part, true);
	d->ip = until;
	d->from = 0;
	return true;
}

/* The image ends, or what is there is no code. What there is before that was executed. */
static bool leave_image(struct ipt *d, const struct run *run, enum run_what what)
{
	if (run->count)
		tell_run(d, run, true);
	if (what == RUN_NO_BYTES)
		lose(d, SL_GAP_NO_IMAGE, 0, run->end);
	else if (what == RUN_TOO_LONG)
		lose(d, SL_GAP_RUNAWAY, 0, run->end);
	else
		lose(d, SL_GAP_DECODE_ERROR, -pte_bad_insn, run->end);
	return true;
}

static void push(struct ipt *d, uint64_t ip)
{
	d->stack_top = (d->stack_top + 1) % IPT_STACK;
	d->stack[d->stack_top] = ip;
	d->stack_len += d->stack_len < IPT_STACK;
}

static int pop(struct ipt *d, uint64_t *ret)
{
	if (!d->stack_len)
		return -pte_retstack_empty;
	*ret = d->stack[d->stack_top];
	d->stack_top = (d->stack_top + IPT_STACK - 1) % IPT_STACK;
	d->stack_len--;
	return 0;
}

static bool is_far(const struct run_cold *cold)
{
	return cold->x86 != X86_NONE && cold->x86 < X86_PAGING;
}

static bool is_return(const struct run *run, const struct run_cold *cold)
{
	return cold->what == RUN_INDIRECT && run->last >> 4 == SL_BRANCH_RETURN && cold->x86 == X86_NONE;
}

/* A return to the caller may be told like a conditional branch that was taken. */
static int ask_return(struct ipt *d, uint64_t *next)
{
	int taken = 0, popped, status = pt_qry_cond_branch(d->query, &taken);

	if (status == -pte_bad_query)
		return pt_qry_indirect_branch(d->query, next);
	if (status < 0)
		return status;
	popped = taken ? pop(d, next) : -pte_bad_retcomp;
	return popped < 0 ? popped : status;
}

static int ask(struct ipt *d, const struct run *run, const struct run_cold *cold, int *taken, uint64_t *next)
{
	int status;

	if (cold->what == RUN_DIRECT) {
		status = pt_qry_cond_branch(d->query, taken);
		*next = *taken ? cold->target : run->end;
		return status;
	}
	if (is_return(run, cold))
		return ask_return(d, next);
	return pt_qry_indirect_branch(d->query, next);
}

static bool is_asked(const struct run *run, const struct run_cold *cold)
{
	if (cold->what == RUN_DIRECT)
		return run->flags & SL_FLAG_CONDITIONAL;
	return cold->what == RUN_INDIRECT || is_far(cold);
}

/* The last instruction of a run that was executed, besides a branch. */
static void tell_system(struct ipt *d, const struct run *run, const struct run_cold *cold)
{
	static const uint16_t numbers[] = { [X86_SYSCALL] = SL_X86_SYSCALL, [X86_SYSENTER] = SL_X86_SYSENTER,
					    [X86_VMCALL] = SL_X86_VMCALL };
	struct sl_elem *e;

	if (cold->x86 >= X86_SYSCALL && cold->x86 <= X86_VMCALL) {
		e = ipt_push(d, d->at, SL_ELEM_EXCEPTION);
		e->count = cold->x86 == X86_INTERRUPT ? cold->vector : numbers[cold->x86];
		e->flags = SL_FLAG_ADDRESS;
		e->address = run->end;
	} else if (cold->x86 == X86_FAR_RETURN) {
		ipt_push(d, d->at, SL_ELEM_EXCEPTION_RETURN);
	}
}

static inline void tell_whole(struct ipt *d, const struct run *run, const struct run_cold *cold, bool taken)
{
	tell_next(d, run, taken, true);
	if (cold->x86 != X86_NONE)
		tell_system(d, run, cold);
}

/* Its last instruction asked a packet. */
static bool leave_asked(struct ipt *d, uint32_t id, const struct run *run, const struct run_cold *cold)
{
	int taken = 1, status;
	uint64_t next = 0;

	status = ask(d, run, cold, &taken, &next);
	if (status == -pte_eos)
		return false;
	if (status < 0 && status != -pte_retstack_empty) {
		ipt_give_up(d, status);
		return true;
	}
	tell_whole(d, run, cold, taken);
	if (cold->link)
		push(d, run->end);
	ipt_confirm(d);
	if (status < 0) {
		pt_qry_get_offset(d->query, &d->at);
		d->status = 0;
		lose(d, SL_GAP_NO_ADDRESS, status, 0);
		return true;
	}
	d->status = status;
	d->from = id;
	d->taken = taken;
	advance(d);
	ipt_confirm(d);
	d->ip = next;
	if (status & pts_ip_suppressed)
		lose(d, SL_GAP_NO_ADDRESS, -pte_ip_suppressed, 0);
	return true;
}

static bool leave_plainly(struct ipt *d, uint32_t id, const struct run *run, const struct run_cold *cold)
{
	d->spent++;
	if (--d->budget < 0 || d->unasked++ > WALK_MAX) {
		d->queue.len = d->confirmed;
		lose(d, SL_GAP_RUNAWAY, 0, run->start);
		d->budget = d->budget < 0 ? 0 : d->budget;
		return true;
	}
	note_sure(d);
	tell_next(d, run, true, false);
	d->from = id;
	d->taken = true;
	/* CALL of the next instruction reads the program counter: CPUs do not remember it, for it never returns. */
	if (cold->link && cold->target != run->end)
		push(d, run->end);
	d->ip = cold->what == RUN_DIRECT ? cold->target : run->end;
	return true;
}

/* From where the flow is to an address on its way, which it has come to; false where that is in the midst of an instruction. */
static bool bridge(struct ipt *d, uint64_t ip)
{
	for (;;) {
		uint32_t id = run_here(d);
		const struct run *run = id ? &d->runs->hot[id] : NULL;

		if (!run || ip == run->start)
			return run;
		if (ip - run->start < run->end - run->start)
			return walk_to(d, ip) && d->ip == ip;
		leave_plainly(d, id, run, &d->runs->cold[id]);
		if (d->lost)
			return false;
	}
}

void ipt_join(struct ipt *d, bool known, uint64_t ip)
{
	bool flows = d->enabled && !d->lost;

	if (flows && known && !d->has_event && leads_to(d, ip) && bridge(d, ip)) {
		mark(d, SL_MARK_CONFIRMED, ip);
	} else {
		if (flows) {
			mark(d, SL_MARK_ADDRESS, d->ip);
			ipt_give_up(d, -pte_bad_status_update);
		}
		mark(d, SL_MARK_SYNC, 0);
		ipt_go_to(d, ip);
		d->enabled = known;
	}
	ipt_confirm(d);
	d->has_event = false;
	d->stack_len = 0;
}

/* libipt has synchronized at the window's PSB. */
static void begin_flow(struct ipt *d, bool known, uint64_t ip)
{
	if (!d->bytes.head) {
		ipt_join(d, known, ip);
		return;
	}
	if (known == d->enabled && (!known || ip == d->ip))
		return;
	ipt_go_to(d, ip); /* an erratum of the CPU */
	d->enabled = known;
}

/* To the next PSB; false where the window has no more. */
static bool synchronize(struct ipt *d)
{
	uint64_t ip = 0, psb = ipt_next_psb(d, d->sync_at > d->at ? d->sync_at : d->at);
	int status;

	if (psb == d->bytes.window)
		return false;
	d->at = psb;
	d->sync_at = psb + 1;
	status = pt_qry_sync_set(d->query, &ip, psb);
	if (status == -pte_eos)
		return false;
	pt_qry_get_offset(d->query, &d->at);
	if (status < 0) {
		ipt_give_up(d, status);
		return true;
	}
	d->status = status;
	d->in_sync = true;
	ipt_packets_until(d, d->at);
	ipt_ask_moment(d);
	begin_flow(d, !(status & pts_ip_suppressed), ip);
	ipt_confirm(d);
	return true;
}

static bool follow(struct ipt *d)
{
	uint32_t id = run_here(d);
	const struct run_cold *cold;
	const struct run *run;
	bool of_event;

	if (!id)
		return false;
	run = &d->runs->hot[id];
	cold = &d->runs->cold[id];
	if (d->has_event && d->bind == IPT_AT_IP && d->event_ip - run->start < run->end - run->start)
		return walk_to(d, d->event_ip);
	if (cold->what >= RUN_NO_BYTES)
		return leave_image(d, run, (enum run_what)cold->what);
	of_event = d->has_event && d->bind == IPT_AT_INSN && ipt_event_is_of(&d->event, run, cold);
	if (of_event && d->event.type == ptev_disabled) {
		tell_whole(d, run, cold, true);
		ipt_event_apply(d);
		return true;
	}
	if (!(is_asked(run, cold) ? leave_asked(d, id, run, cold) : leave_plainly(d, id, run, cold)))
		return false;
	if (of_event && d->has_event)
		ipt_event_apply(d);
	return true;
}

/* Packets are passed over, up to one that tells an address. */
static bool search(struct ipt *d)
{
	uint64_t ip = 0;
	int taken = 0, status = pt_qry_indirect_branch(d->query, &ip);
	bool found = status >= 0 && !(status & pts_ip_suppressed);

	if (status == -pte_bad_query)
		status = pt_qry_cond_branch(d->query, &taken);
	if (status == -pte_eos)
		return false;
	if (status < 0) {
		ipt_give_up(d, status);
		return true;
	}
	d->status = status;
	advance(d);
	ipt_confirm(d);
	if (found)
		ipt_go_to(d, ip);
	return true;
}

static bool is_due(const struct ipt *d)
{
	return d->bind == IPT_NOW || (d->bind == IPT_AT_IP && d->event_ip == d->ip);
}

static bool step(struct ipt *d)
{
	if (!d->in_sync)
		return synchronize(d);
	if (!d->has_event && d->status & pts_event_pending) {
		ipt_event_take(d);
		return true;
	}
	if (d->has_event && is_due(d)) {
		ipt_event_apply(d);
		return true;
	}
	if (!d->enabled) {
		if (d->status & pts_eos)
			return false;
		ipt_give_up(d, -pte_no_enable);
		return true;
	}
	return d->lost ? search(d) : follow(d);
}

bool ipt_walk(struct ipt *d)
{
	for (unsigned i = 0; i < STEPS; i++) {
		if (!step(d) || d->queue.no_memory)
			return false;
	}
	return true;
}
