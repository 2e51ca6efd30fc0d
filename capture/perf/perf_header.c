/* SPDX-License-Identifier: Apache-2.0 */
/* The file's head: the pipe form's 16 bytes, or the sections of a file that was written to a disk. */
#include "perf_data.h"

#include <inttypes.h>
#include <string.h>

enum {
	PIPE_HEAD_BYTES = 16,
	OLD_HEAD_BYTES = 72, /* without the bitmap of features */
	HEAD_BYTES = 104,
	BITMAP_BYTES = 32,
};

static struct perf_section section_at(const struct perf_file *file, const uint8_t *head, size_t at)
{
	return (struct perf_section){ perf_get64(file, head + at), perf_get64(file, head + at + 8) };
}

/* Takes over the section of records, and says what is odd about it. Whether the features' table is behind it.
 */
static bool set_records(struct perf_file *file, struct perf_section data)
{
	struct perf_part *part = &file->parts[0];
	uint64_t size = part->map.len;

	if (!data.size) {
		sl_notes_add(file->notes,
			     "%s: the recording was not finished: what was written until then is read, "
			     "but the host, its kernel and the build ids are not known",
			     part->path);
		part->records = perf_section_cut((struct perf_section){ data.offset, UINT64_MAX }, size);
		return false;
	}
	part->records = perf_section_cut(data, size);
	if (data.offset > size || data.size > size - data.offset) {
		sl_notes_add(file->notes,
			     "%s: is cut: its records should reach from offset 0x%" PRIx64 " over 0x%" PRIx64
			     " bytes, but the file ends at 0x%" PRIx64 "; copy it again",
			     part->path, data.offset, data.size, size);
		return false;
	}
	return true;
}

static int read_sections(struct perf_file *file, uint64_t head_size, struct sl_diag *diag)
{
	struct perf_part *part = &file->parts[0];
	const uint8_t *head = part->map.data;
	struct perf_section data;

	if (head_size < OLD_HEAD_BYTES || part->map.len < OLD_HEAD_BYTES)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: its header has 0x%" PRIx64
			       " bytes, the file 0x%zx: not a perf.data's; was it cut?",
			       part->path, head_size, part->map.len);
	file->attr_size = perf_get64(file, head + 16);
	file->attrs_at = section_at(file, head, 24);
	data = section_at(file, head, 40);
	if (set_records(file, data) && head_size >= HEAD_BYTES && part->map.len >= HEAD_BYTES)
		perf_features_find(file, head + HEAD_BYTES - BITMAP_BYTES, data.offset + data.size);
	return SL_OK;
}

int perf_header_read(struct perf_file *file, struct sl_diag *diag)
{
	struct perf_part *part = &file->parts[0];
	const uint8_t *head = part->map.data;
	uint64_t head_size;

	if (part->map.len < PIPE_HEAD_BYTES)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: is no perf.data: it has only %zu bytes", part->path,
			       part->map.len);
	if (memcmp(head, "PERFFILE", 8) == 0 || memcmp(head, "ELIFFREP", 8) == 0)
		return sl_fail(
			diag, SL_ERR_FORMAT,
			"%s: is a perf.data of version 1 (of 2009), which holds no trace: record it anew",
			part->path);
	file->big = memcmp(head, "2ELIFREP", 8) == 0;
	if (!file->big && memcmp(head, "PERFILE2", 8) != 0)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: is no perf.data: it does not begin with PERFILE2",
			       part->path);
	head_size = perf_get64(file, head + 8);
	if (head_size != PIPE_HEAD_BYTES)
		return read_sections(file, head_size, diag);
	file->pipe = true;
	part->records = (struct perf_section){ PIPE_HEAD_BYTES, part->map.len - PIPE_HEAD_BYTES };
	return SL_OK;
}
