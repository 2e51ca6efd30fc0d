/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdlib.h>

static int tally_begin(void *self, const struct sl_lane *lane, void **shard)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	(void)self;
	(void)lane;
	if (!tally)
		return SL_ERR_NOMEM;
	tally->follows = UINT64_MAX;
	*shard = tally;
	return SL_OK;
}

static void count_range(struct tally *tally, const struct sl_elem *elem)
{
	bool branch = sl_elem_last(elem) == SL_LAST_BRANCH || sl_elem_last(elem) == SL_LAST_INDIRECT;
	bool known = elem->kind == SL_ELEM_RANGE && !(branch && (elem->flags & SL_FLAG_EXECUTED));

	tally->ranges++;
	tally->insns += elem->count;
	tally->breaks += tally->follows != UINT64_MAX && tally->follows != elem->range.start;
	tally->follows = known ? elem->range.end : UINT64_MAX;
}

/* Whether what runs behind an element may be elsewhere. */
static bool leads_away(const struct sl_elem *elem)
{
	return elem->kind == SL_ELEM_GAP || elem->kind == SL_ELEM_EXCEPTION ||
	       elem->kind == SL_ELEM_EXCEPTION_RETURN;
}

static void count_elem(struct tally *tally, const struct sl_elem *elem)
{
	if (elem->kind == SL_ELEM_RANGE || elem->kind == SL_ELEM_RANGE_NO_PATH) {
		count_range(tally, elem);
		return;
	}
	if (leads_away(elem))
		tally->follows = UINT64_MAX;
	if (elem->kind == SL_ELEM_GAP && elem->count < SL_GAPS)
		tally->gaps[elem->count]++;
	else if (elem->kind == SL_ELEM_MESSAGE)
		tally->messages++;
	else
		tally->others += elem->kind != SL_ELEM_END;
}

static int tally_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct tally *tally = shard;

	for (size_t i = 0; i < len; i++)
		count_elem(tally, &elems[i]);
	return SL_OK;
}

static void tally_packet(void *shard, const struct sl_packet *packet)
{
	struct tally *tally = shard;

	tally->packets += !packet->not_synced;
}

static int tally_end(void *self, void *shard, const struct sl_lane *lane)
{
	struct tally *total = self;
	const struct tally *part = shard;

	(void)lane;
	total->ranges += part->ranges;
	total->insns += part->insns;
	total->messages += part->messages;
	total->others += part->others;
	total->breaks += part->breaks;
	total->packets += part->packets;
	for (size_t i = 0; i < SL_GAPS; i++)
		total->gaps[i] += part->gaps[i];
	free(shard);
	return SL_OK;
}

void tally_sink(struct tally *tally, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = {
		.name = "tally",
		.begin = tally_begin,
		.elems = tally_elems,
		.end = tally_end,
		.drop = free,
	};

	*ret = (struct sl_sink){ &ops, tally };
}

void tally_packet_sink(struct tally *tally, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = {
		.name = "packet tally",
		.begin = tally_begin,
		.packet = tally_packet,
		.end = tally_end,
		.drop = free,
	};

	*ret = (struct sl_sink){ &ops, tally };
}
