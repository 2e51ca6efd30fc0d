/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOLS_H
#define SYMBOLS_H
/* Symbols of one table as they were read, and what becomes of them: one name an address, and ends. */
#include "span.h"

/* Which of several names at one address is the better one: the lower. */
enum sym_rank { RANK_FUNCTION, RANK_LABEL, RANK_MARKER };
enum sym_bind { BIND_GLOBAL, BIND_WEAK, BIND_LOCAL };

struct sym {
	uint64_t addr;
	uint64_t size;	/* 0: not told, until symbols_settle() */
	uint64_t limit; /* end of the section that it is in; UINT64_MAX where not known */
	const char *name;
	uint32_t module, id; /* id: 0 until the image is sealed, and then for what nobody can see */
	uint8_t isa, rank, bind;
	bool plt;
};
struct syms {
	struct sym *items;
	size_t len, cap;
};

enum {
	SYM_REACH = 1 << 20, /* how far a symbol without size may go */
	SYM_PADDING = 16,    /* a hole smaller than this between two functions belongs to the former */
	SYM_NAME_MAX = 1024, /* longer names are compared and shown up to here */
};

int syms_add(struct syms *list, const struct sym *sym);
void syms_release(struct syms *list);

/* True for what linkers and linker scripts put at the ends of sections: _stext, __init_end, ... */
bool sym_is_marker(const char *name);

/* True for mapping symbols ($a, $t, $d, $x, $x.foo), which say what bytes are and name nothing. */
bool sym_is_mark(const char *name);

/*
 * Sorts, keeps one symbol an address, gives sizes, and appends to spans what address belongs to which (cut).
 * The list must not change afterwards: spans point into it. SL_OK or SL_ERR_NOMEM.
 */
int syms_settle(struct syms *list, struct spans *spans);
#endif
