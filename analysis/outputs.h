/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OUTPUTS_H
#define OUTPUTS_H
/* Where a lane writes while it decodes; see struct sl_outputs. Inside of analysis/ only. */
#include "sl_sinks.h"

struct lane_out {
	FILE *file;
	bool temporary;
	struct sl_table table;	/* ops NULL: none was asked for */
	struct sl_spans spans;
};
enum lane_out_kind { LANE_OUT_TEXT, LANE_OUT_TABLE, LANE_OUT_SPANS };

/* On the calling thread, when the lane begins. SL_OK, SL_ERR_IO (no temporary file) or SL_ERR_NOMEM. */
int lane_out_open(struct sl_outputs *outs, enum lane_out_kind kind, struct lane_out *ret);
/* On the calling thread, in lane order: closes the writer and appends a temporary file to the final one. */
int lane_out_close(struct sl_outputs *outs, struct lane_out *out);
/* The run failed: drops it. */
void lane_out_drop(struct lane_out *out);

/* The shard of a sink that only prints: what it is and how it begins, ends and is dropped. */
struct print_shard {
	struct lane_out out;
	const struct sl_lane *lane;
};
/* head: of the table that is begun on the lane's writer; NULL for plain text. */
int print_shard_new(struct sl_outputs *outs, const struct sl_lane *lane, const struct sl_table_head *head, void **ret);
int print_shard_end(void *outs, void *shard, const struct sl_lane *lane);
void print_shard_drop(void *shard);
#endif
