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

static void check_compressed(struct opened *opened, uint32_t type, size_t piece, bool big)
{
	struct perf_writer writer, inner;

	begin(&inner, big, 0);
	for (unsigned i = 0; i < 500; i++)
		put_comm(&inner, i % 3 ? "a" : "somewhat longer", 1000 + i);
	begin(&writer, big, 0);
	perf_write_compressed(&writer, type, &inner.records, piece);
	perf_write_auxtrace(&writer, 0, 7, 3, 0, "trace of sixteen", 16);
	put_features(&writer);
	perf_writer_release(&inner);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(opened->notes.len, 0);
	assert_int_equal(count(opened), 501);
	for (unsigned i = 0; i < 500; i++)
		check_comm(opened, record(opened, i), i % 3 ? "a" : "somewhat longer", 1000 + i);
	assert_int_equal(record(opened, 500)->payload_len, 16);
	assert_true(record(opened, 499)->offset < record(opened, 500)->offset);
	check_features(opened);
}

void test_perf_zstd__compressed_records(void **state)
{
	check_compressed(*state, PERF_COMPRESSED, 1 << 20, false);
	check_compressed(*state, PERF_COMPRESSED, 37, false);
	check_compressed(*state, PERF_COMPRESSED, 1000, true);
	check_compressed(*state, PERF_COMPRESSED2, 37, false);
	check_compressed(*state, PERF_COMPRESSED2, 5000, true);
}

/* Enough for several chunks of decompressed bytes; each record once, none torn. */
void test_perf_zstd__compressed_records_across_chunks(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer, inner;

	begin(&inner, false, 0);
	for (unsigned i = 0; i < 60000; i++)
		put_comm(&inner, i % 7 ? "short" : "a name that is longer than the other", i + 1);
	begin(&writer, false, 0);
	perf_write_compressed(&writer, PERF_COMPRESSED, &inner.records, 60000);
	perf_writer_release(&inner);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(count(opened), 60000);
	for (unsigned i = 0; i < 60000; i++)
		check_comm(opened, record(opened, i),
			   i % 7 ? "short" : "a name that is longer than the other", i + 1);
}

void test_perf_zstd__bomb_is_stopped(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer;
	struct perf_bytes zeros = { 0 };

	begin(&writer, false, 0);
	put_comm(&writer, "before", 1);
	for (unsigned i = 0; i < 8 << 17; i++)
		perf_put64(&zeros, 0x0008000000000044);
	perf_write_compressed(&writer, PERF_COMPRESSED, &zeros, zeros.len);
	perf_bytes_release(&zeros);
	perf_write_auxtrace(&writer, 0, 7, 3, 0, "trace of sixteen", 16);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_true(has_note(opened, "bomb"));
	/* At most 4,096 times its input, and what follows is still read. */
	assert_true(count(opened) < 1000000);
	assert_int_equal(record(opened, count(opened) - 1)->type, PERF_AUXTRACE);
}

void test_perf_zstd__broken_compression(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer, inner;

	begin(&inner, false, 0);
	put_comm(&inner, "a", 10);
	put_comm(&inner, "b", 20);
	begin(&writer, false, 0);
	perf_write_compressed(&writer, PERF_COMPRESSED, &inner.records, inner.records.len / 2);
	/* The first block's header: a type that does not exist. */
	writer.records.data[8 + 6] |= 6;
	perf_writer_release(&inner);
	put_comm(&writer, "c", 30);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(count(opened), 1);
	check_comm(opened, record(opened, 0), "c", 30);
	assert_true(has_note(opened, "cannot be decompressed"));
	assert_true(has_note(opened, "1 compressed records are not read"));
}

/* A record that is larger than any chunk, as simpleperf's can be. */
void test_perf_zstd__record_larger_than_a_chunk(void **state)
{
	struct opened *opened = *state;
	struct perf_writer writer, inner;
	struct perf_bytes *body;

	begin(&inner, false, 0);
	put_comm(&inner, "before", 1);
	body = perf_write_begin(&inner, 32770, 50);
	for (uint32_t i = 1; i < (50 << 16) / 8; i++)
		perf_put64(body, i * 2654435761u);
	perf_write_end(&inner);
	put_comm(&inner, "after", 2);
	begin(&writer, false, 0);
	perf_write_compressed(&writer, PERF_COMPRESSED, &inner.records, 40000);
	open_writer(opened, &writer, PERF_WRITE_FILE);
	assert_int_equal(opened->notes.len, 0);
	assert_int_equal(count(opened), 3);
	check_comm(opened, record(opened, 0), "before", 1);
	assert_int_equal(record(opened, 1)->len, (50 << 16) - 8);
	assert_memory_equal(record(opened, 1)->body, inner.records.data + 56 + 8, (50 << 16) - 8);
	check_comm(opened, record(opened, 2), "after", 2);
	perf_writer_release(&inner);
}
