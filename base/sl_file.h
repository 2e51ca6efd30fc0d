/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_FILE_H
#define SL_FILE_H
#include "sl_base.h"

/* A whole file, mapped read-only and private. len 0 with data NULL for an empty file. */
struct sl_file {
	const uint8_t *data;
	size_t len;
};
/* SL_OK, or SL_ERR_IO with diag naming path and cause. Only regular files are opened. */
int sl_file_map(const char *path, struct sl_file *ret, struct sl_diag *diag);
/* The same for len bytes at an offset; SL_ERR_IO where the file is shorter. */
int sl_file_map_part(const char *path, uint64_t offset, uint64_t len, struct sl_file *ret, struct sl_diag *diag);
void sl_file_unmap(struct sl_file *file);

/* Reads a whole text file of at most limit bytes into a new NUL-terminated string (free() it).
 * SL_ERR_LIMIT where the file is longer. */
int sl_file_read_text(const char *path, size_t limit, char **ret, size_t *ret_len, struct sl_diag *diag);

/*
 * dir/name as a new string. Where allow_outside is false, a name that is absolute, or that leaves dir through
 * ".." or a symbolic link, is refused with SL_ERR_FORMAT and a diag that names --allow-outside.
 */
int sl_path_inside(const char *dir, const char *name, bool allow_outside, char **ret, struct sl_diag *diag);
#endif
