/* SPDX-License-Identifier: Apache-2.0 */
#include "saved_pack.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sl_array.h"

enum {
	PIECE = 65536,
	DICTIONARY = 8 << 20,	   /* an encoder takes eleven times as much */
	UNPACK_MEMORY = 128 << 20, /* a file may ask for more than it needs */
};

bool saved_is_xz(struct sl_bytes bytes)
{
	return bytes.len > 5 && memcmp(bytes.data,
				       "\xfd"
				       "7zXZ",
				       5) == 0;
}

bool saved_is_gzip(struct sl_bytes bytes)
{
	return bytes.len > 2 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b;
}

/* Columns of decimal numbers: what stands where, modulo 4, tells nothing (pb), and more than two bits of the
 * letter before are not worth it (lc). */
static void choose_filter(lzma_options_lzma *lzma, size_t len)
{
	lzma_lzma_preset(lzma, 9 | LZMA_PRESET_EXTREME);
	lzma->pb = 0;
	lzma->lc = 2;
	lzma->dict_size = len < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN
			  : len > DICTIONARY	   ? DICTIONARY
						   : (uint32_t)len;
}

int saved_pack(struct sl_bytes text, uint8_t **ret, size_t *ret_len)
{
	size_t cap = lzma_stream_buffer_bound(text.len), len = 0;
	uint8_t *bytes = malloc(cap + 1);
	lzma_options_lzma lzma;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &lzma }, { LZMA_VLI_UNKNOWN, NULL } };

	choose_filter(&lzma, text.len);
	if (!bytes || lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, text.data, text.len, bytes,
						&len, cap) != LZMA_OK) {
		free(bytes);
		return SL_ERR_NOMEM;
	}
	*ret = bytes;
	*ret_len = len;
	return SL_OK;
}

/* Text that grows by pieces. */
struct growing {
	char *text;
	size_t len, cap, most;
};

static int make_room(struct growing *g)
{
	return g->len > g->most ? SL_ERR_LIMIT
				: sl_array_reserve((void **)&g->text, &g->cap, 1, g->len + PIECE);
}

static int unpack_xz(struct sl_bytes bytes, struct growing *g)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&z, UNPACK_MEMORY, 0);
	int result = state == LZMA_OK ? SL_OK : SL_ERR_NOMEM;

	z.next_in = bytes.data;
	z.avail_in = bytes.len;
	while (result == SL_OK && state == LZMA_OK && (result = make_room(g)) == SL_OK) {
		z.next_out = (uint8_t *)g->text + g->len;
		z.avail_out = PIECE;
		state = lzma_code(&z, LZMA_FINISH);
		g->len += PIECE - z.avail_out;
	}
	if (result == SL_OK && state == LZMA_MEM_ERROR)
		result = SL_ERR_NOMEM;
	else if (result == SL_OK && (state != LZMA_STREAM_END || z.avail_in))
		result = SL_ERR_FORMAT;
	lzma_end(&z);
	return result;
}

/* RFC 1952 and 1951. */
static int unpack_gzip(struct sl_bytes bytes, struct growing *g)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)bytes.data, .avail_in = (uInt)bytes.len };
	int state = Z_OK, result = inflateInit2(&z, 15 + 16) == Z_OK ? SL_OK : SL_ERR_NOMEM;

	while (result == SL_OK && state == Z_OK && (result = make_room(g)) == SL_OK) {
		z.next_out = (unsigned char *)g->text + g->len;
		z.avail_out = PIECE;
		state = inflate(&z, Z_NO_FLUSH);
		g->len += PIECE - z.avail_out;
	}
	if (result == SL_OK && (state != Z_STREAM_END || z.avail_in))
		result = SL_ERR_FORMAT;
	inflateEnd(&z);
	return result;
}

int saved_unpack(struct sl_bytes bytes, size_t most, char **ret, size_t *ret_len)
{
	struct growing g = { .most = most };
	int result = saved_is_xz(bytes) ? unpack_xz(bytes, &g) : unpack_gzip(bytes, &g);

	if (result == SL_OK && g.len > most)
		result = SL_ERR_LIMIT;
	if (result != SL_OK) {
		free(g.text);
		return result;
	}
	*ret = g.text;
	*ret_len = g.len;
	return SL_OK;
}
