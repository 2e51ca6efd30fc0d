/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "etm4_flow.h"

/* Compares what was written since the last call, and forgets it. */
#define CHECK(f, ...) check(f, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void check(struct etm4_flow *f, const uint8_t *expected, size_t len)
{
	assert_int_equal(f->w.len, len);
	assert_memory_equal(f->w.data, expected, len);
	f->w.len = 0;
	f->sync_at = 0;
}

static const struct etm4_context el1 = { .el = 1, .security = 1, .is64 = true };
static const struct etm4_context el0 = { .el = 0, .security = 1, .is64 = true };

static void run(struct etm4_flow *f, uint64_t start, uint64_t end, enum etm4_end how, uint64_t target)
{
	struct etm4_block block = { .start = start, .end = end, .how = how, .target = target, .cycles = 10 };

	etm4_flow_block(f, &block);
}

static struct etm4_address at(uint64_t address)
{
	return (struct etm4_address){ address, ETM4_IS0 };
}

/* A flow that has begun at 0x1000 with one taken branch there, its sync point checked and forgotten. */
static void begin(struct etm4_flow *f, const struct etm4_config *config,
		  const struct etm4_flow_options *options)
{
	etm4_flow_init(f, config, options);
	etm4_flow_context(f, &el1);
	run(f, 0x1000, 0x1008, ETM4_END_TAKEN, 0x2000);
	assert_true(f->synced && f->on);
}

void test_etm4_flow__begins_with_a_sync_point(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	CHECK(&f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x01, 0x00, 0x04, 0x85, 0x00, 0x08, 0x00, 0x00,
	      0x00, 0x00, 0x00, 0x00, 0x31);
	etm4_flow_finish(&f);
	CHECK(&f, 0xf7);
	etm4_flow_release(&f);
}

void test_etm4_flow__packs_atoms_up_to_an_address(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2004, ETM4_END_NOT_TAKEN, 0);
	run(&f, 0x2004, 0x2010, ETM4_END_CALL, 0x3000);
	run(&f, 0x3000, 0x3004, ETM4_END_INDIRECT, 0x2010);
	assert_int_equal(f.w.len, 0);
	run(&f, 0x2010, 0x2014, ETM4_END_BARRIER, 0);
	CHECK(&f, 0xfd, 0xf7, 0x95, 0x84, 0x10); /* E N E, E, 0x2010 */
	etm4_flow_release(&f);
}

void test_etm4_flow__return_stack_saves_addresses(void **state)
{
	struct etm4_config config = { .return_stack = true };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ .return_stack = 1 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2004, ETM4_END_CALL, 0x3000);
	run(&f, 0x3000, 0x3004, ETM4_END_CALL, 0x4000); /* depth 1: 0x2004 falls out */
	run(&f, 0x4000, 0x4004, ETM4_END_INDIRECT, 0x3004);
	run(&f, 0x3004, 0x3008, ETM4_END_INDIRECT, 0x2004);
	assert_int_equal(f.w.len, 0);
	run(&f, 0x2004, 0x2008, ETM4_END_TAKEN, 0x2000);
	CHECK(&f, 0xc1, 0x95, 0x81, 0x10); /* five E, 0x2004 */
	etm4_flow_release(&f);
}

void test_etm4_flow__exception_and_return(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2008, ETM4_END_NONE, 0);
	etm4_flow_exception(&f, ETM4_IRQ, at(0x2008), at(0x5000));
	CHECK(&f, 0xf7, 0x06, 0x1d, 0x95, 0x82, 0x10);
	run(&f, 0x5000, 0x5004, ETM4_END_EXCEPTION_RETURN, 0x2008);
	CHECK(&f, 0x95, 0x80, 0x28, 0xf7, 0x07);
	etm4_flow_context(&f, &el0);
	run(&f, 0x2008, 0x200c, ETM4_END_TAKEN, 0x2000);
	CHECK(&f, 0x82, 0x02, 0x10, 0x00, 0x00, 0x30);
	assert_int_equal(f.breaks, 0);
	etm4_flow_release(&f);
}

void test_etm4_flow__exception_at_a_branch_target(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2004, ETM4_END_INDIRECT, 0x2100);
	etm4_flow_exception(&f, ETM4_IRQ, at(0x2100), at(0x5000));
	CHECK(&f, 0xdb, 0x06, 0x5c, 0x95, 0xc0, 0x10); /* E E, E1:E0 10: one address is both */
	etm4_flow_release(&f);
}

void test_etm4_flow__cycles_and_time(void **state)
{
	struct etm4_config config = { .cycle_counts = true, .cycle_threshold = 16, .timestamps = true };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ .timestamp_ticks = 100 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2004, ETM4_END_TAKEN, 0x2000); /* 10 cycles were below the threshold */
	run(&f, 0x2000, 0x2004, ETM4_END_TAKEN, 0x2000);
	CHECK(&f, 0xdb, 0x0c, 0x04); /* 20 of the two before */
	etm4_flow_time(&f, 200);
	run(&f, 0x2000, 0x2004, ETM4_END_TAKEN, 0x2000);
	CHECK(&f, 0xf7, 0x03, 0xc8, 0x01, 0x0a); /* 10 cycles are counted, not used up */
	run(&f, 0x2000, 0x2004, ETM4_END_NONE, 0);
	CHECK(&f, 0xf7, 0x0c, 0x04);
	etm4_flow_release(&f);
}

void test_etm4_flow__syncs_again_where_no_branch_is_open(void **state)
{
	struct etm4_config config = { .return_stack = true };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ .sync_bytes = 1 });
	f.w.len = f.sync_at;
	run(&f, 0x2000, 0x2004, ETM4_END_NONE, 0);
	f.w.len = f.sync_at = 0;
	f.options.sync_bytes = 2;
	run(&f, 0x2004, 0x2008, ETM4_END_CALL, 0x3000);
	assert_int_equal(f.w.len, 0); /* in mid-block there is no place for one */
	f.w.len = 2;
	run(&f, 0x3000, 0x3004, ETM4_END_INDIRECT, 0x2008);
	assert_int_equal(f.w.data[2], 0xdb);
	assert_memory_equal(f.w.data + 3, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x01\x00\x85", 16);
	assert_true(f.address_due); /* the reader's return stack is empty */
	etm4_flow_release(&f);
}

void test_etm4_flow__a_jump_without_a_branch_is_a_gap(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	run(&f, 0x9000, 0x9004, ETM4_END_TAKEN, 0x9000);
	CHECK(&f, 0xf7, 0x04, 0x82, 0x00, 0x48, 0x00, 0x00, 0x31);
	assert_int_equal(f.breaks, 1);
	etm4_flow_release(&f);
}

void test_etm4_flow__stop_and_overflow(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	etm4_flow_stop(&f);
	run(&f, 0x9000, 0x9004, ETM4_END_TAKEN, 0x9000);
	CHECK(&f, 0xf7, 0x04, 0x82, 0x00, 0x48, 0x00, 0x00, 0x31);
	etm4_flow_overflow(&f);
	CHECK(&f, 0x00, 0x05); /* the atom of 0x9000 is lost */
	run(&f, 0x9000, 0x9004, ETM4_END_TAKEN, 0x9000);
	CHECK(&f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x01, 0x00, 0x04, 0x85, 0x00, 0x48, 0x00, 0x00,
	      0x00, 0x00, 0x00, 0x00, 0x31);
	assert_int_equal(f.breaks, 0);
	etm4_flow_release(&f);
}

void test_etm4_flow__finish_shows_the_rest(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_flow f;

	begin(&f, &config, &(struct etm4_flow_options){ 0 });
	f.w.len = 0;
	run(&f, 0x2000, 0x2008, ETM4_END_NONE, 0);
	etm4_flow_finish(&f);
	CHECK(&f, 0xf7, 0x06, 0x03, 0x95, 0x82, 0x10, 0x90);
	etm4_flow_release(&f);
}
