/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to mapped files: one file, a directory of them, or a stream that is copied into a temporary
 * file. */
#include "perf_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sl_array.h"

enum { MAGIC_BYTES = 8, COPY_BYTES = 65536, PARTS_MAX = 65536 };

static bool is_magic(const uint8_t *data)
{
	/* The last two are version 1: not readable, but to be told apart from what is no perf.data at all. */
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		if (memcmp(data, magics[i], MAGIC_BYTES) == 0)
			return true;
	}
	return false;
}

/* Reads len bytes unless the end comes first; -1 with errno. */
static ssize_t read_full(int fd, uint8_t *ret, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = read(fd, ret + done, len - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static bool write_full(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		data += put;
		len -= (size_t)put;
	}
	return true;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* Appends a part; takes over map, and path also where it fails. */
static int add_part(struct perf_file *file, char *path, const struct sl_file *map)
{
	struct perf_part part = { .path = path, .map = *map, .base = perf_parts_bytes(file) };

	part.records.size = map->len;
	if (path && SL_ARRAY_PUSH(&file->parts, &file->part_len, &file->part_cap, part) == SL_OK)
		return SL_OK;
	sl_file_unmap(&part.map);
	free(path);
	return SL_ERR_NOMEM;
}

/* A descriptor of a new file without a name. */
static int open_temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char *path = join(dir && *dir ? dir : "/tmp", "sightline-XXXXXX");
	int fd = path ? mkostemp(path, O_CLOEXEC) : -1;

	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static int copy_to(int from, int to, const char *name, struct sl_diag *diag)
{
	uint8_t *block = malloc(COPY_BYTES);
	bool first = true;
	ssize_t got;
	int result = SL_OK;

	if (!block)
		return SL_ERR_NOMEM;
	do {
		got = read_full(from, block, COPY_BYTES);
		if (got < 0)
			result = sl_fail(diag, SL_ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
		/* What is no perf.data may never end. */
		else if (first && (got < MAGIC_BYTES || !is_magic(block)))
			result = sl_fail(diag, SL_ERR_FORMAT,
					 "%s: is no perf.data: it does not begin with PERFILE2", name);
		else if (!write_full(to, block, (size_t)got))
			result = sl_fail(diag, SL_ERR_IO,
					 "%s: cannot be copied to a temporary file (see TMPDIR): %s", name,
					 strerror(errno));
		first = false;
	} while (result == SL_OK && got == COPY_BYTES);
	free(block);
	return result;
}

/* Maps what fd is open for as the first part. */
static int map_fd(struct perf_file *file, int fd, const char *name, struct sl_diag *diag)
{
	struct sl_file map = { 0 };
	struct stat st;
	void *data = NULL;

	if (fstat(fd, &st) != 0 || (uintmax_t)st.st_size > PTRDIFF_MAX)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be mapped: %s", name, strerror(errno));
	if (st.st_size > 0)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be mapped: %s", name, strerror(errno));
	map.data = data;
	map.len = (size_t)st.st_size;
	return add_part(file, strdup(name), &map);
}

/* A stream: copied into a temporary file, and that is mapped. */
static int map_stream(struct perf_file *file, int from, const char *name, struct sl_diag *diag)
{
	int to = open_temporary(), result;

	if (to < 0)
		return sl_fail(diag, SL_ERR_IO, "%s: no temporary file can be made for it (see TMPDIR): %s", name,
			       strerror(errno));
	result = copy_to(from, to, name, diag);
	if (result == SL_OK)
		result = map_fd(file, to, name, diag);
	close(to);
	return result;
}

static int open_stdin(struct perf_file *file, struct sl_diag *diag)
{
	static const char name[] = "standard input";
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		return map_fd(file, STDIN_FILENO, name, diag);
	return map_stream(file, STDIN_FILENO, name, diag);
}

static int open_fifo(struct perf_file *file, const char *path, struct sl_diag *diag)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int result;

	if (from < 0)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
	result = map_stream(file, from, path, diag);
	close(from);
	return result;
}

static int open_regular(struct perf_file *file, const char *path, struct sl_diag *diag)
{
	struct sl_file map;
	int result = sl_file_map(path, &map, diag);

	return result < 0 ? result : add_part(file, strdup(path), &map);
}

/* The N of "data.N"; 0 for other names. */
static unsigned long part_number(const char *name)
{
	char *end;
	unsigned long number;

	if (strncmp(name, "data.", 5) != 0 || name[5] < '0' || name[5] > '9')
		return 0;
	number = strtoul(name + 5, &end, 10);
	return *end || number >= ULONG_MAX ? 0 : number + 1;
}

static int is_part(const struct dirent *entry)
{
	return part_number(entry->d_name) != 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	unsigned long left = part_number((*a)->d_name), right = part_number((*b)->d_name);

	return left < right ? -1 : left > right;
}

/* One data.N: what cannot be read of it is noted, the other files are still good. */
static int open_one_more(struct perf_file *file, char *path)
{
	struct sl_diag diag;
	struct sl_file map;

	if (!path)
		return SL_ERR_NOMEM;
	if (sl_file_map(path, &map, &diag) < 0) {
		sl_notes_add(file->notes, "%s; its records are missing", diag.text);
		free(path);
		return SL_OK;
	}
	return add_part(file, path, &map);
}

static int open_directory(struct perf_file *file, const char *path, struct sl_diag *diag)
{
	struct dirent **names = NULL;
	int count, result;
	char *main_path = join(path, "data");

	file->dir = strdup(path);
	result = main_path && file->dir ? open_regular(file, main_path, diag) : SL_ERR_NOMEM;
	free(main_path);
	if (result < 0)
		return result;
	count = scandir(path, &names, is_part, by_number);
	for (int i = 0; i < count; i++) {
		if (result == SL_OK && i < PARTS_MAX)
			result = open_one_more(file, join(path, names[i]->d_name));
		free(names[i]);
	}
	free(names);
	if (count < 0 || count > PARTS_MAX)
		sl_notes_add(file->notes,
			     "%s: not all of its files data.N can be read; records are missing", path);
	return result;
}

int perf_parts_open(struct perf_file *file, const char *path, struct sl_diag *diag)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return open_stdin(file, diag);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return open_directory(file, path, diag);
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return open_fifo(file, path, diag);
	return open_regular(file, path, diag);
}

void perf_parts_close(struct perf_file *file)
{
	for (size_t i = 0; i < file->part_len; i++) {
		sl_file_unmap(&file->parts[i].map);
		free(file->parts[i].path);
	}
	free(file->parts);
	free(file->dir);
}

uint64_t perf_parts_bytes(const struct perf_file *file)
{
	const struct perf_part *last;

	if (!file->part_len)
		return 0;
	last = &file->parts[file->part_len - 1];
	return last->base + last->map.len;
}

static bool begins_like_one(const char *path)
{
	uint8_t magic[MAGIC_BYTES];
	struct stat st;
	bool found;
	int fd;

	/* Opening a FIFO and closing it again would end its writer. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	found = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) && is_magic(magic);
	if (fd >= 0)
		close(fd);
	return found;
}

bool perf_is_file(const char *path)
{
	struct stat st;
	char *data;
	bool found;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return begins_like_one(path);
	data = join(path, "data");
	found = data && begins_like_one(data);
	free(data);
	return found;
}
