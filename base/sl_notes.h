/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_NOTES_H
#define SL_NOTES_H
/*
 * What a layer has to tell the user besides its result: warnings that are collected while opening, loading or
 * decoding and printed once by the program. Equal texts are kept once and counted.
 */
#include "sl_base.h"

struct sl_note {
	char *text;	 /* one line: what, where, why, what to do */
	uint64_t count;	 /* how often it was added */
};
struct sl_notes {
	struct sl_note *items;
	size_t len, cap;
	uint64_t dropped;  /* for want of memory, or beyond the limit of 1,000 different texts */
};
#define SL_NOTES_INIT { 0 }

/* Adds a line; notes may be NULL. Never fails: what cannot be kept is counted as dropped. */
void sl_notes_add(struct sl_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends all of from, which keeps its own. */
void sl_notes_merge(struct sl_notes *into, const struct sl_notes *from);
void sl_notes_release(struct sl_notes *notes);
#endif
