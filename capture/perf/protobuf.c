/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5, VARINT_BITS = 7, VARINT_MAX = 10 };

static void skip(struct sl_bytes *message, size_t len)
{
	message->data += len;
	message->len -= len;
	message->offset += len;
}

/* Seven bits a byte, the lowest first; all but the last have bit 7. */
static bool take_varint(struct sl_bytes *message, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < message->len && i < VARINT_MAX; i++) {
		uint8_t byte = message->data[i];

		value |= (uint64_t)(byte & 0x7f) << (VARINT_BITS * i);
		if (byte & 0x80)
			continue;
		skip(message, i + 1);
		*ret = value;
		return true;
	}
	return false;
}

static bool take_fixed(struct sl_bytes *message, size_t len, uint64_t *ret)
{
	if (message->len < len)
		return false;
	*ret = 0;
	for (size_t i = len; i-- > 0;)
		*ret = *ret << 8 | message->data[i];
	skip(message, len);
	return true;
}

static bool take_bytes(struct sl_bytes *message, struct sl_bytes *ret)
{
	uint64_t len;

	if (!take_varint(message, &len) || len > message->len)
		return false;
	*ret = (struct sl_bytes){ message->data, (size_t)len, message->offset };
	skip(message, (size_t)len);
	return true;
}

int pb_next(struct sl_bytes *message, struct pb_field *ret)
{
	struct pb_field field = { 0 };
	uint64_t key;
	bool good;

	if (!message->len)
		return SL_END;
	if (!take_varint(message, &key))
		return SL_ERR_FORMAT;
	field.number = key >> 3;
	field.is_bytes = (key & 7) == WIRE_BYTES;
	switch (key & 7) {
	case WIRE_VARINT:
		good = take_varint(message, &field.value);
		break;
	case WIRE_64:
		good = take_fixed(message, 8, &field.value);
		break;
	case WIRE_BYTES:
		good = take_bytes(message, &field.bytes);
		break;
	case WIRE_32:
		good = take_fixed(message, 4, &field.value);
		break;
	default:
		good = false; /* groups, which nothing here has */
	}
	if (!good)
		return SL_ERR_FORMAT;
	*ret = field;
	return SL_OK;
}
