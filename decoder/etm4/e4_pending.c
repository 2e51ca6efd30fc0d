/* SPDX-License-Identifier: Apache-2.0 */
#include "e4_pending.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

void e4_pending_free(struct e4_pending *pending)
{
	free(pending->elems);
	*pending = (struct e4_pending){ 0 };
}

int e4_pending_push(struct e4_pending *p, const struct e4_pend *elem)
{
	if (p->end == p->cap && p->head > p->cap / 2) {
		memmove(p->elems, p->elems + p->head, e4_pending_len(p) * sizeof(*p->elems));
		p->end -= p->head;
		p->head = 0;
	}
	return SL_ARRAY_PUSH(&p->elems, &p->end, &p->cap, *elem);
}

static bool is_kept(const struct e4_pend *e)
{
	return e->kind >= E4_P_TIME && e->kind <= E4_P_ITE;
}

/* The newest element that can be taken back loses up to count; whether something is left of it. */
static bool cancel_one(struct e4_pend *e, uint32_t *count)
{
	unsigned atoms = e->kind == E4_P_ATOMS ? e->count : 1;

	if (atoms > *count) {
		e->count = (uint8_t)(atoms - *count);
		*count = 0;
		return true;
	}
	*count -= atoms;
	return false;
}

uint32_t e4_pending_cancel(struct e4_pending *p, uint32_t count)
{
	size_t at = p->end, first = p->end; /* [first, end) of the elements are kept */

	while (count && at > p->head) {
		struct e4_pend *e = &p->elems[--at];

		if (e->is_p0 ? cancel_one(e, &count) : is_kept(e))
			p->elems[--first] = *e;
	}
	memmove(p->elems + at, p->elems + first, (p->end - first) * sizeof(*p->elems));
	p->end -= first - at;
	return count;
}

bool e4_pending_mispredict(struct e4_pending *p)
{
	size_t at = p->end;

	while (at > p->head) {
		struct e4_pend *e = &p->elems[--at];

		if (e->kind == E4_P_ATOMS) {
			e->bits ^= UINT32_C(1) << (e->count - 1);
			return true;
		}
		if (e->kind == E4_P_ADDRESS)
			memmove(e, e + 1, (--p->end - at) * sizeof(*e));
	}
	return false;
}
