/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_write.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "sl_array.h"

enum {
	ATTR_BYTES = 128, CLOCKID_AT = 92,
	HEAD_BYTES = 104,
	OLD_HEAD_BYTES = 72,
	HEADER_ATTR = 64,
	AUXTRACE = 71,
	FEATURE = 80,
	COMPRESSED2 = 83
};

void perf_put(struct perf_bytes *bytes, const void *data, size_t len)
{
	if (sl_array_reserve((void **)&bytes->data, &bytes->cap, 1, bytes->len + len + 1) < 0)
		abort();
	if (len)
		memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

static void set_number(const struct perf_bytes *bytes, size_t at, uint64_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes->data[at + (bytes->big ? len - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_number(struct perf_bytes *bytes, uint64_t value, size_t len)
{
	perf_put(bytes, &value, len);
	set_number(bytes, bytes->len - len, value, len);
}

void perf_put8(struct perf_bytes *bytes, uint8_t value)
{
	put_number(bytes, value, 1);
}

void perf_put16(struct perf_bytes *bytes, uint16_t value)
{
	put_number(bytes, value, 2);
}

void perf_put32(struct perf_bytes *bytes, uint32_t value)
{
	put_number(bytes, value, 4);
}

void perf_put64(struct perf_bytes *bytes, uint64_t value)
{
	put_number(bytes, value, 8);
}

static void put_fill(struct perf_bytes *bytes, uint8_t value, size_t len)
{
	while (len--)
		perf_put8(bytes, value);
}

void perf_put_text(struct perf_bytes *bytes, const char *text)
{
	size_t len = strlen(text);

	perf_put(bytes, text, len);
	put_fill(bytes, 0, 8 - len % 8);
}

void perf_put_string(struct perf_bytes *bytes, const char *text)
{
	perf_put32(bytes, (uint32_t)(strlen(text) / 8 * 8 + 8));
	perf_put_text(bytes, text);
}

void perf_bytes_release(struct perf_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct perf_bytes){ 0 };
}

void perf_writer_init(struct perf_writer *writer, bool big)
{
	*writer = (struct perf_writer){ 0 };
	writer->records.big = big;
	for (size_t i = 0; i < 256; i++)
		writer->features[i].big = big;
}

void perf_writer_release(struct perf_writer *writer)
{
	perf_bytes_release(&writer->records);
	for (size_t i = 0; i < 256; i++)
		perf_bytes_release(&writer->features[i]);
	ZSTD_freeCCtx(writer->zstd);
}

void perf_write_attr(struct perf_writer *writer, struct perf_write_attr attr)
{
	if (!attr.bytes)
		attr.bytes = ATTR_BYTES;
	writer->attrs[writer->attr_count++] = attr;
}

struct perf_bytes *perf_write_feature(struct perf_writer *writer, unsigned bit)
{
	return &writer->features[bit];
}

struct perf_bytes *perf_write_begin(struct perf_writer *writer, uint32_t type, uint16_t misc)
{
	writer->record_at = writer->records.len;
	perf_put32(&writer->records, type);
	perf_put16(&writer->records, misc);
	perf_put16(&writer->records, 0);
	return &writer->records;
}

size_t perf_write_end(struct perf_writer *writer)
{
	set_number(&writer->records, writer->record_at + 6, writer->records.len - writer->record_at, 2);
	return writer->record_at;
}

size_t perf_write_auxtrace(struct perf_writer *writer, uint32_t idx, uint32_t tid, uint32_t cpu,
			   uint64_t offset, const void *payload, size_t len)
{
	struct perf_bytes *body = perf_write_begin(writer, AUXTRACE, 0);
	size_t at;

	perf_put64(body, len);
	perf_put64(body, offset);
	perf_put64(body, 0);
	perf_put32(body, idx);
	perf_put32(body, tid);
	perf_put32(body, cpu);
	perf_put32(body, 0);
	at = perf_write_end(writer);
	perf_put(body, payload, len);
	return at;
}

static void put_compressed(struct perf_writer *writer, uint32_t type, const uint8_t *data, size_t len)
{
	struct perf_bytes *body = perf_write_begin(writer, type, 0);
	uint8_t *packed = malloc(ZSTD_compressBound(len) + 64);
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_outBuffer out = { packed, ZSTD_compressBound(len) + 64, 0 };

	if (!packed || ZSTD_isError(ZSTD_compressStream2(writer->zstd, &out, &in, ZSTD_e_flush)) ||
	    in.pos != len)
		abort();
	if (type == COMPRESSED2)
		perf_put64(body, out.pos);
	perf_put(body, packed, out.pos);
	if (type == COMPRESSED2)
		put_fill(body, 0, (8 - out.pos % 8) % 8);
	free(packed);
	perf_write_end(writer);
}

void perf_write_compressed(struct perf_writer *writer, uint32_t type, const struct perf_bytes *records,
			   size_t piece)
{
	if (!writer->zstd)
		writer->zstd = ZSTD_createCCtx();
	for (size_t at = 0; at < records->len; at += piece)
		put_compressed(writer, type, records->data + at,
			       records->len - at < piece ? records->len - at : piece);
}

/* Big-endian machines fill a byte's bit fields from its top. */
static void put_flags(struct perf_bytes *bytes, uint64_t flags)
{
	for (unsigned bit = 0; bit < 64; bit += 8) {
		uint8_t byte = (uint8_t)(flags >> bit), turned = 0;

		for (unsigned i = 0; i < 8; i++)
			turned = (uint8_t)(turned | (byte >> i & 1) << (7 - i));
		perf_put8(bytes, bytes->big ? turned : byte);
	}
}

static void put_attr(struct perf_bytes *bytes, const struct perf_write_attr *attr)
{
	size_t start = bytes->len;

	perf_put32(bytes, attr->type);
	perf_put32(bytes, attr->bytes);
	perf_put64(bytes, attr->config);
	perf_put64(bytes, attr->sample_period ? attr->sample_period : 1);
	perf_put64(bytes, attr->sample_type);
	perf_put64(bytes, 4);
	put_flags(bytes, attr->flags);
	perf_put64(bytes, 0);
	perf_put64(bytes, attr->config1);
	perf_put64(bytes, attr->config2);
	while (bytes->len < start + CLOCKID_AT)
		perf_put8(bytes, 0);
	perf_put32(bytes, attr->clockid);
	while (bytes->len < start + ATTR_BYTES)
		perf_put8(bytes, 0);
	perf_put64(bytes, attr->config3);
	while (bytes->len < start + attr->bytes)
		perf_put8(bytes, 0xee);
	bytes->len = start + attr->bytes;
}

static void put_ids(struct perf_bytes *bytes, const struct perf_write_attr *attr)
{
	for (size_t i = 0; i < attr->id_count; i++)
		perf_put64(bytes, attr->ids[i]);
}

static void put_magic(struct perf_bytes *ret, uint64_t head_bytes)
{
	perf_put(ret, ret->big ? "2ELIFREP" : "PERFILE2", 8);
	perf_put64(ret, head_bytes);
}

/* HEADER_ATTR and FEATURE records go in front of the others. */
static void write_pipe(const struct perf_writer *writer, struct perf_bytes *ret)
{
	struct perf_writer front;

	put_magic(ret, 16);
	perf_writer_init(&front, ret->big);
	for (size_t i = 0; i < writer->attr_count; i++) {
		struct perf_bytes *body = perf_write_begin(&front, HEADER_ATTR, 0);

		put_attr(body, &writer->attrs[i]);
		put_ids(body, &writer->attrs[i]);
		perf_write_end(&front);
	}
	for (unsigned bit = 0; bit < 256; bit++) {
		if (writer->features[bit].len) {
			struct perf_bytes *body = perf_write_begin(&front, FEATURE, 0);

			perf_put64(body, bit);
			perf_put(body, writer->features[bit].data, writer->features[bit].len);
			perf_write_end(&front);
		}
	}
	perf_put(ret, front.records.data, front.records.len);
	perf_put(ret, writer->records.data, writer->records.len);
	perf_writer_release(&front);
}

static size_t all_ids(const struct perf_writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; i < writer->attr_count; i++)
		count += writer->attrs[i].id_count;
	return count;
}

static void put_bitmap(const struct perf_writer *writer, struct perf_bytes *ret)
{
	for (unsigned word = 0; word < 4; word++) {
		uint64_t bits = 0;

		for (unsigned bit = 0; bit < 64; bit++)
			bits |= (uint64_t)(writer->features[64 * word + bit].len != 0) << bit;
		perf_put64(ret, bits);
	}
}

static void put_features(const struct perf_writer *writer, struct perf_bytes *ret)
{
	size_t count = 0, at;

	for (unsigned bit = 0; bit < 256; bit++)
		count += writer->features[bit].len != 0;
	at = ret->len + 16 * count;
	for (unsigned bit = 0; bit < 256; bit++) {
		if (writer->features[bit].len) {
			perf_put64(ret, at);
			perf_put64(ret, writer->features[bit].len);
			at += writer->features[bit].len;
		}
	}
	for (unsigned bit = 0; bit < 256; bit++)
		perf_put(ret, writer->features[bit].data, writer->features[bit].len);
}

/* Head, ids, attributes, records, features. */
static void write_file(const struct perf_writer *writer, enum perf_write_form form, struct perf_bytes *ret)
{
	size_t head = form == PERF_WRITE_OLD ? OLD_HEAD_BYTES : HEAD_BYTES;
	size_t attr_bytes = writer->attr_count ? writer->attrs[0].bytes + 16u : 16u + ATTR_BYTES;
	size_t ids_at = head, attrs_at = head + 8 * all_ids(writer),
	       data_at = attrs_at + writer->attr_count * attr_bytes;

	put_magic(ret, head);
	perf_put64(ret, attr_bytes);
	perf_put64(ret, attrs_at);
	perf_put64(ret, writer->attr_count * attr_bytes);
	perf_put64(ret, data_at);
	perf_put64(ret, form == PERF_WRITE_UNFINISHED ? 0 : writer->records.len);
	put_fill(ret, 0, 16);
	if (form == PERF_WRITE_FILE)
		put_bitmap(writer, ret);
	put_fill(ret, 0, head - ret->len);
	for (size_t i = 0; i < writer->attr_count; i++)
		put_ids(ret, &writer->attrs[i]);
	for (size_t i = 0; i < writer->attr_count; i++) {
		put_attr(ret, &writer->attrs[i]);
		perf_put64(ret, ids_at);
		perf_put64(ret, 8 * writer->attrs[i].id_count);
		ids_at += 8 * writer->attrs[i].id_count;
	}
	perf_put(ret, writer->records.data, writer->records.len);
	if (form == PERF_WRITE_FILE)
		put_features(writer, ret);
}

void perf_write_whole(const struct perf_writer *writer, enum perf_write_form form, struct perf_bytes *ret)
{
	*ret = (struct perf_bytes){ .big = writer->records.big };
	if (form == PERF_WRITE_PIPE)
		write_pipe(writer, ret);
	else
		write_file(writer, form, ret);
}
