/* SPDX-License-Identifier: Apache-2.0 */
/* flow --elements: what the decoder said, element by element. */
#include <stdio.h>

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

static const char *isa_name(unsigned isa)
{
	static const char *const names[] = { "", "A64", "A32", "T32", "Jaz", "x64" };

	return isa < sizeof(names) / sizeof(names[0]) ? names[isa] : "";
}

static void describe_range(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const last[] = { "", "branch", "indirect", "isb", "dsb", "wfi", "tstart" };
	static const char *const branch[] = { "", " call", " return", " eret", " return" };
	unsigned l = sl_elem_last(e), b = sl_elem_branch(e);

	snprintf(ret, cap, "%s%s%s%s", l < 7 ? last[l] : "?", b < 5 ? branch[b] : "?",
		 e->flags & SL_FLAG_CONDITIONAL ? " conditional" : "",
		 e->flags & SL_FLAG_EXECUTED ? "" : " not taken");
}

static void describe_context(const struct sl_context *c, char *ret, size_t cap)
{
	static const char *const security[] = { "secure", "non-secure", "root", "realm" };
	int n = snprintf(ret, cap, "%s %s-bit", c->security < 4 ? security[c->security] : "?",
			 c->flags & SL_CTX_64BIT ? "64" : "32");

	if (c->flags & SL_CTX_EL)
		n += snprintf(ret + n, cap - (size_t)n, " EL%u", c->el);
	if (c->flags & SL_CTX_ID)
		n += snprintf(ret + n, cap - (size_t)n, " context 0x%x", c->context_id);
	if (c->flags & SL_CTX_VMID)
		snprintf(ret + n, cap - (size_t)n, " vmid 0x%x", c->vmid);
}

static void describe_message(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const kinds[] = { "data", "flag", "trigger", "frequency", "error", "dwt" };
	unsigned kind = e->message.kind;

	snprintf(ret, cap, "%s master %u channel %u, %u bits%s", kind < 6 ? kinds[kind] : "?", e->message.master,
		 e->message.channel, e->message.bits, e->flags & SL_FLAG_MARKER ? " with marker" : "");
}

static void describe(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const transactions[] = { "init", "start", "commit", "fail" };

	ret[0] = '\0';
	switch (e->kind) {
	case SL_ELEM_RANGE:
	case SL_ELEM_RANGE_NO_PATH:
		describe_range(e, ret, cap);
		break;
	case SL_ELEM_CONTEXT:
		describe_context(&e->context, ret, cap);
		break;
	case SL_ELEM_MESSAGE:
		describe_message(e, ret, cap);
		break;
	case SL_ELEM_GAP:
		snprintf(ret, cap, "%s", sl_gap_name(e->count));
		break;
	case SL_ELEM_TRANSACTION:
		snprintf(ret, cap, "%s", e->count < 4 ? transactions[e->count] : "?");
		break;
	case SL_ELEM_TIME:
	case SL_ELEM_CYCLES:
		snprintf(ret, cap, "%s", e->flags & SL_FLAG_ATTACHED ? "attached" : "");
		break;
	default:
		break;
	}
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
		sl_cell_u64(e->offset), sl_cell_str(sl_elem_kind_name(e->kind)), sl_cell_str(isa_name(e->isa)),
	};

	describe(e, detail, sizeof(detail));
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
	static const struct sl_sink_ops ops = { .name = "elements", .begin = begin, .elems = elems, .end = print_shard_end,
						.drop = print_shard_drop };

	*ret = (struct sl_sink){ &ops, outs };
}
