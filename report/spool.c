/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sl_array.h"

enum { BLOCK = 4096 };

struct stream {
	uint64_t *blocks; /* where each full one lies in the file */
	size_t count, cap;
	size_t len;	  /* of the last one, which is not full yet */
	uint8_t *last;
};

struct spool {
	FILE *file;
	uint64_t end;
	struct stream *streams;
	size_t count, cap;
	int result;
};

int spool_new(struct spool **ret)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return SL_ERR_NOMEM;
	spool->file = tmpfile();
	if (!spool->file) {
		free(spool);
		return SL_ERR_IO;
	}
	*ret = spool;
	return SL_OK;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->count; i++) {
		free(spool->streams[i].blocks);
		free(spool->streams[i].last);
	}
	free(spool->streams);
	fclose(spool->file);
	free(spool);
}

static struct stream *stream_at(struct spool *spool, uint32_t number)
{
	size_t need = (size_t)number + 1;

	if (number < spool->count)
		return &spool->streams[number];
	if (sl_array_reserve((void **)&spool->streams, &spool->cap, sizeof(*spool->streams), need) < 0)
		return NULL;
	memset(spool->streams + spool->count, 0, (need - spool->count) * sizeof(*spool->streams));
	spool->count = need;
	return &spool->streams[number];
}

static int write_block(struct spool *spool, struct stream *stream)
{
	if (SL_ARRAY_PUSH(&stream->blocks, &stream->count, &stream->cap, spool->end) < 0)
		return SL_ERR_NOMEM;
	if (fwrite(stream->last, 1, BLOCK, spool->file) != BLOCK)
		return SL_ERR_IO;
	spool->end += BLOCK;
	stream->len = 0;
	return SL_OK;
}

void spool_put(struct spool *spool, uint32_t number, const void *data, size_t len)
{
	struct stream *stream = spool->result ? NULL : stream_at(spool, number);
	const uint8_t *from = data;

	if (stream && !stream->last)
		stream->last = malloc(BLOCK);
	if (!stream || !stream->last) {
		spool->result = spool->result ? spool->result : SL_ERR_NOMEM;
		return;
	}
	while (len && spool->result == SL_OK) {
		size_t part = BLOCK - stream->len < len ? BLOCK - stream->len : len;

		memcpy(stream->last + stream->len, from, part);
		stream->len += part;
		from += part;
		len -= part;
		if (stream->len == BLOCK)
			spool->result = write_block(spool, stream);
	}
}

void spool_put_number(struct spool *spool, uint32_t stream, uint64_t value)
{
	uint8_t bytes[10];
	size_t len = 0;

	do {
		bytes[len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	} while (value);
	bytes[len - 1] &= 0x7f;
	spool_put(spool, stream, bytes, len);
}

uint32_t spool_streams(const struct spool *spool)
{
	return (uint32_t)spool->count;
}

uint64_t spool_length(const struct spool *spool, uint32_t stream)
{
	return (uint64_t)spool->streams[stream].count * BLOCK + spool->streams[stream].len;
}

int spool_result(const struct spool *spool)
{
	return spool->result;
}

void spool_read(struct spool *spool, uint32_t stream, struct spool_reader *ret)
{
	if (fflush(spool->file) != 0 && spool->result == SL_OK)
		spool->result = SL_ERR_IO;
	ret->spool = spool;
	ret->stream = stream;
	ret->at = 0;
	ret->used = ret->len = 0;
}

static size_t read_block(struct spool_reader *reader)
{
	struct spool *spool = reader->spool;
	const struct stream *stream = &spool->streams[reader->stream];
	uint64_t number = reader->at++;

	if (spool->result != SL_OK || number > stream->count)
		return 0;
	if (number == stream->count) {
		memcpy(reader->block, stream->last ? stream->last : reader->block, stream->len);
		return stream->len;
	}
	if (pread(fileno(spool->file), reader->block, BLOCK, (off_t)stream->blocks[number]) == BLOCK)
		return BLOCK;
	spool->result = SL_ERR_IO;
	return 0;
}

size_t spool_next(struct spool_reader *reader, const uint8_t **ret)
{
	size_t len = reader->len - reader->used;

	if (!len)
		len = reader->len = read_block(reader);
	else
		memmove(reader->block, reader->block + reader->used, len);
	reader->used = reader->len = 0;
	*ret = reader->block;
	return len;
}

bool spool_next_number(struct spool_reader *reader, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		if (reader->used == reader->len) {
			reader->used = 0;
			reader->len = read_block(reader);
			if (!reader->len)
				return false;
		}
		byte = reader->block[reader->used++];
		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}
