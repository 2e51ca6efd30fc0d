/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a PTM (Arm IHI 0035B): packets to elements, which are those that OpenCSD yields. */
#include <stdlib.h>

#include "ptm_packet.h"
#include "ptm_sync.h"
#include "v7/v7_lane.h"

enum { STACK_DEPTH = 16 };

enum state {
	UNSYNCED,      /* nothing was said of the lane yet */
	WAIT_ASYNC, WAIT_ISYNC, IN_SYNC,
};

struct ptm {
	struct v7_lane lane;
	struct ptm_config config;
	struct ptm_before before;
	struct ptm_sync sync;
	uint64_t search_end; /* of the block that was searched last */
	bool searching;
	enum state state;
	bool was_reset, need_isync, skipped_told;
	uint64_t packet_offset; /* of the last packet */
	uint64_t time, address_before;
	uint32_t packet_context_id; /* the last that a packet named */

	/* where execution is, if known: in the run that begins there, if that is known */
	bool known;
	bool owes_address; /* since an indirect branch was taken: no atom comes before it */
	uint8_t isa;
	uint64_t address;
	uint32_t run;	   /* 0: to be looked up */
	uint32_t from;	   /* the run before, whose next[from_taken] run is to be; 0: it is not always this one */
	bool from_taken;

	struct sl_context context;
	struct { uint64_t address; uint8_t isa; } stack[STACK_DEPTH];
	unsigned stack_top;
	int stack_len;	   /* below 0: more was popped than pushed */
};

static struct ptm *own(struct v7_lane *lane)
{
	return (struct ptm *)lane;
}

static void forget(struct ptm *p)
{
	p->before = (struct ptm_before){ 0 };
	p->sync = (struct ptm_sync){ 0 };
	p->searching = true;
	p->skipped_told = false;
	p->state = UNSYNCED;
	p->need_isync = true;
	p->time = p->address_before = 0;
	p->packet_context_id = 0;
	p->known = p->owes_address = false;
	p->isa = SL_ISA_UNKNOWN;
	p->context = (struct sl_context){ .security = SL_SECURE };
	p->stack_len = 0;
	p->address = 0;
}

static void reset(struct v7_lane *lane)
{
	forget(own(lane));
	own(lane)->was_reset = true;
}

static void mark(struct ptm *p, enum sl_mark_kind kind)
{
	v7_mark(&p->lane, kind, p->packet_offset, p->known ? p->address : 0);
}

/* Gives up: all is forgotten, and the next A-sync is waited for. */
static void give_up(struct ptm *p, uint64_t last_byte)
{
	v7_give_up(&p->lane, last_byte);
	mark(p, SL_MARK_PACKET);
	reset(&p->lane);
}

static void go_to(struct ptm *p, uint64_t address, uint8_t isa)
{
	p->address = address;
	p->isa = isa;
	p->known = true;
	p->owes_address = false;
	p->run = p->from = 0;
}

static void attach_cycles(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	if (packet->has & PTM_HAS_CYCLES)
		v7_attach_cycles(&p->lane, offset, packet->cycles);
}

static void push(struct ptm *p, uint64_t address, uint8_t isa)
{
	if (!p->config.return_stack)
		return;
	p->stack_top = (p->stack_top + 1) % STACK_DEPTH;
	p->stack[p->stack_top].address = address;
	p->stack[p->stack_top].isa = isa;
	if (p->stack_len < STACK_DEPTH)
		p->stack_len++;
}

/* False where nothing was pushed. */
static bool pop(struct ptm *p)
{
	if (p->stack_len <= 0)
		return false;
	go_to(p, p->stack[p->stack_top].address, p->stack[p->stack_top].isa);
	p->stack_top = (p->stack_top + STACK_DEPTH - 1) % STACK_DEPTH;
	p->stack_len--;
	return true;
}

/*
 * After the last instruction of a run was executed or not. is_atom: an atom said so, so that a return's address comes
 * from the return stack. False where that is empty.
 */
static bool leave_run(struct ptm *p, uint32_t id, bool executed, bool is_atom)
{
	const struct run *run = &p->lane.runs->hot[id];
	const struct run_cold *cold = &p->lane.runs->cold[id];
	uint64_t end = run->end;
	uint8_t isa = run->isa;
	bool link = cold->link;

	if (cold->what == RUN_DIRECT && executed) {
		if (link)
			push(p, end, isa);
		go_to(p, cold->target, cold->target_isa);
		p->from = link && p->config.return_stack ? 0 : id;
	} else if (cold->what == RUN_INDIRECT && executed) {
		p->known = false;
		p->owes_address = true;
		if (is_atom && p->config.return_stack && !pop(p))
			return false;
		if (link)
			push(p, end, isa);
	} else {
		go_to(p, end, cold->what == RUN_DIRECT ? cold->target_isa : isa);
		p->from = id;
	}
	if (run_is_break(run, executed)) {
		mark(p, SL_MARK_NOT_TAKEN);
		p->from = 0;
	}
	p->from_taken = executed;
	if (p->from == RUN_ASK)
		p->from = 0;
	return true;
}

/* The run where execution is; 0: there is no code, which is told. */
static uint32_t find_run(struct ptm *p, uint64_t offset)
{
	struct v7_lane *lane = &p->lane;
	uint32_t id;

	if (p->run)
		return p->run;
	if (p->isa != SL_ISA_A32 && p->isa != SL_ISA_T32) {
		struct isa_insn insn;

		p->known = false;
		if (code_insn(&lane->code, p->isa, p->address, &insn) == CODE_NO_BYTES)
			v7_no_image(lane, offset, p->address);
		return 0;
	}
	id = runs_find(lane->runs, &lane->code, p->isa, p->address);
	if (!id)
		lane->queue.no_memory = true;
	return id;
}

/* A run that ends where there are no bytes: what there is of it was executed. */
static void tell_cut_run(struct ptm *p, uint32_t id, uint64_t offset)
{
	const struct run *run = &p->lane.runs->hot[id];

	p->known = false;
	p->lane.code.exhausted = p->lane.runs->cold[id].what == RUN_TOO_LONG;
	if (run->count) {
		struct sl_elem *e = v7_push(&p->lane, offset);

		v7_copy_run(run, e);
		e->flags |= SL_FLAG_EXECUTED;
	}
	v7_no_image(&p->lane, offset, run->end);
}

/* One atom, looked up. False: the return stack was empty. */
static bool follow(struct ptm *p, const struct ptm_packet *packet, bool executed, uint64_t offset)
{
	uint32_t id = find_run(p, offset);
	struct sl_elem *e;

	if (!id)
		return true;
	if (p->lane.runs->cold[id].what >= RUN_NO_BYTES) {
		tell_cut_run(p, id, offset);
		return true;
	}
	if (p->from && id >= RUN_FIRST)
		runs_link(p->lane.runs, &p->lane.code, p->from, p->from_taken, id);
	if (!leave_run(p, id, executed, packet->type == PTM_ATOM))
		return false;
	e = v7_push(&p->lane, offset);
	v7_copy_run(&p->lane.runs->hot[id], e);
	e->flags |= executed ? SL_FLAG_EXECUTED : 0;
	attach_cycles(p, packet, offset);
	return true;
}

/* Atoms whose runs are known. Those left. */
static unsigned follow_known(struct ptm *p, unsigned *atoms, unsigned count, uint64_t offset)
{
	const struct run *run;
	uint32_t id = p->run;

	count = v7_follow_known(&p->lane, &id, atoms, count, offset);
	if (id == p->run)
		return count;
	run = &p->lane.runs->hot[id];
	go_to(p, run->start, run->isa);
	p->run = id;
	return count;
}

/* Atoms that are left over behind an indirect branch, whose address has not come. */
static void check_atoms(struct ptm *p)
{
	if (!p->known && p->owes_address)
		mark(p, SL_MARK_ATOM);
	p->owes_address &= p->known;
}

static bool take_atoms(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	unsigned atoms = packet->atoms, count = packet->atom_count;

	while (count && p->known && !p->lane.queue.no_memory) {
		if (p->run && !p->lane.space.told_len && !packet->has) {
			count = follow_known(p, &atoms, count, offset);
			if (!count)
				break;
		}
		if (!follow(p, packet, atoms & 1, offset))
			return false;
		atoms >>= 1;
		count--;
		if (p->known && p->from) /* so that the next atom finds it */
			p->run = run_id(p->lane.runs->hot[p->from].next[p->from_taken]);
		if (p->run < RUN_FIRST)
			p->run = 0;
	}
	if (count)
		check_atoms(p);
	return true;
}

static void queue_context(struct ptm *p, uint64_t offset)
{
	struct sl_elem *e = v7_push(&p->lane, offset);

	e->kind = SL_ELEM_CONTEXT;
	e->context = p->context;
}

/* Where the instructions themselves tell it. */
static void check_address(struct ptm *p, uint64_t address)
{
	if (p->known && p->address != address)
		mark(p, SL_MARK_ADDRESS);
}

static bool take_branch(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	bool fine = true;

	if (packet->has & PTM_HAS_EXCEPTION) {
		struct sl_elem *e = v7_push(&p->lane, offset);

		e->kind = SL_ELEM_EXCEPTION;
		e->count = packet->exception;
		e->flags = p->known ? SL_FLAG_ADDRESS : 0;
		e->address = p->known ? p->address : 0;
		attach_cycles(p, packet, offset);
	} else if (p->known) {
		fine = follow(p, packet, true, offset);
		check_address(p, packet->address);
	}
	go_to(p, packet->address, packet->isa);
	return fine;
}

static void take_isync(struct ptm *p, const struct ptm_packet *packet, bool changes, uint64_t offset)
{
	static const uint8_t gaps[] = { SL_GAP_FILTER, SL_GAP_FILTER, SL_GAP_OVERFLOW, SL_GAP_DEBUG };
	bool begins = p->need_isync || packet->reason != PTM_REASON_PERIODIC;

	if (!begins)
		check_address(p, packet->address);
	mark(p, !begins && p->known && p->address == packet->address ? SL_MARK_CONFIRMED : SL_MARK_SYNC);
	go_to(p, packet->address, packet->isa);
	if (packet->has & PTM_HAS_CONTEXT_ID) {
		p->context.context_id = packet->context_id;
		p->context.flags |= SL_CTX_ID;
		changes = true;
	}
	p->context.security = packet->nonsecure ? SL_NONSECURE : SL_SECURE;
	if (begins) {
		v7_gap(&p->lane, offset, gaps[packet->reason]);
		attach_cycles(p, packet, offset);
		if (changes)
			queue_context(p, offset);
	}
	p->need_isync = false;
	p->stack_len = 0;
	v7_choose_runs(&p->lane, packet->nonsecure);
}

static void take_context_id(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	if (p->context.flags & SL_CTX_ID && p->context.context_id == packet->context_id)
		return;
	p->context.context_id = packet->context_id;
	p->context.flags |= SL_CTX_ID;
	queue_context(p, offset);
}

static void take_vmid(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	if (p->context.flags & SL_CTX_VMID && p->context.vmid == packet->vmid)
		return;
	p->context.vmid = packet->vmid;
	p->context.flags |= SL_CTX_VMID;
	queue_context(p, offset);
}

/* The walk of a waypoint update ends behind the instruction at its address, whatever lies between. */
static enum code_stop walk_to(struct ptm *p, uint64_t last, struct code_walk *ret)
{
	enum code_stop stop;
	uint64_t at;

	*ret = (struct code_walk){ .start = p->address, .end = p->address };
	do {
		at = ret->end;
		stop = code_insn(&p->lane.code, p->isa, at, &ret->last);
		if (stop != CODE_WAYPOINT)
			return stop;
		ret->end += ret->last.size;
		ret->count++;
	} while (at != last);
	return stop;
}

static void queue_walk(struct ptm *p, const struct code_walk *walk, uint64_t offset)
{
	const struct isa_insn *last = &walk->last;
	struct sl_elem *e = v7_push(&p->lane, offset);

	e->kind = SL_ELEM_RANGE;
	e->isa = p->isa;
	e->last = (uint8_t)(last->last | last->branch << 4);
	e->flags = (uint8_t)(SL_FLAG_EXECUTED | (last->conditional ? SL_FLAG_CONDITIONAL : 0) |
			     (last->size == 2 ? SL_FLAG_LAST_16BIT : 0) | code_sleeps(&p->lane.code, p->isa, walk->start, walk->end));
	e->count = walk->count;
	e->range.start = walk->start;
	e->range.end = walk->end;
}

static void leave_walk(struct ptm *p, const struct code_walk *walk)
{
	const struct isa_insn *last = &walk->last;

	if (last->link && (last->last == SL_LAST_BRANCH || last->last == SL_LAST_INDIRECT))
		push(p, walk->end, p->isa);
	if (last->last == SL_LAST_BRANCH)
		go_to(p, last->target, last->target_isa);
	else
		go_to(p, walk->end, p->isa);
	p->known = last->last != SL_LAST_INDIRECT;
}

/* 4.6: code was executed up to there, where an exception comes or where no waypoint was for long. */
static void take_waypoint(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	struct code_walk walk;
	enum code_stop stop;

	if (!p->known)
		return;
	if (!code_leads_to(&p->lane.code, p->isa, p->address, packet->address))
		mark(p, SL_MARK_ADDRESS);
	stop = walk_to(p, packet->address, &walk);
	if (stop != CODE_UNKNOWN_ISA && walk.count)
		queue_walk(p, &walk, offset);
	if (stop == CODE_WAYPOINT) {
		attach_cycles(p, packet, offset);
		leave_walk(p, &walk);
		return;
	}
	p->known = false;
	if (stop == CODE_NO_BYTES)
		v7_no_image(&p->lane, offset, walk.end);
}

/* 4.9: a timestamp replaces the low bits of the one before. */
static void read_time(struct ptm *p, const struct ptm_packet *packet)
{
	uint64_t mask = packet->time_bits < 64 ? (UINT64_C(1) << packet->time_bits) - 1 : UINT64_MAX;

	p->time = (p->time & ~mask) | (packet->time & mask);
}

static void take_time(struct ptm *p, const struct ptm_packet *packet, uint64_t offset)
{
	struct sl_elem *e = v7_push(&p->lane, offset);

	e->kind = SL_ELEM_TIME;
	e->value = p->time;
	attach_cycles(p, packet, offset);
}

static void queue_simple(struct ptm *p, enum sl_elem_kind kind, uint64_t value, uint64_t offset)
{
	struct sl_elem *e = v7_push(&p->lane, offset);

	e->kind = (uint8_t)kind;
	e->value = value;
}

/* A packet in sync. False: the decoder is to give up. */
static bool take_packet(struct ptm *p, const struct ptm_packet *packet, bool isa_changes, uint64_t offset)
{
	switch (packet->type) {
	case PTM_ATOM:
		return take_atoms(p, packet, offset);
	case PTM_BRANCH_ADDRESS:
		return take_branch(p, packet, offset);
	case PTM_ISYNC:
		take_isync(p, packet, isa_changes, offset);
		return true;
	case PTM_WAYPOINT_UPDATE:
		take_waypoint(p, packet, offset);
		return true;
	case PTM_CONTEXT_ID:
		take_context_id(p, packet, offset);
		return true;
	case PTM_VMID:
		take_vmid(p, packet, offset);
		return true;
	case PTM_TIMESTAMP:
		take_time(p, packet, offset);
		return true;
	case PTM_TRIGGER:
		queue_simple(p, SL_ELEM_EVENT, 1, offset);
		return true;
	case PTM_EXCEPTION_RETURN:
		queue_simple(p, SL_ELEM_EXCEPTION_RETURN, 0, offset);
		return true;
	case PTM_BAD_SEQUENCE:
	case PTM_RESERVED:
		p->state = WAIT_ASYNC;
		p->need_isync = true;
		v7_gap(&p->lane, offset, SL_GAP_BAD_PACKET);
		mark(p, SL_MARK_PACKET);
		return true;
	default:
		return true;
	}
}

/* A packet in any state. */
static bool step(struct ptm *p, const struct ptm_packet *packet, bool isa_changes, uint64_t offset)
{
	p->packet_offset = offset;
	if (p->lane.options.packets_only)
		return true;
	if (p->state == UNSYNCED) {
		v7_gap(&p->lane, offset, p->was_reset ? SL_GAP_RESET : SL_GAP_START);
		p->state = WAIT_ASYNC;
	}
	if (p->state == WAIT_ASYNC && packet->type == PTM_ASYNC)
		p->state = WAIT_ISYNC;
	else if (p->state == WAIT_ISYNC && packet->type == PTM_ISYNC)
		p->state = IN_SYNC;
	return p->state != IN_SYNC || take_packet(p, packet, isa_changes, offset);
}

/* What later packets depend on. */
static void remember(struct ptm *p, struct ptm_packet *packet)
{
	uint64_t mask = (UINT64_C(1) << packet->address_bits) - 1;

	if (packet->address_bits) {
		packet->address |= (uint32_t)(p->address_before & ~mask);
		p->address_before = packet->address;
		p->before.isa = packet->isa;
	}
	if (packet->has & PTM_HAS_ALTERNATIVE)
		p->before.alternative = packet->alternative;
	if (packet->has & PTM_HAS_CONTEXT_ID || packet->type == PTM_CONTEXT_ID)
		p->packet_context_id = packet->context_id;
	if (packet->type == PTM_TIMESTAMP)
		read_time(p, packet);
}

static void show(const struct ptm *p, const struct ptm_packet *packet, const uint8_t *bytes, size_t len, uint64_t offset)
{
	const struct sl_packet out = {
		.offset = offset, .bytes = bytes, .len = len, .name = ptm_name(packet->type),
		.not_synced = packet->type == PTM_NOT_SYNC, .sync = packet->type == PTM_ASYNC,
		.bad = packet->type == PTM_BAD_SEQUENCE || packet->type == PTM_RESERVED,
		.has_time = packet->type == PTM_TIMESTAMP, .time = p->time,
	};

	if (len)
		v7_tell_packet(&p->lane, &out);
}

/* A packet that is whole. False: the decoder gives up. */
static bool handle(struct ptm *p, struct ptm_packet *packet, const uint8_t *bytes, size_t len, uint64_t offset)
{
	uint8_t isa = p->before.isa;
	uint32_t core = p->lane.space.core;

	remember(p, packet);
	if (!v7_before_packet(&p->lane, offset, p->packet_context_id))
		return true;
	if ((p->lane.space.core != core || !p->lane.runs) && p->state == IN_SYNC) {
		p->run = p->from = 0;
		if (!v7_choose_runs(&p->lane, p->context.security == SL_NONSECURE))
			return true;
	}
	if (p->lane.options.packet)
		show(p, packet, bytes, len, offset);
	return step(p, packet, packet->isa != isa && packet->address_bits, offset);
}

/* What ptm_sync.c says of where a piece begins may be too far, as with OpenCSD. */
static uint64_t within(const struct ptm *p, uint64_t offset)
{
	return offset < p->search_end ? offset : p->search_end;
}

static void on_skipped(void *ctx, uint64_t offset, const uint8_t *bytes, size_t len, bool before)
{
	struct ptm *p = ctx;
	struct ptm_packet packet = { .type = PTM_NOT_SYNC };

	offset = within(p, offset);
	if (!v7_before_packet(&p->lane, offset, 0))
		return;
	show(p, &packet, bytes, len, offset);
	if (before || p->skipped_told)
		return;
	step(p, &packet, false, offset);
	p->skipped_told = true;
}

/* A block before the first A-sync; the bytes used. */
static size_t search(struct ptm *p, const uint8_t *bytes, size_t len, uint64_t offset, bool flush)
{
	static const uint8_t async[64] = { [63] = 0x80 };
	struct ptm_packet packet = { .type = PTM_ASYNC };
	uint64_t block = v7_block_end(&p->lane, offset) - offset;
	bool found;
	size_t used;

	if (len < block && !flush)
		return 0;
	len = len < block ? len : block;
	p->search_end = offset + len;
	used = ptm_sync_block(&p->sync, bytes, len, offset, on_skipped, p, &found);
	if (!found)
		return used;
	p->searching = false;
	len = p->sync.async_len < sizeof(async) ? p->sync.async_len : sizeof(async);
	handle(p, &packet, async + sizeof(async) - len, len, within(p, p->sync.offset));
	return used;
}

static size_t take(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset, bool flush)
{
	struct ptm *p = own(lane);
	struct ptm_packet packet;
	size_t at = 0, n;

	while (at < len && !lane->queue.no_memory) {
		if (p->searching) {
			n = search(p, bytes + at, len - at, offset + at, flush);
		} else {
			n = ptm_read(&p->config, &p->before, bytes + at, len - at, &packet);
			if (n && !handle(p, &packet, bytes + at, n, offset + at))
				give_up(p, offset + at + n - 1);
		}
		if (!n)
			break;
		at += n;
	}
	return at;
}

/* OpenCSD's end of trace is an element that says nothing to us, but comes after what is to be told. */
static void end(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset)
{
	static const uint8_t zeros[64];
	struct ptm *p = own(lane);
	struct ptm_packet packet = { .type = PTM_INCOMPLETE_EOT };

	if (p->searching && p->sync.held)
		handle(p, &packet, zeros, p->sync.held < sizeof(zeros) ? p->sync.held : sizeof(zeros),
		       within(p, p->sync.offset));
	else if (len)
		handle(p, &packet, bytes, len, offset);
	if (!lane->options.packets_only)
		space_before(&lane->space, p->packet_offset);
}

bool ptm_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options)
{
	return config->protocol == SL_PROTOCOL_PTM && v7_covers(options);
}

int ptm_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	    struct sl_diag *diag)
{
	static const struct v7_ops ops = { .take = take, .end = end, .reset = reset };
	struct ptm *p = calloc(1, sizeof(*p));

	(void)diag;
	if (!p)
		return SL_ERR_NOMEM;
	ptm_configure(config, &p->config);
	if (v7_init(&p->lane, &ops, config, options) < 0) {
		v7_engine.free(&p->lane.base);
		return SL_ERR_NOMEM;
	}
	p->lane.code.barriers = p->config.barriers;
	forget(p);
	*ret = &p->lane.base;
	return SL_OK;
}
