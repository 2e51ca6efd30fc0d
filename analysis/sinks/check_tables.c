/* SPDX-License-Identifier: Apache-2.0 */
/* What check writes: one row a lane, one a rule, and the surroundings of each first difference. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "describe.h"

static const struct sl_column lane_columns[] = {
	{ "buffer", "buffer", "name of the trace buffer", SL_TYPE_STRING, 0 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
	{ "source", "source", "name of the trace source", SL_TYPE_STRING, 0 },
	{ "engine", "engine", "what decoded it", SL_TYPE_STRING, 0 },
	{ "against", "against", "what it was compared with", SL_TYPE_STRING, 0 },
	{ "lane_bytes", "bytes", "of the source's trace", SL_TYPE_COUNT, 0 },
	{ "elements", "elements", "elements decoded", SL_TYPE_COUNT, 0 },
	{ "insns", "insns", "instructions in them", SL_TYPE_COUNT, 0 },
	{ "same", "same", "elements that both engines agree on, up to the first difference", SL_TYPE_COUNT, 0 },
	{ "offset_bytes", "offset", "of the first difference in the buffer", SL_TYPE_COUNT, 0 },
	{ "verdict", "verdict", "same, differs (on purpose), or not compared", SL_TYPE_STRING, 0 },
};
enum { LANE_COLUMNS = sizeof(lane_columns) / sizeof(lane_columns[0]) };

static const struct sl_column rule_columns[] = {
	{ "buffer", "buffer", "name of the trace buffer", SL_TYPE_STRING, 0 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
	{ "rule", "rule", "what holds of every trace", SL_TYPE_STRING, 0 },
	{ "broken", "broken", "how often it does not hold", SL_TYPE_COUNT, 0 },
	{ "offset_bytes", "offset", "of the first time, in the buffer", SL_TYPE_COUNT, 0 },
	{ "detail", "detail", "what was found there", SL_TYPE_STRING, 0 },
};
enum { RULE_COLUMNS = sizeof(rule_columns) / sizeof(rule_columns[0]) };

static const struct sl_column around_columns[] = {
	{ "buffer", "buffer", "name of the trace buffer", SL_TYPE_STRING, 0 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 0 },
	{ "from", "from", "packet, both, or the engine that says so", SL_TYPE_STRING, 0 },
	{ "offset_bytes", "offset", "of the packet in the buffer", SL_TYPE_COUNT, 0 },
	{ "detail", "detail", "the packet with its bytes, or the element", SL_TYPE_STRING, 0 },
};
enum { AROUND_COLUMNS = sizeof(around_columns) / sizeof(around_columns[0]) };

static bool is_on_purpose(const struct compare *c)
{
	uint64_t times = 0;

	for (unsigned i = 0; i < PURPOSES; i++)
		times += c->purposes.times[i];
	return times > 0;
}

static const char *verdict(const struct check_lane *lane)
{
	if (lane->compare.differs)
		return lane->compare.held_back ? "one holds back" : "differs";
	if (!lane->against)
		return "not compared";
	if (is_on_purpose(&lane->compare))
		return "differs on purpose";
	return lane->engine == lane->against ? "same engine" : "same";
}

static void lane_row(const struct check_lane *lane, const struct sl_table *out)
{
	const struct sl_cell cells[LANE_COLUMNS] = {
		sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(lane->source),
		sl_cell_str(sl_engine_name(lane->engine)),
		lane->against ? sl_cell_str(sl_engine_name(lane->against)) : sl_cell_none(), sl_cell_u64(lane->bytes),
		sl_cell_u64(lane->elems), sl_cell_u64(lane->insns),
		lane->against ? sl_cell_u64(lane->compare.same) : sl_cell_none(),
		lane->compare.differs ? sl_cell_u64(compare_offset(&lane->compare)) : sl_cell_none(),
		sl_cell_str(verdict(lane)),
	};

	out->ops->row(out->out, cells);
}

static void write_lanes(const struct sl_check *check, const struct sl_table *out)
{
	static const struct sl_table_head head = { .schema = "sightline.check/1", .name = "lanes", .title = "Engines",
						   .columns = lane_columns, .column_count = LANE_COLUMNS };

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < check->len; i++)
		lane_row(&check->lanes[i], out);
	out->ops->end(out->out);
}

static const char *symbol_name(const struct sl_check *check, uint64_t id)
{
	return sl_image_symbol(check->image, (uint32_t)id)->name;
}

static void rule_detail(const struct sl_check *check, enum check_rule rule, const struct check_broken *b, char *ret, size_t cap)
{
	ret[0] = '\0';
	if (!b->count)
		return;
	if (rule == CHECK_FLOW)
		snprintf(ret, cap, "0x%" PRIx64 " should have followed: the image is not what ran, or was changed", b->address);
	else if (rule == CHECK_WALK)
		snprintf(ret, cap, "no branch from 0x%" PRIx64 " on: the image is not what ran", b->address);
	else if (rule == CHECK_TIME)
		snprintf(ret, cap, "%" PRIu64 " after %" PRIu64 ": clocks were switched, or the trace is damaged", b->is, b->was);
	else
		snprintf(ret, cap, "at 0x%" PRIx64 " the stack has %s, the image %s", b->address, symbol_name(check, b->was),
			 symbol_name(check, b->is));
}

static void rule_row(const struct sl_check *check, const struct check_lane *lane, enum check_rule rule, const struct sl_table *out)
{
	static const char *const names[CHECK_RULES] = { "ranges join", "walks end", "time goes on", "stack is where the pc is" };
	const struct check_broken *b = &lane->broken[rule];
	char detail[400];
	const struct sl_cell cells[RULE_COLUMNS] = {
		sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(names[rule]), sl_cell_u64(b->count),
		b->count ? sl_cell_u64(b->offset) : sl_cell_none(), b->count ? sl_cell_str(detail) : sl_cell_none(),
	};

	rule_detail(check, rule, b, detail, sizeof(detail));
	out->ops->row(out->out, cells);
}

static void bytes_row(const struct sl_buffer_result *buffer, const struct sl_table *out)
{
	uint64_t missing = check_unaccounted(buffer);
	const struct sl_cell cells[RULE_COLUMNS] = {
		sl_cell_str(buffer->buffer->name), sl_cell_none(), sl_cell_str("bytes are accounted for"), sl_cell_u64(missing),
		sl_cell_none(), missing ? sl_cell_str("bytes in no lane, no frame and no loss: please report this") : sl_cell_none(),
	};

	out->ops->row(out->out, cells);
}

static void write_rules(const struct sl_check *check, const struct sl_run_result *result, const struct sl_table *out)
{
	static const struct sl_table_head head = { .schema = "sightline.check/1", .name = "rules",
						   .title = "What holds of every trace", .columns = rule_columns,
						   .column_count = RULE_COLUMNS };

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < result->buffer_count; i++) {
		if (result->buffers[i].selected)
			bytes_row(&result->buffers[i], out);
	}
	for (size_t i = 0; i < check->len; i++) {
		for (unsigned rule = 0; rule < CHECK_RULES; rule++)
			rule_row(check, &check->lanes[i], (enum check_rule)rule, out);
	}
	out->ops->end(out->out);
}

static void around_row(const struct check_lane *lane, const char *from, uint64_t offset, const char *detail,
		       const struct sl_table *out)
{
	const struct sl_cell cells[AROUND_COLUMNS] = { sl_cell_str(lane->buffer), sl_cell_u64(lane->trace_id), sl_cell_str(from),
						       sl_cell_u64(offset), sl_cell_str(detail) };

	out->ops->row(out->out, cells);
}

static void elem_rows(const struct check_lane *lane, const char *from, const struct sl_elem *elems, size_t len,
		      const struct sl_table *out)
{
	char detail[300];

	for (size_t i = 0; i < len; i++) {
		describe_line(&elems[i], detail, sizeof(detail));
		around_row(lane, from, elems[i].offset, detail, out);
	}
}

static void packet_row(const struct check_lane *lane, const struct check_packet *p, const struct sl_table *out)
{
	size_t n = p->len < CHECK_PACKET_BYTES ? (size_t)p->len : CHECK_PACKET_BYTES;
	char detail[40 + 3 * CHECK_PACKET_BYTES];
	int used = snprintf(detail, sizeof(detail), "%s", p->name);

	for (size_t i = 0; i < n; i++)
		used += snprintf(detail + used, sizeof(detail) - (size_t)used, " %02x", p->bytes[i]);
	if (n < p->len)
		snprintf(detail + used, sizeof(detail) - (size_t)used, " ..");
	around_row(lane, "packet", p->offset, detail, out);
}

/* The packets of the ring from a few before the difference to a few behind it. */
static void packet_rows(const struct check_lane *lane, const struct sl_table *out)
{
	const struct check_packets *packets = &lane->packets;
	uint64_t first = packets->seen > CHECK_PACKETS ? packets->seen - CHECK_PACKETS : 0, at = first, end;

	while (at < packets->seen && packets->ring[at % CHECK_PACKETS].offset <= compare_offset(&lane->compare))
		at++;
	end = at + CHECK_PACKETS_BEHIND;
	at = at - first > CHECK_PACKETS_BEFORE ? at - CHECK_PACKETS_BEFORE : first;
	for (; at < end && at < packets->seen; at++)
		packet_row(lane, &packets->ring[at % CHECK_PACKETS], out);
}

static void lane_around(const struct check_lane *lane, const struct sl_table *out)
{
	const struct compare *c = &lane->compare;
	const char *engine = sl_engine_name(lane->engine), *against = sl_engine_name(lane->against);

	packet_rows(lane, out);
	elem_rows(lane, "both", c->before, c->before_len, out);
	elem_rows(lane, engine, c->after[0], c->after_len[0], out);
	elem_rows(lane, engine == against ? "opencsd again" : against, c->after[1], c->after_len[1], out);
}

static bool any_differs(const struct sl_check *check)
{
	for (size_t i = 0; i < check->len; i++) {
		if (check->lanes[i].compare.differs)
			return true;
	}
	return false;
}

static void write_around(const struct sl_check *check, const struct sl_table *out)
{
	static const struct sl_table_head head = { .schema = "sightline.check/1", .name = "differences",
						   .title = "Around the first difference of each lane", .columns = around_columns,
						   .column_count = AROUND_COLUMNS };

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < check->len; i++) {
		if (check->lanes[i].compare.differs)
			lane_around(&check->lanes[i], out);
	}
	out->ops->end(out->out);
}

void sl_check_report(const struct sl_check *check, const struct sl_run_result *result, const struct sl_table *out)
{
	write_lanes(check, out);
	write_rules(check, result, out);
	if (any_differs(check))
		write_around(check, out);
}
