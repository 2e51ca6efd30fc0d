/* SPDX-License-Identifier: Apache-2.0 */
/* info's first line: how much of the trace leads to instructions, and what takes the rest. */
#include "stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct verdict {
	uint64_t bytes, flow_bytes;
	uint64_t cost[SL_GAPS];
	uint64_t unread; /* of ids without a source, or whose source lacks something */
	uint64_t no_id;	 /* before the first trace id of a piece, or outside of frames */
	uint64_t lost;	 /* while recording */
	const char *dearest; /* missing file, or NULL */
	uint64_t insns, untrusted; /* instructions decoded, and those that report does not count */
	bool mismatch;
	bool software;	 /* trace of messages is there */
};

static bool has_flow(const struct lane_stats *lane)
{
	return lane->protocol != SL_PROTOCOL_STM && lane->protocol != SL_PROTOCOL_ITM;
}

/* Where the program chose not to be traced, nothing is missing. */
static bool is_loss(unsigned gap)
{
	return gap != SL_GAP_FILTER && gap != SL_GAP_DEBUG;
}

static void add_lane(struct verdict *v, const struct lane_stats *lane)
{
	uint64_t lost = 0;
	char why[300];

	for (unsigned gap = 0; gap < SL_GAPS; gap++) {
		v->cost[gap] += lane->gaps[gap].cost_bytes;
		lost += is_loss(gap) ? lane->gaps[gap].cost_bytes : 0;
	}
	v->bytes += lane->bytes;
	v->insns += lane->insns + lane->no_path_insns;
	v->untrusted += lane->trust.untrusted.insns + lane->trust.image.insns;
	v->flow_bytes += lost < lane->bytes && (lane->insns || lane->no_path_insns) ? lane->bytes - lost : 0;
	v->mismatch |= lane->elems[SL_ELEM_RANGE] && sl_flow_check_mismatch(&lane->check, why, sizeof(why));
}

static const char *dearest(const struct sl_stats *stats)
{
	const struct sl_missing *missing;
	size_t count = sl_image_missing(stats->image, &missing);

	return count && stats->missing[0].bytes ? missing[stats->missing[0].index].path : NULL;
}

static void collect(const struct sl_stats *stats, const struct sl_run_result *result, struct verdict *ret)
{
	ret->dearest = dearest(stats);
	for (size_t i = 0; i < stats->lane_count; i++) {
		if (has_flow(stats->lanes[i]))
			add_lane(ret, stats->lanes[i]);
		else
			ret->software |= stats->lanes[i]->bytes != 0;
	}
	for (size_t b = 0; b < result->buffer_count; b++) {
		ret->no_id += result->buffers[b].demux.unknown_id_bytes + result->buffers[b].demux.skipped_bytes;
		for (unsigned id = 1; id < SL_TRACE_IDS; id++)
			ret->unread += result->buffers[b].unclaimed[id] + result->buffers[b].unusable[id];
	}
	ret->bytes += ret->unread + ret->no_id;
}

/* "12.3 %", rounded down: all but one byte is not all. */
static void spell_share(uint64_t part, uint64_t whole, char *ret, size_t cap)
{
	double tenths = whole ? (double)part * 1000 / (double)whole : 0;

	if (part && tenths < 1)
		snprintf(ret, cap, "less than 0.1 %%");
	else
		snprintf(ret, cap, "%" PRIu64 ".%u %%", (uint64_t)tenths / 10, (unsigned)((uint64_t)tenths % 10));
}

static size_t add_cause(char *text, size_t len, size_t cap, const char *cause, uint64_t bytes, uint64_t whole)
{
	char share[32];

	if (!bytes || len >= cap)
		return len;
	spell_share(bytes, whole, share, sizeof(share));
	return len + (size_t)snprintf(text + len, cap - len, "%s%s %s", len ? ", " : "", cause, share);
}

/* What takes the rest, as table "gaps" names it. */
static void spell_causes(const struct verdict *v, char *ret, size_t cap)
{
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned gap = 0; gap < SL_GAPS; gap++) {
		if (!is_loss(gap))
			continue;
		len = add_cause(ret, len, cap, sl_gap_name(gap), v->cost[gap], v->bytes);
		if (gap == SL_GAP_NO_IMAGE && v->dearest && len < cap)
			len += (size_t)snprintf(ret + len, cap - len, " (most for %s)", v->dearest);
	}
	len = add_cause(ret, len, cap, "ids that cannot be read", v->unread, v->bytes);
	add_cause(ret, len, cap, "no trace id", v->no_id, v->bytes);
}

/* What every piece of trace begins with: its sync point, and the address of the first instruction. */
static bool only_heads(const struct verdict *v)
{
	if (v->lost)
		return false;
	for (unsigned gap = 0; gap < SL_GAPS; gap++) {
		if (is_loss(gap) && gap != SL_GAP_START && gap != SL_GAP_RESET && v->cost[gap])
			return false;
	}
	return !v->unread && !v->no_id && (v->cost[SL_GAP_START] + v->cost[SL_GAP_RESET]) * 100 <= v->bytes;
}

static void spell_flow(const struct verdict *v, char *ret, size_t cap)
{
	char share[32], causes[300];

	spell_share(v->flow_bytes, v->bytes, share, sizeof(share));
	spell_causes(v, causes, sizeof(causes));
	if (v->bytes == v->unread + v->no_id && v->software)
		snprintf(ret, cap, "the capture holds software trace only%s%s", causes[0] ? "; gaps: " : "", causes);
	else if (!v->bytes)
		snprintf(ret, cap, "the capture holds no trace of programs");
	else if (!v->flow_bytes)
		snprintf(ret, cap, "does not decode: none of the trace bytes lead to instructions%s%s", causes[0] ? "; gaps: " : "",
			 causes);
	else
		snprintf(ret, cap, "decodes: %s of the trace bytes lead to instructions%s%s", share,
			 only_heads(v) ? ", nothing is missing" : "; gaps: ", only_heads(v) ? "" : causes);
}

static void spell(const struct verdict *v, char *ret, size_t cap)
{
	char share[32];
	size_t len;

	spell_flow(v, ret, cap);
	len = strlen(ret);
	if (v->mismatch)
		len += (size_t)snprintf(ret + len, cap - len, "; the image does not match what ran (see advice)");
	spell_share(v->untrusted, v->insns, share, sizeof(share));
	if (v->untrusted && len < cap)
		len += (size_t)snprintf(ret + len, cap - len, "; %s of the instructions are not believed (see advice)", share);
	if (v->lost && len < cap)
		snprintf(ret + len, cap - len, "; %" PRIu64 " bytes of trace were lost while recording", v->lost);
}

void stats_verdict(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		   const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "trace_bytes", "bytes", "of program trace, without framing and padding", SL_TYPE_COUNT, 0 },
		{ "flow_bytes", "flow", "of them lead to instructions: they lie in no gap", SL_TYPE_COUNT, 0 },
		{ "verdict", "verdict", "how much decodes, and what takes the rest", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("verdict", "Verdict", columns);
	struct verdict v = { .lost = sl_capture_lost(capture) };
	char text[500];
	struct sl_cell cells[3];

	collect(stats, result, &v);
	spell(&v, text, sizeof(text));
	cells[0] = sl_cell_u64(v.bytes);
	cells[1] = sl_cell_u64(v.flow_bytes);
	cells[2] = sl_cell_str(text);
	out->ops->begin(out->out, &head);
	out->ops->row(out->out, cells);
	out->ops->end(out->out);
}
