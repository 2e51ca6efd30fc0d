/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that most of a trace goes through: atoms and addresses, where nothing else is pending and nothing is held back
 * by speculation. All else is left to the packet reader; what is done here is what it would do.
 */
#include <string.h>

#include "e4_decoder.h"

enum { FIRST_ATOM = 0xc0 };

struct atoms {
	uint32_t bits; /* oldest in bit 0 */
	uint32_t count;
};

/* IHI 0064H, 6.4.9: a row of E, and at last one more or N; of the shorter formats each. */
#define E_ROW(n) ((UINT32_C(1) << (n)) - 1)
#define F6_E(n) { E_ROW((n) + 1), (n) + 1 }
#define F6_N(n) { E_ROW(n), (n) + 1 }
#define F6_ROW(F) F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15), F(16), F(17), F(18), F(19), \
		  F(20), F(21), F(22), F(23)
static const struct atoms atoms_of[256 - FIRST_ATOM] = {
	F6_ROW(F6_E),				    /* c0 to d4 */
	{ 0x00, 5 }, { 0x0a, 5 }, { 0x15, 5 },	    /* d5 to d7 */
	{ 0, 2 }, { 1, 2 }, { 2, 2 }, { 3, 2 },	    /* d8 to db */
	{ 0xe, 4 }, { 0x0, 4 }, { 0xa, 4 }, { 0x5, 4 }, /* dc to df */
	F6_ROW(F6_N),				    /* e0 to f4 */
	{ 0x1e, 5 },				    /* f5 */
	{ 0, 1 }, { 1, 1 },			    /* f6, f7 */
	{ 0, 3 }, { 1, 3 }, { 2, 3 }, { 3, 3 }, { 4, 3 }, { 5, 3 }, { 6, 3 }, { 7, 3 },
};

static bool is_quiet(const struct e4_decoder *dec)
{
	return dec->stage == E4_DECODE && !dec->config.max_speculation && !e4_pending_len(&dec->pending) &&
	       !dec->waits_for_address && !dec->need_context && !dec->space.told_len;
}

static void take_address(struct e4_decoder *dec, const struct e4_address *address, uint64_t offset)
{
	e4_check_address(dec, address->value, offset);
	dec->last_is = address->is;
	dec->return_pending = false;
	e4_flow_at(dec, address->value, e4_isa(dec->is_64bit, address->is));
	dec->need_address = dec->owes_address = dec->moved = false;
}

/* Flags in the eight bytes from kind to count. */
static inline uint64_t flags_in_head(uint32_t flags)
{
	const uint8_t bytes[8] = { [offsetof(struct run, flags)] = 1 };
	uint64_t one;

	memcpy(&one, bytes, sizeof(one));
	return one * flags;
}

/* An element is its offset and the first half of a run: copied as such, as reading back a byte of it would take longer. */
static inline void put_run(struct sl_elem *ret, const struct run *run, uint32_t executed, uint64_t offset)
{
	uint64_t head;

	memcpy(&head, run, sizeof(head));
	head |= flags_in_head(executed * SL_FLAG_EXECUTED);
	ret->offset = offset;
	memcpy(&ret->kind, &head, sizeof(head));
	memcpy(&ret->range, &run->start, sizeof(ret->range));
}

/*
 * Runs, one an atom, into the queue, as long as each says which one follows; atoms gets those left. Where the last run does
 * not say, the flow is told that it was left.
 */
static inline void follow(struct e4_decoder *dec, struct atoms *atoms, uint64_t offset)
{
	const struct run *hot = dec->runs->hot;
	struct sl_elem *out = dec->queue.elems + dec->queue.len;
	uint32_t bits = atoms->bits, count = atoms->count, run = dec->run, from = run;

	while (run >= RUN_FIRST && count) {
		uint32_t executed = bits & 1;
		const struct run *r = &hot[run];

		put_run(out++, r, executed, offset);
		from = run;
		run = r->next[executed];
		bits >>= 1;
		count--;
	}
	dec->queue.len = (size_t)(out - dec->queue.elems);
	dec->run = run;
	if (run < RUN_FIRST && count != atoms->count)
		e4_flow_leave(dec, from, (out - 1)->flags & SL_FLAG_EXECUTED, offset);
	atoms->bits = bits;
	atoms->count = count;
}

/* What an element's first range says. */
static inline void put_first(struct sl_elem *ret, const struct run *run, uint64_t offset)
{
	ret->offset = offset;
	ret->range.start = run->start;
}

/* What its last one does; count is that of all. */
static inline void put_last(struct sl_elem *ret, const struct run *run, uint32_t executed, bool is_merged, uint32_t count)
{
	uint64_t head;

	memcpy(&head, run, sizeof(head));
	head |= flags_in_head(executed * SL_FLAG_EXECUTED | is_merged * SL_FLAG_MERGED);
	memcpy(&ret->kind, &head, sizeof(head));
	ret->count = count;
	ret->range.end = run->end;
}

/* Where the runs that follow_merged() takes go. */
struct merging {
	struct sl_elem *out;	/* the element at work */
	uint32_t sum, ranges;	/* of it; those before the packet count as one */
	const struct run *run, *before; /* that were taken last; NULL: none yet */
	uint32_t executed;
};

/*
 * The last run contradicts the image: it is no part of an element. What there was of that before the packet is still in the
 * queue. bits: of the packet's atoms, taken of them were used.
 */
static void split(struct merging *m, uint32_t bits, uint32_t taken, uint64_t offset)
{
	if (m->before)
		put_last(m->out, m->before, bits >> (taken - 2) & 1, m->ranges > 2, m->sum - m->run->count);
	put_first(++m->out, m->run, offset);
	m->sum = m->run->count;
	m->ranges = 1;
}

/* The last element, which may stay open for the run next. */
static inline void end_merging(struct e4_decoder *dec, const struct merging *m, uint32_t next, uint32_t taken)
{
	size_t len = (size_t)(m->out + 1 - dec->queue.elems);

	put_last(m->out, m->run, m->executed, m->ranges > 1, m->sum);
	dec->base.merged += taken + dec->queue.len - len;
	dec->queue.len = len;
	dec->open = next & RUN_JOINS && m->sum < RUN_MERGED_MAX ? len : 0;
	dec->run = run_id(next);
}

/* The same where the last run does not say which one follows. */
static void leave_merging(struct e4_decoder *dec, struct merging *m, uint32_t bits, uint32_t taken, uint64_t offset)
{
	if (m->ranges > 1 && run_is_break(m->run, m->executed))
		split(m, bits, taken, offset);
	end_merging(dec, m, 0, taken);
	e4_flow_leave(dec, (uint32_t)(m->run - dec->runs->hot), m->executed, offset);
}

/*
 * The same as follow() where ranges are merged. A run that is added to an element changes nothing but a sum, until one comes
 * that is not.
 */
static inline void follow_merged(struct e4_decoder *dec, struct atoms *atoms, uint64_t offset)
{
	const struct run *hot = dec->runs->hot;
	bool joins = dec->open == dec->queue.len && dec->open;
	struct merging m = { .out = dec->queue.elems + dec->queue.len - joins };
	uint32_t bits = atoms->bits, count = atoms->count, first = count + joins, next = dec->run;

	if (joins)
		m.sum = m.out->count;
	else
		put_first(m.out, &hot[next], offset);
	for (;;) {
		do {
			m.before = m.run;
			m.run = run_at(hot, next);
			m.sum += m.run->count;
			m.executed = bits & 1;
			next = m.run->next[m.executed];
			bits >>= 1;
			count--;
		} while (next & RUN_JOINS && count);
		m.ranges = first - count;
		if (!count || next < RUN_FIRST)
			break;
		put_last(m.out++, m.run, m.executed, m.ranges > 1, m.sum);
		put_first(m.out, &hot[next], offset);
		m.sum = 0;
		first = count;
	}
	if (next >= RUN_FIRST)
		end_merging(dec, &m, next, atoms->count - count);
	else
		leave_merging(dec, &m, atoms->bits, atoms->count - count, offset);
	atoms->bits = bits;
	atoms->count = count;
}

/* All atoms of a packet. False where they contradict what went before: a return without a call. */
static bool take_atoms(struct e4_decoder *dec, struct atoms atoms, uint64_t offset)
{
	while (atoms.count) {
		if (!dec->run && !dec->return_pending)
			e4_check_atom(dec, offset);
		if (dec->return_pending && !e4_flow_return(dec))
			return false;
		if (dec->need_address)
			return true;
		if (!dec->run && !e4_flow_find(dec)) {
			e4_flow_atom(dec, atoms.bits & 1, offset);
			atoms.bits >>= 1;
			atoms.count--;
		} else if (dec->code.merge) {
			follow_merged(dec, &atoms, offset);
		} else {
			follow(dec, &atoms, offset);
		}
	}
	return true;
}

/*
 * Timestamps and cycle counts count with the next atom, and are lost where none follows in peace. Until then their elements
 * stand in the queue behind what is committed; so does one address, of which only the last counts.
 */
struct held {
	size_t len; /* elements beyond dec->queue.len */
	bool has_address;
	struct e4_address address;
	uint64_t address_offset;
};

static void commit_held(struct e4_decoder *dec, struct held *held)
{
	dec->queue.len += held->len;
	held->len = 0;
	if (held->has_address)
		take_address(dec, &held->address, held->address_offset);
	held->has_address = false;
}

/* What is held when the loop ends goes where the packet reader looks for it. */
static void keep_held(struct e4_decoder *dec, struct held *held)
{
	const struct sl_elem *e = dec->queue.elems + dec->queue.len;

	for (size_t i = 0; i < held->len; i++) {
		if (!(e[i].flags & SL_FLAG_ATTACHED))
			e4_push_time(dec, &e[i], i + 1 < held->len && e[i + 1].flags & SL_FLAG_ATTACHED ? e[i + 1].count : 0);
	}
	if (held->has_address)
		e4_push_address(dec, &held->address, held->address_offset);
}

static void hold(struct e4_decoder *dec, struct held *held, const struct sl_elem *e)
{
	dec->queue.elems[dec->queue.len + held->len++] = *e;
}

static void hold_cycles(struct e4_decoder *dec, struct held *held, uint32_t count, uint64_t offset)
{
	hold(dec, held, &(struct sl_elem){ .offset = offset, .kind = SL_ELEM_CYCLES, .count = count });
}

static void hold_time(struct e4_decoder *dec, struct held *held, const struct e4_packet *p, uint64_t offset)
{
	hold(dec, held, &(struct sl_elem){ .offset = offset, .kind = SL_ELEM_TIME, .value = p->value });
	if (dec->config.cycle_counts)
		hold(dec, held, &(struct sl_elem){ .offset = offset, .kind = SL_ELEM_CYCLES, .flags = SL_FLAG_ATTACHED,
						   .count = p->count });
}

/* What a header is to the loop. */
enum hot { NOT_HOT, ADDRESS, SHORT, CYCLES_3, CYCLES, TIME };

static enum hot hot_of(const struct e4_decoder *dec, uint8_t header)
{
	switch (dec->headers.of[header]->type) {
	case E4_ADDR_MATCH:
	case E4_ADDR_S_IS1:
	case E4_ADDR_L_32IS0:
	case E4_ADDR_L_32IS1:
	case E4_ADDR_L_64IS0:
	case E4_ADDR_L_64IS1:
		return ADDRESS;
	case E4_ADDR_S_IS0:
		return SHORT;
	case E4_CCNT_F3:
		return CYCLES_3;
	case E4_CCNT_F1:
	case E4_CCNT_F2:
		return CYCLES;
	case E4_TIMESTAMP:
		return dec->config.has_time_marker ? NOT_HOT : TIME;
	default:
		return NOT_HOT;
	}
}

void e4_hot_init(struct e4_decoder *dec)
{
	for (unsigned i = 0; i < FIRST_ATOM; i++)
		dec->hot[i] = (uint8_t)hot_of(dec, (uint8_t)i);
}

/* Of two addresses without an atom between them one is wrong, unless they are the same. */
static void hold_address(struct e4_decoder *dec, struct held *held, struct e4_address address, uint64_t offset)
{
	if (held->has_address && held->address.value != address.value)
		e4_mark_at(dec, SL_MARK_ADDRESS, offset, held->address.value);
	held->address = address;
	held->address_offset = offset;
	held->has_address = true;
}

/* The commonest address, of A64 and A32: the low 7 or 15 bits of a word's number. The bytes used, 0 beyond len. */
static size_t take_short(struct e4_decoder *dec, struct held *held, const uint8_t *bytes, size_t len, uint64_t offset)
{
	struct e4_state *state = &dec->state;
	bool is_long = len > 1 && bytes[1] & 0x80;
	uint64_t mask = is_long ? 0x1ffff : 0x1ff, value;

	if (len < 2 + (size_t)is_long)
		return 0;
	value = (uint64_t)(bytes[1] & 0x7f) << 2 | (is_long ? (uint64_t)bytes[2] << 9 : 0);
	state->address = (struct e4_address){ (state->address.value & ~mask) | value, 0 };
	e4_state_push(state);
	hold_address(dec, held, state->address, offset);
	return 2 + (size_t)is_long;
}

/* A packet that is not one of atoms. The bytes used; 0 where it is not for the loop, or goes on beyond len. */
static size_t take_other(struct e4_decoder *dec, struct held *held, const uint8_t *bytes, size_t len, uint64_t offset)
{
	enum hot hot = (enum hot)dec->hot[bytes[0]];
	struct e4_packet p;
	size_t used;

	if (hot == CYCLES_3) {
		hold_cycles(dec, held, dec->state.threshold + (bytes[0] & 3), offset);
		return 1;
	}
	if (hot == NOT_HOT)
		return 0;
	if (hot == SHORT)
		return take_short(dec, held, bytes, len, offset);
	used = e4_read(&dec->headers, &dec->config, bytes, len, &p);
	if (!used)
		return 0;
	e4_state_take(&dec->state, &p);
	if (hot == ADDRESS) {
		hold_address(dec, held, (struct e4_address){ p.value, p.is }, offset);
	} else if (hot == CYCLES) {
		hold_cycles(dec, held, p.count, offset);
	} else {
		hold_time(dec, held, &p, offset);
	}
	return used;
}

/* A return without a call, which only a return stack shows, takes the packet back. */
static void note_undo(struct e4_decoder *dec)
{
	if (dec->queue.len)
		dec->undo.last = dec->queue.elems[dec->queue.len - 1];
	dec->undo.merged = dec->base.merged;
}

size_t e4_hot(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset)
{
	struct held held = { 0 };
	size_t done = 0;

	if (!is_quiet(dec) || !queue_reserve(&dec->queue, E4_BATCH + E4_PACKET_MAX))
		return 0;
	while (done < len && dec->queue.len + held.len < E4_BATCH && !dec->queue.no_memory) {
		uint8_t header = bytes[done];
		size_t used = 1;

		if (header >= FIRST_ATOM) {
			size_t mark = dec->queue.len;

			if (dec->return_stack_on && dec->code.merge)
				note_undo(dec);
			commit_held(dec, &held);
			if (!take_atoms(dec, atoms_of[header - FIRST_ATOM], offset + done)) {
				e4_contradiction(dec, mark, offset + done);
				return done + 1;
			}
		} else {
			used = take_other(dec, &held, bytes + done, len - done, offset + done);
			if (!used)
				break;
		}
		done += used;
	}
	keep_held(dec, &held);
	return done;
}
