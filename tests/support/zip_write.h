/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZIP_WRITE_H
#define ZIP_WRITE_H
/* Writes zip archives for tests; what is compressed is only said to be. Out of memory ends the test program. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip_writer {
	uint8_t *files, *directory;
	size_t files_len, directory_len;
	unsigned count;
};
/* A file, whose bytes begin at a multiple of align (0: anywhere). Returns where. */
size_t zip_write_file(struct zip_writer *zip, const char *name, const void *data, size_t len, size_t align, bool compressed);
/* The whole archive (free() it); releases zip. */
uint8_t *zip_write_finish(struct zip_writer *zip, const char *comment, size_t *ret_len);
#endif
