/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NAMES_FIXTURE_H
#define NAMES_FIXTURE_H
/*
 * A recording without trace, of which a test wants the image: what has which name for whom, and what is missing. Include
 * behind cmocka.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/perf_file.h"
#include "perf_write.h"
#include "sl_capture.h"
#include "temp_files.h"

enum { REC_TRAILER = 2 | 4 | 128 | 65536 };

struct recording {
	struct perf_writer writer;
	uint64_t now; /* of the next record */
	struct sl_notes notes;
	struct sl_diag diag;
	struct sl_capture *capture;
	struct sl_image *image;
};

static inline void rec_trailer(struct recording *rec, uint32_t pid)
{
	perf_put32(&rec->writer.records, pid);
	perf_put32(&rec->writer.records, pid);
	perf_put64(&rec->writer.records, rec->now++);
	perf_put32(&rec->writer.records, 0);
	perf_put32(&rec->writer.records, 0);
	perf_put64(&rec->writer.records, 11);
}

/* One CPU, with nothing traced. */
static inline void rec_start(struct recording *rec)
{
	static const uint64_t ids[] = { 11 };
	static const uint64_t info[] = { 3, 1, 8ull << 32 | 1, 0, 0x4040404040404040, 0, 7, 0, 0x10, 0x28000ea1, 0x4100f403, 0x488,
					 0, 0xcc };

	*rec = (struct recording){ .now = 1000 };
	perf_writer_init(&rec->writer, false);
	perf_write_attr(&rec->writer, (struct perf_write_attr){ .type = 8, .sample_type = REC_TRAILER, .flags = 1 << 18,
								.ids = ids, .id_count = 1 });
	perf_write_begin(&rec->writer, PERF_AUXTRACE_INFO, 0);
	for (size_t i = 0; i < sizeof(info) / sizeof(*info); i++)
		perf_put64(&rec->writer.records, info[i]);
	perf_write_end(&rec->writer);
}

/* An executable map; of the kernel where pid is UINT32_MAX. */
static inline void rec_map(struct recording *rec, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	perf_write_begin(&rec->writer, PERF_MMAP2, pid == UINT32_MAX ? 1 : 2);
	perf_put32(&rec->writer.records, pid);
	perf_put32(&rec->writer.records, pid);
	perf_put64(&rec->writer.records, start);
	perf_put64(&rec->writer.records, len);
	perf_put64(&rec->writer.records, pgoff);
	for (unsigned i = 0; i < 3; i++)
		perf_put64(&rec->writer.records, 0);
	perf_put32(&rec->writer.records, 5);
	perf_put32(&rec->writer.records, 2);
	perf_put_text(&rec->writer.records, name);
	rec_trailer(rec, pid);
	perf_write_end(&rec->writer);
}

static inline const char *rec_write(struct recording *rec, const char *name)
{
	struct perf_bytes whole;
	const char *path;

	perf_write_whole(&rec->writer, PERF_WRITE_FILE, &whole);
	path = temp_write(name, whole.data, whole.len);
	perf_bytes_release(&whole);
	perf_writer_release(&rec->writer);
	return path;
}

/* Opens path, with files below symfs (which may be NULL), and builds its image. */
static inline void rec_open(struct recording *rec, const char *path, const char *symfs)
{
	const struct sl_capture_options how = { .symfs = symfs };

	if (sl_capture_open(path, &how, &rec->notes, &rec->capture, &rec->diag) < 0 ||
	    sl_capture_load_image(rec->capture, &rec->notes, &rec->image, &rec->diag) < 0)
		fail_msg("%s", rec->diag.text);
}

static inline void rec_close(struct recording *rec)
{
	sl_image_free(rec->image);
	sl_capture_free(rec->capture);
	sl_notes_release(&rec->notes);
}

static inline bool rec_noted(const struct recording *rec, const char *part)
{
	for (size_t i = 0; i < rec->notes.len; i++) {
		if (strstr(rec->notes.items[i].text, part))
			return true;
	}
	return false;
}

/* The missing file with this text, or NULL. */
static inline const struct sl_missing *rec_missing(const struct recording *rec, const char *path)
{
	const struct sl_missing *list;
	size_t count = sl_image_missing(rec->image, &list);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].path, path) == 0)
			return &list[i];
	}
	return NULL;
}

/* Name and addresses of what core has at address. */
static inline void rec_check(const struct recording *rec, uint32_t core, uint64_t address, const char *name, uint64_t start,
			     uint64_t end)
{
	struct sl_symbol_range range = sl_image_symbol_at(rec->image, core, address);

	assert_string_equal(sl_image_symbol(rec->image, range.id)->name, name);
	assert_int_equal(range.start, start);
	assert_int_equal(range.end, end);
}

static inline void rec_check_none(const struct recording *rec, uint32_t core, uint64_t address)
{
	assert_int_equal(sl_image_symbol_at(rec->image, core, address).id, 0);
}
#endif
