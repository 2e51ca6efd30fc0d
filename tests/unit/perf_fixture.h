/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_FIXTURE_H
#define PERF_FIXTURE_H
/* A perf.data of one test, written and opened, and records that all tests know. Include behind cmocka.h. */
#include <string.h>

#include "perf/perf_file.h"
#include "perf_write.h"
#include "temp_dir.h"

enum {
	SAMPLE_IP = 1,
	SAMPLE_TID = 2,
	SAMPLE_TIME = 4,
	SAMPLE_ID = 64,
	SAMPLE_CPU = 128,
	SAMPLE_IDENTIFIER = 65536,
	ID_ALL = 1 << 18,
	TRAILER = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER,
};
static const uint64_t event_ids[] = { 11, 12, 13 };

struct opened {
	struct temp_dir dir;
	struct sl_notes notes;
	struct sl_diag diag;
	struct perf_file *file;
	int result;
};

static inline int perf_fixture_setup(void **state)
{
	struct opened *opened = calloc(1, sizeof(*opened));

	assert_non_null(opened);
	temp_dir_make(&opened->dir);
	*state = opened;
	return 0;
}

static inline int perf_fixture_teardown(void **state)
{
	struct opened *opened = *state;

	perf_file_close(opened->file);
	sl_notes_release(&opened->notes);
	temp_dir_remove(&opened->dir);
	free(opened);
	return 0;
}

static inline void open_path(struct opened *opened, const char *path)
{
	perf_file_close(opened->file);
	opened->file = NULL;
	sl_notes_release(&opened->notes);
	opened->result = perf_file_open(path, &opened->notes, &opened->file, &opened->diag);
}

static inline void open_bytes(struct opened *opened, const void *data, size_t len)
{
	temp_dir_bytes(&opened->dir, "perf.data", data, len);
	open_path(opened, temp_dir_path(&opened->dir, "perf.data"));
}

/* Opens what writer holds, and releases it. */
static inline void open_writer(struct opened *opened, struct perf_writer *writer, enum perf_write_form form)
{
	struct perf_bytes whole;

	perf_write_whole(writer, form, &whole);
	open_bytes(opened, whole.data, whole.len);
	perf_bytes_release(&whole);
	perf_writer_release(writer);
	if (opened->result < 0)
		fail_msg("%s", opened->diag.text);
}

static inline bool has_note(const struct opened *opened, const char *part)
{
	for (size_t i = 0; i < opened->notes.len; i++) {
		if (strstr(opened->notes.items[i].text, part))
			return true;
	}
	return false;
}

static inline void put_trailer(struct perf_bytes *body, uint32_t tid, uint64_t time, uint32_t cpu,
			       uint64_t id)
{
	perf_put32(body, tid - 1);
	perf_put32(body, tid);
	perf_put64(body, time);
	perf_put32(body, cpu);
	perf_put32(body, 0);
	perf_put64(body, id);
}

static inline size_t put_comm(struct perf_writer *writer, const char *name, uint64_t time)
{
	struct perf_bytes *body = perf_write_begin(writer, PERF_COMM, 0x2000);

	perf_put32(body, 6);
	perf_put32(body, 7);
	perf_put_text(body, name);
	put_trailer(body, 7, time, 3, 11);
	return perf_write_end(writer);
}

static inline void begin(struct perf_writer *writer, bool big, uint32_t attr_bytes)
{
	perf_writer_init(writer, big);
	perf_write_attr(writer, (struct perf_write_attr){ .type = 8,
							  .bytes = attr_bytes,
							  .config = 0x10000000,
							  .sample_type = TRAILER,
							  .flags = ID_ALL | 1,
							  .config1 = 5,
							  .config2 = 6,
							  .ids = event_ids,
							  .id_count = 2 });
}

static inline const struct perf_record *record(const struct opened *opened, size_t index)
{
	const struct perf_record *records;

	assert_true(index < perf_file_records(opened->file, &records));
	return &records[index];
}

static inline size_t count(const struct opened *opened)
{
	const struct perf_record *records;

	return perf_file_records(opened->file, &records);
}

static inline void check_comm(const struct opened *opened, const struct perf_record *comm, const char *name,
			      uint64_t time)
{
	assert_int_equal(comm->type, PERF_COMM);
	assert_int_equal(comm->misc, 0x2000);
	assert_int_equal(perf_u32(opened->file, comm, 4), 7);
	assert_string_equal(perf_string(comm, 8), name);
	assert_int_equal(comm->len - comm->body_len, 32);
	assert_true(comm->who.has_tid && comm->who.has_time && comm->who.has_cpu && comm->who.has_id);
	assert_int_equal(comm->who.pid, 6);
	assert_int_equal(comm->who.tid, 7);
	assert_int_equal(comm->who.time, time);
	assert_int_equal(comm->who.cpu, 3);
	assert_int_equal(comm->who.id, 11);
}

static inline void put_features(struct perf_writer *writer)
{
	struct perf_bytes *line = perf_write_feature(writer, 11), *list = perf_write_feature(writer, 2);

	perf_put_string(perf_write_feature(writer, 3), "board");
	perf_put_string(perf_write_feature(writer, 4), "6.1.0");
	perf_put_string(perf_write_feature(writer, 6), "aarch64");
	perf_put_string(perf_write_feature(writer, 8), "ARMv8 r0p4");
	perf_put32(line, 3);
	perf_put_string(line, "perf");
	perf_put_string(line, "record");
	perf_put_string(line, "./app");
	perf_put32(list, PERF_BUILD_ID);
	perf_put16(list, 0x8002);
	perf_put16(list, 8 + 4 + 24 + 8);
	perf_put32(list, 4711);
	perf_put(list, "0123456789abcdef\0\0\0\0\x10\0\0\0", 24);
	perf_put_text(list, "/bin/a");
}

static inline void check_features(const struct opened *opened)
{
	const struct perf_build_id *ids;

	assert_string_equal(perf_file_hostname(opened->file), "board");
	assert_string_equal(perf_file_release(opened->file), "6.1.0");
	assert_string_equal(perf_file_arch(opened->file), "aarch64");
	assert_string_equal(perf_file_cpudesc(opened->file), "ARMv8 r0p4");
	assert_string_equal(perf_file_cmdline(opened->file), "perf record ./app");
	assert_int_equal(perf_file_build_ids(opened->file, &ids), 1);
	assert_string_equal(ids->name, "/bin/a");
	assert_int_equal(ids->len, 16);
	assert_int_equal(ids->pid, 4711);
	assert_int_equal(ids->misc, 0x8002);
	assert_memory_equal(ids->id, "0123456789abcdef", 16);
}
#endif
