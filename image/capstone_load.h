/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPSTONE_LOAD_H
#define CAPSTONE_LOAD_H
/*
 * Capstone, loaded when the first instruction is to be spelt out: its tables have 88,000 relocations, which would be half of the time in which the
 * program starts (docs/decisions/0010-capstone-when-needed.md).
 */
#include <capstone/capstone.h>

/* What of it is called, by the names and types that its header has. */
struct capstone {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *alloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
};
/* The same each time, from any thread. NULL: the library that this was built for is not there. */
const struct capstone *capstone_load(void);
#endif
