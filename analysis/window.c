/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

void window_release(struct window *w)
{
	free(w->elems);
	free(w->cuts);
	free(w->ends);
	*w = (struct window){ 0 };
}

static bool is_cut(const struct sl_elem *elem)
{
	enum { CUTS = 1 << SL_ELEM_TIME | 1 << SL_ELEM_CONTEXT | 1 << SL_ELEM_TASK };

	return CUTS >> elem->kind & 1;
}

/* What was taken makes room: at times, so that each element is moved once at most. */
static void make_room(struct window *w)
{
	size_t gone = (size_t)(w->taken - w->first);

	if (gone < w->len - gone)
		return;
	memmove(w->elems, w->elems + gone, (w->len - gone) * sizeof(*w->elems));
	w->len -= gone;
	w->first = w->taken;
	memmove(w->cuts, w->cuts + w->cut_next, (w->cut_len - w->cut_next) * sizeof(*w->cuts));
	w->cut_len -= w->cut_next;
	w->cut_next = 0;
}

int window_add(struct window *w, const struct sl_elem *elems, size_t len)
{
	uint64_t number;

	if (w->taken > w->first)
		make_room(w);
	if (sl_array_reserve((void **)&w->elems, &w->cap, sizeof(*elems), w->len + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(w->elems + w->len, elems, len * sizeof(*elems));
	number = w->first + w->len;
	w->len += len;
	for (size_t i = 0; i < len; i++) {
		if (is_cut(&elems[i]) &&
		    SL_ARRAY_PUSH(&w->cuts, &w->cut_len, &w->cut_cap, ((struct cut){ .at = number + i })) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

int window_stretch(struct window *w, const struct sl_stretch *stretch)
{
	struct cut cut = { .at = w->first + w->len, .stretch = stretch };

	return SL_ARRAY_PUSH(&w->cuts, &w->cut_len, &w->cut_cap, cut);
}

int window_end_epoch(struct window *w)
{
	uint64_t end = w->first + w->len;

	return SL_ARRAY_PUSH(&w->ends, &w->end_len, &w->end_cap, end);
}

void window_open(struct window *w)
{
	if (!w->end_len)
		return;
	w->open = w->ends[0];
	memmove(w->ends, w->ends + 1, --w->end_len * sizeof(*w->ends));
}

void window_take(struct window *w, uint64_t until)
{
	w->taken = until;
	while (w->cut_next < w->cut_len && w->cuts[w->cut_next].at < until)
		w->cut_next++;
}
