/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_NEAREST_H
#define SL_NEAREST_H
/* "Did you mean": the known word that a mistyped one is nearest to. */
#include "sl_base.h"

struct sl_nearest {
	const char *typed;
	const char *best;    /* NULL: nothing is near enough */
	unsigned distance;
};
void sl_nearest_init(struct sl_nearest *nearest, const char *typed);
/* Offers a known word, which must live as long as nearest; of equally near words the first one stays. */
void sl_nearest_offer(struct sl_nearest *nearest, const char *word);
#endif
