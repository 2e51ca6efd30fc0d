/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocsd.h"

/*
 * What a byte of trace may make OpenCSD read of the image, and what it may read in any case: more than real code can
 * ask for (24 atoms fit into a byte, and a run of code touches few pages of 256 bytes), but a bound on what a hostile
 * trace and image can cost.
 */
enum { WALK_BYTES_PER_TRACE_BYTE = 24 * 512, WALK_BYTES_FREE = 64 << 20 };

static struct ocsd_decoder *own(struct sl_decoder *base)
{
	return (struct ocsd_decoder *)base;
}

static void free_decoder(struct sl_decoder *base)
{
	struct ocsd_decoder *dec = own(base);

	ocsd_destroy(dec);
	queue_release(&dec->queue);
	free(dec->names);
	free(dec->speculation);
	free(dec);
}

const char *sl_decoder_engine(void)
{
	return "OpenCSD " OCSD_VER_STRING;
}

static void queue_gap(struct ocsd_decoder *dec, uint64_t offset, enum sl_gap gap)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_GAP, .count = gap };

	queue_add(&dec->queue, &e);
}

/* One operation on a tree; the response, and the bytes used of data. */
static ocsd_datapath_resp_t operate(dcd_tree_handle_t tree, ocsd_datapath_op_t op, uint64_t offset, const uint8_t *data,
				    uint32_t len, uint32_t *ret_used)
{
	*ret_used = 0;
	return ocsd_dt_process_data(tree, op, (ocsd_trc_index_t)offset, len, data, ret_used);
}

/*
 * Nothing of what came before counts any more. The decoders of ETMv3 and PTM do not forget all on a reset, and may write
 * (ETMv3) or read (PTM) outside of their own memory afterwards: they get a new tree.
 */
static void reset_tree(struct ocsd_decoder *dec)
{
	uint32_t used;

	if (dec->speculation)
		speculation_reset(dec->speculation);
	dec->returns = (struct return_depth){ 0 };
	dec->q_len = 0;
	dec->renewed = true;
	dec->told_no_sync = false;
	if (dec->protocol != SL_PROTOCOL_ETMV3 && dec->protocol != SL_PROTOCOL_PTM)
		operate(dec->tree, OCSD_OP_RESET, 0, NULL, 0, &used);
	else if (ocsd_setup(dec, NULL) < 0)
		dec->queue.no_memory = true;
}

/* Gives OpenCSD what is left of the chunk; the bytes used. Where it gives up, there is a gap. */
static uint32_t process_bytes(struct ocsd_decoder *dec, uint32_t done)
{
	uint32_t left = dec->chunk_len - done, used;
	uint64_t offset = dec->chunk_offset + done;
	ocsd_datapath_resp_t resp = operate(dec->tree, OCSD_OP_DATA, offset, dec->chunk + done, left, &used);

	if (!OCSD_DATA_RESP_IS_FATAL(resp))
		return used > 0 && used <= left ? used : left;
	used = used > 0 && used <= left ? used : 1;
	queue_gap(dec, offset + used - 1, SL_GAP_DECODE_ERROR);
	reset_tree(dec);
	return used;
}

static void process_chunk(struct ocsd_decoder *dec)
{
	uint32_t done = 0;

	dec->walk_budget += (uint64_t)dec->chunk_len * WALK_BYTES_PER_TRACE_BYTE;
	while (done < dec->chunk_len && !dec->queue.no_memory)
		done += process_bytes(dec, done);
	dec->chunk_offset += dec->chunk_len;
	dec->chunk_len = 0;
}

static void feed(struct sl_decoder *base, struct sl_bytes in)
{
	struct ocsd_decoder *dec = own(base);

	if (!dec->chunk_len)
		dec->chunk_offset = in.offset;
	dec->in = in;
}

static void finish(struct sl_decoder *base)
{
	own(base)->finishing = true;
}

static void restart(struct sl_decoder *base)
{
	struct ocsd_decoder *dec = own(base);

	process_chunk(dec);
	reset_tree(dec);
	space_restart(&dec->space);
}

static void end_lane(struct ocsd_decoder *dec)
{
	struct sl_elem end = { .kind = SL_ELEM_END };
	uint32_t used;

	process_chunk(dec);
	dec->at_end = true;
	operate(dec->tree, OCSD_OP_EOT, dec->chunk_offset, NULL, 0, &used);
	end.offset = dec->chunk_offset;
	queue_add(&dec->queue, &end);
	dec->ended = true;
}

/* Fills the chunk from what is lent; true when there is something to process. */
static bool take_chunk(struct ocsd_decoder *dec)
{
	size_t room = CHUNK_BYTES - dec->chunk_len;
	size_t n = dec->in.len < room ? dec->in.len : room;

	if (!n)
		return false; /* a whole chunk does not wait here */
	memcpy(dec->chunk + dec->chunk_len, dec->in.data, n);
	dec->chunk_len += (uint32_t)n;
	dec->in.data += n;
	dec->in.len -= n;
	dec->in.offset += n;
	return dec->chunk_len == CHUNK_BYTES;
}

/* Decodes until the queue has something or all is used up. */
static void fill_queue(struct ocsd_decoder *dec)
{
	dec->queue.head = dec->queue.len = 0;
	while (!dec->queue.len && take_chunk(dec))
		process_chunk(dec);
	if (!dec->queue.len && dec->finishing && !dec->ended)
		end_lane(dec);
}

static int lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct ocsd_decoder *dec = own(base);

	if (queue_is_lent(&dec->queue))
		fill_queue(dec);
	return queue_lend(&dec->queue, ret, ret_len);
}

int ocsd_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	     struct sl_diag *diag)
{
	static const struct sl_engine_ops ops = { free_decoder, feed, finish, restart, lend };
	struct ocsd_decoder *dec = calloc(1, sizeof(*dec));
	int result;

	if (!dec)
		return SL_ERR_NOMEM;
	dec->base.ops = &ops;
	dec->options = *options;
	dec->protocol = config->protocol;
	dec->config = *config;
	space_init(&dec->space, options, &dec->queue);
	dec->max_speculation = config->regs[SL_REG_TRCIDR8];
	dec->counts_returns = (config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE) &&
			      config->regs[SL_REG_TRCCONFIGR] >> 12 & 1 && !dec->max_speculation;
	dec->exception_returns_are_p0 = config->profile == SL_PROFILE_M && config->arch == SL_ARCH_V7;
	dec->transactions_are_p0 = !(config->regs[SL_REG_TRCIDR0] >> 30 & 1);
	dec->walk_budget = WALK_BYTES_FREE;
	if (dec->max_speculation)
		dec->speculation = calloc(1, sizeof(*dec->speculation));
	if (dec->speculation)
		dec->speculation->max_depth = dec->max_speculation;
	if (dec->max_speculation && !dec->speculation)
		result = SL_ERR_NOMEM;
	else
		result = ocsd_setup(dec, diag);
	if (result < 0) {
		free_decoder(&dec->base);
		return result;
	}
	*ret = &dec->base;
	return SL_OK;
}
