/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COMPRESSED records: pieces of one zstd stream per file, which may end in the middle of what they hold. What
 * comes out is kept in chunks that live as long as the file; a record that a chunk's end cuts is copied to
 * the next.
 */
#include "perf_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "sl_array.h"

enum { CHUNK_FIRST = 64 << 10, CHUNK = 1 << 20 };
/* Bombs: no recording comes near these. */
#define RECORD_RATIO_MAX 4096u
#define RATIO_MAX	 256u
#define RATIO_FREE_BYTES ((uint64_t)16 << 20)
#define BYTES_MAX	 ((uint64_t)1 << 30)

struct perf_unzip {
	ZSTD_DCtx *stream;
	uint8_t *data;
	size_t len, cap, used; /* used: bytes in data that are whole records */
	uint64_t last;	       /* offset of the last compressed record in its part */
	bool broken;
	uint64_t skipped; /* records behind the break */
};

static struct perf_unzip *make(void)
{
	struct perf_unzip *unzip = calloc(1, sizeof(*unzip));

	if (!unzip)
		return NULL;
	unzip->stream = ZSTD_createDCtx();
	if (!unzip->stream) {
		free(unzip);
		return NULL;
	}
	return unzip;
}

/* Gives data a new chunk where the old one is full: its cut last record moves there. */
static int make_room(struct perf_unzip *unzip, struct perf_file *file)
{
	size_t tail = unzip->len - unzip->used, cap = unzip->data ? CHUNK : CHUNK_FIRST;
	uint8_t *chunk;

	if (unzip->len < unzip->cap)
		return SL_OK;
	while (cap < 2 * tail)
		cap *= 2;
	chunk = malloc(cap);
	if (!chunk)
		return SL_ERR_NOMEM;
	if (tail)
		memcpy(chunk, unzip->data + unzip->used, tail);
	if (unzip->data && !unzip->used) {
		free(unzip->data);
		file->chunks[file->chunk_len - 1] = chunk;
	} else if (SL_ARRAY_PUSH(&file->chunks, &file->chunk_len, &file->chunk_cap, chunk) < 0) {
		free(chunk);
		return SL_ERR_NOMEM;
	}
	unzip->data = chunk;
	unzip->len = tail;
	unzip->cap = cap;
	unzip->used = 0;
	return SL_OK;
}

static void stop(struct perf_unzip *unzip, struct perf_file *file, size_t part, const char *why)
{
	unzip->broken = true;
	sl_notes_add(file->notes,
		     "%s: the compressed record at offset 0x%" PRIx64
		     " cannot be decompressed (%s): its rest and "
		     "all later ones are not read",
		     file->parts[part].path, unzip->last, why);
}

/* How much a record of len bytes may still yield. */
static uint64_t allowance(const struct perf_file *file, size_t len)
{
	uint64_t record = len * (uint64_t)RECORD_RATIO_MAX;
	uint64_t all = RATIO_FREE_BYTES + file->zipped_bytes * RATIO_MAX;

	if (all > BYTES_MAX)
		all = BYTES_MAX;
	all = all > file->unzipped_bytes ? all - file->unzipped_bytes : 0;
	return record < all ? record : all;
}

/* The records that the chunk holds as a whole by now. SL_END where they cannot be read. */
static int take_records(struct perf_unzip *unzip, struct perf_file *file, size_t part)
{
	struct sl_bytes data = { unzip->data + unzip->used, unzip->len - unzip->used,
				 unzip->last + file->parts[part].base };
	size_t used;
	int result = perf_records_split(file, part, data, &used);

	unzip->used += used;
	return result;
}

/* One call of zstd. *more: there is more to come of in. */
static int unzip_some(struct perf_unzip *unzip, struct perf_file *file, size_t part, ZSTD_inBuffer *in,
		      uint64_t *allowed, bool *more)
{
	ZSTD_outBuffer out = { 0 };
	size_t code;
	int result;

	if (!*allowed) {
		stop(unzip, file, part, "it holds more than is sane, as a bomb does");
		return SL_END;
	}
	result = make_room(unzip, file);
	if (result < 0)
		return result;
	out.dst = unzip->data + unzip->len;
	out.size = unzip->cap - unzip->len < *allowed ? unzip->cap - unzip->len : (size_t)*allowed;
	code = ZSTD_decompressStream(unzip->stream, &out, in);
	*allowed -= out.pos;
	*more = in->pos < in->size || out.pos == out.size;
	file->unzipped_bytes += out.pos;
	unzip->len += out.pos;
	result = take_records(unzip, file, part);
	if (result == SL_OK && ZSTD_isError(code)) {
		stop(unzip, file, part, ZSTD_getErrorName(code));
		return SL_END;
	}
	return result;
}

static int unzip_all(struct perf_unzip *unzip, struct perf_file *file, size_t part, struct sl_bytes zipped)
{
	ZSTD_inBuffer in = { zipped.data, zipped.len, 0 };
	uint64_t allowed;
	bool more = zipped.len != 0;
	int result = SL_OK;

	file->zipped_bytes += zipped.len;
	allowed = allowance(file, zipped.len);
	while (result == SL_OK && more)
		result = unzip_some(unzip, file, part, &in, &allowed, &more);
	if (result == SL_END)
		unzip->broken = true;
	return result;
}

static struct sl_bytes zipped_bytes(const struct perf_file *file, const struct perf_record *record)
{
	struct sl_bytes zipped = { record->body, record->len, 0 };
	uint64_t size;

	if (record->type == PERF_COMPRESSED2) {
		size = perf_u64(file, record, 0);
		zipped.data += record->len < 8 ? record->len : 8;
		zipped.len -= record->len < 8 ? record->len : 8;
		if (size < zipped.len)
			zipped.len = (size_t)size;
	}
	return zipped;
}

int perf_unzip_feed(struct perf_unzip **unzip, struct perf_file *file, size_t part,
		    const struct perf_record *record)
{
	int result;

	if (!*unzip)
		*unzip = make();
	if (!*unzip)
		return SL_ERR_NOMEM;
	if ((*unzip)->broken) {
		(*unzip)->skipped++;
		return SL_OK;
	}
	(*unzip)->last = record->offset - file->parts[part].base;
	result = unzip_all(*unzip, file, part, zipped_bytes(file, record));
	return result == SL_END && !file->records_full ? SL_OK : result;
}

void perf_unzip_end(struct perf_unzip *unzip, struct perf_file *file, size_t part)
{
	if (!unzip)
		return;
	if (unzip->skipped)
		sl_notes_add(file->notes, "%s: %" PRIu64 " compressed records are not read",
			     file->parts[part].path, unzip->skipped);
	else if (!unzip->broken && unzip->used < unzip->len)
		sl_notes_add(file->notes,
			     "%s: the last compressed record, at offset 0x%" PRIx64
			     ", is cut: %zu bytes are not read",
			     file->parts[part].path, unzip->last, unzip->len - unzip->used);
	ZSTD_freeDCtx(unzip->stream);
	free(unzip);
}
