/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>

static int tally_begin(void *self, const struct sl_lane *lane, void **shard)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	(void)self;
	(void)lane;
	if (!tally)
		return SL_ERR_NOMEM;
	*shard = tally;
	return SL_OK;
}

/* An element at which the flow stops. */
static void count_stop(struct tally *tally, const struct sl_elem *elem)
{
	sl_flow_check_stop(&tally->check, elem);
	if (elem->kind == SL_ELEM_RANGE || elem->kind == SL_ELEM_RANGE_NO_PATH) {
		tally->ranges++;
		tally->insns += elem->count;
	} else if (elem->kind == SL_ELEM_GAP && elem->count < SL_GAPS) {
		tally->gaps[elem->count]++;
	} else if (elem->kind == SL_ELEM_MESSAGE) {
		tally->messages++;
	} else {
		tally->others += elem->kind != SL_ELEM_END;
	}
}

static int tally_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct tally *tally = shard;

	for (size_t i = 0; i < len;) {
		uint64_t before = tally->check.ranges;
		size_t taken = sl_flow_check_run(&tally->check, elems + i, len - i, &tally->insns);
		uint64_t ranges = tally->check.ranges - before;

		tally->ranges += ranges;
		tally->others += taken - ranges;
		i += taken;
		if (i < len)
			count_stop(tally, &elems[i++]);
	}
	return SL_OK;
}

static void tally_packet(void *shard, const struct sl_packet *packet)
{
	struct tally *tally = shard;

	tally->packets += !packet->not_synced;
}

typedef bool check_fn(const struct sl_flow_check *check, char *ret, size_t cap);

static void note_check(check_fn *is_so, const struct tally *part, const struct sl_lane *lane, char *ret, size_t cap)
{
	char why[200];

	if (!ret[0] && is_so(&part->check, why, sizeof(why)))
		snprintf(ret, cap, "%s, trace id 0x%02x: %s", lane->buffer->name, lane->stream->trace_id, why);
}

static void note_part(const struct tally *total, const struct sl_trust_part *part, const struct sl_lane *lane, char *ret, size_t cap)
{
	char why[320];

	if (!part->count || ret[0] || !total->image)
		return;
	sl_trust_text(part, total->image, lane->stream->core, why, sizeof(why));
	snprintf(ret, cap, "%s, trace id 0x%02x: %s", lane->buffer->name, lane->stream->trace_id, why);
}

static void note_trust(struct tally *total, const struct sl_lane *lane)
{
	note_part(total, &lane->trust.untrusted, lane, total->untrusted, sizeof(total->untrusted));
	note_part(total, &lane->trust.image, lane, total->other_code, sizeof(total->other_code));
	total->untrusted_parts += lane->trust.untrusted.count;
	total->other_parts += lane->trust.image.count;
}

static int tally_end(void *self, void *shard, const struct sl_lane *lane)
{
	struct tally *total = self;
	struct tally *part = shard;

	part->check.ranges += lane->merged;
	part->ranges += lane->merged;
	note_check(sl_flow_check_mismatch, part, lane, total->mismatch, sizeof(total->mismatch));
	note_check(sl_flow_check_patched, part, lane, total->patched, sizeof(total->patched));
	note_trust(total, lane);
	total->ranges += part->ranges;
	total->insns += part->insns;
	total->messages += part->messages;
	total->others += part->others;
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
		.counts_trust = true,
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
