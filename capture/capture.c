/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a capture of whatever kind, and what it tells of itself. */
#include "capture.h"
#include "near.h"
#include "perf/perf_capture.h"

#include "sl_array.h"
#include "sl_file.h"
#include "sl_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INI_BYTES_MAX = 1 << 20 };

static int no_memory(struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
}

const char *sl_capture_keep(struct sl_capture *cap, const char *text)
{
	char *copy = strdup(text);

	if (copy && SL_ARRAY_PUSH(&cap->strings, &cap->string_len, &cap->string_cap, copy) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* Ini files of a directory. */
static int read_from_dir(void *ctx, const char *name, char **ret, size_t *ret_len, struct sl_diag *diag)
{
	const struct sl_capture *cap = ctx;
	char *path;
	int result = sl_path_inside(cap->dir, name, cap->allow_outside, &path, diag);

	if (result < 0)
		return result;
	result = sl_file_read_text(path, INI_BYTES_MAX, ret, ret_len, diag);
	free(path);
	return result;
}

/* "FILE:LINE: " where the file of a buffer was named, or nothing. */
static const char *origin(const struct sl_ini *ini, unsigned line, struct sl_diag *ret)
{
	ret->text[0] = '\0';
	if (ini)
		snprintf(ret->text, sizeof(ret->text), "%s:%u: ", ini->file, line);
	return ret->text;
}

static int open_buffer(struct sl_capture *cap, size_t i, struct sl_diag *diag)
{
	const struct sl_snap_buffer *from = &cap->snap.buffers[i];
	struct sl_buffer *buffer = &cap->buffers[i];
	struct sl_diag where;
	struct stat st;
	int fd = open(buffer->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int result = fd < 0 ? fd : fstat(fd, &st), error = errno;

	if (result < 0) {
		sl_fail(diag, SL_ERR_IO, "%strace buffer %s cannot be opened: %s",
			origin(from->ini, from->line, &where), buffer->path, strerror(error));
	} else if (!S_ISREG(st.st_mode)) {
		sl_fail(diag, SL_ERR_IO, "%strace buffer %s is no regular file: copy its bytes into one",
			origin(from->ini, from->line, &where), buffer->path);
	} else {
		buffer->size = (uint64_t)st.st_size;
		cap->stretches[i] = (struct sl_stretch){ .len = buffer->size, .framing = buffer->framing, .trace_id = -1,
							  .window = SL_WINDOW_ANY };
		cap->files[i] = (struct buffer_file){ fd, i, 1 };
		return SL_OK;
	}
	if (fd >= 0)
		close(fd);
	return SL_ERR_IO;
}

/* Where the file of a buffer lies; for a raw dump that is its own path. */
static int find_buffer_file(struct sl_capture *cap, const struct sl_snap_buffer *from, const char **ret,
			    struct sl_diag *diag)
{
	struct sl_diag where, why;
	char *path;
	int result;

	if (!cap->dir) {
		*ret = from->file;
		return SL_OK;
	}
	result = sl_path_inside(cap->dir, from->file, cap->allow_outside, &path, &why);
	if (result < 0)
		return sl_fail(diag, result, "%s%s", origin(from->ini, from->line, &where), why.text);
	*ret = sl_capture_keep(cap, path);
	free(path);
	return *ret ? SL_OK : no_memory(diag);
}

int sl_capture_make_buffers(struct sl_capture *cap, size_t count)
{
	cap->buffers = calloc(count + 1, sizeof(*cap->buffers));
	cap->files = calloc(count + 1, sizeof(*cap->files));
	if (!cap->buffers || !cap->files)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		cap->files[i].fd = -1;
	cap->buffer_len = count;
	return SL_OK;
}

static int open_buffers(struct sl_capture *cap, struct sl_diag *diag)
{
	size_t count = cap->buffer_len;

	cap->stretches = calloc(count + 1, sizeof(*cap->stretches));
	if (!cap->stretches)
		return no_memory(diag);
	for (size_t i = 0; i < count; i++) {
		int result = find_buffer_file(cap, &cap->snap.buffers[i], &cap->buffers[i].path, diag);

		if (result == SL_OK)
			result = open_buffer(cap, i, diag);
		if (result < 0)
			return result;
	}
	return SL_OK;
}

/* Looks up the dumps' files. One outside of the directory counts as missing, which is no reason to stop. */
static int find_dumps(struct sl_capture *cap, struct sl_notes *notes, struct sl_diag *diag)
{
	for (size_t i = 0; i < cap->snap.device_len; i++) {
		const struct sl_snap_device *device = &cap->snap.devices[i];

		for (size_t k = 0; k < device->dump_len; k++) {
			struct sl_snap_dump *dump = &device->dumps[k];
			char shown[128];
			int result =
				sl_path_inside(cap->dir, dump->file, cap->allow_outside, &dump->path, NULL);

			if (result == SL_ERR_NOMEM)
				return no_memory(diag);
			if (result < 0)
				sl_ini_note(
					dump->ini, dump->line, notes,
					"file %s lies outside of the snapshot directory: give --allow-outside to "
					"read it",
					sl_printable(dump->file, shown, sizeof(shown)));
		}
	}
	return SL_OK;
}

static int open_snapshot(struct sl_capture *cap, const char *top, struct sl_notes *notes,
			 struct sl_diag *diag)
{
	struct sl_snap_files files = { cap->dir, read_from_dir, cap };
	int result = sl_snapshot_read(&files, top, &cap->snap, notes, diag);

	cap->container = "snapshot";
	if (result == SL_OK && sl_streams_build(cap, notes) < 0)
		result = no_memory(diag);
	if (result == SL_OK)
		result = find_dumps(cap, notes, diag);
	return result < 0 ? result : open_buffers(cap, diag);
}

static int open_raw(struct sl_capture *cap, const char *path, const struct sl_raw_options *raw,
		    struct sl_notes *notes, struct sl_diag *diag)
{
	int result = sl_raw_describe(cap, path, raw, diag);

	cap->container = "raw dump";
	if (result == SL_OK && sl_streams_build(cap, notes) < 0)
		result = no_memory(diag);
	if (result == SL_OK && !cap->streams[0].usable)
		result = sl_fail(diag, SL_ERR_CONFIG, "%s: %s", path, cap->streams[0].why);
	return result < 0 ? result : open_buffers(cap, diag);
}

/* Neither a snapshot nor described by options: says what the file looks like. */
static int refuse(const char *path, struct sl_diag *diag)
{
	static const char how[] =
		"give --protocol, --trace-id and --reg NAME=VALUE for a raw dump, a snapshot directory or a "
		"perf.data";
	char magic[8] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, magic, sizeof(magic));
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be read: %s", path, strerror(error));
	if (memcmp(magic, "\177ELF", 4) == 0)
		return sl_fail(diag, SL_ERR_UNSUPPORTED,
			       "%s: this is a program (ELF), not a trace: name it with --image, and %s", path,
			       how);
	return sl_fail(diag, SL_ERR_UNSUPPORTED, "%s: its bytes do not tell how they were traced: %s", path,
		       how);
}

static bool ends_in_ini(const char *path)
{
	size_t len = strlen(path);

	return len >= 4 && strcasecmp(path + len - 4, ".ini") == 0;
}

static int no_snapshot(const struct sl_capture *cap, const char *path, struct sl_diag *diag)
{
	char *near = capture_near(cap->dir);
	int result = sl_fail(diag, SL_ERR_FORMAT, "%s: no snapshot.ini in this directory: expected a snapshot directory%s%s%s", path,
			     near ? "; there is " : "", near ? near : "", near ? ": give that" : "");

	free(near);
	return result;
}

/* Splits DIR or DIR/snapshot.ini. */
static int open_snapshot_path(struct sl_capture *cap, const char *path, bool is_dir, struct sl_notes *notes,
			      struct sl_diag *diag)
{
	const char *slash = strrchr(path, '/');
	const char *top = is_dir ? "snapshot.ini" : slash ? slash + 1 : path;
	size_t len = is_dir ? strlen(path) : slash ? (size_t)(slash - path) : 0;
	struct stat st;
	char *file;
	int result;

	while (is_dir && len > 1 && path[len - 1] == '/')
		len--;
	cap->dir = len ? strndup(path, len) : strdup(slash ? "/" : ".");
	if (!cap->dir || asprintf(&file, "%s/%s", cap->dir, top) < 0)
		return no_memory(diag);
	result = stat(file, &st);
	free(file);
	if (result < 0 && errno == ENOENT)
		return no_snapshot(cap, path, diag);
	return open_snapshot(cap, top, notes, diag);
}

static int copy_files(struct sl_capture *cap, const struct sl_image_file *from, size_t count,
		      struct sl_image_file **ret, size_t *ret_count)
{
	struct sl_image_file *files = calloc(count + 1, sizeof(*files));

	*ret = files;
	if (!files)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		files[i] = from[i];
		files[i].path = sl_capture_keep(cap, from[i].path);
		if (!files[i].path)
			return SL_ERR_NOMEM;
	}
	*ret_count = count;
	return SL_OK;
}

static int open_any(struct sl_capture *cap, const char *path, const struct sl_capture_options *options,
		    struct sl_notes *notes, struct sl_diag *diag)
{
	struct stat st;
	bool is_dir;

	cap->allow_outside = options->allow_outside;
	if (copy_files(cap, options->images, options->image_count, &cap->images, &cap->image_count) < 0 ||
	    copy_files(cap, options->symbols, options->symbol_count, &cap->symbols, &cap->symbol_count) < 0)
		return no_memory(diag);
	if (!options->raw.protocol && (strcmp(path, "-") == 0 || perf_is_file(path)))
		return perf_capture_open(cap, path, options->symfs, notes, diag);
	if (stat(path, &st) < 0)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
	is_dir = S_ISDIR(st.st_mode);
	if (options->raw.protocol && (is_dir || ends_in_ini(path)))
		return sl_fail(diag, SL_ERR_FORMAT, "%s: %s, and --protocol is for raw dumps: leave it out",
			       path, is_dir ? "this is a directory" : "this is an ini file");
	if (options->raw.protocol)
		return open_raw(cap, path, &options->raw, notes, diag);
	if (is_dir || ends_in_ini(path))
		return open_snapshot_path(cap, path, is_dir, notes, diag);
	return refuse(path, diag);
}

int sl_capture_open(const char *path, const struct sl_capture_options *options, struct sl_notes *notes,
		    struct sl_capture **ret, struct sl_diag *diag)
{
	static const struct sl_capture_options none;
	struct sl_capture *cap = calloc(1, sizeof(*cap));
	struct sl_diag why = { "" };
	int result;

	if (!cap)
		return no_memory(diag);
	result = open_any(cap, path, options ? options : &none, notes, &why);
	if (result < 0) {
		/* Names out of a stranger's files are in it. */
		if (diag)
			sl_printable(why.text, diag->text, sizeof(diag->text));
		sl_capture_free(cap);
		return result;
	}
	*ret = cap;
	return SL_OK;
}

void sl_capture_free(struct sl_capture *cap)
{
	if (!cap)
		return;
	for (size_t i = 0; i < cap->buffer_len && cap->files; i++) {
		if (cap->files[i].fd >= 0)
			close(cap->files[i].fd);
	}
	for (size_t i = 0; i < cap->string_len; i++)
		free(cap->strings[i]);
	free(cap->strings);
	free(cap->buffers);
	free(cap->stretches);
	free(cap->files);
	free(cap->facts);
	free(cap->processes);
	free(cap->wishes);
	perf_capture_free(cap->perf);
	free(cap->streams);
	free(cap->core_names);
	free(cap->core_devices);
	free(cap->images);
	free(cap->symbols);
	sl_snapshot_release(&cap->snap);
	free(cap->dir);
	free(cap);
}

const char *sl_capture_container(const struct sl_capture *cap)
{
	return cap->container;
}

size_t sl_capture_stretches(const struct sl_capture *cap, size_t buffer, const struct sl_stretch **ret)
{
	*ret = cap->stretches + cap->files[buffer].first_stretch;
	return cap->files[buffer].stretch_count;
}

size_t sl_capture_buffers(const struct sl_capture *cap, const struct sl_buffer **ret)
{
	*ret = cap->buffers;
	return cap->buffer_len;
}

size_t sl_capture_streams(const struct sl_capture *cap, const struct sl_stream **ret)
{
	*ret = cap->streams;
	return cap->stream_len;
}

size_t sl_capture_cores(const struct sl_capture *cap, const char *const **ret)
{
	*ret = cap->core_names;
	return cap->core_len;
}

uint32_t sl_capture_core_of(const struct sl_capture *cap, uint32_t core)
{
	return cap->perf ? perf_core_of(cap->perf, core) : core;
}

size_t sl_capture_processes(const struct sl_capture *cap, const struct sl_process **ret)
{
	*ret = cap->processes;
	return cap->process_len;
}

const char *sl_capture_task_name(const struct sl_capture *cap, uint32_t task)
{
	const struct perf_thread *thread = cap->perf ? perf_thread_find(&cap->perf->processes, task) : NULL;
	const struct perf_process *process;

	if (!thread || thread->comm)
		return thread ? thread->comm : NULL;
	process = perf_process_find(&cap->perf->processes, thread->pid);
	return process ? process->comm : NULL;
}

size_t sl_capture_wishes(const struct sl_capture *cap, const struct sl_wish **ret)
{
	*ret = cap->wishes;
	return cap->wish_len;
}

uint64_t sl_capture_lost(const struct sl_capture *cap)
{
	return cap->perf ? cap->perf->etm.aux_bytes_lost : 0;
}

void sl_capture_write_tables(const struct sl_capture *cap, const struct sl_table *out)
{
	if (cap->perf)
		perf_tables_write(cap->perf, out);
}

size_t sl_capture_facts(const struct sl_capture *cap, const struct sl_fact **ret)
{
	*ret = cap->facts;
	return cap->fact_len;
}

bool sl_capture_time(const struct sl_capture *cap, const struct sl_stream *stream, uint64_t ticks, uint64_t *ret_ns)
{
	return cap->perf && perf_time_ns(cap->perf, stream->cpu, ticks, ret_ns);
}

bool sl_capture_task_within(const struct sl_capture *cap, const struct sl_stream *stream, struct sl_window window,
			    uint32_t *ret_task)
{
	return cap->perf && perf_switches_within(&cap->perf->switches, stream->cpu, window, ret_task);
}

bool sl_capture_has_switches(const struct sl_capture *cap, const struct sl_stream *stream)
{
	return cap->perf && perf_switches_known(&cap->perf->switches, stream->cpu);
}

uint64_t sl_capture_timestamp_hz(const struct sl_capture *cap)
{
	return cap->snap.timestamp_hz;
}

ptrdiff_t sl_capture_read(const struct sl_capture *cap, size_t buffer, uint64_t offset, void *dst, size_t len)
{
	uint64_t size = cap->buffers[buffer].size;
	size_t done = 0;

	if (cap->perf)
		return perf_capture_read(cap->perf, offset, dst, len);
	if (offset >= size)
		return 0;
	if (len > size - offset)
		len = (size_t)(size - offset);
	if (len > PTRDIFF_MAX)
		len = PTRDIFF_MAX;
	while (done < len) {
		ssize_t got = pread(cap->files[buffer].fd, (char *)dst + done, len - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SL_ERR_IO;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ptrdiff_t)done;
}
