/* SPDX-License-Identifier: Apache-2.0 */
#include "pb_write.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "utf8.h"

enum { WIRE_VARINT = 0, WIRE_LEN = 2 };

void pb_release(struct pb *pb)
{
	free(pb->data);
	*pb = (struct pb){ 0 };
}

static uint8_t *room(struct pb *pb, size_t len)
{
	if (pb->cap - pb->len < len && sl_array_reserve((void **)&pb->data, &pb->cap, 1, pb->len + len) < 0) {
		pb->no_memory = true;
		return NULL;
	}
	pb->len += len;
	return pb->data + pb->len - len;
}

static void append(struct pb *pb, const void *data, size_t len)
{
	uint8_t *to = len ? room(pb, len) : NULL;

	if (to)
		memcpy(to, data, len);
}

static size_t encode(uint64_t value, uint8_t *ret)
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		ret[len++] = (uint8_t)(value | 0x80);
	ret[len++] = (uint8_t)value;
	return len;
}

void pb_varint(struct pb *pb, uint64_t value)
{
	uint8_t bytes[10];

	append(pb, bytes, encode(value, bytes));
}

void pb_uint(struct pb *pb, unsigned field, uint64_t value)
{
	pb_varint(pb, field << 3 | WIRE_VARINT);
	pb_varint(pb, value);
}

void pb_bytes(struct pb *pb, unsigned field, const void *data, size_t len)
{
	pb_varint(pb, field << 3 | WIRE_LEN);
	pb_varint(pb, len);
	append(pb, data, len);
}

size_t pb_open(struct pb *pb, unsigned field)
{
	uint8_t *length;

	pb_varint(pb, field << 3 | WIRE_LEN);
	/* Most messages are short: their length takes one byte. */
	length = room(pb, 1);
	if (length)
		*length = 0;
	return pb->len;
}

void pb_close(struct pb *pb, size_t opened)
{
	uint8_t bytes[10];
	size_t len, more;

	if (pb->no_memory)
		return;
	len = pb->len - opened;
	more = encode(len, bytes) - 1;
	if (more && !room(pb, more))
		return;
	memmove(pb->data + opened + more, pb->data + opened, len);
	memcpy(pb->data + opened - 1, bytes, more + 1);
}

void pb_string(struct pb *pb, unsigned field, const char *text)
{
	size_t opened = pb_open(pb, field);

	while (*text) {
		uint32_t code;
		unsigned size = sl_utf8_next(text, &code);

		if (size)
			append(pb, text, size);
		else
			append(pb, "\xef\xbf\xbd", 3);
		text += size ? size : 1;
	}
	pb_close(pb, opened);
}
