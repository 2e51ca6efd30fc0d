/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

const char *sl_engine_name(unsigned engine)
{
	static const char *const names[] = { "auto", "fast", "opencsd" };

	return engine < SL_ENGINES ? names[engine] : NULL;
}

/*
 * ITM and Intel PT are ours alone. Of the other protocols both engines make the same elements; packets of PTM and ETMv3 are OpenCSD's
 * unless the fast engine is asked for by name.
 */
static enum sl_engine choose(const struct sl_trace_config *config, const struct sl_decoder_options *options)
{
	bool fast = config->protocol == SL_PROTOCOL_ITM || config->protocol == SL_PROTOCOL_IPT || e4_covers(config, options) ||
		    (!options->packet && (ptm_covers(config, options) || etm3_covers(config, options)));

	if (options->engine != SL_ENGINE_AUTO)
		return options->engine;
	return fast ? SL_ENGINE_FAST : SL_ENGINE_OPENCSD;
}

static int new_fast(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		    struct sl_decoder **ret, struct sl_diag *diag)
{
	if (config->protocol == SL_PROTOCOL_ITM)
		return itm_new(config, options, ret, diag);
	if (config->protocol == SL_PROTOCOL_IPT)
		return ipt_new(config, options, ret, diag);
	if (e4_covers(config, options))
		return e4_new(config, options, ret, diag);
	if (ptm_covers(config, options))
		return ptm_new(config, options, ret, diag);
	if (etm3_covers(config, options))
		return etm3_new(config, options, ret, diag);
	if (config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE)
		return sl_fail(diag, SL_ERR_UNSUPPORTED,
			       "the fast engine decodes neither data, nor conditional instructions, nor loads and stores; "
			       "--engine opencsd does what can be done");
	return sl_fail(diag, SL_ERR_UNSUPPORTED, "the fast engine does not decode %s; --engine opencsd does",
		       sl_protocol_name(config->protocol));
}

int sl_decoder_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		   struct sl_decoder **ret, struct sl_diag *diag)
{
	struct sl_trace_config complete = *config;
	int result = sl_config_complete(&complete, diag);
	enum sl_engine kind = choose(&complete, options);

	if (result == SL_OK && kind == SL_ENGINE_FAST)
		result = new_fast(&complete, options, ret, diag);
	else if (result == SL_OK)
		result = ocsd_new(&complete, options, ret, diag);
	if (result == SL_OK)
		(*ret)->kind = kind;
	return result;
}

enum sl_engine sl_decoder_kind(const struct sl_decoder *dec)
{
	return dec->kind;
}

uint64_t sl_decoder_merged(const struct sl_decoder *dec)
{
	return dec->merged;
}

void sl_decoder_free(struct sl_decoder *dec)
{
	if (!dec)
		return;
	free(dec->marks);
	dec->ops->free(dec);
}

int engine_mark(struct sl_decoder *dec, enum sl_mark_kind kind, uint64_t offset, uint64_t address)
{
	struct sl_mark mark = { offset, address, kind };

	return SL_ARRAY_PUSH(&dec->marks, &dec->mark_len, &dec->mark_cap, mark);
}

size_t sl_decoder_marks(const struct sl_decoder *dec, const struct sl_mark **ret)
{
	*ret = dec->marks;
	return dec->mark_len;
}

const char *sl_mark_help(unsigned kind)
{
	static const char *const help[SL_MARKS] = {
		[SL_MARK_SYNC] = "a damaged trace has nothing to confirm what it says",
		[SL_MARK_CONFIRMED] = "a damaged trace returns or calls to where nothing does",
		[SL_MARK_ADDRESS] = "the trace tells another address than the flow had come to",
		[SL_MARK_ATOM] = "the trace goes on without having told an address",
		[SL_MARK_NOT_TAKEN] = "a branch without condition was not taken",
		[SL_MARK_PACKET] = "bytes are no packets that can be there",
	};

	return kind < SL_MARKS ? help[kind] : "";
}

/* What the engine has made since the last time; marks are those of it. */
static int lend(struct sl_decoder *dec, struct sl_elem **ret, size_t *ret_len)
{
	dec->mark_len = 0;
	return dec->ops->lend(dec, ret, ret_len);
}

void sl_decoder_feed(struct sl_decoder *dec, struct sl_bytes in)
{
	dec->ops->feed(dec, in);
}

void sl_decoder_finish(struct sl_decoder *dec)
{
	dec->ops->finish(dec);
}

void sl_decoder_restart(struct sl_decoder *dec)
{
	dec->ops->restart(dec);
}

bool sl_decoder_can_fork(const struct sl_decoder *dec)
{
	return dec->part_ops && dec->part_ops->can_fork(dec);
}

int sl_decoder_fork(const struct sl_decoder *dec, struct sl_decoder **ret)
{
	return dec->part_ops->fork(dec, ret);
}

int sl_decoder_note(struct sl_decoder *dec, struct sl_seam **mark)
{
	assert(!dec->lent_len);
	return dec->part_ops->mark(dec, mark);
}

int sl_decoder_resume(struct sl_decoder *dec, const struct sl_seam *mark, void *moment_ctx)
{
	assert(!dec->lent_len);
	return dec->part_ops->resume(dec, mark, moment_ctx);
}

int sl_decoder_foresee(struct sl_decoder *dec, struct sl_seam *now, struct sl_bytes lane, void *moment_ctx,
		       struct sl_seam **mark, uint64_t *ret_offset)
{
	assert(!dec->lent_len);
	return dec->part_ops->foresee(dec, now, lane, moment_ctx, mark, ret_offset);
}

bool sl_seam_join(struct sl_seam *before, const struct sl_seam *begin, struct sl_seam *end)
{
	return before->ops->join(before, begin, end);
}

void sl_decoder_exchange(struct sl_decoder *dec, struct sl_elem **elems, size_t *cap)
{
	dec->part_ops->exchange(dec, elems, cap);
}

void sl_seam_free(struct sl_seam *mark)
{
	if (mark)
		mark->ops->mark_free(mark);
}

int sl_decoder_lend(struct sl_decoder *dec, struct sl_elem **ret, size_t *ret_len)
{
	if (!dec->lent_len)
		return lend(dec, ret, ret_len);
	*ret = dec->lent;
	*ret_len = dec->lent_len;
	dec->lent_len = 0;
	return SL_OK;
}

int sl_decoder_next(struct sl_decoder *dec, struct sl_elem *ret, size_t cap, size_t *ret_len)
{
	size_t n = 0;

	while (n < cap) {
		size_t some;

		if (!dec->lent_len) {
			int result = lend(dec, &dec->lent, &dec->lent_len);

			if (result < 0)
				return result;
			if (result == SL_END)
				break;
		}
		some = dec->lent_len < cap - n ? dec->lent_len : cap - n;
		memcpy(ret + n, dec->lent, some * sizeof(*ret));
		dec->lent += some;
		dec->lent_len -= some;
		n += some;
	}
	if (!n)
		return SL_END;
	*ret_len = n;
	return SL_OK;
}
