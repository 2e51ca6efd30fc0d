/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of an ETMv3 (Arm IHI 0014Q): packets to elements, which are those that OpenCSD yields. */
#include <stdlib.h>

#include "etm3_packet.h"
#include "etm3_sync.h"
#include "v7/v7_lane.h"

enum state {
	UNSYNCED, /* nothing was said of the lane yet */
	WAIT_ASYNC, WAIT_ISYNC, IN_SYNC,
};

/* An element that is not yet queued, since an exception may cancel it. */
struct item {
	struct sl_elem elem;
	bool has_cycles;
	uint32_t cycles;
};
enum { LIST_MAX = 8 };

struct etm3 {
	struct v7_lane lane;
	struct etm3_config config;
	struct etm3_before before;
	struct etm3_sync sync;
	bool searching;
	enum state state;
	bool was_reset;
	uint64_t packet_offset; /* of the last packet */
	uint64_t time;
	uint32_t address_before, packet_context_id;
	uint8_t format; /* of the last P-header */
	bool nonsecure, hyp; /* the last that a packet told */

	struct sl_context context;
	bool known, unknown_told;
	bool owes_address; /* since an indirect branch was taken: no atom comes before it */
	uint8_t isa;	  /* of the code at address */
	uint64_t address;
	uint32_t run;	  /* the instruction there; 0: to be looked up */
	uint32_t from;	  /* the one before, whose next[from_taken] it is; 0: not always */
	bool from_taken;

	struct etm3_packet p_hdrs[256]; /* by their headers, but for the reserved ones */
	struct item list[LIST_MAX];
	unsigned used, pending; /* of the list; pending may be more, see pend() */
	bool can_cancel;	/* the last packet told an instruction */
};

static struct etm3 *own(struct v7_lane *lane)
{
	return (struct etm3 *)lane;
}

static void reset(struct v7_lane *lane)
{
	struct etm3 *t = own(lane);

	t->before = (struct etm3_before){ 0 };
	t->sync = (struct etm3_sync){ 0 };
	t->searching = true;
	t->state = UNSYNCED;
	t->was_reset = true;
	t->time = 0;
	t->address_before = t->packet_context_id = 0;
	t->format = 0;
	t->nonsecure = t->hyp = false;
	t->context = (struct sl_context){ .security = SL_SECURE };
	t->known = t->unknown_told = t->owes_address = false;
	t->used = t->pending = 0;
	t->can_cancel = false;
}

/* ------------------------------------------------------------------------------------------------------ the list */

static struct sl_elem *list_add(struct etm3 *t, enum sl_elem_kind kind, uint64_t offset)
{
	struct item *item = &t->list[t->used++];

	*item = (struct item){ .elem = { .offset = offset, .kind = (uint8_t)kind } };
	return &item->elem;
}

static void list_cycles(struct etm3 *t, uint32_t cycles)
{
	t->list[t->used - 1].has_cycles = true;
	t->list[t->used - 1].cycles = cycles;
}

/* OpenCSD holds the newest count elements back if the list has no others. */
static void pend(struct etm3 *t, unsigned count)
{
	if (count >= t->used)
		t->pending = count;
}

static void queue_item(struct etm3 *t, const struct item *item)
{
	struct sl_elem *e = v7_push(&t->lane, item->elem.offset);

	*e = item->elem;
	if (item->has_cycles)
		v7_attach_cycles(&t->lane, item->elem.offset, item->cycles);
}

/* Queues what is not pending. */
static void list_send(struct etm3 *t)
{
	unsigned n = t->used > t->pending ? t->used - t->pending : 0;

	for (unsigned i = 0; i < n; i++)
		queue_item(t, &t->list[i]);
	for (unsigned i = n; i < t->used; i++)
		t->list[i - n] = t->list[i];
	t->used -= n;
}

/* ---------------------------------------------------------------------------------------------------- the P-header */

static void go_to(struct etm3 *t, uint64_t address)
{
	t->address = address;
	t->known = true;
	t->unknown_told = t->owes_address = false;
	t->run = t->from = 0;
}

static void lose(struct etm3 *t)
{
	t->known = false;
	t->unknown_told = t->owes_address = false;
}

static void mark(struct etm3 *t, enum sl_mark_kind kind)
{
	v7_mark(&t->lane, kind, t->packet_offset, t->known ? t->address : 0);
}

/* Where the instructions themselves tell it. */
static void check_address(struct etm3 *t, uint64_t address)
{
	if (t->known && t->address != address)
		mark(t, SL_MARK_ADDRESS);
}

static void leave_insn(struct etm3 *t, uint32_t id, bool executed)
{
	const struct run *run = &t->lane.runs->hot[id];
	const struct run_cold *cold = &t->lane.runs->cold[id];

	if (cold->what == RUN_INDIRECT && executed) {
		lose(t);
		t->owes_address = true;
		return;
	}
	go_to(t, cold->what == RUN_DIRECT && executed ? cold->target : run->end);
	if (cold->what == RUN_DIRECT)
		t->isa = cold->target_isa;
	t->from = id == RUN_ASK ? 0 : id;
	t->from_taken = executed;
	if (!run_is_break(run, executed))
		return;
	mark(t, SL_MARK_NOT_TAKEN);
	t->from = 0;
}

static void no_image(struct etm3 *t, uint32_t id, uint64_t offset)
{
	t->lane.code.exhausted = t->lane.runs->cold[id].what == RUN_TOO_LONG;
	v7_no_image(&t->lane, offset, t->address);
	lose(t);
}

/* One atom, looked up. True: there was an instruction. */
static bool follow(struct etm3 *t, bool executed, uint64_t offset)
{
	uint32_t id = t->run ? t->run : runs_find(t->lane.runs, &t->lane.code, t->isa, t->address);
	struct sl_elem *e;

	if (!id) {
		t->lane.queue.no_memory = true;
		t->known = false;
		return false;
	}
	if (t->lane.runs->cold[id].what >= RUN_NO_BYTES) {
		no_image(t, id, offset);
		return false;
	}
	if (t->from && id >= RUN_FIRST)
		runs_link(t->lane.runs, &t->lane.code, t->from, t->from_taken, id);
	e = v7_push(&t->lane, offset);
	v7_copy_run(&t->lane.runs->hot[id], e);
	e->flags |= executed ? SL_FLAG_EXECUTED : 0;
	leave_insn(t, id, executed);
	if (t->known && t->from) {
		t->run = run_id(t->lane.runs->hot[t->from].next[t->from_taken]);
		t->run = t->run < RUN_FIRST ? 0 : t->run;
	}
	return true;
}

/* Atoms whose instructions are known; those left. */
static unsigned follow_known(struct etm3 *t, unsigned *atoms, unsigned count, uint64_t offset)
{
	uint32_t id = t->run;

	count = v7_follow_known(&t->lane, &id, atoms, count, offset);
	if (id == t->run)
		return count;
	go_to(t, t->lane.runs->hot[id].start);
	t->isa = t->lane.runs->hot[id].isa;
	t->run = id;
	return count;
}

/* Atoms that are left over behind an indirect branch, whose address has not come. */
static void check_atoms(struct etm3 *t)
{
	if (t->owes_address)
		mark(t, SL_MARK_ATOM);
	t->owes_address = false;
}

static void no_address(struct etm3 *t, uint64_t offset)
{
	check_atoms(t);
	if (!t->unknown_told)
		v7_gap(&t->lane, offset, SL_GAP_NO_ADDRESS);
	t->unknown_told = true;
}

static void take_atoms(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	unsigned atoms = packet->atoms, count = packet->atom_count;

	while (count && t->known) {
		if (t->run && !t->lane.space.told_len) {
			count = follow_known(t, &atoms, count, offset);
			if (!count)
				return;
		}
		follow(t, atoms & 1, offset);
		atoms >>= 1;
		count--;
	}
	if (count)
		no_address(t, offset);
}

/* Cycles of the atoms from the first of left on, and of that alone. */
static uint32_t cycles_left(const struct etm3_packet *packet, unsigned left)
{
	switch (packet->format) {
	case 1:
		return left;
	case 2:
		return left == 2 ? packet->cycles : 0;
	case 3:
		return packet->cycles;
	default:
		return 0;
	}
}

static uint32_t cycles_of(const struct etm3_packet *packet, unsigned left)
{
	return packet->format == 1 ? 1 : cycles_left(packet, left);
}

static void queue_cycles(struct etm3 *t, uint32_t cycles, uint64_t offset)
{
	struct sl_elem *e = v7_push(&t->lane, offset);

	e->kind = SL_ELEM_CYCLES;
	e->count = cycles;
}

/* Cycle-accurate, and no address. */
static void take_lost_cycles(struct etm3 *t, const struct etm3_packet *packet, unsigned left, uint64_t offset)
{
	uint32_t cycles = cycles_left(packet, left);

	if (left)
		check_atoms(t);
	if (t->unknown_told || !left) {
		queue_cycles(t, cycles, offset);
	} else {
		v7_gap(&t->lane, offset, SL_GAP_NO_ADDRESS);
		v7_attach_cycles(&t->lane, offset, cycles);
	}
	t->unknown_told = true;
}

static void take_cycle_atoms(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	unsigned left = packet->atom_count;

	if (t->known && !left) {
		queue_cycles(t, cycles_of(packet, 0), offset);
		return;
	}
	for (; left && t->known; left--) {
		follow(t, packet->atoms >> (packet->atom_count - left) & 1, offset);
		v7_attach_cycles(&t->lane, offset, cycles_of(packet, left));
	}
	if (left || !packet->atom_count)
		take_lost_cycles(t, packet, left, offset);
}

/* Takes the one element that was queued since before back into the list, where it can be cancelled; merged: ranges
 * that were merged before. */
static void hold_back(struct etm3 *t, size_t before, uint64_t merged)
{
	struct sl_elem *e = &t->lane.queue.elems[before];
	size_t n = t->lane.queue.len - before;

	if (n == 0 || n > 2 || e->kind != SL_ELEM_RANGE || t->lane.base.merged != merged || (n == 2 && !(e[1].flags & SL_FLAG_ATTACHED)))
		return;
	*list_add(t, SL_ELEM_RANGE, e->offset) = *e;
	if (n == 2)
		list_cycles(t, e[1].count);
	t->lane.queue.len = before;
	t->lane.open = 0;
	pend(t, 1);
}

/* Cycles of what cannot be followed: Jazelle and ThumbEE. */
static bool is_followed(const struct etm3 *t, const struct etm3_packet *packet)
{
	if (t->before.isa == SL_ISA_JAZELLE || t->before.isa == ETM3_ISA_THUMBEE)
		return false;
	return t->config.cycle_accurate || packet->atom_count;
}

static void take_p_hdr(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	bool was_empty = !t->used;
	uint64_t merged = t->lane.base.merged;
	size_t before;

	if (!is_followed(t, packet)) {
		if (t->config.cycle_accurate)
			list_add(t, SL_ELEM_CYCLES, offset)->count = packet->cycles;
		return;
	}
	list_send(t);
	space_before(&t->lane.space, offset);
	if (t->isa != t->before.isa)
		t->run = t->from = 0;
	t->isa = t->before.isa;
	if (!t->lane.runs && !v7_choose_runs(&t->lane, t->context.security == SL_NONSECURE))
		return;
	if (packet->atom_count == 1)
		t->lane.open = 0; /* so that it can be held back */
	before = t->lane.queue.len;
	if (t->config.cycle_accurate)
		take_cycle_atoms(t, packet, offset);
	else
		take_atoms(t, packet, offset);
	if (was_empty)
		hold_back(t, before, merged);
}

/* ---------------------------------------------------------------------------------------------- the other packets */

static void list_context(struct etm3 *t, uint64_t offset)
{
	list_add(t, SL_ELEM_CONTEXT, offset)->context = t->context;
}

/* Who sees memory is decided again. */
static void set_security(struct etm3 *t, bool nonsecure)
{
	t->context.security = nonsecure ? SL_NONSECURE : SL_SECURE;
	t->lane.runs = NULL;
	t->run = t->from = 0;
}

static void set_el(struct etm3 *t, bool hyp)
{
	t->context.el = hyp ? 2 : 0;
	t->context.flags = (uint8_t)((t->context.flags & ~SL_CTX_EL) | (hyp ? SL_CTX_EL : 0));
}

static void set_context_id(struct etm3 *t, uint32_t context_id)
{
	t->context.context_id = context_id;
	t->context.flags |= SL_CTX_ID;
}

static void take_isync(struct etm3 *t, const struct etm3_packet *packet, bool first, uint64_t offset)
{
	static const uint8_t gaps[] = { SL_GAP_FILTER, SL_GAP_FILTER, SL_GAP_OVERFLOW, SL_GAP_DEBUG };
	bool begins = first || packet->reason != ETM3_REASON_PERIODIC;

	if (!begins)
		check_address(t, packet->address);
	mark(t, !begins && t->known && t->address == packet->address ? SL_MARK_CONFIRMED : SL_MARK_SYNC);
	if (begins)
		list_add(t, SL_ELEM_GAP, offset)->count = gaps[packet->reason];
	if (first)
		t->context = (struct sl_context){ .security = SL_SECURE };
	if (packet->has & ETM3_HAS_CONTEXT_ID)
		set_context_id(t, packet->context_id);
	set_el(t, t->hyp);
	set_security(t, t->nonsecure);
	list_context(t, offset);
	if (packet->has & ETM3_HAS_CYCLES)
		list_cycles(t, packet->cycles);
	go_to(t, packet->address);
}

static void take_exception(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	bool changes = (t->context.security == SL_NONSECURE) != t->nonsecure ||
		       !!(t->context.flags & SL_CTX_EL) != t->hyp;

	if (packet->has & (ETM3_HAS_STATE | ETM3_HAS_HYP) && changes) {
		set_security(t, t->nonsecure);
		set_el(t, t->hyp);
		list_context(t, offset);
	}
	if (packet->exception)
		list_add(t, SL_ELEM_EXCEPTION, offset)->count = packet->exception;
}

static void take_branch(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	if (!(packet->has & ETM3_HAS_EXCEPTION && packet->has & ETM3_CANCELS && t->can_cancel))
		t->pending = 0;
	else
		t->used -= t->pending < t->used ? t->pending : t->used;
	if (!(packet->has & ETM3_HAS_EXCEPTION))
		check_address(t, packet->address);
	go_to(t, packet->address);
	if (packet->has & ETM3_HAS_EXCEPTION)
		take_exception(t, packet, offset);
}

static void take_exception_exit(struct etm3 *t, uint64_t offset)
{
	unsigned count = 1;

	list_add(t, SL_ELEM_EXCEPTION_RETURN, offset);
	if (!t->config.m_profile && t->used > 1 && t->list[t->used - 2].elem.kind == SL_ELEM_RANGE)
		count = 2;
	pend(t, count);
}

static void take_simple(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	switch (packet->type) {
	case ETM3_CYCLE_COUNT:
		list_add(t, SL_ELEM_CYCLES, offset)->count = packet->cycles;
		break;
	case ETM3_TRIGGER:
		list_add(t, SL_ELEM_EVENT, offset)->value = 1;
		break;
	case ETM3_CONTEXT_ID:
		set_context_id(t, t->packet_context_id);
		list_context(t, offset);
		break;
	case ETM3_VMID:
		t->context.vmid = packet->vmid;
		t->context.flags |= SL_CTX_VMID;
		list_context(t, offset);
		break;
	case ETM3_EXCEPTION_ENTRY:
		list_add(t, SL_ELEM_EXCEPTION, offset)->flags = SL_FLAG_MARKER;
		break;
	case ETM3_TIMESTAMP:
		list_add(t, SL_ELEM_TIME, offset)->value = t->time;
		break;
	default:
		break;
	}
}

static bool is_bad(unsigned type)
{
	return type >= ETM3_BAD_SEQUENCE && type <= ETM3_RESERVED;
}

/* A packet in sync. False: the decoder is to give up. */
static bool take_packet(struct etm3 *t, const struct etm3_packet *packet, bool first, uint64_t offset)
{
	if (packet->type != ETM3_BRANCH_ADDRESS)
		t->pending = 0;
	switch (packet->type) {
	case ETM3_P_HDR:
		take_p_hdr(t, packet, offset);
		break;
	case ETM3_BRANCH_ADDRESS:
		take_branch(t, packet, offset);
		break;
	case ETM3_ISYNC:
	case ETM3_ISYNC_CYCLE:
		take_isync(t, packet, first, offset);
		break;
	case ETM3_EXCEPTION_EXIT:
		take_exception_exit(t, offset);
		break;
	default:
		if (is_bad(packet->type))
			return false;
		take_simple(t, packet, offset);
		break;
	}
	list_send(t);
	return true;
}

/* Whether a packet is taken before the first I-sync. */
static bool is_early(const struct etm3 *t, unsigned type)
{
	return type == ETM3_TIMESTAMP ||
	       (t->config.cycle_accurate && (type == ETM3_CYCLE_COUNT || type == ETM3_P_HDR));
}

/* A packet in any state. */
static bool step(struct etm3 *t, const struct etm3_packet *packet, uint64_t offset)
{
	t->packet_offset = offset;
	if (t->lane.options.packets_only)
		return true;
	if (t->state == UNSYNCED) {
		v7_gap(&t->lane, offset, t->was_reset ? SL_GAP_RESET : SL_GAP_START);
		t->state = WAIT_ASYNC;
	}
	switch (t->state) {
	case WAIT_ASYNC:
		if (packet->type == ETM3_ASYNC)
			t->state = WAIT_ISYNC;
		return true;
	case WAIT_ISYNC:
		if (packet->type == ETM3_ISYNC || packet->type == ETM3_ISYNC_CYCLE) {
			t->state = IN_SYNC;
			return take_packet(t, packet, true, offset);
		}
		return !is_early(t, packet->type) || take_packet(t, packet, false, offset);
	default:
		return take_packet(t, packet, false, offset);
	}
}

static void set_address(struct etm3 *t, uint32_t value, unsigned bits)
{
	uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;

	t->address_before = (t->address_before & ~mask) | (value & mask);
}

static void remember_time(struct etm3 *t, const struct etm3_packet *packet)
{
	uint64_t mask = packet->time_bits < 64 ? (UINT64_C(1) << packet->time_bits) - 1 : UINT64_MAX;

	t->time = (t->time & ~mask) | (packet->time & mask);
}

/* What later packets depend on. */
static void remember(struct etm3 *t, struct etm3_packet *packet)
{
	if (packet->address_bits)
		set_address(t, packet->address, packet->address_bits);
	if (packet->second_bits)
		set_address(t, packet->second, packet->second_bits);
	packet->address = t->address_before;
	if (packet->has & ETM3_HAS_ISA && packet->isa != SL_ISA_UNKNOWN)
		t->before.isa = packet->isa;
	if (packet->has & ETM3_HAS_ALTERNATIVE)
		t->before.alternative = packet->alternative;
	if (packet->has & ETM3_HAS_STATE)
		t->nonsecure = packet->nonsecure;
	if (packet->has & ETM3_HAS_HYP)
		t->hyp = packet->hyp;
	if (packet->has & ETM3_HAS_CONTEXT_ID)
		t->packet_context_id = packet->context_id;
	if (packet->type == ETM3_TIMESTAMP)
		remember_time(t, packet);
	if (packet->format)
		t->format = packet->format;
	packet->format = t->format; /* also where the P-header is a reserved one */
}

static void note_cancel(struct etm3 *t, const struct etm3_packet *packet)
{
	if (packet->type == ETM3_P_HDR)
		t->can_cancel = packet->atom_count > 0;
	else if (packet->type == ETM3_BRANCH_ADDRESS || packet->type == ETM3_ISYNC || packet->type == ETM3_ISYNC_CYCLE)
		t->can_cancel = false;
}

static void show(const struct etm3 *t, const struct etm3_packet *packet, const uint8_t *bytes, size_t len, uint64_t offset)
{
	const struct sl_packet out = {
		.offset = offset, .bytes = bytes, .len = len, .name = etm3_name(packet->type),
		.not_synced = packet->type == ETM3_NOT_SYNC, .sync = packet->type == ETM3_ASYNC,
		.bad = is_bad(packet->type), .has_time = packet->type == ETM3_TIMESTAMP, .time = t->time,
	};

	v7_tell_packet(&t->lane, &out);
}

/* A packet that is whole. False: the decoder gives up. */
static bool handle(struct etm3 *t, struct etm3_packet *packet, const uint8_t *bytes, size_t len, uint64_t offset)
{
	uint32_t core = t->lane.space.core;
	bool fine;

	remember(t, packet);
	if (!v7_before_packet(&t->lane, offset, t->packet_context_id))
		return true;
	if (t->lane.space.core != core || !t->lane.runs) {
		t->lane.runs = NULL;
		t->run = t->from = 0;
	}
	if (t->lane.options.packet)
		show(t, packet, bytes, len, offset);
	fine = step(t, packet, offset);
	note_cancel(t, packet);
	return fine;
}

static void on_skipped(void *ctx, uint64_t offset, const uint8_t *bytes, size_t len)
{
	struct etm3_packet packet = { .type = ETM3_NOT_SYNC };

	handle(ctx, &packet, bytes, len, offset);
}

/* A block before the first A-sync; the bytes used. */
static size_t search(struct etm3 *t, const uint8_t *bytes, size_t len, uint64_t offset, bool flush)
{
	struct etm3_packet packet = { .type = ETM3_ASYNC };
	uint64_t block = v7_block_end(&t->lane, offset) - offset;
	bool found;
	size_t used;

	if (len < block && !flush)
		return 0;
	used = etm3_sync_block(&t->sync, bytes, len < block ? len : block, offset, on_skipped, t, &found);
	if (!found)
		return used;
	t->searching = false;
	handle(t, &packet, t->sync.held, t->sync.held_len, t->sync.offset);
	return used;
}

/*
 * Where OpenCSD stands when it gives up: it has read a sixth zero of an A-sync, and has not used a byte that does not
 * belong to one, unless a block begins there.
 */
static size_t used_by(const struct etm3 *t, const uint8_t *bytes, size_t len, size_t n, uint64_t offset)
{
	if (bytes[0] || len <= n)
		return n;
	if (!bytes[n])
		return 6;
	return n + ((offset + n - t->lane.grid) % V7_BLOCK == 0);
}

/* P-headers, which are most of a trace, in sync and where nobody looks at packets. False: not so. */
static bool take_quickly(struct etm3 *t, uint8_t header, uint64_t offset)
{
	const struct etm3_packet *packet = &t->p_hdrs[header];

	if (packet->type != ETM3_P_HDR || t->state != IN_SYNC || t->lane.options.packet || !t->lane.runs ||
	    offset >= t->lane.space.moment.until || !v7_reserve(&t->lane))
		return false;
	t->packet_offset = offset;
	t->format = packet->format;
	t->pending = 0;
	take_p_hdr(t, packet, offset);
	if (t->used)
		list_send(t);
	t->can_cancel = packet->atom_count > 0;
	return true;
}

static size_t take_one(struct etm3 *t, const uint8_t *bytes, size_t len, uint64_t offset)
{
	struct etm3_packet packet;
	size_t n;

	if (take_quickly(t, bytes[0], offset))
		return 1;
	n = etm3_read(&t->config, &t->before, bytes, len, &packet);
	if (!n || handle(t, &packet, bytes, n, offset))
		return n;
	n = used_by(t, bytes, len, n, offset);
	v7_give_up(&t->lane, offset + n - 1);
	mark(t, SL_MARK_PACKET);
	reset(&t->lane);
	return n;
}

static size_t take(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset, bool flush)
{
	struct etm3 *t = own(lane);
	size_t at = 0;

	while (at < len && !lane->queue.no_memory) {
		size_t n = t->searching ? search(t, bytes + at, len - at, offset + at, flush) :
					  take_one(t, bytes + at, len - at, offset + at);

		if (!n)
			break;
		at += n;
	}
	return at;
}

static void end(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset)
{
	struct etm3 *t = own(lane);
	struct etm3_packet packet = { .type = ETM3_INCOMPLETE_EOT };

	if (t->searching && t->sync.held_len)
		handle(t, &packet, t->sync.held, t->sync.held_len, t->sync.offset);
	else if (len)
		handle(t, &packet, bytes, len, offset);
	if (lane->options.packets_only || !v7_reserve(lane))
		return;
	t->pending = 0;
	list_send(t);
	space_before(&lane->space, t->packet_offset);
}

static void read_p_hdrs(struct etm3 *t)
{
	for (unsigned header = 0x80; header < 0x100; header += 2) {
		uint8_t byte = (uint8_t)header;

		etm3_read(&t->config, &t->before, &byte, 1, &t->p_hdrs[header]);
		if (!t->p_hdrs[header].format)
			t->p_hdrs[header].type = ETM3_NOT_SYNC;
	}
}

bool etm3_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options)
{
	struct etm3_config unused;

	return config->protocol == SL_PROTOCOL_ETMV3 && v7_covers(options) && etm3_configure(config, &unused);
}

int etm3_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	     struct sl_diag *diag)
{
	static const struct v7_ops ops = { .take = take, .end = end, .reset = reset };
	struct etm3 *t = calloc(1, sizeof(*t));

	(void)diag;
	if (!t)
		return SL_ERR_NOMEM;
	etm3_configure(config, &t->config);
	read_p_hdrs(t);
	if (v7_init(&t->lane, &ops, config, options) < 0) {
		v7_engine.free(&t->lane.base);
		return SL_ERR_NOMEM;
	}
	t->lane.code.single = true;
	reset(&t->lane);
	t->was_reset = false;
	*ret = &t->lane.base;
	return SL_OK;
}
