/* SPDX-License-Identifier: Apache-2.0 */
#include "trust.h"

#include <stdlib.h>
#include <string.h>

enum {
	HELD_BYTES = 1 << 16, /* of trace whose sync points are far apart */
	OPEN_BYTES = 1 << 14, /* of such as has passed sync points that could not be compared */
	PLACES_MAX = 2,	    /* at more it may be damage as well */
	AGAIN_MIN = 3,	    /* so often a place has to be contradicted to be the image's fault */
	ALWAYS_MIN = 5,	    /* and so often any, of trace of which next to nothing is confirmed */
	PASSED_MIN = 200,   /* instructions to each place's contradictions: else it is another program (as in flow_check.c) */
};

void trust_release(struct trust *trust)
{
	free(trust->elems);
	*trust = (struct trust){ 0 };
}

/* Room for more behind what is held: what was lent is forgotten, once that is most of it. */
static int make_room(struct trust *trust, size_t more)
{
	if (trust->head && (trust->head > trust->cap / 2 || trust->head == trust->len)) {
		memmove(trust->elems, trust->elems + trust->head, (trust->len - trust->head) * sizeof(*trust->elems));
		trust->settled -= trust->head;
		trust->since -= trust->head;
		trust->len -= trust->head;
		trust->head = 0;
	}
	return sl_array_reserve((void **)&trust->elems, &trust->cap, sizeof(*trust->elems), trust->len + more);
}

/* What a doubt takes away; times, and whose trace it is, stay. */
static bool is_flow(const struct sl_elem *elem)
{
	switch (elem->kind) {
	case SL_ELEM_RANGE:
	case SL_ELEM_RANGE_NO_PATH:
	case SL_ELEM_EXCEPTION:
	case SL_ELEM_EXCEPTION_RETURN:
		return true;
	case SL_ELEM_GAP:
		return elem->count == SL_GAP_NO_IMAGE || elem->count == SL_GAP_NO_ADDRESS || elem->count == SL_GAP_RUNAWAY;
	default:
		return false;
	}
}

static void drop(struct trust *trust, const struct sl_elem *elem)
{
	if (elem->kind == SL_ELEM_RANGE || elem->kind == SL_ELEM_RANGE_NO_PATH)
		trust->insns += elem->count;
}

/* From elems[from] to elems[to - 1]; elems may be NULL where that is nothing. */
static void append(struct trust *trust, const struct sl_elem *elems, size_t from, size_t to)
{
	if (from == to)
		return;
	if (!trust->doubtful) {
		memcpy(trust->elems + trust->len, elems + from, (to - from) * sizeof(*elems));
		trust->len += to - from;
		return;
	}
	for (size_t i = from; i < to; i++) {
		if (is_flow(&elems[i]))
			drop(trust, &elems[i]);
		else
			trust->elems[trust->len++] = elems[i];
	}
	trust->settled = trust->since = trust->len;
}

/* How often the flow has been contradicted at this address. Damage seldom comes back to a place; a wrong image does. */
static uint64_t count_site(struct trust *trust, uint64_t address)
{
	struct trust_site *site = &trust->sites[(address >> 1 ^ address >> 9) % TRUST_SITES];

	if (site->address != address)
		*site = (struct trust_site){ .address = address };
	trust->places += !site->count;
	return ++site->count;
}

static struct sl_trust_part *part_of(struct trust *trust)
{
	return trust->gap == SL_GAP_IMAGE ? &trust->account.image : &trust->account.untrusted;
}

/* The flow held from index from on becomes one gap, which goes on. */
static void begin_gap(struct trust *trust, size_t from, const struct sl_mark *mark)
{
	struct sl_elem gap = { .offset = mark->offset, .kind = SL_ELEM_GAP, .count = trust->gap };
	struct sl_trust_part *part = part_of(trust);
	size_t len = trust->len - from;

	if (len)
		gap.offset = trust->elems[from].offset;
	if (mark->address) {
		gap.flags = SL_FLAG_ADDRESS;
		gap.address = mark->address;
	}
	if (!part->count++) {
		part->first_offset = mark->offset;
		part->first_address = mark->address;
		part->cause = mark->kind;
	}
	trust->doubtful = true;
	/* in place: what is kept goes one further up, into the room that make_room() has left */
	if (len)
		memmove(trust->elems + from + 1, trust->elems + from, len * sizeof(*trust->elems));
	trust->elems[from] = gap;
	trust->len = trust->settled = trust->since = from + 1;
	append(trust, trust->elems, from + 1, from + 1 + len);
}

/* Instructions that may not have been executed, and are no function's. */
static void end_gap(struct trust *trust, uint64_t offset)
{
	struct sl_elem lost = { .offset = offset, .kind = SL_ELEM_RANGE_NO_PATH };

	part_of(trust)->insns += trust->insns;
	lost.count = trust->insns < UINT32_MAX ? (uint32_t)trust->insns : UINT32_MAX;
	if (lost.count)
		trust->elems[trust->len++] = lost;
	trust->insns = 0;
	trust->doubtful = false;
	trust->settled = trust->since = trust->len;
}

/* Where the trace told an address last, as far as elements say: from there on the image led. */
static size_t last_told(const struct trust *trust)
{
	size_t i = trust->len;

	while (i > trust->since) {
		const struct sl_elem *e = &trust->elems[i - 1];

		if (e->kind == SL_ELEM_EXCEPTION || e->kind == SL_ELEM_EXCEPTION_RETURN || e->kind == SL_ELEM_GAP)
			break;
		if (e->kind == SL_ELEM_RANGE && sl_elem_last(e) == SL_LAST_INDIRECT && e->flags & SL_FLAG_EXECUTED)
			break;
		i--;
	}
	return i;
}

static bool holds_flow(const struct trust *trust)
{
	size_t i = trust->settled;

	while (i < trust->len && !is_flow(&trust->elems[i]))
		i++;
	return i < trust->len;
}

/* Where good packets are contradicted again and again at one place, or as good as always, the image is wrong. */
static bool is_image(const struct trust *trust, uint64_t times_here)
{
	bool always = trust->doubts >= ALWAYS_MIN && trust->passed / PASSED_MIN < trust->doubts;

	return !trust->bad_packets && (always || (times_here >= AGAIN_MIN && !trust->damaged));
}

/*
 * What is held is wrong somewhere, and mostly nobody knows where. Only where a wrong image is all, and an address has just set
 * the flow right, is it known: where the image led since the address before.
 */
static void doubt(struct trust *trust, const struct sl_mark *mark)
{
	uint64_t times_here = mark->address ? count_site(trust, mark->address) : 0;
	bool few = trust->passed / PASSED_MIN > trust->account.image.count;

	trust->doubts++;
	trust->bad_packets |= mark->kind == SL_MARK_PACKET;
	trust->damaged |= trust->bad_packets || trust->places > PLACES_MAX;
	if (mark->kind == SL_MARK_PACKET && !holds_flow(trust))
		return;
	trust->gap = is_image(trust, times_here) ? SL_GAP_IMAGE : SL_GAP_UNTRUSTED;
	if (times_here >= AGAIN_MIN && !trust->damaged && mark->kind == SL_MARK_ADDRESS && few) {
		begin_gap(trust, last_told(trust), mark);
		end_gap(trust, mark->offset);
		return;
	}
	/* where an image is all that is wrong, a sync point that could not be compared is one all the same */
	begin_gap(trust, trust->gap == SL_GAP_IMAGE ? trust->since : trust->settled, mark);
}

/* A64 only: BL, or BLR in any of its forms, with pointer authentication. */
static bool is_call(const uint8_t bytes[4])
{
	uint32_t insn = (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];

	return insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800;
}

static bool may_call(const struct trust *trust, uint64_t address)
{
	struct sl_symbol_range symbol = sl_image_symbol_at(trust->image, trust->core, address);

	return !symbol.id || sl_image_symbol(trust->image, symbol.id)->page || symbol.entry == address;
}

/* Whether a return may lead there: behind a call, or by an address made by hand. What no image shows may be all. */
static bool may_return_to(const struct trust *trust, uint64_t address)
{
	struct sl_bytes code = sl_image_bytes(trust->image, trust->core, SL_SPACE_ANY, address - 4);

	return code.len < 4 || is_call(code.data) || may_call(trust, address);
}

static bool may_lead_to(const struct trust *trust, const struct sl_elem *branch, uint64_t address)
{
	if (branch->isa != SL_ISA_A64 || sl_elem_last(branch) != SL_LAST_INDIRECT || !(branch->flags & SL_FLAG_EXECUTED))
		return true;
	switch (sl_elem_branch(branch)) {
	case SL_BRANCH_RETURN:
		return may_return_to(trust, address);
	case SL_BRANCH_CALL:
		return may_call(trust, address);
	default:
		return true;
	}
}

/* Where a bit of an address is wrong, the flow may come back from there as if nothing had been. */
static bool is_plausible(struct trust *trust)
{
	const struct sl_elem *last = NULL;

	for (size_t i = trust->since; trust->image && i < trust->len; i++) {
		const struct sl_elem *e = &trust->elems[i];

		if (e->kind == SL_ELEM_SPACE)
			trust->core = e->count;
		if (e->kind == SL_ELEM_RANGE && last && !may_lead_to(trust, last, e->range.start))
			return false;
		if (is_flow(e))
			last = e->kind == SL_ELEM_RANGE ? e : NULL;
	}
	return true;
}

/* A sync point that could not be compared: what came before is neither confirmed nor refuted. */
static void pass_open(struct trust *trust, const struct sl_mark *mark)
{
	if (trust->damaged && holds_flow(trust)) {
		trust->gap = SL_GAP_UNTRUSTED;
		begin_gap(trust, trust->since, mark);
		end_gap(trust, mark->offset);
	}
	if (trust->len > trust->settled && mark->offset - trust->elems[trust->settled].offset > OPEN_BYTES)
		trust->settled = trust->since;
	trust->since = trust->len;
}

static void take_mark(struct trust *trust, const struct sl_mark *mark)
{
	if (trust->doubtful) {
		if (mark->kind <= SL_MARK_CONFIRMED)
			end_gap(trust, mark->offset);
	} else if (mark->kind > SL_MARK_CONFIRMED) {
		doubt(trust, mark);
	} else if (mark->kind == SL_MARK_SYNC || (trust->damaged && !is_plausible(trust))) {
		pass_open(trust, mark);
	} else {
		trust->settled = trust->since = trust->len;
	}
}

/* What is held for too long is passed on: whatever batches it came in. */
static void limit(struct trust *trust)
{
	size_t at = trust->settled;

	if (at == trust->len || trust->elems[trust->len - 1].offset - trust->elems[at].offset <= HELD_BYTES)
		return;
	for (size_t i = at + 1; i < trust->len; i++) {
		if (trust->elems[i].offset - trust->elems[at].offset > HELD_BYTES)
			trust->settled = trust->since = at = i;
	}
}

int trust_take(struct trust *trust, const struct sl_elem *elems, size_t len, const struct sl_mark *marks, size_t mark_count)
{
	size_t done = 0;

	/* a mark adds no more than a gap and what it has cost */
	if (make_room(trust, len + 2 * mark_count) < 0)
		return SL_ERR_NOMEM;
	for (size_t m = 0; m < mark_count; m++) {
		size_t at = done;

		while (at < len && elems[at].offset < marks[m].offset)
			at++;
		append(trust, elems, done, at);
		limit(trust);
		done = at;
		take_mark(trust, &marks[m]);
	}
	append(trust, elems, done, len);
	limit(trust);
	return SL_OK;
}

int trust_finish(struct trust *trust)
{
	struct sl_mark end = { .kind = SL_MARK_SYNC };

	if (make_room(trust, 2) < 0)
		return SL_ERR_NOMEM;
	end.offset = trust->len ? trust->elems[trust->len - 1].offset : 0;
	take_mark(trust, &end);
	trust->settled = trust->since = trust->len;
	return SL_OK;
}

size_t trust_lend(struct trust *trust, const struct sl_elem **ret)
{
	size_t len = trust->settled - trust->head;

	*ret = len ? trust->elems + trust->head : NULL;
	for (size_t i = trust->head; i < trust->settled; i++)
		trust->passed += trust->elems[i].kind == SL_ELEM_RANGE ? trust->elems[i].count : 0;
	trust->head = trust->settled;
	return len;
}
