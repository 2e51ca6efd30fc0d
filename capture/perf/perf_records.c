/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the records of all parts: sizes, inline payloads, and how to go on behind damage. */
#include "perf_data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sl_array.h"

enum { BREAKS_NOTED = 8 };
/*
 * The list of records may take as much as is sane for the files' sizes: real recordings have 30 bytes a
 * record or more, a hostile one has 8.
 */
enum { LIST_BYTES_FREE = 40 << 20, LIST_PER_FILE_BYTE = 3, LIST_PER_UNZIPPED_BYTE = 2, SORT_BYTES = 8 };

struct walk {
	struct perf_file *file;
	size_t part;
	uint64_t at, end;
	struct perf_unzip *unzip;
	size_t index_cursor;
	uint64_t breaks, lost; /* stretches that are no records, and their bytes */
};

static size_t record_limit(const struct perf_file *file)
{
	uint64_t bytes = LIST_BYTES_FREE + LIST_PER_FILE_BYTE * perf_parts_bytes(file) +
			 LIST_PER_UNZIPPED_BYTE * file->unzipped_bytes;
	uint64_t count = bytes / (sizeof(struct perf_record) + SORT_BYTES);

	return count < UINT32_MAX ? (size_t)count : UINT32_MAX;
}

/* SL_END where there are too many. */
static int push(struct perf_file *file, const struct perf_record *record)
{
	if (file->record_len >= record_limit(file)) {
		if (!file->records_full)
			sl_notes_add(
				file->notes,
				"%s: more than %zu records, too many for a file of its size: the rest, "
				"from offset 0x%" PRIx64 ", is not read",
				file->parts[0].path, file->record_len, record->offset);
		file->records_full = true;
		return SL_END;
	}
	return SL_ARRAY_PUSH(&file->records, &file->record_len, &file->record_cap, *record);
}

/* The record at data, of which len bytes are there; SL_END where they do not hold it, SL_ERR_FORMAT where it
 * is none. */
static int read_record(const struct perf_file *file, const uint8_t *data, size_t len, struct perf_record *ret,
		       size_t *ret_size)
{
	struct perf_record record = { 0 };
	size_t size;

	if (len < PERF_HEAD_BYTES)
		return SL_END;
	record.type = perf_get32(file, data);
	record.misc = perf_get16(file, data + 4);
	size = perf_get16(file, data + 6);
	/* simpleperf's own have a size of 32 bits in place of misc and size, upper half first. */
	if (record.type >= PERF_FIRST_SIMPLEPERF_TYPE) {
		size |= (size_t)record.misc << 16;
		record.misc = 0;
	}
	if (size < PERF_HEAD_BYTES)
		return SL_ERR_FORMAT;
	if (size > len)
		return SL_END;
	record.body = data + PERF_HEAD_BYTES;
	record.len = size - PERF_HEAD_BYTES;
	record.body_len = record.len;
	*ret = record;
	*ret_size = size;
	return SL_OK;
}

/* How many bytes follow the record that belong to it. */
static uint64_t payload_size(const struct perf_file *file, const struct perf_record *record)
{
	if (record->type == PERF_AUXTRACE)
		return perf_u64(file, record, 0);
	return record->type == PERF_TRACING_DATA ? perf_u32(file, record, 0) : 0;
}

static bool is_compressed(const struct perf_record *record)
{
	return record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2;
}

int perf_records_split(struct perf_file *file, size_t part, struct sl_bytes data, size_t *ret_used)
{
	struct perf_record record;
	size_t used = 0, size;
	int result;

	for (;;) {
		result = read_record(file, data.data + used, data.len - used, &record, &size);
		if (result != SL_OK)
			break;
		record.offset = data.offset;
		if (is_compressed(&record) || payload_size(file, &record)) {
			result = SL_ERR_FORMAT;
			break;
		}
		result = push(file, &record);
		if (result != SL_OK)
			break;
		used += size;
	}
	*ret_used = used;
	if (result != SL_ERR_FORMAT)
		return result == SL_END && !file->records_full ? SL_OK : result;
	sl_notes_add(file->notes,
		     "%s: what was decompressed at offset 0x%" PRIx64
		     " is no record: the rest of the compressed "
		     "records is not read",
		     file->parts[part].path, data.offset - file->parts[part].base);
	return SL_END;
}

/*
 * Goes on at the next AUXTRACE record that the index names, behind damage at walk->at. SL_END where there is
 * none.
 */
static int resync(struct walk *walk, const char *trouble)
{
	const struct perf_part *part = &walk->file->parts[walk->part];
	struct perf_record record;
	uint64_t next = walk->part ? 0 : perf_index_next(walk->file, walk->at, &walk->index_cursor);
	size_t size;

	while (next && next < walk->end &&
	       (read_record(walk->file, part->map.data + next, (size_t)(walk->end - next), &record, &size) !=
			SL_OK ||
		record.type != PERF_AUXTRACE))
		next = perf_index_next(walk->file, next, &walk->index_cursor);
	if (!next || next >= walk->end)
		next = walk->end;
	if (walk->breaks++ < BREAKS_NOTED)
		sl_notes_add(walk->file->notes,
			     "%s: %s at offset 0x%" PRIx64 ": %" PRIu64 " bytes are not read", part->path,
			     trouble, walk->at, next - walk->at);
	walk->lost += next - walk->at;
	walk->at = next;
	return next < walk->end ? SL_OK : SL_END;
}

/* Sets an AUXTRACE's payload and steps over it. */
static void take_payload(struct walk *walk, struct perf_record *record)
{
	const struct perf_part *part = &walk->file->parts[walk->part];
	uint64_t size = payload_size(walk->file, record), left = walk->end - walk->at;

	if (size > left) {
		sl_notes_add(walk->file->notes,
			     "%s: is cut in the trace behind the record at offset 0x%" PRIx64 ": %" PRIu64
			     " bytes are missing",
			     part->path, record->offset - part->base, size - left);
		size = left;
	}
	if (record->type == PERF_AUXTRACE) {
		record->payload_offset = walk->at + part->base;
		record->payload_len = size;
	}
	walk->at += size;
}

/* One record, or a step over what is none. SL_OK, SL_END at the end, SL_ERR_NOMEM. */
static int step(struct walk *walk)
{
	const struct perf_part *part = &walk->file->parts[walk->part];
	struct perf_record record;
	size_t size;
	int result;

	if (walk->at >= walk->end)
		return SL_END;
	result = read_record(walk->file, part->map.data + walk->at, (size_t)(walk->end - walk->at), &record,
			     &size);
	if (result == SL_END)
		return resync(walk, "the last record is cut");
	if (result < 0)
		return resync(walk, "what should be a record is none");
	record.offset = part->base + walk->at;
	walk->at += size;
	if (is_compressed(&record))
		return perf_unzip_feed(&walk->unzip, walk->file, walk->part, &record);
	take_payload(walk, &record);
	return push(walk->file, &record);
}

static int walk_part(struct perf_file *file, size_t index)
{
	const struct perf_part *part = &file->parts[index];
	struct walk walk = { .file = file, .part = index, .at = part->records.offset };
	int result = SL_OK;

	walk.end = walk.at + part->records.size;
	while (result == SL_OK)
		result = step(&walk);
	if (walk.breaks > BREAKS_NOTED)
		sl_notes_add(file->notes,
			     "%s: %" PRIu64 " stretches are no records: %" PRIu64
			     " bytes are not read in all",
			     part->path, walk.breaks, walk.lost);
	perf_unzip_end(walk.unzip, file, index);
	return result < 0 ? result : SL_OK;
}

/* Whether what stands where the records should begin can be one. */
static bool begins_well(const struct perf_file *file)
{
	const struct perf_part *part = &file->parts[0];
	struct perf_record record;
	size_t size;

	return !part->records.size || read_record(file, part->map.data + part->records.offset,
						  (size_t)part->records.size, &record, &size) >= 0;
}

int perf_records_read(struct perf_file *file, struct sl_diag *diag)
{
	int result = SL_OK;

	for (size_t i = 0; result == SL_OK && i < file->part_len && !file->records_full; i++)
		result = walk_part(file, i);
	if (result == SL_OK && !file->record_len && !begins_well(file))
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: no records in it: what stands at offset 0x%" PRIx64
			       " is none; was the file damaged?",
			       file->parts[0].path, file->parts[0].records.offset);
	return result;
}
