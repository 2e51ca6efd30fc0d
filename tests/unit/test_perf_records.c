/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_fixture.h"

int case_setup(void **state)
{
	return perf_fixture_setup(state);
}

int case_teardown(void **state)
{
	return perf_fixture_teardown(state);
}

static void put_sample(struct perf_writer *writer, uint64_t id, uint64_t time)
{
	struct perf_bytes *body = perf_write_begin(writer, PERF_SAMPLE, 2);

	perf_put64(body, id);
	perf_put64(body, 0x400000);
	perf_put32(body, 6);
	perf_put32(body, 7);
	perf_put64(body, time);
	perf_write_end(writer);
}

/* Events whose records differ: IDENTIFIER says which layout a record has. */
void test_perf_records__layout_by_identifier(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes *body;

	begin(&writer, false, 0);
	perf_write_attr(&writer, (struct perf_write_attr){ .sample_type = SAMPLE_IP | SAMPLE_TID |
									  SAMPLE_TIME | SAMPLE_IDENTIFIER,
							   .flags = ID_ALL,
							   .ids = event_ids + 2,
							   .id_count = 1 });
	put_comm(&writer, "a", 10);
	body = perf_write_begin(&writer, PERF_ITRACE_START, 0);
	perf_put32(body, 6);
	perf_put32(body, 7);
	perf_put32(body, 60);
	perf_put32(body, 70);
	perf_put64(body, 20);
	perf_put64(body, 13);
	perf_write_end(&writer);
	put_sample(&writer, 13, 30);
	put_comm(&writer, "no id", 40);
	writer.records.data[writer.records.len - 8] = 0;
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(opened->notes.len, 0);
	check_comm(opened, record(opened, 0), "a", 10);
	assert_int_equal(record(opened, 1)->body_len, 8);
	assert_int_equal(record(opened, 1)->who.tid, 70);
	assert_int_equal(record(opened, 1)->who.time, 20);
	assert_false(record(opened, 1)->who.has_cpu);
	assert_int_equal(record(opened, 2)->who.tid, 7);
	assert_int_equal(record(opened, 2)->who.time, 30);
	assert_int_equal(record(opened, 2)->who.id, 13);
	assert_int_equal(record(opened, 2)->body_len, 32);
	assert_int_equal(record(opened, 3)->who.cpu, 3);
	assert_int_equal(record(opened, 3)->who.time, 40);
}

/* The same by ID, which stands before CPU in a trailer (simpleperf's layout). */
void test_perf_records__layout_by_id_from_the_end(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes *body;

	perf_writer_init(&writer, false);
	perf_write_attr(&writer, (struct perf_write_attr){ .sample_type = SAMPLE_TID | SAMPLE_TIME |
									  SAMPLE_ID | SAMPLE_CPU,
							   .flags = ID_ALL,
							   .ids = event_ids,
							   .id_count = 1 });
	perf_write_attr(&writer,
			(struct perf_write_attr){ .sample_type = SAMPLE_TIME | SAMPLE_ID | SAMPLE_CPU,
						  .flags = ID_ALL,
						  .ids = event_ids + 1,
						  .id_count = 1 });
	for (unsigned i = 0; i < 2; i++) {
		body = perf_write_begin(&writer, PERF_AUX, 0);
		for (unsigned k = 0; k < 4; k++)
			perf_put64(body, 1000 + k);
		perf_put64(body, 2000 + i);
		perf_put64(body, event_ids[i]);
		perf_put64(body, 5 + i);
		perf_write_end(&writer);
	}
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(record(opened, 0)->body_len, 24);
	assert_true(record(opened, 0)->who.has_tid);
	assert_int_equal(record(opened, 0)->who.cpu, 5);
	assert_int_equal(record(opened, 1)->body_len, 32);
	assert_false(record(opened, 1)->who.has_tid);
	assert_int_equal(record(opened, 1)->who.time, 2001);
	assert_int_equal(record(opened, 1)->who.cpu, 6);
	assert_int_equal(record(opened, 1)->who.id, 12);
}

void test_perf_records__order_by_time_is_stable(void **state)
{
	static const uint64_t times[] = { 50, 20, 20, UINT64_MAX, 10, 20, 0, 50 };
	static const char *const expected[] = { "6", "4", "1", "2", "3", "5", "0", "7" };
	struct opened *opened = *state;
	struct perf_writer writer;
	char name[2] = "0";

	begin(&writer, false, 0);
	for (unsigned i = 0; i < 8; i++) {
		name[0] = (char)('0' + i);
		put_comm(&writer, name, times[i]);
	}
	open_writer(opened, &writer, PERF_WRITE_FILE);
	for (unsigned i = 0; i < 8; i++)
		assert_string_equal(perf_string(record(opened, i), 8), expected[i]);
	assert_false(record(opened, 4)->who.has_time);
	assert_int_equal(record(opened, 4)->who.time, 20);
}

void test_perf_records__order_of_many(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	uint64_t before = 0;

	begin(&writer, false, 0);
	for (uint64_t i = 0; i < 3001; i++)
		put_comm(&writer, "x", 1 + i * 7919 % 3001);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(count(opened), 3001);
	for (size_t i = 0; i < 3001; i++) {
		assert_int_equal(record(opened, i)->who.time, before + 1);
		before = record(opened, i)->who.time;
	}
}

/* Damage in a record's head: the AUXTRACE index says where the next good one is. */
void test_perf_records__index_leads_over_damage(void **state)
{
	struct opened *opened = *state;

	for (unsigned counted = 0; counted < 2; counted++) {
		struct perf_writer writer;
		size_t bad, aux;

		begin(&writer, false, 0);
		put_comm(&writer, "good", 10);
		bad = put_comm(&writer, "bad", 20);
		writer.records.data[bad + 6] = 3;
		aux = perf_write_auxtrace(&writer, 0, 7, 3, 0, "trace of sixteen", 16);
		if (counted)
			perf_put64(perf_write_feature(&writer, 18), 1);
		perf_put64(perf_write_feature(&writer, 18), 104 + 16 + 144 + aux);
		perf_put64(perf_write_feature(&writer, 18), 48);
		open_writer(opened, &writer, PERF_WRITE_FILE);
		assert_int_equal(count(opened), 2);
		check_comm(opened, record(opened, 0), "good", 10);
		assert_int_equal(record(opened, 1)->type, PERF_AUXTRACE);
		assert_int_equal(record(opened, 1)->payload_len, 16);
		assert_true(has_note(opened, "at offset 0x140: 56 bytes are not read"));
	}
}

void test_perf_records__cut_trace_is_what_is_there(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes whole;

	begin(&writer, false, 0);
	perf_write_auxtrace(&writer, 0, 7, 3, 0, "trace of sixteen", 16);
	perf_write_whole(&writer, PERF_WRITE_UNFINISHED, &whole);
	open_bytes(opened, whole.data, whole.len - 6);
	assert_int_equal(record(opened, 0)->payload_len, 10);
	assert_int_equal(perf_u64(opened->file, record(opened, 0), 0), 16);
	assert_true(has_note(opened, "6 bytes are missing"));
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
}

/* Many events that all claim the same bytes as their ids must not take memory in proportion. */
void test_perf_records__ids_are_not_multiplied(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	const struct perf_attr *attrs;
	struct perf_bytes whole;
	size_t ids = 0, len;

	begin(&writer, false, 0);
	for (unsigned i = 0; i < 7; i++)
		perf_write_attr(&writer, writer.attrs[0]);
	put_comm(&writer, "x", 1);
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	for (unsigned i = 0; i < 8; i++)
		memcpy(whole.data + 104 + 8 * 16 + 144 * i + 128,
		       "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16);
	open_bytes(opened, whole.data, whole.len);
	assert_int_equal(opened->result, SL_OK);
	len = perf_file_attrs(opened->file, &attrs);
	for (size_t i = 0; i < len; i++)
		ids += attrs[i].id_count;
	assert_true(ids <= whole.len / 8);
	assert_true(has_note(opened, "more ids than can be true"));
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
}

void test_perf_records__numbers_end_with_the_record(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes *body;
	const struct perf_record *only;

	perf_writer_init(&writer, false);
	body = perf_write_begin(&writer, PERF_COMM, 0);
	perf_put64(body, 0x4142434445464748);
	perf_write_end(&writer);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	only = record(opened, 0);
	assert_int_equal(perf_u64(opened->file, only, 0), 0x4142434445464748);
	assert_int_equal(perf_u64(opened->file, only, 1), 0);
	assert_int_equal(perf_u32(opened->file, only, 4), 0x41424344);
	assert_int_equal(perf_u32(opened->file, only, 5), 0);
	assert_int_equal(perf_u16(opened->file, only, 6), 0x4142);
	assert_int_equal(perf_u16(opened->file, only, SIZE_MAX), 0);
	assert_string_equal(perf_string(only, 0), "");
	assert_string_equal(perf_string(only, 8), "");
	assert_false(only->who.has_tid);
}

/* The smallest records that there can be: the list of them must not outgrow the file. */
void test_perf_records__too_many_for_the_file(void **state)
{
	enum { MANY = 2 << 20 };
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes whole;
	uint8_t *smallest = malloc(8 * (size_t)MANY);

	assert_non_null(smallest);
	for (size_t i = 0; i < MANY; i++)
		memcpy(smallest + 8 * i, "\x44\0\0\0\0\0\x08\0", 8);
	begin(&writer, false, 0);
	perf_put(&writer.records, smallest, 8 * (size_t)MANY);
	free(smallest);
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	perf_writer_release(&writer);
	open_bytes(opened, whole.data, whole.len);
	assert_int_equal(opened->result, SL_OK);
	assert_true(count(opened) * sizeof(struct perf_record) < 3 * whole.len + (64 << 20));
	assert_true(has_note(opened, "too many for a file of its size"));
	perf_bytes_release(&whole);
}
