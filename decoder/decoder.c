/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

int sl_decoder_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		   struct sl_decoder **ret, struct sl_diag *diag)
{
	struct sl_trace_config complete = *config;
	int result = sl_config_complete(&complete, diag);

	if (result < 0)
		return result;
	if (complete.protocol == SL_PROTOCOL_ITM)
		return itm_new(&complete, options, ret, diag);
	return ocsd_new(&complete, options, ret, diag);
}

void sl_decoder_free(struct sl_decoder *dec)
{
	if (dec)
		dec->ops->free(dec);
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

int sl_decoder_next(struct sl_decoder *dec, struct sl_elem *ret, size_t cap, size_t *ret_len)
{
	return dec->ops->next(dec, ret, cap, ret_len);
}
