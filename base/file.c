/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sl_array.h"

/* A descriptor, or SL_ERR_IO. O_NONBLOCK: opening a FIFO must not wait for its writer. */
static int open_regular(const char *path, struct stat *st, struct sl_diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) != 0) {
		sl_fail(diag, SL_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(st->st_mode)) {
		sl_fail(diag, SL_ERR_IO, "cannot open '%s': it is %s, and a file is needed", path,
			S_ISDIR(st->st_mode) ? "a directory" : "no regular file");
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return SL_ERR_IO;
}

int sl_file_map(const char *path, struct sl_file *ret, struct sl_diag *diag)
{
	struct stat st;
	void *data = NULL;
	int fd = open_regular(path, &st, diag);

	if (fd < 0)
		return fd;
	if ((uintmax_t)st.st_size > PTRDIFF_MAX) {
		close(fd);
		return sl_fail(diag, SL_ERR_IO, "cannot map '%s': it is too large for this machine", path);
	}
	if (st.st_size > 0)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		sl_fail(diag, SL_ERR_IO, "cannot map '%s': %s", path, strerror(errno));
		close(fd);
		return SL_ERR_IO;
	}
	close(fd);
	ret->data = data;
	ret->len = (size_t)st.st_size;
	return SL_OK;
}

void sl_file_unmap(struct sl_file *file)
{
	if (file->len)
		munmap((void *)(uintptr_t)file->data, file->len);
	*file = (struct sl_file){ 0 };
}

/* Appends all that fd yields, but at most one byte beyond limit. SL_OK, SL_ERR_NOMEM, or SL_ERR_IO with
 * errno. */
static int read_all(int fd, size_t limit, char **text, size_t *len)
{
	size_t cap = 0;
	ssize_t got;

	do {
		int result = sl_array_reserve((void **)text, &cap, 1, *len + 4096);

		if (result < 0)
			return result;
		got = read(fd, *text + *len, cap - *len - 1);
		if (got > 0)
			*len += (size_t)got;
	} while ((got > 0 && *len <= limit) || (got < 0 && errno == EINTR));
	(*text)[*len] = '\0';
	return got < 0 ? SL_ERR_IO : SL_OK;
}

int sl_file_read_text(const char *path, size_t limit, char **ret, size_t *ret_len, struct sl_diag *diag)
{
	struct stat st;
	char *text = NULL;
	size_t len = 0;
	int fd = open_regular(path, &st, diag);
	int result;

	if (fd < 0)
		return fd;
	/* Not by st_size: files of /proc and /sys, copied or not, say 0 there. */
	result = read_all(fd, limit, &text, &len);
	if (result == SL_ERR_IO)
		sl_fail(diag, result, "cannot read '%s': %s", path, strerror(errno));
	else if (result < 0)
		sl_fail(diag, result, "cannot read '%s': %s", path, sl_strerror(result));
	else if (len > limit)
		result = sl_fail(diag, SL_ERR_LIMIT,
				 "cannot read '%s': over %zu bytes, too long for such a text", path, limit);
	close(fd);
	if (result < 0) {
		free(text);
		return result;
	}
	*ret = text;
	*ret_len = len;
	return SL_OK;
}
