/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls of a row are inside of another one: frames do not tell it of what is no function, nor when a call begins. */
#include "profile.h"

#include <stdlib.h>

#include "sl_array.h"

/* The stack's frames, up to before a depth; NULL: no memory. */
static struct nest *nest_of(struct sl_profile *p, uint32_t stack, uint32_t depth)
{
	static const struct nest none;
	static const struct nest_frame unknown = { UINT32_MAX, false, false };
	struct nest *nest;

	while (p->nest_count <= stack) {
		if (SL_ARRAY_PUSH(&p->nests_of, &p->nest_count, &p->nest_cap, none) < 0)
			return NULL;
	}
	nest = &p->nests_of[stack];
	while (nest->len < depth) {
		if (SL_ARRAY_PUSH(&nest->frames, &nest->len, &nest->cap, unknown) < 0)
			return NULL;
	}
	nest->len = depth;
	return nest;
}

static bool is_open(const struct nest *nest, uint32_t row)
{
	for (size_t i = nest->len; i-- > 0 && !nest->frames[i].level;) {
		if (nest->frames[i].row == row)
			return true;
	}
	return false;
}

static void push(struct sl_profile *p, struct nest *nest, struct nest_frame frame)
{
	if (!nest || SL_ARRAY_PUSH(&nest->frames, &nest->len, &nest->cap, frame) < 0)
		p->no_memory = true;
}

bool profile_nest_enter(struct sl_profile *p, const struct sl_call *call, uint32_t row)
{
	struct nest *nest = nest_of(p, call->stack, call->depth);
	struct nest_frame frame = { row, false, nest && row != UINT32_MAX && is_open(nest, row) };

	push(p, nest, frame);
	return frame.inner;
}

void profile_nest_level(struct sl_profile *p, const struct sl_call *call)
{
	push(p, nest_of(p, call->stack, call->depth), (struct nest_frame){ UINT32_MAX, true, false });
}

bool profile_nest_leave(struct sl_profile *p, const struct sl_call *call)
{
	struct nest *nest = call->stack < p->nest_count ? &p->nests_of[call->stack] : NULL;

	if (!nest || call->depth >= nest->len)
		return false;
	nest->len = call->depth;
	return nest->frames[call->depth].inner;
}

void profile_nest_release(struct sl_profile *p)
{
	for (size_t i = 0; i < p->nest_count; i++)
		free(p->nests_of[i].frames);
	free(p->nests_of);
}
