/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAVED_PACK_H
#define SAVED_PACK_H
/* The text of a kept profile as the bytes of its file: xz. Inside of analysis/compare only. */
#include "sl_base.h"

/* Whether bytes begin as those of xz, or gzip, which was written until version 1. */
bool saved_is_xz(struct sl_bytes bytes);
bool saved_is_gzip(struct sl_bytes bytes);
/* ret is to be freed. SL_OK or SL_ERR_NOMEM. */
int saved_pack(struct sl_bytes text, uint8_t **ret, size_t *ret_len);
/* Of xz or gzip; up to most bytes of text. ret is to be freed. SL_OK; SL_ERR_NOMEM; SL_ERR_FORMAT: cut short or damaged;
 * SL_ERR_LIMIT: there is more text. */
int saved_unpack(struct sl_bytes bytes, size_t most, char **ret, size_t *ret_len);
#endif
