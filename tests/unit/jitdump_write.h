/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JITDUMP_WRITE_H
#define JITDUMP_WRITE_H
/* Writes jitdumps, in either byte order. */
#include <string.h>

#include "perf_write.h"

enum { JIT_AARCH64 = 183, JIT_HEADER = 40 };

static inline void jit_start(struct perf_bytes *out, bool big, uint32_t machine, uint64_t flags)
{
	*out = (struct perf_bytes){ .big = big };
	perf_put32(out, 0x4a695444);
	perf_put32(out, 1);
	perf_put32(out, JIT_HEADER);
	perf_put32(out, machine);
	perf_put32(out, 0);
	perf_put32(out, 4711);
	perf_put64(out, 1);
	perf_put64(out, flags);
}

static inline void jit_record(struct perf_bytes *out, uint32_t type, uint32_t size, uint64_t time)
{
	perf_put32(out, type);
	perf_put32(out, size);
	perf_put64(out, time);
}

/* JIT_CODE_LOAD of size bytes fill; returns where in the file they are. */
static inline uint64_t jit_load(struct perf_bytes *out, uint64_t time, uint64_t address, uint64_t index, const char *name,
				uint8_t fill, uint32_t size)
{
	uint64_t at;

	jit_record(out, 0, (uint32_t)(56 + strlen(name) + 1 + size), time);
	perf_put32(out, 4711);
	perf_put32(out, 4712);
	perf_put64(out, address);
	perf_put64(out, address);
	perf_put64(out, size);
	perf_put64(out, index);
	perf_put(out, name, strlen(name) + 1);
	at = out->len;
	for (uint32_t i = 0; i < size; i++)
		perf_put8(out, fill);
	return at;
}

/* JIT_CODE_MOVE. */
static inline void jit_move(struct perf_bytes *out, uint64_t time, uint64_t to, uint64_t index, uint64_t size)
{
	jit_record(out, 1, 64, time);
	perf_put32(out, 4711);
	perf_put32(out, 4712);
	perf_put64(out, to);
	perf_put64(out, 1);
	perf_put64(out, to);
	perf_put64(out, size);
	perf_put64(out, index);
}
#endif
