/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_NUMBER_H
#define SL_NUMBER_H
/* Numbers as text, the same in every locale. Internal to report/. */
#include "sl_base.h"

struct sl_number {
	char text[64];
};
/* 1234567 as "1,234,567". */
const char *sl_number_grouped(uint64_t n, struct sl_number *ret);
/* -1234567 as "-1,234,567", 5 as "+5". */
const char *sl_number_signed(int64_t n, struct sl_number *ret);
/* With so many decimals and groups of thousands; "-" where it is no number. */
const char *sl_number_fixed(double d, int decimals, struct sl_number *ret);
/* The shortest text that reads back as d (a JSON number); NULL where it is infinite or no number. */
const char *sl_number_exact(double d, struct sl_number *ret);
#endif
