/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JIT_MAP_H
#define JIT_MAP_H
/*
 * perf-PID.map: the names that a JIT compiler gave its functions, one a line: START SIZE name, numbers in base 16. Inside
 * of capture/perf/ only. Format: tools/perf/Documentation/jit-interface.txt of Linux.
 */
#include "sl_base.h"

struct jit_name {
	uint64_t address, size;
	const char *name; /* len bytes of the text, not terminated, at least one */
	size_t len;
};

/* Takes the next name off text. SL_OK, or SL_END behind the last one. Lines that are none are counted in *others. */
int jit_map_next(struct sl_bytes *text, struct jit_name *ret, uint64_t *others);
#endif
