/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMPLEPERF_WRITE_H
#define SIMPLEPERF_WRITE_H
/* Writes what simpleperf keeps of files: protobuf messages of FILE2, and the older FILE. */
#include <string.h>

#include "perf_write.h"

static inline void pb_varint(struct perf_bytes *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		perf_put8(out, (uint8_t)(value | 0x80));
	perf_put8(out, (uint8_t)value);
}

static inline void pb_number(struct perf_bytes *out, unsigned field, uint64_t value)
{
	pb_varint(out, field << 3);
	pb_varint(out, value);
}

static inline void pb_bytes(struct perf_bytes *out, unsigned field, const void *data, size_t len)
{
	pb_varint(out, field << 3 | 2);
	pb_varint(out, len);
	perf_put(out, data, len);
}

struct sp_symbol {
	uint64_t vaddr;
	uint32_t len;
	const char *name;
};
struct sp_file {
	const char *path;
	uint32_t type;
	uint64_t min_vaddr, offset;
	struct sp_symbol symbols[3]; /* to the first without name */
};

static inline void sp_put_file2(struct perf_bytes *out, const struct sp_file *file)
{
	struct perf_bytes message = { 0 };

	pb_bytes(&message, 1, file->path, strlen(file->path));
	pb_number(&message, 2, file->type);
	pb_number(&message, 3, file->min_vaddr);
	for (size_t i = 0; i < 3 && file->symbols[i].name; i++) {
		struct perf_bytes symbol = { 0 };

		pb_number(&symbol, 1, file->symbols[i].vaddr);
		pb_number(&symbol, 2, file->symbols[i].len);
		pb_bytes(&symbol, 3, file->symbols[i].name, strlen(file->symbols[i].name));
		pb_bytes(&message, 4, symbol.data, symbol.len);
		perf_bytes_release(&symbol);
	}
	if (file->type == 1 || file->type == 2) {
		struct perf_bytes offset = { 0 };

		pb_number(&offset, 1, file->offset);
		pb_bytes(&message, file->type == 1 ? 7 : 6, offset.data, offset.len);
		perf_bytes_release(&offset);
	}
	perf_put32(out, (uint32_t)message.len);
	perf_put(out, message.data, message.len);
	perf_bytes_release(&message);
}

static inline void sp_put_file(struct perf_bytes *out, const struct sp_file *file, bool with_offset)
{
	struct perf_bytes body = { 0 };
	uint32_t count = 0;

	while (count < 3 && file->symbols[count].name)
		count++;
	perf_put(&body, file->path, strlen(file->path) + 1);
	perf_put32(&body, file->type);
	perf_put64(&body, file->min_vaddr);
	perf_put32(&body, count);
	for (uint32_t i = 0; i < count; i++) {
		perf_put64(&body, file->symbols[i].vaddr);
		perf_put32(&body, file->symbols[i].len);
		perf_put(&body, file->symbols[i].name, strlen(file->symbols[i].name) + 1);
	}
	if (with_offset)
		perf_put64(&body, file->offset);
	perf_put32(out, (uint32_t)body.len);
	perf_put(out, body.data, body.len);
	perf_bytes_release(&body);
}
#endif
