/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_UTF8_H
#define SL_UTF8_H
/* Strings from strangers, for terminals, JSON and CSV. Internal to report/. */
#include <stdio.h>

#include "sl_base.h"

/* The character that text begins with: its code point and size in bytes; 0 where the bytes are no UTF-8. */
unsigned sl_utf8_next(const char *text, uint32_t *ret);
/* Characters of text; a byte that is no UTF-8 counts as one. */
size_t sl_utf8_width(const char *text);
/* A JSON string with its quotes. What is no UTF-8 becomes U+FFFD, and control characters \uXXXX. */
void sl_json_string(FILE *out, const char *text);
/* A CSV field, quoted where it must be. What is no UTF-8 and control characters become U+FFFD. */
void sl_csv_field(FILE *out, const char *text);
/* One line of plain text. What is no UTF-8, control characters, and the characters of avoid become '?'. */
void sl_plain_text(FILE *out, const char *text, const char *avoid);
/* Text inside of an element or attribute of XML. What XML cannot hold becomes U+FFFD. */
void sl_xml_text(FILE *out, const char *text);
#endif
