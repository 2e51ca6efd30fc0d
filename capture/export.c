/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a directory that is being written. */
#include "export.h"

#include "sl_array.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sl_export_fail(const struct export *ex, const char *name)
{
	return sl_fail(ex->diag, SL_ERR_IO, "%s/%s: cannot be written: %s", ex->dir, name, strerror(errno));
}

static bool is_taken(const struct export *ex, const char *name)
{
	for (size_t i = 0; i < ex->file_len; i++) {
		if (strcmp(ex->files[i].name, name) == 0)
			return true;
	}
	return false;
}

const char *sl_export_name(struct export *ex, const char *wanted)
{
	const char *slash = strrchr(wanted, '/');
	struct export_file file = { .name = strdup(slash ? slash + 1 : wanted) };
	char *base = file.name;

	if (!base)
		return NULL;
	/* Only what no ini file or shell takes for something else. */
	for (char *at = base; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("-_+.", *at))
			*at = '_';
	}
	if (*base == '.')
		*base = '_';
	for (unsigned n = 2; !*file.name || is_taken(ex, file.name); n++) {
		if (file.name != base)
			free(file.name);
		if (asprintf(&file.name, "%u-%s", n, base) < 0) {
			free(base);
			return NULL;
		}
	}
	if (file.name != base)
		free(base);
	if (SL_ARRAY_PUSH(&ex->files, &ex->file_len, &ex->file_cap, file) < 0) {
		free(file.name);
		return NULL;
	}
	return file.name;
}

FILE *sl_export_create(struct export *ex, const char *name)
{
	int fd = openat(ex->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (out)
		return out;
	sl_export_fail(ex, name);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int sl_export_close(struct export *ex, const char *name, FILE *out)
{
	bool failed = ferror(out);

	if (fclose(out) != 0 || failed)
		return sl_export_fail(ex, name);
	return SL_OK;
}

static int copy_bytes(struct export *ex, FILE *in, const char *name)
{
	char block[16384];
	size_t got;
	FILE *out = sl_export_create(ex, name);

	if (!out)
		return SL_ERR_IO;
	while ((got = fread(block, 1, sizeof(block), in)) > 0 && fwrite(block, 1, got, out) == got)
		;
	return sl_export_close(ex, name, out);
}

int sl_export_copy(struct export *ex, const char *path, const char **ret_name)
{
	const char *name;
	FILE *in;
	int result;

	for (size_t i = 0; i < ex->file_len; i++) {
		if (ex->files[i].source && strcmp(ex->files[i].source, path) == 0) {
			*ret_name = ex->files[i].name;
			return SL_OK;
		}
	}
	in = fopen(path, "re");
	if (!in)
		return sl_fail(ex->diag, SL_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	name = sl_export_name(ex, path);
	if (name)
		ex->files[ex->file_len - 1].source = strdup(path);
	if (!name || !ex->files[ex->file_len - 1].source) {
		fclose(in);
		return sl_fail(ex->diag, SL_ERR_NOMEM, "%s: %s", path, sl_strerror(SL_ERR_NOMEM));
	}
	result = copy_bytes(ex, in, name);
	if (result == SL_OK && ferror(in))
		result = sl_fail(ex->diag, SL_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	fclose(in);
	*ret_name = name;
	return result;
}
