/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_TEXT_H
#define DECODE_TEXT_H
/* A lane's bytes through sl_decoder into lines of text, for tests to compare. Failures abort. */
#include "etm4_encode.h"
#include "sl_decoder.h"

/* The registers of an encoder's configuration as a decoder takes them. */
void decode_config(const struct etm4_config *config, struct sl_trace_config *ret);

/*
 * One line an element, "OFFSET what": range START-END COUNT LAST E|N [cond], exception N [at A] [target], gap
 * NAME [A] and so on; numbers that are addresses, ids or times in hex. Fed in pieces of chunk bytes. A new
 * string.
 */
char *decode_text(const struct sl_trace_config *config, const struct sl_image *image, const uint8_t *data,
		  size_t len, size_t chunk);
char *decode_text_by(enum sl_engine engine, const struct sl_trace_config *config, const struct sl_image *image,
		     const uint8_t *data, size_t len, size_t chunk);
/* The same for one element, without a newline. */
void elem_text(const struct sl_elem *elem, char *ret, size_t cap);
#endif
