/* SPDX-License-Identifier: Apache-2.0 */
/* What gaps cost: each byte of a lane once, and each missing page with the first file that was mapped there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinks/stats.h"

enum { FIRST = 3, SECOND = 4 };
#define KERNEL 0xffff800008000000ull

static struct lane_stats lane;
static struct lane_stats *lanes[] = { &lane };

int group_setup(void **state)
{
	(void)state;
	return 0;
}

static void start(void)
{
	memset(&lane, 0, sizeof(lane));
	lane.core = FIRST;
	assert_int_equal(stats_enter_space(&lane, FIRST, 0), SL_OK);
}

static void finish(void)
{
	free(lane.wanted);
	free(lane.spaces);
	sl_map_release(&lane.wanted_by_page);
	sl_map_release(&lane.space_by_core);
}

static void gap(enum sl_gap gap, uint64_t address, uint64_t position)
{
	stats_open_gap(&lane, &(struct sl_elem){ .kind = SL_ELEM_GAP, .count = gap, .address = address, .offset = position }, position);
}

void test_stats_cost__no_byte_counts_twice(void **state)
{
	(void)state;
	start();
	gap(SL_GAP_START, 0, 0);
	gap(SL_GAP_NO_IMAGE, 0x1000, 30);
	gap(SL_GAP_NO_IMAGE, 0x2004, 40);
	gap(SL_GAP_NO_ADDRESS, 0, 45);
	stats_close_gap(&lane, 60);
	gap(SL_GAP_NO_IMAGE, 0x2ff8, 55);  /* held back: what lies before 60 is counted */
	stats_close_gap(&lane, 64);
	stats_close_gap(&lane, 100);
	gap(SL_GAP_OVERFLOW, 0, 100);
	stats_close_gap(&lane, 107);
	assert_int_equal(lane.gaps[SL_GAP_START].cost_bytes, 30);
	assert_int_equal(lane.gaps[SL_GAP_NO_IMAGE].cost_bytes, 10 + 20 + 4);
	assert_int_equal(lane.gaps[SL_GAP_NO_ADDRESS].cost_bytes, 0);
	assert_int_equal(lane.gaps[SL_GAP_NO_ADDRESS].count, 1);
	assert_int_equal(lane.gaps[SL_GAP_OVERFLOW].cost_bytes, 7);
	assert_int_equal(lane.wanted_len, 2);
	assert_int_equal(lane.wanted[0].cost_bytes, 10);
	assert_int_equal(lane.wanted[1].cost_bytes, 24);
	assert_int_equal(lane.wanted[1].count, 2);
	finish();
}

void test_stats_cost__spaces_share_the_bytes(void **state)
{
	(void)state;
	start();
	assert_int_equal(stats_enter_space(&lane, SECOND, 10), SL_OK);
	assert_int_equal(stats_enter_space(&lane, FIRST, 25), SL_OK);
	assert_int_equal(stats_enter_space(&lane, FIRST, 40), SL_OK);
	assert_int_equal(lane.space_len, 2);
	assert_int_equal(lane.spaces[0].bytes, 25);
	assert_int_equal(lane.spaces[1].bytes, 15);
	finish();
}

static void add_missing(struct sl_image *image, const char *path, uint32_t core, uint64_t start_address, uint64_t len)
{
	const struct sl_place place = { .core = core, .address = start_address, .len = len, .address_known = true };

	assert_int_equal(sl_image_add_missing(image, path, &place), SL_OK);
}

/* Maps over maps: the first has the page. Another process's file at the address has it not. */
void test_stats_cost__files_are_charged_once(void **state)
{
	struct sl_stats stats = { .lanes = lanes, .lane_count = 1 };
	struct sl_image *image;

	(void)state;
	start();
	assert_int_equal(sl_image_new(&image), SL_OK);
	add_missing(image, "other", SECOND, 0x1000, 0x9000);
	add_missing(image, "new", FIRST, 0x2000, 0x1000);
	add_missing(image, "old", FIRST, 0x1000, 0x3000);
	add_missing(image, "kernel", SL_CORE_ANY, KERNEL, 0x10000);
	stats.image = image;
	gap(SL_GAP_NO_IMAGE, 0x1000, 0);
	gap(SL_GAP_NO_IMAGE, 0x2000, 1);
	gap(SL_GAP_NO_IMAGE, 0x3000, 3);
	gap(SL_GAP_NO_IMAGE, 0x8000, 7);
	gap(SL_GAP_NO_IMAGE, KERNEL + 0x100, 15);
	assert_int_equal(stats_enter_space(&lane, SECOND, 31), SL_OK);
	gap(SL_GAP_NO_IMAGE, KERNEL + 0x200, 31);
	gap(SL_GAP_NO_IMAGE, 0x2000, 63);
	stats_close_gap(&lane, 127);
	assert_int_equal(stats_charge(&stats), SL_OK);
	assert_int_equal(stats.missing[0].index, 0);
	assert_int_equal(stats.missing[0].bytes, 64);
	assert_int_equal(stats.missing[1].index, 3);
	assert_int_equal(stats.missing[1].bytes, 16 + 32);
	assert_int_equal(stats.missing[1].count, 2);
	assert_int_equal(stats.missing[2].index, 2);
	assert_int_equal(stats.missing[2].bytes, 1 + 4);
	assert_int_equal(stats.missing[3].index, 1);
	assert_int_equal(stats.missing[3].bytes, 2);
	free(stats.missing);
	sl_image_free(image);
	finish();
}
