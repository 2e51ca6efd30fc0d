/* SPDX-License-Identifier: Apache-2.0 */
#include "speculation.h"

#include <string.h>

/*
 * Kinds of elements. A packet's atoms are one element of OpenCSD's: the first of them, and more. P0: can be committed; Q with its
 * address, Q and exception whose address follows.
 */
enum { ATOM = 'T', MORE_ATOMS = 't', P0 = 'P', SOURCE = 'S', Q = 'Q', Q_OPEN = 'q', EXCEPTION = 'x', ADDRESS = 'A', CONTEXT = 'C',
       KEPT = 'K', OTHER = 'O' };

enum outcome {
	TAKEN,
	LOST,	/* OpenCSD finds a contradiction, and loses its sync */
	UNSAFE, /* it would crash */
};

static bool is_atom(char kind)
{
	return kind == ATOM || kind == MORE_ATOMS;
}

static bool is_p0(char kind)
{
	return is_atom(kind) || kind == P0 || kind == Q || kind == Q_OPEN || kind == EXCEPTION;
}

static void push(struct speculation *spec, char kind)
{
	if (spec->len == SPECULATION_KEPT) {
		spec->len = SPECULATION_KEPT / 2;
		memmove(spec->kinds, spec->kinds + SPECULATION_KEPT / 2, spec->len);
	}
	spec->kinds[spec->len++] = kind;
}

static void push_counted(struct speculation *spec, char kind)
{
	push(spec, kind);
	spec->depth++;
}

static void push_atoms(struct speculation *spec, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		push_counted(spec, i ? MORE_ATOMS : ATOM);
}

/* It is counted when its address comes. */
static void push_open(struct speculation *spec, char kind)
{
	push(spec, kind);
	spec->waits = true;
}

static void push_address(struct speculation *spec)
{
	push(spec, ADDRESS);
	spec->depth += spec->waits;
	spec->waits = false;
}

void speculation_reset(struct speculation *spec)
{
	spec->stage = SPEC_WAIT_SYNC;
	spec->len = 0;
	spec->depth = 0;
	spec->waits = false;
}

static void drop_oldest(struct speculation *spec, size_t count)
{
	spec->len -= count;
	memmove(spec->kinds, spec->kinds + count, spec->len);
}

/* From at on, the address that an exception or Q element takes along; ret_has_context: with a context before it. */
static enum outcome take_address(const struct speculation *spec, size_t *at, bool *ret_has_context)
{
	*ret_has_context = *at < spec->len && spec->kinds[*at] == CONTEXT;
	*at += *ret_has_context;
	if (*at == spec->len)
		return UNSAFE;
	return spec->kinds[(*at)++] == ADDRESS ? TAKEN : LOST;
}

/*
 * Behind a Q element, which is the oldest: a context that comes with its address becomes the newest element, and the oldest
 * is dropped, whatever that is.
 */
static enum outcome commit_q(struct speculation *spec)
{
	bool is_open = spec->kinds[0] == Q_OPEN, has_context = false;
	enum outcome outcome = TAKEN;
	size_t at = 1;

	if (is_open)
		outcome = take_address(spec, &at, &has_context);
	drop_oldest(spec, at);
	if (has_context)
		push(spec, CONTEXT);
	at = spec->len > 0;
	while (at < spec->len && spec->kinds[at] == MORE_ATOMS)
		at++;
	drop_oldest(spec, at);
	return outcome;
}

/* The oldest elements up to the first Q element or to the last of count; those that are left to commit. */
static int64_t commit_some(struct speculation *spec, int64_t count, enum outcome *ret)
{
	size_t at = 0;
	bool has_context;

	while (count && at < spec->len && *ret == TAKEN) {
		char kind = spec->kinds[at];

		if (kind == Q || kind == Q_OPEN)
			break;
		at++;
		count -= is_p0(kind) || kind == SOURCE;
		if (kind == EXCEPTION)
			*ret = take_address(spec, &at, &has_context);
	}
	drop_oldest(spec, at);
	return count;
}

static enum outcome commit(struct speculation *spec, int64_t count)
{
	enum outcome outcome = TAKEN;

	spec->depth -= count;
	while (count && outcome == TAKEN) {
		count = commit_some(spec, count, &outcome);
		if (!count || outcome != TAKEN)
			break;
		if (!spec->len)
			return LOST;
		outcome = commit_q(spec);
		count--;
	}
	return outcome;
}

/* Takes back the newest count elements that can be committed; events, times and counts among them stay. */
static enum outcome cancel(struct speculation *spec, uint32_t count)
{
	unsigned kept = 0;

	spec->depth -= count;
	while (count && spec->len) {
		char kind = spec->kinds[--spec->len];

		count -= is_p0(kind);
		kept += kind == KEPT;
	}
	while (kept--)
		push(spec, KEPT);
	return count ? UNSAFE : TAKEN;
}

/* From the newest on: addresses, which are erased, then anything but addresses, then an atom. */
static enum outcome mispredict(struct speculation *spec)
{
	size_t i = spec->len;

	while (i && spec->kinds[i - 1] == ADDRESS)
		i--;
	spec->len = i;
	while (i && spec->kinds[i - 1] != ADDRESS && !is_atom(spec->kinds[i - 1]))
		i--;
	return i && is_atom(spec->kinds[i - 1]) ? TAKEN : UNSAFE;
}

static void push_packet(struct speculation *spec, const struct speculation_packet *p)
{
	switch (p->step) {
	case SPEC_ATOMS:
		push_atoms(spec, p->count);
		break;
	case SPEC_CONTEXT_ADDRESS:
		push(spec, CONTEXT);
		push_address(spec);
		break;
	case SPEC_ADDRESS:
		push_address(spec);
		break;
	case SPEC_CONTEXT:
		push(spec, CONTEXT);
		break;
	case SPEC_SOURCE:
		push_counted(spec, SOURCE);
		break;
	case SPEC_KEPT:
		push(spec, KEPT);
		break;
	case SPEC_P0:
		push_counted(spec, P0);
		break;
	case SPEC_EXCEPTION:
		push_open(spec, EXCEPTION);
		break;
	case SPEC_Q:
		push_open(spec, Q_OPEN);
		break;
	case SPEC_Q_ADDRESS:
		push_counted(spec, Q);
		break;
	case SPEC_MISPREDICT:
		push_atoms(spec, p->atoms);
		break;
	case SPEC_OTHER:
		push(spec, OTHER);
		break;
	default:
		break;
	}
}

/* Its elements first, then what is committed for it or beyond the depth, then what it takes back. */
static enum outcome decode(struct speculation *spec, const struct speculation_packet *p)
{
	int64_t commits = p->step == SPEC_COMMIT || p->step == SPEC_KEPT ? p->count : 0;
	enum outcome outcome;

	push_packet(spec, p);
	if (spec->depth > spec->max_depth)
		commits = spec->depth - spec->max_depth;
	outcome = commit(spec, commits);
	if (outcome == TAKEN && (p->step == SPEC_CANCEL || p->step == SPEC_MISPREDICT))
		outcome = cancel(spec, p->count);
	if (outcome == TAKEN && p->step == SPEC_MISPREDICT)
		outcome = mispredict(spec);
	return outcome;
}

bool speculation_take(struct speculation *spec, const struct speculation_packet *packet)
{
	enum outcome outcome = TAKEN;

	if (spec->stage == SPEC_WAIT_SYNC && packet->step == SPEC_SYNC) {
		spec->stage = SPEC_WAIT_INFO;
	} else if (spec->stage == SPEC_WAIT_INFO && packet->step == SPEC_DEPTH) {
		spec->stage = SPEC_DECODE;
		spec->depth = packet->count;
	} else if (spec->stage == SPEC_DECODE) {
		outcome = packet->step == SPEC_LOST ? LOST : decode(spec, packet);
	}
	if (outcome != TAKEN)
		speculation_reset(spec);
	return outcome != UNSAFE;
}
