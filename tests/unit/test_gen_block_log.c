/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen_fixture.h"

#define NOP UINT32_C(0xd503201f)

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

static struct gen_log *open_written(void)
{
	struct gen_log *log;

	assert_int_equal(gen_log_open(write_log(), &log, &g.diag), SL_OK);
	return log;
}

void test_gen_block_log__reads_records(void **state)
{
	struct gen_log_record record;
	struct gen_log *log;

	begin_log(GEN_LOG_A64, GEN_LOG_IS_SYSTEM, 2);
	RUN(0x1000, "44", NOP, NOP);
	partial(1);
	add_value(GEN_LOG_MARK, 3, 7);
	add_tag(GEN_LOG_CPU, 1);
	add_value(GEN_LOG_REGISTER, GEN_LOG_CONTEXTIDR, UINT64_C(0x123456789a));
	add_word(1);
	add_tag(GEN_LOG_END, 0);
	log = open_written();
	assert_int_equal(gen_log_header(log)->cpus, 2);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	assert_int_equal(record.kind, GEN_LOG_RECORD_START);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	assert_int_equal(record.kind, GEN_LOG_RECORD_BLOCK);
	assert_int_equal(record.block->address, 0x1000);
	assert_int_equal(record.block->len, 8);
	assert_int_equal(record.executed, 1);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	assert_int_equal(record.kind, GEN_LOG_RECORD_MARK);
	assert_int_equal(record.number, 3);
	assert_int_equal(record.value, 7);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	assert_int_equal(record.kind, GEN_LOG_RECORD_REGISTER);
	assert_int_equal(record.cpu, 1);
	assert_int_equal(record.value, UINT64_C(0x123456789a));
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	assert_int_equal(record.executed, 2);
	assert_int_equal(record.cpu, 1);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_END);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_END);
	gen_log_close(log);
}

/* More than the reader holds at a time, so that values and definitions lie across its borders. */
void test_gen_block_log__any_length(void **state)
{
	enum { BLOCKS = 70000 };
	struct gen_log_record record;
	struct gen_log *log;
	FILE *file;

	begin_log(GEN_LOG_A64, 0, 1);
	define(0x1000, "4", &(uint32_t){ NOP });
	write_log();
	file = fopen(temp_path("block.log"), "ab");
	assert_non_null(file);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t words[] = { 1, (uint32_t)GEN_LOG_MARK << 24 | 4, i, 0 };

		assert_int_equal(fwrite(words, sizeof(words), 1, file), 1);
	}
	assert_int_equal(fwrite(&(uint32_t){ (uint32_t)GEN_LOG_END << 24 }, 4, 1, file), 1);
	fclose(file);
	assert_int_equal(gen_log_open(temp_path("block.log"), &log, &g.diag), SL_OK);
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
		assert_int_equal(record.kind, GEN_LOG_RECORD_BLOCK);
		assert_int_equal(gen_log_next(log, &record, &g.diag), SL_OK);
		assert_int_equal(record.value, i);
	}
	assert_int_equal(gen_log_next(log, &record, &g.diag), SL_END);
	gen_log_close(log);
}

static void expect_broken(const char *why)
{
	struct gen_log *log = open_written();
	struct gen_log_record record;
	int rc;

	while ((rc = gen_log_next(log, &record, &g.diag)) == SL_OK)
		;
	assert_int_equal(rc, SL_ERR_FORMAT);
	assert_non_null(strstr(g.diag.text, why));
	gen_log_close(log);
}

void test_gen_block_log__refuses_what_is_broken(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", NOP);
	expect_broken("cut off");
	begin_log(GEN_LOG_A64, 0, 1);
	add_word(5);
	expect_broken("not defined");
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", NOP);
	partial(2);
	expect_broken("more instructions");
	begin_log(GEN_LOG_A64, 0, 1);
	partial(2);
	expect_broken("without the block");
	begin_log(GEN_LOG_A64, 0, 1);
	add_tag(GEN_LOG_CPU, 1);
	expect_broken("a CPU beyond");
	begin_log(GEN_LOG_A64, 0, 1);
	add_tag(GEN_LOG_MARK, 1);
	add_word(0);
	expect_broken("within a value");
	begin_log(GEN_LOG_A64, 0, 1);
	define(0x1000, "4", &(uint32_t){ NOP });
	g.len -= 4;
	expect_broken("within a block's code");
	begin_log(GEN_LOG_A64, 0, 1);
	g.next_id = 2;
	define(0x1000, "4", &(uint32_t){ NOP });
	expect_broken("makes no sense");
	begin_log(GEN_LOG_A64, 0, 1);
	add_word(0xff000000);
	expect_broken("unknown word");
}

void test_gen_block_log__refuses_other_files(void **state)
{
	struct gen_log *log;

	begin_log(GEN_LOG_A64, 0, 1);
	g.bytes[8] = 9;
	assert_int_equal(gen_log_open(write_log(), &log, &g.diag), SL_ERR_UNSUPPORTED);
	g.bytes[0] = 0;
	assert_int_equal(gen_log_open(write_log(), &log, &g.diag), SL_ERR_FORMAT);
	assert_int_equal(gen_log_open("/nonexistent", &log, &g.diag), SL_ERR_IO);
}
