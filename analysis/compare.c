/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

static void note_same(struct compare *c, const struct sl_elem *elems, size_t len)
{
	size_t n = len < COMPARE_BEFORE ? len : COMPARE_BEFORE, keep = COMPARE_BEFORE - n;

	if (!len)
		return;
	purpose_same(&c->purposes, elems, len);
	c->same += len;
	if (keep > c->before_len)
		keep = c->before_len;
	memmove(c->before, c->before + (c->before_len - keep), keep * sizeof(c->before[0]));
	memcpy(c->before + keep, elems + (len - n), n * sizeof(c->before[0]));
	c->before_len = keep + n;
}

static void note_after(struct compare *c, unsigned stream, const struct sl_elem *elems, size_t len)
{
	size_t room = COMPARE_AFTER - c->after_len[stream], n = len < room ? len : room;

	if (!n)
		return;
	memcpy(c->after[stream] + c->after_len[stream], elems, n * sizeof(*elems));
	c->after_len[stream] += n;
}

static void differ(struct compare *c)
{
	c->differs = true;
	note_after(c, c->ahead_of, c->ahead + c->ahead_head, c->ahead_len - c->ahead_head);
	compare_release(c);
}

/* Elements are compared as bytes: decoders leave no byte of them unset. */
bool compare_same(const struct sl_elem *a, const struct sl_elem *b)
{
	struct sl_elem other;

	if (sl_elem_same(a, b))
		return true;
	if (a->kind != SL_ELEM_RANGE || b->kind != SL_ELEM_RANGE || a->isa != SL_ISA_T32)
		return false;
	other = *b;
	other.flags ^= (a->flags ^ b->flags) & SL_FLAG_CONDITIONAL;
	return sl_elem_same(a, &other);
}

static size_t same_length(const struct sl_elem *a, const struct sl_elem *b, size_t len)
{
	size_t i = 0;

	while (i < len && compare_same(&a[i], &b[i]))
		i++;
	return i;
}

/* The next element of the stream that is ahead, and the other's (NULL: it has ended): whose are passed. false: they differ. */
static bool next_passes(struct compare *c, const struct sl_elem *other, bool *ret_ahead, bool *ret_other)
{
	const struct sl_elem *ahead = c->ahead + c->ahead_head;

	if (!c->purposes.image)
		return false;
	return c->ahead_of == c->fast ? purpose_pass(&c->purposes, ahead, other, ret_ahead, ret_other) :
					purpose_pass(&c->purposes, other, ahead, ret_other, ret_ahead);
}

/* A difference: passed where it is on purpose. How many of the other stream's elements that takes. */
static size_t pass(struct compare *c, const struct sl_elem *other)
{
	bool passes_ahead, passes_other;

	if (!next_passes(c, other, &passes_ahead, &passes_other)) {
		differ(c);
		return 0;
	}
	c->ahead_head += passes_ahead;
	return passes_other;
}

/* What the other stream had before; the elements that are left are those that differ or that it has not had. */
static size_t catch_up(struct compare *c, const struct sl_elem *elems, size_t len)
{
	size_t at = 0;

	while (at < len && c->ahead_head < c->ahead_len) {
		size_t ahead = c->ahead_len - c->ahead_head, n = len - at < ahead ? len - at : ahead;
		size_t same = c->purposes.lost ? 0 : same_length(c->ahead + c->ahead_head, elems + at, n);

		note_same(c, elems + at, same);
		c->ahead_head += same;
		at += same;
		if (same < n)
			at += pass(c, elems + at);
	}
	if (c->ahead_head == c->ahead_len)
		c->ahead_head = c->ahead_len = 0;
	return at;
}

static int keep(struct compare *c, unsigned stream, const struct sl_elem *elems, size_t len)
{
	size_t held = c->ahead_len - c->ahead_head;

	if (held + len > COMPARE_AHEAD_MAX) {
		c->held_back = true;
		differ(c);
		return SL_OK;
	}
	if (c->ahead_head)
		memmove(c->ahead, c->ahead + c->ahead_head, held * sizeof(*elems));
	c->ahead_head = 0;
	c->ahead_len = held;
	c->ahead_of = stream;
	if (sl_array_reserve((void **)&c->ahead, &c->ahead_cap, sizeof(*elems), held + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(c->ahead + held, elems, len * sizeof(*elems));
	c->ahead_len += len;
	return SL_OK;
}

int compare_add(struct compare *c, unsigned stream, const struct sl_elem *elems, size_t len)
{
	if (!c->differs && c->ahead_len && c->ahead_of != stream) {
		size_t same = catch_up(c, elems, len);

		elems += same;
		len -= same;
	}
	if (!c->differs && len)
		return keep(c, stream, elems, len);
	if (c->differs)
		note_after(c, stream, elems, len);
	return SL_OK;
}

void compare_finish(struct compare *c)
{
	while (!c->differs && c->ahead_head < c->ahead_len)
		pass(c, NULL);
	compare_release(c);
}

void compare_release(struct compare *c)
{
	free(c->ahead);
	c->ahead = NULL;
	c->ahead_head = c->ahead_len = c->ahead_cap = 0;
}

uint64_t compare_offset(const struct compare *c)
{
	uint64_t first = c->after_len[0] ? c->after[0][0].offset : UINT64_MAX;
	uint64_t second = c->after_len[1] ? c->after[1][0].offset : UINT64_MAX;

	return first < second ? first : second;
}
