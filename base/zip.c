/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_zip.h"

#include <string.h>

enum {
	END_BYTES = 22,
	COMMENT_MAX = 0xffff,
	CENTRAL_BYTES = 46,
	LOCAL_BYTES = 30,
	FLAG_ENCRYPTED = 1,
};
#define END_MAGIC     0x06054b50u
#define CENTRAL_MAGIC 0x02014b50u
#define LOCAL_MAGIC   0x04034b50u
#define IN_ZIP64      0xffffffffu /* the value is in a record of 64 bits */

static uint32_t get16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | get16(at + 2) << 16;
}

/* The record at the end, which a comment may follow that reaches to the end of the file; or NULL. */
static const uint8_t *find_end(struct sl_bytes file)
{
	for (size_t comment = 0; comment <= COMMENT_MAX && file.len >= END_BYTES + comment; comment++) {
		const uint8_t *at = file.data + file.len - END_BYTES - comment;

		if (get32(at) == END_MAGIC && get16(at + 20) == comment)
			return at;
	}
	return NULL;
}

int sl_zip_open(struct sl_bytes file, struct sl_zip *ret)
{
	const uint8_t *end = find_end(file);
	uint32_t len, offset;

	if (!end)
		return SL_ERR_FORMAT;
	len = get32(end + 12);
	offset = get32(end + 16);
	if (len == IN_ZIP64 || offset == IN_ZIP64)
		return SL_ERR_UNSUPPORTED;
	if (offset > (size_t)(end - file.data) || len > (size_t)(end - file.data) - offset)
		return SL_ERR_FORMAT;
	*ret = (struct sl_zip){ .file = file, .directory = { file.data + offset, len, offset } };
	return SL_OK;
}

/* Where the bytes of an entry of len bytes are, behind the local header, whose name and extra field may have other lengths
 * than those of the directory. */
static bool find_bytes(const struct sl_zip *zip, uint32_t local, uint64_t len, uint64_t *ret)
{
	uint64_t size = zip->file.len;
	const uint8_t *at;

	if (local > size || size - local < LOCAL_BYTES)
		return false;
	at = zip->file.data + local;
	if (get32(at) != LOCAL_MAGIC)
		return false;
	*ret = local + (uint64_t)LOCAL_BYTES + get16(at + 26) + get16(at + 28);
	return *ret <= size && len <= size - *ret;
}

/* The entry at the cursor, which moves on; whether it can be used into usable. */
static bool read_entry(const struct sl_zip *zip, size_t *cursor, struct sl_zip_entry *ret, bool *usable)
{
	const uint8_t *at = zip->directory.data + *cursor;
	size_t left = zip->directory.len - *cursor, size;

	if (left < CENTRAL_BYTES || get32(at) != CENTRAL_MAGIC)
		return false;
	size = CENTRAL_BYTES + (size_t)get16(at + 28) + get16(at + 30) + get16(at + 32);
	if (size > left)
		return false;
	*cursor += size;
	*ret = (struct sl_zip_entry){ .name = (const char *)at + CENTRAL_BYTES, .name_len = get16(at + 28),
				      .len = get32(at + 20) };
	ret->stored = !get16(at + 10) && !(get16(at + 8) & FLAG_ENCRYPTED) && get32(at + 24) == ret->len;
	*usable = find_bytes(zip, get32(at + 42), ret->len, &ret->offset);
	return true;
}

bool sl_zip_next(const struct sl_zip *zip, size_t *cursor, struct sl_zip_entry *ret)
{
	bool usable = false;

	while (!usable && *cursor < zip->directory.len) {
		if (!read_entry(zip, cursor, ret, &usable)) {
			*cursor = zip->directory.len;
			return false;
		}
	}
	return usable;
}

bool sl_zip_find_name(const struct sl_zip *zip, const char *name, struct sl_zip_entry *ret)
{
	size_t cursor = 0, len = strlen(name);

	while (sl_zip_next(zip, &cursor, ret)) {
		if (ret->name_len == len && memcmp(ret->name, name, len) == 0)
			return true;
	}
	return false;
}

bool sl_zip_find_offset(const struct sl_zip *zip, uint64_t offset, struct sl_zip_entry *ret)
{
	size_t cursor = 0;

	while (sl_zip_next(zip, &cursor, ret)) {
		if (offset >= ret->offset && offset - ret->offset < ret->len)
			return true;
	}
	return false;
}
