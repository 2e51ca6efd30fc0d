/* SPDX-License-Identifier: Apache-2.0 */
/* flow --ranges: the executed ranges, a line each, for comparing decoders. */
#include <inttypes.h>

#include "outputs.h"

static int begin(void *outs, const struct sl_lane *lane, void **ret)
{
	return print_shard_new(outs, lane, NULL, ret);
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	struct print_shard *shard = self;
	unsigned trace_id = shard->lane->stream->trace_id;

	for (size_t i = 0; i < len; i++) {
		const struct sl_elem *e = &elems[i];

		if (e->kind != SL_ELEM_RANGE)
			continue;
		fprintf(shard->out.file, "%02x %" PRIx64 " %" PRIx64 " %d %c\n", trace_id, e->range.start,
			e->range.end, (int)sl_elem_last(e), e->flags & SL_FLAG_EXECUTED ? 'E' : 'N');
	}
	return ferror(shard->out.file) ? SL_ERR_IO : SL_OK;
}

void sl_ranges_sink(struct sl_outputs *outs, struct sl_sink *ret)
{
	static const struct sl_sink_ops ops = { .name = "ranges", .wants_ranges = true, .begin = begin, .elems = elems,
						.end = print_shard_end, .drop = print_shard_drop };

	*ret = (struct sl_sink){ &ops, outs };
}
