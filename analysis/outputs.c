/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include <stdlib.h>

struct sl_outputs {
	FILE *final;
	struct sl_outputs_ops ops;
	void *ctx;
	size_t open_count;
	bool head_written;
	int result;
};

int sl_outputs_new(FILE *final, const struct sl_outputs_ops *ops, void *ctx, struct sl_outputs **ret)
{
	struct sl_outputs *outs = calloc(1, sizeof(*outs));

	if (!outs)
		return SL_ERR_NOMEM;
	outs->final = final;
	if (ops)
		outs->ops = *ops;
	outs->ctx = ctx;
	*ret = outs;
	return SL_OK;
}

int sl_outputs_close(struct sl_outputs *outs)
{
	int result = outs->result;

	if (result == SL_OK && ferror(outs->final))
		result = SL_ERR_IO;
	free(outs);
	return result;
}

static int make_writer(struct sl_outputs *outs, enum lane_out_kind kind, struct lane_out *out)
{
	bool first = !outs->head_written;

	outs->head_written = true;
	if (kind == LANE_OUT_TABLE)
		return outs->ops.table(outs->ctx, out->file, first, &out->table);
	if (kind == LANE_OUT_SPANS)
		return outs->ops.spans(outs->ctx, out->file, first, &out->spans);
	return SL_OK;
}

int lane_out_open(struct sl_outputs *outs, enum lane_out_kind kind, struct lane_out *ret)
{
	struct lane_out out = { .file = outs->final };
	int result;

	/* Lanes end in the order in which they begin: one that is alone can write straight away. */
	if (outs->open_count) {
		out.file = tmpfile();
		out.temporary = true;
	}
	if (!out.file)
		return SL_ERR_IO;
	result = make_writer(outs, kind, &out);
	if (result < 0) {
		lane_out_drop(&out);
		return result;
	}
	outs->open_count++;
	*ret = out;
	return SL_OK;
}

static int append(FILE *from, FILE *to)
{
	char block[65536];
	size_t n;

	if (fflush(from) != 0)
		return SL_ERR_IO;
	rewind(from);
	while ((n = fread(block, 1, sizeof(block), from)) > 0) {
		if (fwrite(block, 1, n, to) != n)
			return SL_ERR_IO;
	}
	return ferror(from) ? SL_ERR_IO : SL_OK;
}

static int close_writer(struct lane_out *out)
{
	int result = SL_OK;

	if (out->table.ops)
		result = out->table.ops->close(out->table.out);
	if (out->spans.ops)
		result = out->spans.ops->close(out->spans.out);
	out->table.ops = NULL;
	out->spans.ops = NULL;
	return result;
}

int lane_out_close(struct sl_outputs *outs, struct lane_out *out)
{
	int result = close_writer(out);

	outs->open_count--;
	if (out->temporary) {
		if (result == SL_OK)
			result = append(out->file, outs->final);
		fclose(out->file);
		out->file = NULL;
	}
	if (result < 0)
		outs->result = result;
	return result;
}

void lane_out_drop(struct lane_out *out)
{
	close_writer(out);
	if (out->temporary && out->file)
		fclose(out->file);
	out->file = NULL;
}

int print_shard_new(struct sl_outputs *outs, const struct sl_lane *lane, const struct sl_table_head *head, void **ret)
{
	struct print_shard *shard = calloc(1, sizeof(*shard));
	int result;

	if (!shard)
		return SL_ERR_NOMEM;
	shard->lane = lane;
	result = lane_out_open(outs, head ? LANE_OUT_TABLE : LANE_OUT_TEXT, &shard->out);
	if (result < 0) {
		free(shard);
		return result;
	}
	if (head)
		shard->out.table.ops->begin(shard->out.table.out, head);
	*ret = shard;
	return SL_OK;
}

int print_shard_end(void *outs, void *self, const struct sl_lane *lane)
{
	struct print_shard *shard = self;
	int result;

	(void)lane;
	if (shard->out.table.ops)
		shard->out.table.ops->end(shard->out.table.out);
	result = lane_out_close(outs, &shard->out);
	free(shard);
	return result;
}

void print_shard_drop(void *self)
{
	struct print_shard *shard = self;

	lane_out_drop(&shard->out);
	free(shard);
}
