/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DESCRIBE_H
#define DESCRIBE_H
/* Elements in words. Inside of analysis/ only. */
#include "sl_elem.h"

/* "A64"; "" where it is not known. */
const char *describe_isa(unsigned isa);
/* What columns of numbers do not say of an element. */
void describe_elem(const struct sl_elem *e, char *ret, size_t cap);
/* All of an element but its offset, in one line. */
void describe_line(const struct sl_elem *e, char *ret, size_t cap);
#endif
