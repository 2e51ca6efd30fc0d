/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPAN_H
#define SPAN_H
/*
 * Lists of address ranges: what covers what, once all that overlaps is cut. A cut list is sorted and free of
 * overlaps, so that one binary search answers a lookup.
 */
#include "sl_base.h"

struct span {
	uint64_t start, end;
	uint64_t bias; /* run-time address less the module's own */
	void *what;    /* a struct sym or a struct mapping, by list */
};
struct spans {
	struct span *items;
	size_t len, cap;
};

int spans_add(struct spans *list, struct span span);
void spans_release(struct spans *list);

/*
 * Cuts len ranges, given in order of priority, so that each address belongs to the first one that has it;
 * appends the result to ret. Pieces of one thing that touch are joined. SL_OK or SL_ERR_NOMEM.
 */
int spans_cut(const struct span *in, size_t len, struct spans *ret);

/* The addresses around one for which a lookup has the same answer. */
struct window {
	uint64_t start, end;
};

/* What a cut list has at address, or NULL. Narrows window to that piece, or to the hole that address is in.
 */
const struct span *spans_find(const struct spans *list, uint64_t address, struct window *window);
#endif
