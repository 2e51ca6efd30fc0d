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

static size_t page_mask(void)
{
	return (size_t)sysconf(_SC_PAGESIZE) - 1;
}

/* Maps len bytes at an offset of an open file, which need not begin a page. */
static int map_open(int fd, const char *path, uint64_t offset, uint64_t len, struct sl_file *ret, struct sl_diag *diag)
{
	size_t before = (size_t)offset & page_mask();
	uint8_t *data = NULL;

	if (len > PTRDIFF_MAX - before)
		return sl_fail(diag, SL_ERR_IO, "cannot map '%s': it is too large for this machine", path);
	if (len)
		data = mmap(NULL, (size_t)len + before, PROT_READ, MAP_PRIVATE, fd, (off_t)(offset - before));
	if (data == MAP_FAILED)
		return sl_fail(diag, SL_ERR_IO, "cannot map '%s': %s", path, strerror(errno));
	*ret = (struct sl_file){ data ? data + before : NULL, (size_t)len };
	return SL_OK;
}

int sl_file_map(const char *path, struct sl_file *ret, struct sl_diag *diag)
{
	struct stat st;
	int fd = open_regular(path, &st, diag);
	int result;

	if (fd < 0)
		return fd;
	result = map_open(fd, path, 0, (uint64_t)st.st_size, ret, diag);
	close(fd);
	return result;
}

int sl_file_map_part(const char *path, uint64_t offset, uint64_t len, struct sl_file *ret, struct sl_diag *diag)
{
	struct stat st;
	int fd = open_regular(path, &st, diag);
	int result;

	if (fd < 0)
		return fd;
	if (offset > (uint64_t)st.st_size || len > (uint64_t)st.st_size - offset)
		result = sl_fail(diag, SL_ERR_IO, "cannot map '%s': it is shorter than it was", path);
	else
		result = map_open(fd, path, offset, len, ret, diag);
	close(fd);
	return result;
}

void sl_file_unmap(struct sl_file *file)
{
	size_t before = (size_t)(uintptr_t)file->data & page_mask();

	if (file->len)
		munmap((uint8_t *)(uintptr_t)file->data - before, file->len + before);
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
