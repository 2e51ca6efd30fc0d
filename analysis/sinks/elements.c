/* SPDX-License-Identifier: Apache-2.0 */
/* flow --elements: what the decoder said, element by element. */
#include "describe.h"
#include "outputs.h"

static const struct sl_column columns[] = {
	{ "buffer", "buffer", "name of the trace buffer", SL_TYPE_STRING, 8 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 4 },
	{ "offset_bytes", "offset", "of the packet in the buffer", SL_TYPE_COUNT, 10 },
	{ "element", "element", "kind of element", SL_TYPE_STRING, 16 },
	{ "isa", "isa", "instruction set", SL_TYPE_STRING, 4 },
	{ "address", "address", "range: first instruction; exception: preferred return; gap: where it went",
	  SL_TYPE_ADDR, 18 },
	{ "end", "end", "range: behind the last instruction", SL_TYPE_ADDR, 18 },
	{ "count", "count", "instructions, cycles, exception number, event number or payload", SL_TYPE_COUNT, 8 },
	{ "value", "value", "timestamp, or number of a marker", SL_TYPE_COUNT, 16 },
	{ "detail", "detail", "what else the element says", SL_TYPE_STRING, 8 },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct sl_table_head head = {
	.schema = "sightline.elements/1", .name = "elements", .columns = columns, .column_count = COLUMNS, .stream = true,
};

static int begin(void *outs, const struct sl_lane *lane, void **ret)
{
	return print_shard_new(outs, lane, &head, ret);
}

static bool is_range(const struct sl_elem *e)
{
	return e->kind == SL_ELEM_RANGE || e->kind == SL_ELEM_RANGE_NO_PATH;
}

static void row(const struct print_shard *shard, const struct sl_elem *e)
{
	char detail[160];
	bool counts = e->kind != SL_ELEM_CONTEXT && e->kind != SL_ELEM_GAP && e->kind != SL_ELEM_TIME &&
		      e->kind != SL_ELEM_END;
	struct sl_cell cells[COLUMNS] = {
		sl_cell_str(shard->lane->buffer->name), sl_cell_u64(shard->lane->stream->trace_id),
		sl_cell_u64(e->offset), sl_cell_str(sl_elem_kind_name(e->kind)), sl_cell_str(describe_isa(e->isa)),
	};

	describe_elem(e, detail, sizeof(detail));
	if (is_range(e)) {
		cells[5] = sl_cell_u64(e->range.start);
		cells[6] = sl_cell_u64(e->range.end);
	} else if (e->flags & SL_FLAG_ADDRESS && (e->kind == SL_ELEM_EXCEPTION || e->kind == SL_ELEM_GAP)) {
		cells[5] = sl_cell_u64(e->address);
	}
	if (counts)
		cells[7] = sl_cell_u64(e->count);
	if (e->kind == SL_ELEM_TIME || e->kind == SL_ELEM_MARKER)
		cells[8] = sl_cell_u64(e->value);
	cells[9] = sl_cell_str(detail);
	shard->out.table.ops->row(shard->out.table.out, cells);
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	for (size_t i = 0; i < len; i++)
		row(self, &elems[i]);
	return SL_OK;
}

void sl_elements_sink(struct sl_outputs *outs, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "elements", .wants_ranges = true, .begin = begin, .elems = elems,
						.end = print_shard_end, .drop = print_shard_drop };

	*ret = (struct sl_sink){ &ops, outs };
}
