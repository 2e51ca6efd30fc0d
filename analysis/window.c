/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

static void release(struct kept *kept)
{
	free(kept->elems);
	free(kept->cuts);
}

void window_release(struct window *w)
{
	release(&w->kept);
	release(&w->added);
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
	struct kept *kept = &w->kept;
	size_t gone = (size_t)(w->taken - w->first);

	if (!gone || gone < kept->len - gone)
		return;
	memmove(kept->elems, kept->elems + gone, (kept->len - gone) * sizeof(*kept->elems));
	kept->len -= gone;
	w->first = w->taken;
	memmove(kept->cuts, kept->cuts + w->cut_next, (kept->cut_len - w->cut_next) * sizeof(*kept->cuts));
	kept->cut_len -= w->cut_next;
	w->cut_next = 0;
}

static int append(struct kept *kept, const struct sl_elem *elems, size_t len)
{
	if (sl_array_reserve((void **)&kept->elems, &kept->cap, sizeof(*elems), kept->len + len) < 0)
		return SL_ERR_NOMEM;
	if (len)
		memcpy(kept->elems + kept->len, elems, len * sizeof(*elems));
	kept->len += len;
	return SL_OK;
}

/* Where what is added goes to. */
static struct kept *target(struct window *w)
{
	return w->apart ? &w->added : &w->kept;
}

int window_add(struct window *w, const struct sl_elem *elems, size_t len)
{
	struct kept *to = target(w);

	if (!w->apart)
		make_room(w);
	if (append(to, elems, len) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < len; i++) {
		if (is_cut(&elems[i]) &&
		    SL_ARRAY_PUSH(&to->cuts, &to->cut_len, &to->cut_cap, ((struct cut){ .at = w->count + i })) < 0)
			return SL_ERR_NOMEM;
	}
	w->count += len;
	return SL_OK;
}

int window_stretch(struct window *w, const struct sl_stretch *stretch)
{
	struct cut cut = { .at = w->count, .stretch = stretch };
	struct kept *to = target(w);

	return SL_ARRAY_PUSH(&to->cuts, &to->cut_len, &to->cut_cap, cut);
}

int window_end_epoch(struct window *w)
{
	return SL_ARRAY_PUSH(&w->ends, &w->end_len, &w->end_cap, w->count);
}

/* Where all is taken, what was added takes its place, and its memory is for what comes then. */
static bool exchange(struct window *w)
{
	struct kept old = w->kept;

	if (w->taken != w->first + old.len || w->cut_next != old.cut_len)
		return false;
	w->first = w->taken;
	w->cut_next = 0;
	w->kept = w->added;
	old.len = old.cut_len = 0;
	w->added = old;
	return true;
}

/* What was added comes behind what is left. */
static int join(struct window *w)
{
	struct kept *kept = &w->kept, *added = &w->added;

	if (exchange(w))
		return SL_OK;
	make_room(w);
	if (append(kept, added->elems, added->len) < 0 ||
	    sl_array_reserve((void **)&kept->cuts, &kept->cut_cap, sizeof(*kept->cuts), kept->cut_len + added->cut_len) < 0)
		return SL_ERR_NOMEM;
	if (added->cut_len)
		memcpy(kept->cuts + kept->cut_len, added->cuts, added->cut_len * sizeof(*added->cuts));
	kept->cut_len += added->cut_len;
	added->len = added->cut_len = 0;
	return SL_OK;
}

int window_open(struct window *w)
{
	if (!w->end_len)
		return SL_OK;
	if (w->apart && join(w) < 0)
		return SL_ERR_NOMEM;
	w->open = w->ends[0];
	memmove(w->ends, w->ends + 1, --w->end_len * sizeof(*w->ends));
	return SL_OK;
}

void window_set_ready(struct window *w, uint64_t until)
{
	if (until > w->open)
		until = w->open;
	if (until > w->ready)
		w->ready = until;
}

void window_take(struct window *w, uint64_t until)
{
	w->taken = until;
	while (w->cut_next < w->kept.cut_len && w->kept.cuts[w->cut_next].at < until)
		w->cut_next++;
}
