/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAVED_H
#define SAVED_H
/* How a kept profile is built up. Inside of analysis/ only. */
#include "sl_saved.h"

#define SAVED_SCHEMA "sightline.profile/"
enum {
	SAVED_VERSION = 2,
	SAVED_HISTOGRAM_BYTES = 256 << 20, /* of all functions together */
	SAVED_TEXT_BYTES = 64 << 20,	   /* of a file, unpacked */
	SAVED_NODE_DEPTH = 1024,	   /* graph keeps half of it */
	SAVED_EVENTS = 65536,		   /* kinds of them; each is looked for among the others */
};

/* The number of a string, made where it is new. SL_OK or SL_ERR_NOMEM. */
int saved_string(struct sl_saved *saved, const char *text, uint32_t *ret);
/* Appends a function that nothing is known of. SL_OK or SL_ERR_NOMEM. */
int saved_add_function(struct sl_saved *saved, const char *name, const char *module, uint32_t *ret);
/* That of a symbol, made where it is new. */
int saved_function_of(struct sl_saved *saved, const struct sl_image *image, uint32_t symbol, uint32_t *ret);
/* Puts nodes in preorder; children of one stay as they are. SL_OK or SL_ERR_NOMEM. */
int saved_order_nodes(struct sl_saved *saved);
/* Makes what is not on all lanes 0 on all of them: nobody shows it. */
void saved_drop_axes(struct sl_saved *saved);
/* Sums up the totals of nodes from the leaves on. */
void saved_sum_up(struct sl_saved *saved);
#endif
