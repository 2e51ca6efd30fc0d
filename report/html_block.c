/* SPDX-License-Identifier: Apache-2.0 */
/* gzip (RFC 1952) in base64 (RFC 4648): what a script of a page can read back without loading anything. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "html_page.h"

/* A line of base64 is as long as what fills it; its length is a multiple of 3, so that lines join without padding. */
enum { PACKED = 3 * 16384, LEVEL = 6, GZIP = 16 };

struct html_block {
	FILE *out;
	z_stream z;
	uint8_t packed[PACKED];
	char text[PACKED / 3 * 4];
};

static size_t encode(const uint8_t *in, size_t len, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = out;

	for (size_t i = 0; i < len; i += 3) {
		unsigned have = len - i < 3 ? (unsigned)(len - i) : 3;
		uint32_t bits = (uint32_t)in[i] << 16 | (have > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (have > 2 ? in[i + 2] : 0);

		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = have > 1 ? digits[bits >> 6 & 63] : '=';
		*to++ = have > 2 ? digits[bits & 63] : '=';
	}
	return (size_t)(to - out);
}

static void write_packed(struct html_block *block)
{
	fwrite(block->text, 1, encode(block->packed, PACKED - block->z.avail_out, block->text), block->out);
	block->z.next_out = block->packed;
	block->z.avail_out = PACKED;
}

int html_block_new(FILE *out, struct html_block **ret)
{
	struct html_block *block = calloc(1, sizeof(*block));

	if (!block)
		return SL_ERR_NOMEM;
	if (deflateInit2(&block->z, LEVEL, Z_DEFLATED, GZIP + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(block);
		return SL_ERR_NOMEM;
	}
	block->out = out;
	block->z.next_out = block->packed;
	block->z.avail_out = PACKED;
	*ret = block;
	return SL_OK;
}

void html_block_put(struct html_block *block, const void *data, size_t len)
{
	block->z.next_in = (Bytef *)data;
	block->z.avail_in = (uInt)len;
	while (block->z.avail_in) {
		deflate(&block->z, Z_NO_FLUSH);
		if (!block->z.avail_out)
			write_packed(block);
	}
}

int html_block_close(struct html_block *block)
{
	int result = SL_OK;

	block->z.avail_in = 0;
	while (deflate(&block->z, Z_FINISH) != Z_STREAM_END)
		write_packed(block);
	write_packed(block);
	if (ferror(block->out))
		result = SL_ERR_IO;
	deflateEnd(&block->z);
	free(block);
	return result;
}

void html_block_copy(struct html_block *block, FILE *facts)
{
	char bytes[1 << 14];
	size_t len;

	rewind(facts);
	while ((len = fread(bytes, 1, sizeof(bytes), facts)) > 0)
		html_block_put(block, bytes, len);
}

const char *html_write_until(FILE *out, const char *page, const char *marker)
{
	const char *at = strstr(page, marker);

	if (!at) {
		fputs(page, out);
		return "";
	}
	fwrite(page, 1, (size_t)(at - page), out);
	return at + strlen(marker);
}
