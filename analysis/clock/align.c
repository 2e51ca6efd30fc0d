/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_align.h"

#include <stdlib.h>

struct span {
	uint64_t first, last;
	size_t lanes;
};

static uint64_t moved(uint64_t tick, int64_t offset)
{
	uint64_t distance = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;

	if (offset < 0)
		return tick > distance ? tick - distance : 0;
	return tick > UINT64_MAX - distance ? UINT64_MAX : tick + distance;
}

static struct span span_of(const struct sl_align_lane *lane)
{
	return (struct span){ moved(lane->first, lane->offset), moved(lane->last, lane->offset), 1 };
}

static int by_first(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static size_t timed_spans(const struct sl_align_lane *lanes, size_t len, struct span *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (lanes[i].timed)
			ret[n++] = span_of(&lanes[i]);
	}
	qsort(ret, n, sizeof(*ret), by_first);
	return n;
}

/* Whether a span begins no further behind another than that is long, or than it is long itself: tracing may have paused. */
static bool goes_on(const struct span *before, const struct span *span)
{
	uint64_t longest = before->last - before->first;

	if (span->last - span->first > longest)
		longest = span->last - span->first;
	return span->first <= before->last || span->first - before->last <= longest;
}

/* Spans in a row become one; the one of the most lanes, of several the first. There is one at least. */
static struct span most_lanes(const struct span *spans, size_t len)
{
	struct span best = { 0 }, now = spans[0];

	for (size_t i = 1; i < len; i++) {
		if (!goes_on(&now, &spans[i])) {
			if (now.lanes > best.lanes)
				best = now;
			now = spans[i];
			continue;
		}
		now.lanes++;
		if (spans[i].last > now.last)
			now.last = spans[i].last;
	}
	return now.lanes > best.lanes ? now : best;
}

/* b - a, as far as it fits. */
static int64_t difference(uint64_t a, uint64_t b)
{
	uint64_t distance = b > a ? b - a : a - b;
	int64_t fits = distance > INT64_MAX ? INT64_MAX : (int64_t)distance;

	return b > a ? fits : -fits;
}

static bool compare(struct sl_align_lane *lane, const struct span *all)
{
	struct span span = span_of(lane);

	lane->apart = span.first > all->last || span.last < all->first;
	lane->away = !lane->apart ? 0 : span.first > all->last ? difference(all->last, span.first) : difference(all->first, span.last);
	lane->shift = lane->apart ? difference(span.first, all->first) : 0;
	return lane->apart;
}

int sl_align(struct sl_align_lane *lanes, size_t len, size_t *ret_apart)
{
	struct span *spans = calloc(len + 1, sizeof(*spans)), most;
	size_t n, apart = 0;

	if (!spans)
		return SL_ERR_NOMEM;
	n = timed_spans(lanes, len, spans);
	if (n) {
		most = most_lanes(spans, n);
		for (size_t i = 0; i < len; i++)
			apart += lanes[i].timed && compare(&lanes[i], &most);
	}
	free(spans);
	*ret_apart = apart;
	return SL_OK;
}
