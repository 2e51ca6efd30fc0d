/* SPDX-License-Identifier: Apache-2.0 */
/* check: whether two engines say the same of each lane, and whether what they say can be. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

struct shard {
	struct check_lane lane;
	struct check_rules rules;
};

static void release_lane(struct check_lane *lane)
{
	compare_release(&lane->compare);
	free(lane->packets.ring);
}

static void drop(void *self)
{
	struct shard *shard = self;

	check_rules_release(&shard->rules);
	release_lane(&shard->lane);
	free(shard);
}

static int begin(void *self, const struct sl_lane *lane, void **ret)
{
	const struct sl_check *check = self;
	struct shard *shard = calloc(1, sizeof(*shard));
	struct check_lane *l;
	int result;

	if (!shard)
		return SL_ERR_NOMEM;
	l = &shard->lane;
	snprintf(l->buffer, sizeof(l->buffer), "%s", lane->buffer->name);
	snprintf(l->source, sizeof(l->source), "%s", lane->stream->name);
	l->trace_id = lane->stream->trace_id;
	l->engine = lane->engine;
	l->against = lane->against;
	if (lane->engine == SL_ENGINE_FAST ? lane->against == SL_ENGINE_OPENCSD : lane->against == SL_ENGINE_FAST)
		l->compare = (struct compare){ .fast = lane->against == SL_ENGINE_FAST, .purposes = {
			.image = check->image, .q = purpose_has_q(&lane->stream->config),
			.ite = purpose_has_ite(&lane->stream->config),
			.ete = lane->stream->config.protocol == SL_PROTOCOL_ETE } };
	result = check_rules_init(&shard->rules, check->image, lane, l->broken);
	if (result == SL_OK && lane->against) {
		l->packets.ring = calloc(CHECK_PACKETS, sizeof(*l->packets.ring));
		result = l->packets.ring ? SL_OK : SL_ERR_NOMEM;
	}
	if (result < 0) {
		drop(shard);
		return result;
	}
	*ret = shard;
	return SL_OK;
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;
	struct check_lane *lane = &shard->lane;
	int result = check_rules_elems(&shard->rules, elems, len);

	lane->elems += len;
	for (size_t i = 0; i < len; i++)
		lane->insns += elems[i].kind == SL_ELEM_RANGE || elems[i].kind == SL_ELEM_RANGE_NO_PATH ? elems[i].count : 0;
	return result == SL_OK && lane->against ? compare_add(&lane->compare, 0, elems, len) : result;
}

static int against(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;

	return compare_add(&shard->lane.compare, 1, elems, len);
}

/* Packets come before their elements: those behind the difference may have been seen when it is found. */
static void packet(void *self, const struct sl_packet *packet)
{
	struct check_lane *lane = &((struct shard *)self)->lane;
	struct check_packets *packets = &lane->packets;
	struct check_packet *p;

	if (!packets->ring || (packets->stop && packets->seen >= packets->stop))
		return;
	if (lane->compare.differs && !packets->stop && packet->offset > compare_offset(&lane->compare))
		packets->stop = packets->seen + CHECK_PACKETS_BEHIND;
	p = &packets->ring[packets->seen++ % CHECK_PACKETS];
	*p = (struct check_packet){ .offset = packet->offset, .len = packet->len };
	snprintf(p->name, sizeof(p->name), "%s", packet->name);
	memcpy(p->bytes, packet->bytes, packet->len < CHECK_PACKET_BYTES ? packet->len : CHECK_PACKET_BYTES);
}

static int end(void *self, void *ended, const struct sl_lane *lane)
{
	struct sl_check *check = self;
	struct shard *shard = ended;
	struct check_lane *l = &shard->lane;
	int result;

	l->bytes = lane->bytes;
	check_rules_finish(&shard->rules);
	check_rules_release(&shard->rules);
	compare_finish(&l->compare);
	if (!l->compare.differs) {
		free(l->packets.ring);
		l->packets.ring = NULL;
	}
	result = SL_ARRAY_PUSH(&check->lanes, &check->len, &check->cap, *l);
	if (result < 0)
		release_lane(l);
	free(shard);
	return result;
}

int sl_check_new(const struct sl_image *image, struct sl_check **ret)
{
	struct sl_check *check = calloc(1, sizeof(*check));

	if (!check)
		return SL_ERR_NOMEM;
	check->image = image;
	*ret = check;
	return SL_OK;
}

void sl_check_free(struct sl_check *check)
{
	if (!check)
		return;
	for (size_t i = 0; i < check->len; i++)
		release_lane(&check->lanes[i]);
	free(check->lanes);
	free(check);
}

void sl_check_sink(struct sl_check *check, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "check", .wants_ranges = true, .begin = begin, .elems = elems, .against = against,
						.packet = packet, .end = end, .drop = drop };

	*ret = (struct sl_sink){ &ops, check };
}

uint64_t check_unaccounted(const struct sl_buffer_result *buffer)
{
	const struct sl_demux_stats *d = &buffer->demux;
	uint64_t known = d->frame_bytes + d->unknown_id_bytes + d->skipped_bytes;

	for (size_t i = 0; i < SL_TRACE_IDS; i++)
		known += d->lane_bytes[i];
	/* without frames several sources may be tried on the same bytes */
	if (buffer->buffer->framing == SL_FRAMING_NONE)
		return known < d->bytes ? d->bytes - known : 0;
	return known < d->bytes ? d->bytes - known : known - d->bytes;
}

size_t sl_check_compared(const struct sl_check *check, size_t *ret_differ)
{
	size_t compared = 0;

	*ret_differ = 0;
	for (size_t i = 0; i < check->len; i++) {
		const struct check_lane *lane = &check->lanes[i];

		compared += lane->against && lane->against != lane->engine;
		*ret_differ += lane->compare.differs;
	}
	return compared;
}

const char *sl_check_on_purpose(const struct sl_check *check, unsigned i, uint64_t *ret)
{
	*ret = 0;
	for (size_t lane = 0; lane < check->len && i < PURPOSES; lane++)
		*ret += check->lanes[lane].compare.purposes.times[i];
	return purpose_name((enum purpose)i);
}

bool sl_check_holds(const struct sl_check *check, const struct sl_run_result *result)
{
	for (size_t i = 0; i < check->len; i++) {
		if (check->lanes[i].compare.differs)
			return false;
		for (unsigned rule = 0; rule < CHECK_RULES; rule++) {
			if (check->lanes[i].broken[rule].count)
				return false;
		}
	}
	for (size_t i = 0; i < result->buffer_count; i++) {
		if (check_unaccounted(&result->buffers[i]))
			return false;
	}
	return true;
}
