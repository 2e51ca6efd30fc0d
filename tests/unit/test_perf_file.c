/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "perf_fixture.h"
#include "temp_files.h"

int case_setup(void **state)
{
	return perf_fixture_setup(state);
}

int case_teardown(void **state)
{
	return perf_fixture_teardown(state);
}

static void check_attr(const struct opened *opened, uint64_t config1, uint64_t config2)
{
	const struct perf_attr *attrs;

	assert_int_equal(perf_file_attrs(opened->file, &attrs), 1);
	assert_int_equal(attrs->type, 8);
	assert_int_equal(attrs->config, 0x10000000);
	assert_int_equal(attrs->config1, config1);
	assert_int_equal(attrs->config2, config2);
	assert_int_equal(attrs->sample_type, TRAILER);
	assert_int_equal(attrs->flags, ID_ALL | 1);
	assert_int_equal(attrs->id_count, 2);
	assert_int_equal(attrs->ids[1], 12);
}

/* Two records out of order, trace, and what describes the host. */
static void put_recording(struct perf_writer *writer)
{
	put_comm(writer, "late", 2000);
	put_comm(writer, "early", 1000);
	perf_write_auxtrace(writer, 1, 7, 3, 64, "trace of sixteen", 16);
	put_features(writer);
}

static void check_recording(const struct opened *opened, size_t in_front)
{
	const struct perf_record *aux = record(opened, in_front + 1);
	char trace[17] = "";

	assert_int_equal(count(opened), in_front + 3);
	check_comm(opened, record(opened, in_front), "early", 1000);
	check_comm(opened, record(opened, in_front + 2), "late", 2000);
	assert_int_equal(aux->type, PERF_AUXTRACE);
	assert_int_equal(perf_u64(opened->file, aux, 8), 64);
	assert_int_equal(perf_u32(opened->file, aux, 24), 1);
	assert_int_equal(aux->payload_len, 16);
	assert_false(aux->who.has_time);
	assert_int_equal(aux->len, aux->body_len);
	assert_int_equal(perf_file_read(opened->file, aux->payload_offset, trace, 16), 16);
	assert_string_equal(trace, "trace of sixteen");
	assert_int_equal(perf_file_read(opened->file, aux->payload_offset + 9, trace, 4), 4);
	assert_memory_equal(trace, "sixt", 4);
}

static void check_form(struct opened *opened, bool big, enum perf_write_form form)
{
	struct perf_writer writer;

	begin(&writer, big, 0);
	put_recording(&writer);
	open_writer(opened, &writer, form);
	/* The pipe form's own records: an attribute and six features. */
	check_recording(opened, form == PERF_WRITE_PIPE ? 7 : 0);
	check_attr(opened, 5, 6);
	assert_int_equal(perf_file_is_pipe(opened->file), form == PERF_WRITE_PIPE);
	assert_false(perf_file_is_simpleperf(opened->file));
	assert_null(perf_file_dir(opened->file));
	if (form == PERF_WRITE_FILE || form == PERF_WRITE_PIPE)
		check_features(opened);
	else
		assert_null(perf_file_arch(opened->file));
	assert_int_equal(opened->notes.len, form == PERF_WRITE_UNFINISHED);
}

void test_perf_file__all_forms_in_both_byte_orders(void **state)
{
	static const enum perf_write_form forms[] = { PERF_WRITE_FILE, PERF_WRITE_PIPE, PERF_WRITE_UNFINISHED,
						      PERF_WRITE_OLD };

	for (size_t i = 0; i < 4; i++) {
		check_form(*state, false, forms[i]);
		check_form(*state, true, forms[i]);
	}
	assert_true(perf_is_file(temp_dir_path(&((struct opened *)*state)->dir, "perf.data")));
}

void test_perf_file__attributes_of_any_size(void **state)
{
	static const struct {
		uint32_t bytes;
		uint64_t config1, config2;
	} rows[] = {
		{ 48, 0, 0 }, { 64, 5, 0 }, { 72, 5, 6 }, { 136, 5, 6 }, { 400, 5, 6 },
	};
	struct opened *opened = *state;

	for (size_t i = 0; i < 10; i++) {
		struct perf_writer writer;

		begin(&writer, false, rows[i / 2].bytes);
		put_recording(&writer);
		open_writer(opened, &writer, i % 2 ? PERF_WRITE_PIPE : PERF_WRITE_FILE);
		check_attr(opened, rows[i / 2].config1, rows[i / 2].config2);
		check_recording(opened, i % 2 ? 7 : 0);
	}
}

void test_perf_file__directory(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer, first, second;
	struct perf_bytes whole;
	char path[300], trace[17] = "";
	size_t main_len;

	begin(&writer, false, 0);
	put_comm(&writer, "main", 500);
	put_features(&writer);
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	temp_dir_bytes(&opened->dir, "data", whole.data, whole.len);
	main_len = whole.len;
	perf_bytes_release(&whole);
	begin(&first, false, 0);
	put_comm(&first, "first", 400);
	put_comm(&first, "third", 600);
	begin(&second, false, 0);
	perf_write_auxtrace(&second, 0, 7, 3, 0, "trace of sixteen", 16);
	perf_write_compressed(&second, PERF_COMPRESSED, &first.records, 50);
	temp_dir_bytes(&opened->dir, "data.2", first.records.data, first.records.len);
	temp_dir_bytes(&opened->dir, "data.10", second.records.data, second.records.len);
	temp_dir_text(&opened->dir, "data.old", "is none of it");
	snprintf(path, sizeof(path), "%s", opened->dir.path);
	open_path(opened, path);
	assert_int_equal(opened->result, SL_OK);
	assert_int_equal(opened->notes.len, 0);
	assert_string_equal(perf_file_dir(opened->file), path);
	assert_true(perf_is_file(path));
	check_features(opened);
	assert_int_equal(count(opened), 6);
	assert_int_equal(record(opened, 0)->type, PERF_AUXTRACE);
	assert_int_equal(record(opened, 0)->offset, main_len + first.records.len);
	assert_int_equal(perf_file_read(opened->file, record(opened, 0)->payload_offset, trace, 16), 16);
	assert_string_equal(trace, "trace of sixteen");
	check_comm(opened, record(opened, 1), "first", 400);
	check_comm(opened, record(opened, 2), "first", 400);
	check_comm(opened, record(opened, 3), "main", 500);
	check_comm(opened, record(opened, 5), "third", 600);
	perf_writer_release(&writer);
	perf_writer_release(&first);
	perf_writer_release(&second);
}

/* Runs in a child, whose standard input is a pipe that another child fills. */
static int read_stdin(const uint8_t *data, size_t len)
{
	struct sl_notes notes = SL_NOTES_INIT;
	const struct perf_record *records;
	struct perf_file *file;
	char trace[16];
	int ends[2], result = 1;

	if (pipe(ends) != 0)
		return 2;
	if (fork() == 0) {
		close(ends[0]);
		_exit(write(ends[1], data, len) == (ssize_t)len ? 0 : 1);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	if (perf_file_open("-", &notes, &file, NULL) == SL_OK) {
		size_t count_of = perf_file_records(file, &records);

		if (count_of == 10 && records[8].type == PERF_AUXTRACE && !notes.len &&
		    perf_file_read(file, records[8].payload_offset, trace, 16) == 16 &&
		    memcmp(trace, "trace of sixteen", 16) == 0)
			result = 0;
		perf_file_close(file);
	}
	close(ends[0]);
	wait(NULL);
	return result;
}

void test_perf_file__standard_input(void **state)
{
	struct perf_writer writer;
	struct perf_bytes whole;
	int status;
	pid_t child;

	(void)state;
	begin(&writer, false, 0);
	put_recording(&writer);
	perf_write_whole(&writer, PERF_WRITE_PIPE, &whole);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(read_stdin(whole.data, whole.len));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
}

void test_perf_file__inline_tracing_data_is_stepped_over(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes *body;

	begin(&writer, false, 0);
	body = perf_write_begin(&writer, PERF_TRACING_DATA, 0);
	perf_put32(body, 24);
	perf_write_end(&writer);
	perf_put(body, "\x17\x08\x44tracing and other 24", 24);
	put_comm(&writer, "behind", 10);
	open_writer(opened, &writer, PERF_WRITE_PIPE);
	assert_int_equal(count(opened), 3);
	check_comm(opened, record(opened, 2), "behind", 10);
}

/* A record of more than 64 KiB, as only simpleperf has them. */
void test_perf_file__simpleperf(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes *body;
	size_t aux;

	begin(&writer, false, 0);
	body = perf_write_begin(&writer, 32769, 1);
	for (unsigned i = 0; i < (65536 + 16) / 8 - 1; i++)
		perf_put64(body, 0);
	perf_write_end(&writer);
	aux = perf_write_auxtrace(&writer, 0, 0, 3, 0, "trace of sixteen", 16);
	put_comm(&writer, "behind", 10);
	perf_put64(perf_write_feature(&writer, 18), 104 + 16 + 144 + aux);
	perf_put64(perf_write_feature(&writer, 18), 48);
	perf_put(perf_write_feature(&writer, 129), "simpleperf_version\0001.0", 23);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(opened->notes.len, 0);
	assert_true(perf_file_is_simpleperf(opened->file));
	assert_int_equal(perf_file_feature(opened->file, 129).len, 23);
	assert_int_equal(perf_file_feature(opened->file, 256).len, 0);
	assert_int_equal(count(opened), 3);
	assert_int_equal(record(opened, 0)->len, 65536 + 8);
	assert_int_equal(record(opened, 0)->misc, 0);
	assert_int_equal(record(opened, 1)->payload_len, 16);
	check_comm(opened, record(opened, 2), "behind", 10);
}

/* Before 2.6.35 build ids had no pid: then all names are 4 bytes earlier. */
void test_perf_file__old_build_ids(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	const struct perf_build_id *ids;
	struct perf_bytes *list;

	begin(&writer, false, 0);
	put_comm(&writer, "x", 1);
	list = perf_write_feature(&writer, 2);
	for (unsigned i = 0; i < 2; i++) {
		perf_put32(list, PERF_BUILD_ID);
		perf_put16(list, 1);
		perf_put16(list, 8 + 24 + 24);
		perf_put(list, "abcdefghijabcdefghij\0\0\0\0", 24);
		perf_put(list,
			 i ? "[kernel.kallsyms]\0\0\0\0\0\0\0" : "/bin/true\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
			 24);
	}
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(perf_file_build_ids(opened->file, &ids), 2);
	assert_string_equal(ids[0].name, "/bin/true");
	assert_string_equal(ids[1].name, "[kernel.kallsyms]");
	assert_memory_equal(ids[1].id, "abcdefghijabcdefghij", 20);
	assert_int_equal(ids[1].len, 20);
	assert_int_equal(ids[1].pid, -1);
}

void test_perf_file__cut_at_every_byte(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes whole;
	size_t seen = 0;

	begin(&writer, false, 0);
	put_recording(&writer);
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	for (size_t len = 0; len < whole.len; len++) {
		open_bytes(opened, whole.data, len);
		assert_true(opened->result == SL_OK || opened->result == SL_ERR_FORMAT);
		if (opened->result < 0) {
			assert_true(len < 72 && opened->diag.text[0]);
			continue;
		}
		assert_true(count(opened) >= seen);
		/* Nothing is missing without a word. */
		assert_true(opened->notes.len > 0);
		seen = count(opened);
	}
	assert_int_equal(seen, 3);
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
}

static void check_refused(struct opened *opened, const void *data, size_t len, const char *why)
{
	open_bytes(opened, data, len);
	assert_int_equal(opened->result, SL_ERR_FORMAT);
	assert_null(opened->file);
	if (!strstr(opened->diag.text, why))
		fail_msg("%s", opened->diag.text);
}

void test_perf_file__what_is_no_perf_data(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes whole;

	check_refused(opened, "", 0, "it has only 0 bytes");
	check_refused(opened, "[snapshot]\nversion=1.0\n", 23, "does not begin with PERFILE2");
	assert_false(perf_is_file(temp_dir_path(&opened->dir, "perf.data")));
	check_refused(opened, "PERFFILEabcdefghabcdefgh", 24, "version 1");
	check_refused(opened, "PERFILE2\x40\0\0\0\0\0\0\0", 16, "header");
	begin(&writer, false, 0);
	perf_put64(&writer.records, 0);
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	check_refused(opened, whole.data, whole.len, "0x108");
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
	open_path(opened, temp_dir_path(&opened->dir, "absent"));
	assert_int_equal(opened->result, SL_ERR_IO);
	open_path(opened, opened->dir.path);
	assert_int_equal(opened->result, SL_ERR_IO);
	assert_false(perf_is_file(opened->dir.path));
}

void test_perf_file__real_simpleperf_files(void **state)
{
	static const struct {
		const char *path;
		size_t records, build_ids, auxtrace;
		const char *release;
	} rows[] = {
		{ "captures/simpleperf/perf_etm/perf_etm.data", 70, 8, 1,
		  "4.19.205-g248f514543f5-ab7734026" },
		{ "captures/simpleperf/perf_kernel/perf_kernel.data", 481, 346, 3,
		  "4.19.205-g248f514543f5-ab7734026" },
		{ "captures/simpleperf/perf_with_missing_aux_data/perf_with_missing_aux_data.data", 156, 17,
		  0, "5.10.149-android13-4-693021-g2f0d2b7f95c6-ab9715056" },
		{ "captures/simpleperf/perf_with_unformatted_trace/perf_with_unformatted_trace.data", 141, 19,
		  1, "5.10.43-00028-gd8b4458f068f-dirty" },
	};
	struct opened *opened = *state;

	for (size_t i = 0; i < 4; i++) {
		const char *path = shared_path(rows[i].path);
		const struct perf_build_id *ids;
		size_t auxtrace = 0;

		if (!path)
			skip();
		open_path(opened, path);
		assert_int_equal(opened->result, SL_OK);
		assert_int_equal(opened->notes.len, 0);
		assert_true(perf_file_is_simpleperf(opened->file));
		assert_int_equal(count(opened), rows[i].records);
		assert_int_equal(perf_file_build_ids(opened->file, &ids), rows[i].build_ids);
		assert_string_equal(perf_file_release(opened->file), rows[i].release);
		assert_string_equal(perf_file_arch(opened->file), "aarch64");
		for (size_t k = 0; k < count(opened); k++)
			auxtrace += record(opened, k)->type == PERF_AUXTRACE;
		assert_int_equal(auxtrace, rows[i].auxtrace);
	}
}

void test_perf_file__named_pipe(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes whole;
	char path[300];
	pid_t child;

	snprintf(path, sizeof(path), "%s/fifo", opened->dir.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	begin(&writer, false, 0);
	put_recording(&writer);
	perf_write_whole(&writer, PERF_WRITE_PIPE, &whole);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		FILE *out = fopen(path, "w");

		_exit(out && fwrite(whole.data, 1, whole.len, out) == whole.len && fclose(out) == 0 ? 0 : 1);
	}
	open_path(opened, path);
	waitpid(child, NULL, 0);
	assert_int_equal(opened->result, SL_OK);
	check_recording(opened, 7);
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
}
