/* SPDX-License-Identifier: Apache-2.0 */
/* packets: the protocol's packets, each with its bytes. */

#include "outputs.h"

/* Bytes shown of a packet; longer ones are runs that were skipped in search of a sync point. */
enum { BYTES_SHOWN = 24 };

static const struct sl_column columns[] = {
	{ "buffer", "buffer", "name of the trace buffer", SL_TYPE_STRING, 8 },
	{ "id", "id", "trace id", SL_TYPE_HEX, 4 },
	{ "offset_bytes", "offset", "of the packet's first byte in the buffer", SL_TYPE_COUNT, 10 },
	{ "len_bytes", "len", "bytes of the packet", SL_TYPE_COUNT, 4 },
	{ "bytes", "bytes", "the packet's bytes in hex, at most 24 of them", SL_TYPE_STRING, 36 },
	{ "packet", "packet", "name of the packet", SL_TYPE_STRING, 20 },
	{ "detail", "detail", "what it says", SL_TYPE_STRING, 8 },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct sl_table_head head = {
	.schema = "sightline.packets/1", .name = "packets", .columns = columns, .column_count = COLUMNS, .stream = true,
};

static int begin(void *outs, const struct sl_lane *lane, void **ret)
{
	return print_shard_new(outs, lane, &head, ret);
}

static void hex(const struct sl_packet *packet, char ret[3 * BYTES_SHOWN + 4])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = packet->len < BYTES_SHOWN ? packet->len : BYTES_SHOWN;
	char *at = ret;

	for (size_t i = 0; i < n; i++) {
		if (i)
			*at++ = ' ';
		*at++ = digits[packet->bytes[i] >> 4];
		*at++ = digits[packet->bytes[i] & 15];
	}
	if (n < packet->len) {
		*at++ = '.';
		*at++ = '.';
	}
	*at = '\0';
}

static void packet(void *self, const struct sl_packet *packet)
{
	struct print_shard *shard = self;
	char bytes[3 * BYTES_SHOWN + 4];
	struct sl_cell cells[COLUMNS] = {
		sl_cell_str(shard->lane->buffer->name), sl_cell_u64(shard->lane->stream->trace_id),
		sl_cell_u64(packet->offset), sl_cell_u64(packet->len), sl_cell_str(bytes), sl_cell_str(packet->name),
		sl_cell_str(packet->text),
	};

	hex(packet, bytes);
	shard->out.table.ops->row(shard->out.table.out, cells);
}

void sl_packets_sink(struct sl_outputs *outs, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "packets", .begin = begin, .packet = packet, .end = print_shard_end,
						.drop = print_shard_drop };

	*ret = (struct sl_sink){ &ops, outs };
}
