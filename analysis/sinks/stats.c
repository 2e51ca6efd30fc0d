/* SPDX-License-Identifier: Apache-2.0 */
/* info: counts what a capture holds. stats_tables.c prints it, stats_advice.c judges it. */
#include "stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_span.h"

struct shard {
	struct lane_stats *lane;
	const struct sl_lane *info;
	const struct sl_image *image;
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

static bool is_flow(const struct sl_elem *elem)
{
	return elem->kind == SL_ELEM_RANGE || elem->kind == SL_ELEM_RANGE_NO_PATH || elem->kind == SL_ELEM_MESSAGE;
}

static void count_elem(struct lane_stats *lane, const struct sl_elem *elem, uint64_t position)
{
	uint64_t breaks = lane->check.breaks;

	lane->elems[elem->kind]++;
	if (lane->open.open && is_flow(elem))
		stats_close_gap(lane, position);
	sl_flow_check_elem(&lane->check, elem);
	if (lane->check.breaks != breaks)
		stats_count_break(lane, elem);
	switch (elem->kind) {
	case SL_ELEM_RANGE:
		lane->insns += elem->count;
		lane->spaces[lane->space - 1].insns += elem->count;
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
		stats_open_gap(lane, elem, position);
		break;
	default:
		break;
	}
}

static void on_call(void *ctx, const struct sl_call *call)
{
	((struct shard *)ctx)->lane->calls += !(call->flags & SL_SPAN_NO_ENTRY);
}

static void on_piece(void *ctx, const struct sl_elem *range, uint32_t symbol, uint32_t depth)
{
	const struct shard *shard = ctx;
	uint32_t module = sl_image_symbol(shard->image, symbol)->module;

	(void)range;
	(void)depth;
	if (module < sl_image_module_count(shard->image))
		shard->lane->module_ranges[module]++;
}

static void lane_free(struct lane_stats *lane)
{
	if (!lane)
		return;
	free(lane->wanted);
	sl_map_release(&lane->wanted_by_page);
	free(lane->spaces);
	sl_map_release(&lane->space_by_core);
	stats_breaks_release(lane);
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
						.ctx = shard, .piece = on_piece };

	if (!shard)
		return SL_ERR_NOMEM;
	options.untold = ~(1u << SL_CALL_ENTER);
	shard->lane = calloc(1, sizeof(*shard->lane));
	shard->image = stats->image;
	if (!shard->lane || stats_enter_space(shard->lane, lane->stream->core, 0) < 0 ||
	    stats_breaks_begin(shard->lane, stats->image) < 0 ||
	    sl_callstack_new(&options, &shard->callstack) < 0) {
		drop(shard);
		return SL_ERR_NOMEM;
	}
	shard->info = lane;
	snprintf(shard->lane->buffer, sizeof(shard->lane->buffer), "%s", lane->buffer->name);
	snprintf(shard->lane->source, sizeof(shard->lane->source), "%s", lane->stream->name);
	shard->lane->engine = lane->engine;
	shard->lane->trace_id = lane->stream->trace_id;
	shard->lane->core = lane->stream->core;
	shard->lane->protocol = lane->stream->config.protocol;
	sl_config_facts(&lane->stream->config, &shard->lane->facts);
	*ret = shard;
	return SL_OK;
}

static bool may_switch(const struct sl_elem *elem)
{
	return elem->kind == SL_ELEM_CONTEXT || elem->kind == SL_ELEM_TASK;
}

/* The callstack knows which address space the elements from here on are of. */
static int follow(struct shard *shard, const struct sl_elem *elems, size_t len, uint64_t position)
{
	int result = sl_callstack_feed(shard->callstack, elems, len);

	return result < 0 ? result : stats_enter_space(shard->lane, sl_callstack_core(shard->callstack), position);
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;
	size_t fed = 0;

	for (size_t i = 0; i < len; i++) {
		count_elem(shard->lane, &elems[i], shard->info->positions[i]);
		if (elems[i].kind == SL_ELEM_RANGE && shard->lane->seen)
			stats_look_at(shard->lane, shard->image, &elems[i]);
		if (!may_switch(&elems[i]))
			continue;
		if (follow(shard, elems + fed, i + 1 - fed, shard->info->positions[i]) < 0)
			return SL_ERR_NOMEM;
		fed = i + 1;
	}
	return sl_callstack_feed(shard->callstack, elems + fed, len - fed);
}

static int end(void *self, void *shard_self, const struct sl_lane *lane)
{
	struct sl_stats *stats = self;
	struct shard *shard = shard_self;
	int result = sl_callstack_finish(shard->callstack);

	shard->lane->bytes = lane->bytes;
	shard->lane->trust = lane->trust;
	stats_close_gap(shard->lane, lane->bytes);
	if (result == SL_OK)
		result = stats_enter_space(shard->lane, lane->stream->core, lane->bytes);
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
	free(stats->missing);
	free(stats->first_map);
	free(stats->first_missing);
	free(stats);
}

void sl_stats_sink(struct sl_stats *stats, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "stats", .wants_positions = true,
						.wants_ranges = true, .counts_trust = true, .begin = begin, .elems = elems, .packet = on_packet, .end = end, .drop = drop };

	*ret = (struct sl_sink){ &ops, stats };
}
