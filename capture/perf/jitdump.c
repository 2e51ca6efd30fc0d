/* SPDX-License-Identifier: Apache-2.0 */
#include "jitdump.h"

#include "perf_data.h"
#include "sl_array.h"
#include "sl_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0x4a695444, /* "JiTD" in the order of the machine that wrote it */
	VERSION = 1,
	HEADER_BYTES = 40,
	FLAG_ARCH_TIME = 1,
	RECORD_BYTES = 16,
	LOAD_BYTES = 56, /* with the record's header; then name and code */
	MOVE_BYTES = 64,
};
enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_CLOSE = 3 };

struct reader {
	const char *label;
	struct sl_bytes data;
	bool big;
	struct jitdump *dump;
	struct sl_map by_index; /* code index -> number of its last jit_code + 1 */
	uint64_t bad, first_bad, strays, first_stray;
};

static uint32_t u32(const struct reader *r, uint64_t at)
{
	return (uint32_t)perf_get(r->big, r->data.data + at, 4);
}

static uint64_t u64(const struct reader *r, uint64_t at)
{
	return perf_get(r->big, r->data.data + at, 8);
}

static int add_code(struct reader *r, uint64_t index, const struct jit_code *code)
{
	uint64_t *number = sl_map_put(&r->by_index, index);

	if (!number)
		return SL_ERR_NOMEM;
	*number = r->dump->count + 1;
	return SL_ARRAY_PUSH(&r->dump->codes, &r->dump->count, &r->dump->cap, *code);
}

static int count_bad(struct reader *r, uint64_t at)
{
	r->first_bad = r->bad++ ? r->first_bad : at;
	return SL_OK;
}

/*
 * u32 pid, tid; u64 vma, address, size, index; name; code. The code ends the record: that is where perf inject takes it
 * from, should there be more between the two.
 */
static int read_load(struct reader *r, uint64_t at, uint32_t size)
{
	const char *name = (const char *)r->data.data + at + LOAD_BYTES;
	struct jit_code code = { .record_offset = at, .name = name };
	size_t room, name_len;

	if (size <= LOAD_BYTES)
		return count_bad(r, at);
	room = size - LOAD_BYTES;
	name_len = strnlen(name, room);
	code.time = u64(r, at + 8);
	code.address = u64(r, at + 32);
	code.size = u64(r, at + 40);
	if (name_len == room || code.size > room - name_len - 1 || code.size > UINT64_MAX - code.address)
		return count_bad(r, at);
	code.file_offset = at + size - code.size;
	return code.size ? add_code(r, u64(r, at + 48), &code) : SL_OK;
}

/* u32 pid, tid; u64 vma, old address, new address, size, index. */
static int read_move(struct reader *r, uint64_t at, uint32_t size)
{
	const uint64_t *number;
	struct jit_code code;

	if (size < MOVE_BYTES)
		return count_bad(r, at);
	number = sl_map_get(&r->by_index, u64(r, at + 56));
	if (!number) {
		r->first_stray = r->strays++ ? r->first_stray : at;
		return SL_OK;
	}
	code = r->dump->codes[*number - 1];
	code.time = u64(r, at + 8);
	code.record_offset = at;
	code.address = u64(r, at + 40);
	if (code.size > UINT64_MAX - code.address)
		return count_bad(r, at);
	return add_code(r, u64(r, at + 56), &code);
}

/* What is of no use here (lines, unwinding) and what is not known is skipped by its size. */
static int read_record(struct reader *r, uint64_t at, uint32_t size)
{
	switch (u32(r, at)) {
	case CODE_LOAD:
		return read_load(r, at, size);
	case CODE_MOVE:
		return read_move(r, at, size);
	case CODE_CLOSE:
		return SL_END;
	default:
		return SL_OK;
	}
}

static int read_records(struct reader *r, uint64_t at, struct sl_notes *notes)
{
	int result = SL_OK;

	while (result == SL_OK && at < r->data.len) {
		uint64_t left = r->data.len - at;
		uint32_t size = left >= RECORD_BYTES ? u32(r, at + 4) : 0;

		if (size < RECORD_BYTES || size > left) {
			sl_notes_add(notes, "%s: is cut or damaged at offset 0x%" PRIx64 ": the code from there on is not known",
				     r->label, at);
			break;
		}
		result = read_record(r, at, size);
		at += size;
	}
	return result < 0 ? result : SL_OK;
}

static int by_time(const void *left, const void *right)
{
	const struct jit_code *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->record_offset < b->record_offset ? -1 : a->record_offset > b->record_offset;
}

static void note(const struct reader *r, struct sl_notes *notes)
{
	if (r->bad)
		sl_notes_add(notes, "%s: %" PRIu64 " records do not hold what they should (the first at offset 0x%" PRIx64
			     "): left out", r->label, r->bad, r->first_bad);
	if (r->strays)
		sl_notes_add(notes, "%s: %" PRIu64 " functions were moved that it does not have (the first at offset 0x%" PRIx64
			     "): left out", r->label, r->strays, r->first_stray);
}

static int read_header(struct reader *r, uint32_t *ret_size, struct sl_diag *diag)
{
	uint32_t version;

	if (r->data.len >= HEADER_BYTES)
		r->big = perf_get(false, r->data.data, 4) != MAGIC;
	if (r->data.len < HEADER_BYTES || u32(r, 0) != MAGIC)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: is no jitdump: it does not begin with JiTD", r->label);
	version = u32(r, 4);
	*ret_size = u32(r, 8);
	if (version != VERSION)
		return sl_fail(diag, SL_ERR_UNSUPPORTED, "%s: is a jitdump of version %" PRIu32 ", and only 1 can be read",
			       r->label, version);
	if (*ret_size < HEADER_BYTES || *ret_size > r->data.len)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: its header cannot have %" PRIu32 " bytes", r->label, *ret_size);
	r->dump->machine = u32(r, 12);
	r->dump->pid = u32(r, 20);
	r->dump->arch_time = u64(r, 32) & FLAG_ARCH_TIME;
	return SL_OK;
}

int jitdump_parse(const char *label, struct sl_bytes data, struct sl_notes *notes, struct jitdump *ret, struct sl_diag *diag)
{
	struct jitdump dump = { 0 };
	struct reader r = { .label = label, .data = data, .dump = &dump };
	uint32_t header = 0;
	int result = read_header(&r, &header, diag);

	if (result < 0)
		return result;
	result = read_records(&r, header, notes);
	sl_map_release(&r.by_index);
	if (result < 0) {
		jitdump_release(&dump);
		return sl_fail(diag, result, "%s: %s", label, sl_strerror(result));
	}
	note(&r, notes);
	if (dump.count)
		qsort(dump.codes, dump.count, sizeof(*dump.codes), by_time);
	*ret = dump;
	return SL_OK;
}

void jitdump_release(struct jitdump *dump)
{
	free(dump->codes);
	*dump = (struct jitdump){ 0 };
}
