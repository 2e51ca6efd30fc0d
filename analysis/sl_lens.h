/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_LENS_H
#define SL_LENS_H
/*
 * Lenses: which calls, exceptions and switches of tasks are events of one kind, as data. A lens is a section of an ini
 * file; the ones that ship are in lenses/lenses.ini, which says what the keys mean.
 */
#include "sl_callstack.h"

enum sl_lens_list {	/* of names with * and ? */
	SL_LENS_DISPATCHER,
	SL_LENS_EVENT,
	SL_LENS_EXCEPT,
	SL_LENS_REQUESTER,
	SL_LENS_VOLUNTARY,
	SL_LENS_PREEMPTED,
	SL_LENS_LISTS,
};
struct sl_lens {
	char *name, *title;
	struct sl_lens_names {
		char **items;
		size_t len, cap;
	} lists[SL_LENS_LISTS];
	unsigned levels; /* bits 1 << enum sl_level */
	bool switches;
	bool pointers;	 /* of a dispatcher's callees only those that it calls through pointers */
};
enum { SL_LENSES_MAX = 32 };
struct sl_lenses {
	struct sl_lens items[SL_LENSES_MAX];
	size_t len;
};

/* The lenses that ship. SL_OK or SL_ERR_NOMEM; to be released in either case. */
int sl_lenses_init(struct sl_lenses *lenses);
/* Adds those of a file, whose name stands in messages; one of a known name takes the place of that. SL_OK; SL_ERR_IO,
 * SL_ERR_FORMAT with diag naming file, line and what was expected; SL_ERR_NOMEM. */
int sl_lenses_add_file(struct sl_lenses *lenses, const char *path, struct sl_diag *diag);
/* The same of a text (malloc'd, terminated, len bytes), which is freed; file stands in messages. */
int sl_lenses_add_text(struct sl_lenses *lenses, const char *file, char *text, size_t len, struct sl_diag *diag);
void sl_lenses_release(struct sl_lenses *lenses);
/* By name, in any case; NULL where there is none. */
const struct sl_lens *sl_lenses_find(const struct sl_lenses *lenses, const char *name);

/* Bits 1 << enum sl_lens_list: the lists that a function's name (as in its file, not demangled) is in, with or without what
 * compilers add behind a dot. */
unsigned sl_lens_match(const struct sl_lens *lens, const char *name);
#endif
