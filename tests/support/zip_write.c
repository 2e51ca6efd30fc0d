/* SPDX-License-Identifier: Apache-2.0 */
#include "zip_write.h"

#include <stdlib.h>
#include <string.h>

static void put(uint8_t **to, size_t *at, const void *data, size_t len)
{
	*to = realloc(*to, *at + len + 1);
	if (!*to)
		abort();
	if (data)
		memcpy(*to + *at, data, len);
	else
		memset(*to + *at, 0, len);
	*at += len;
}

static void set16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void set32(uint8_t *at, size_t value)
{
	set16(at, value);
	set16(at + 2, value >> 16);
}

size_t zip_write_file(struct zip_writer *zip, const char *name, const void *data, size_t len, size_t align, bool compressed)
{
	uint8_t local[30] = { 'P', 'K', 3, 4, 20 }, central[46] = { 'P', 'K', 1, 2, 20, 0, 20 };
	size_t name_len = strlen(name), start = zip->files_len, extra, begin;

	begin = start + sizeof(local) + name_len;
	extra = align ? (align - begin % align) % align : 0;
	set16(local + 8, compressed ? 8 : 0);
	set32(local + 18, len);
	set32(local + 22, compressed ? 2 * len : len);
	set16(local + 26, name_len);
	set16(local + 28, extra);
	set16(central + 10, compressed ? 8 : 0);
	set32(central + 20, len);
	set32(central + 24, compressed ? 2 * len : len);
	set16(central + 28, name_len);
	set32(central + 42, start);
	put(&zip->files, &zip->files_len, local, sizeof(local));
	put(&zip->files, &zip->files_len, name, name_len);
	put(&zip->files, &zip->files_len, NULL, extra);
	put(&zip->files, &zip->files_len, data, len);
	put(&zip->directory, &zip->directory_len, central, sizeof(central));
	put(&zip->directory, &zip->directory_len, name, name_len);
	zip->count++;
	return begin + extra;
}

uint8_t *zip_write_finish(struct zip_writer *zip, const char *comment, size_t *ret_len)
{
	uint8_t end[22] = { 'P', 'K', 5, 6 };
	uint8_t *all;

	set16(end + 8, zip->count);
	set16(end + 10, zip->count);
	set32(end + 12, zip->directory_len);
	set32(end + 16, zip->files_len);
	set16(end + 20, strlen(comment));
	put(&zip->files, &zip->files_len, zip->directory ? zip->directory : (const uint8_t *)"", zip->directory_len);
	put(&zip->files, &zip->files_len, end, sizeof(end));
	put(&zip->files, &zip->files_len, comment, strlen(comment));
	all = zip->files;
	*ret_len = zip->files_len;
	free(zip->directory);
	*zip = (struct zip_writer){ 0 };
	return all;
}
