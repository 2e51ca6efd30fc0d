/* SPDX-License-Identifier: Apache-2.0 */
/* info: counts what a capture holds. stats_tables.c prints it, stats_advice.c judges it. */
#include "stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_span.h"

enum { PAGE_BYTES = 4096, WANTED_MAX = 65536 };

struct shard {
	struct lane_stats *lane;
	struct sl_callstack *callstack;
};

static void count_packet_name(struct lane_stats *lane, const char *name)
{
	size_t i = 0;

	while (i < lane->name_count && strcmp(lane->names[i].name, name) != 0)
		i++;
	if (i == PACKET_KINDS)
		return;
	if (i == lane->name_count) {
		snprintf(lane->names[i].name, sizeof(lane->names[i].name), "%s", name);
		lane->name_count++;
	}
	lane->names[i].count++;
}

static void on_packet(void *self, const struct sl_packet *packet)
{
	struct lane_stats *lane = ((struct shard *)self)->lane;

	lane->packets++;
	lane->syncs += packet->sync;
	lane->bad_packets += packet->bad;
	if (packet->not_synced)
		lane->skipped_bytes += packet->len;
	count_packet_name(lane, packet->name);
}

static void want_page(struct lane_stats *lane, uint64_t address, uint64_t offset)
{
	struct wanted wanted = { address & ~(uint64_t)(PAGE_BYTES - 1), 0, offset };
	uint64_t *index = sl_map_get(&lane->wanted_by_page, wanted.page);

	if (!index && lane->wanted_len < WANTED_MAX)
		index = sl_map_put(&lane->wanted_by_page, wanted.page);
	if (!index) {
		lane->wanted_dropped++;
		return;
	}
	if (!*index) {
		if (SL_ARRAY_PUSH(&lane->wanted, &lane->wanted_len, &lane->wanted_cap, wanted) < 0)
			return;
		*index = lane->wanted_len;
	}
	lane->wanted[*index - 1].count++;
}

static void count_gap(struct lane_stats *lane, const struct sl_elem *elem)
{
	unsigned gap = elem->count < SL_GAPS ? elem->count : SL_GAP_DECODE_ERROR;

	if (!lane->gaps[gap].count++)
		lane->gaps[gap].first_offset = elem->offset;
	if (gap == SL_GAP_NO_IMAGE)
		want_page(lane, elem->address, elem->offset);
}

static void count_time(struct lane_stats *lane, const struct sl_elem *elem)
{
	lane->attached_times += (elem->flags & SL_FLAG_ATTACHED) != 0;
	if (!elem->value) {
		lane->zero_ticks++;
		return;
	}
	if (!lane->first_tick)
		lane->first_tick = elem->value;
	lane->last_tick = elem->value;
}

static void count_elem(struct lane_stats *lane, const struct sl_elem *elem)
{
	lane->elems[elem->kind]++;
	sl_flow_check_elem(&lane->check, elem);
	switch (elem->kind) {
	case SL_ELEM_RANGE:
		lane->insns += elem->count;
		break;
	case SL_ELEM_RANGE_NO_PATH:
		lane->no_path_insns += elem->count;
		break;
	case SL_ELEM_EXCEPTION:
		lane->exceptions[elem->count < EXCEPTION_NUMBERS ? elem->count : EXCEPTION_NUMBERS - 1]++;
		break;
	case SL_ELEM_TIME:
		count_time(lane, elem);
		break;
	case SL_ELEM_CYCLES:
		lane->cycles += elem->count;
		lane->attached_counts += (elem->flags & SL_FLAG_ATTACHED) != 0;
		break;
	case SL_ELEM_GAP:
		count_gap(lane, elem);
		break;
	default:
		break;
	}
}

static void on_call(void *ctx, const struct sl_call *call)
{
	((struct shard *)ctx)->lane->calls += call->kind == SL_CALL_ENTER && !(call->flags & SL_SPAN_NO_ENTRY);
}

static void lane_free(struct lane_stats *lane)
{
	if (!lane)
		return;
	free(lane->wanted);
	sl_map_release(&lane->wanted_by_page);
	free(lane);
}

static void drop(void *self)
{
	struct shard *shard = self;

	lane_free(shard->lane);
	sl_callstack_free(shard->callstack);
	free(shard);
}

static int begin(void *self, const struct sl_lane *lane, void **ret)
{
	const struct sl_stats *stats = self;
	struct shard *shard = calloc(1, sizeof(*shard));
	struct sl_callstack_options options = { .image = stats->image, .core = lane->stream->core, .call = on_call,
						.ctx = shard };

	if (!shard)
		return SL_ERR_NOMEM;
	shard->lane = calloc(1, sizeof(*shard->lane));
	if (!shard->lane || sl_callstack_new(&options, &shard->callstack) < 0) {
		drop(shard);
		return SL_ERR_NOMEM;
	}
	snprintf(shard->lane->buffer, sizeof(shard->lane->buffer), "%s", lane->buffer->name);
	snprintf(shard->lane->source, sizeof(shard->lane->source), "%s", lane->stream->name);
	shard->lane->trace_id = lane->stream->trace_id;
	shard->lane->core = lane->stream->core;
	shard->lane->protocol = lane->stream->config.protocol;
	sl_config_facts(&lane->stream->config, &shard->lane->facts);
	*ret = shard;
	return SL_OK;
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;

	for (size_t i = 0; i < len; i++)
		count_elem(shard->lane, &elems[i]);
	return sl_callstack_feed(shard->callstack, elems, len);
}

static int end(void *self, void *shard_self, const struct sl_lane *lane)
{
	struct sl_stats *stats = self;
	struct shard *shard = shard_self;
	int result = sl_callstack_finish(shard->callstack);

	shard->lane->bytes = lane->bytes;
	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&stats->lanes, &stats->lane_count, &stats->lane_cap, shard->lane);
	if (result == SL_OK)
		shard->lane = NULL;
	drop(shard);
	return result;
}

int sl_stats_new(const struct sl_image *image, struct sl_stats **ret)
{
	struct sl_stats *stats = calloc(1, sizeof(*stats));

	if (!stats)
		return SL_ERR_NOMEM;
	stats->image = image;
	*ret = stats;
	return SL_OK;
}

void sl_stats_free(struct sl_stats *stats)
{
	if (!stats)
		return;
	for (size_t i = 0; i < stats->lane_count; i++)
		lane_free(stats->lanes[i]);
	free(stats->lanes);
	free(stats);
}

void sl_stats_sink(struct sl_stats *stats, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "stats", .begin = begin, .elems = elems, .packet = on_packet,
						.end = end, .drop = drop };

	*ret = (struct sl_sink){ &ops, stats };
}
