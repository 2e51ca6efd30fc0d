/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_TEXT_H
#define SL_TEXT_H
#include "sl_base.h"

/* A whole string as a number: 0x.., 0.. (octal) or decimal, blanks around it allowed, nothing else.
 * SL_OK, or SL_ERR_FORMAT (no digits, trailing text, negative, beyond 64 bits). */
int sl_parse_u64(const char *text, uint64_t *ret);
/* The same in base 16 without prefix, n characters exactly. */
int sl_parse_hex(const char *text, size_t n, uint64_t *ret);

/* text without blanks (space, tab, CR, LF) at both ends; trims in place and returns the new start. */
char *sl_trim(char *text);

/* Copies text with control characters and bytes that are no UTF-8 replaced by '?' (terminals and files from
 * strangers). Always terminates; returns ret. */
const char *sl_printable(const char *text, char *ret, size_t cap);

/* Bytes as hex digits, two each, terminated: ret has room for 2 * len + 1. */
void sl_hex(const uint8_t *data, size_t len, char *ret);
#endif
