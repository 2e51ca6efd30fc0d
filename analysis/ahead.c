/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

static int keep(struct ahead *ahead, const struct sl_elem *elems, size_t len)
{
	if (sl_array_reserve((void **)&ahead->elems, &ahead->cap, sizeof(*elems), ahead->len + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(ahead->elems + ahead->len, elems, len * sizeof(*elems));
	ahead->len += len;
	return SL_OK;
}

/* The first ones of those that wait. */
static int feed_kept(struct ahead *ahead, struct sl_callstack *cs, size_t len)
{
	int result = len ? sl_callstack_feed(cs, ahead->elems, len) : SL_OK;

	if (!len)
		return result;
	ahead->fed += len;
	ahead->len -= len;
	memmove(ahead->elems, ahead->elems + len, ahead->len * sizeof(*ahead->elems));
	return result;
}

int ahead_feed(struct ahead *ahead, struct sl_callstack *cs, const struct sl_elem *elems, size_t len)
{
	uint64_t ready = sl_callstack_look(cs, elems, len) - ahead->fed;

	if (!ahead->len && ready >= len) {
		ahead->fed += len;
		return sl_callstack_feed(cs, elems, len);
	}
	if (len && keep(ahead, elems, len) < 0)
		return SL_ERR_NOMEM;
	if (ahead->len > AHEAD_MOST && ready < ahead->len - AHEAD_MOST)
		ready = ahead->len - AHEAD_MOST;
	/* what is left is moved: that pays where it is the smaller part */
	return ready < ahead->len / 2 && ahead->len <= AHEAD_MOST ? SL_OK : feed_kept(ahead, cs, (size_t)ready);
}

int ahead_finish(struct ahead *ahead, struct sl_callstack *cs)
{
	return feed_kept(ahead, cs, ahead->len);
}

void ahead_release(struct ahead *ahead)
{
	free(ahead->elems);
}
