/* SPDX-License-Identifier: Apache-2.0 */
#include "speculation.h"

#include <string.h>

/* An atom, another element that can be committed, an address, and what survives a cancel or does not. */
enum { ATOM = 'T', P0 = 'P', ADDRESS = 'A', KEPT = 'K', OTHER = 'O' };

static bool is_p0(char kind)
{
	return kind == ATOM || kind == P0;
}

static void push(struct speculation *spec, char kind, unsigned count)
{
	while (count--) {
		if (spec->len == SPECULATION_KEPT) {
			spec->len = SPECULATION_KEPT / 2;
			memmove(spec->kinds, spec->kinds + SPECULATION_KEPT / 2, spec->len);
		}
		spec->kinds[spec->len++] = kind;
		spec->depth += is_p0(kind);
	}
}

void speculation_reset(struct speculation *spec)
{
	spec->len = 0;
	spec->depth = 0;
	spec->incomplete = false;
}

/* The oldest count elements that can be committed leave, with what lies before them. */
static void commit(struct speculation *spec, uint64_t count)
{
	size_t old = 0;

	spec->depth -= count < spec->depth ? count : spec->depth;
	while (count && old < spec->len)
		count -= is_p0(spec->kinds[old++]);
	spec->len -= old;
	memmove(spec->kinds, spec->kinds + old, spec->len);
}

static uint64_t held(const struct speculation *spec)
{
	uint64_t count = 0;

	for (size_t i = 0; i < spec->len; i++)
		count += is_p0(spec->kinds[i]);
	return count;
}

/* Takes back the newest count elements that can be committed; events, times and counts among them stay. */
static void cancel(struct speculation *spec, uint32_t count)
{
	unsigned kept = 0;

	while (count && spec->len) {
		char kind = spec->kinds[--spec->len];

		if (is_p0(kind)) {
			count--;
			spec->depth -= spec->depth > 0;
		}
		kept += kind == KEPT;
	}
	push(spec, KEPT, kept);
}

/* From the newest on: addresses, then anything but addresses, then an atom. */
static bool is_safe(const struct speculation *spec)
{
	size_t i = spec->len;

	while (i && spec->kinds[i - 1] == ADDRESS)
		i--;
	while (i && spec->kinds[i - 1] != ADDRESS && spec->kinds[i - 1] != ATOM)
		i--;
	return i && spec->kinds[i - 1] == ATOM;
}

/* Whether atoms of the packet count before or after what it cancels depends on the version: both must be safe. */
static bool mispredict(struct speculation *spec, uint32_t cancels, unsigned atoms)
{
	struct speculation after = *spec;
	bool safe = cancels <= held(spec);

	push(&after, ATOM, atoms);
	cancel(&after, cancels);
	cancel(spec, cancels);
	safe = safe && is_safe(spec) && is_safe(&after);
	push(spec, ATOM, atoms);
	return safe;
}

static void push_packet(struct speculation *spec, const struct speculation_packet *p)
{
	switch (p->step) {
	case SPEC_ATOMS:
		push(spec, ATOM, p->count);
		break;
	case SPEC_CONTEXT_ADDRESS:
		push(spec, OTHER, 1);
		push(spec, ADDRESS, 1);
		spec->incomplete = false;
		break;
	case SPEC_ADDRESS:
		push(spec, ADDRESS, 1);
		spec->incomplete = false;
		break;
	case SPEC_KEPT:
		push(spec, KEPT, 1);
		break;
	case SPEC_P0_ADDRESS:
	case SPEC_P0_OPEN:
		push(spec, P0, 1);
		spec->incomplete = p->step == SPEC_P0_OPEN;
		break;
	case SPEC_P0:
		push(spec, P0, 1);
		break;
	case SPEC_LOST:
		speculation_reset(spec);
		break;
	case SPEC_DEPTH:
		if (p->count > spec->depth)
			spec->depth = p->count;
		break;
	case SPEC_NOTHING:
		break;
	default:
		push(spec, OTHER, 1);
	}
}

static bool take_packet(struct speculation *spec, const struct speculation_packet *p)
{
	switch (p->step) {
	case SPEC_COMMIT:
		/* an exception or Q element whose address has not come yet cannot be committed */
		if (spec->incomplete && p->count >= held(spec))
			return false;
		commit(spec, p->count);
		return true;
	case SPEC_MISPREDICT:
		return mispredict(spec, p->count, p->atoms);
	case SPEC_CANCEL:
		if (p->count > held(spec))
			return false;
		cancel(spec, p->count);
		return true;
	default:
		push_packet(spec, p);
		return true;
	}
}

bool speculation_take(struct speculation *spec, const struct speculation_packet *packet)
{
	bool safe = take_packet(spec, packet);

	if (spec->depth > spec->max_depth)
		commit(spec, spec->depth - spec->max_depth);
	return safe;
}
