/* SPDX-License-Identifier: Apache-2.0 */
/* Where trace and image contradict each other: by module, with function, and what it looks like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sinks/stats.h"

static struct lane_stats lane;
static struct lane_stats *lanes[] = { &lane };
static struct sl_image *image; /* of zeros: all of its code is undefined */
static char text[2000];
static size_t rows;

int group_setup(void **state)
{
	(void)state;
	image = code_image();
	return image ? 0 : -1;
}

int group_teardown(void **state)
{
	(void)state;
	sl_image_free(image);
	return 0;
}

static void start(void)
{
	memset(&lane, 0, sizeof(lane));
	assert_int_equal(stats_enter_space(&lane, 0, 0), SL_OK);
	assert_int_equal(stats_breaks_begin(&lane, image), SL_OK);
}

static void finish(void)
{
	stats_breaks_release(&lane);
	free(lane.spaces);
	sl_map_release(&lane.space_by_core);
}

static void range(struct sl_elem elem)
{
	uint64_t breaks = lane.check.breaks;

	sl_flow_check_elem(&lane.check, &elem);
	if (lane.check.breaks != breaks)
		stats_count_break(&lane, &elem);
}

static void table_begin(void *out, const struct sl_table_head *head)
{
	(void)out;
	assert_string_equal(head->name, "contradictions");
	rows = 0;
	text[0] = '\0';
}

/* breaks undefined places first function what it looks like */
static void table_row(void *out, const struct sl_cell *cells)
{
	size_t len = strlen(text);

	(void)out;
	rows++;
	snprintf(text + len, sizeof(text) - len, "%d %d %d 0x%x %s: %s\n", (int)cells[1].u, (int)cells[2].u, (int)cells[3].u,
		 (unsigned)cells[5].u, cells[6].s, cells[10].s);
}

static void table_end(void *out)
{
	(void)out;
}

static void report(void)
{
	static const struct sl_table_ops ops = { .begin = table_begin, .row = table_row, .end = table_end };
	struct sl_stats stats = { .image = image, .lanes = lanes, .lane_count = 1 };

	assert_int_equal(stats_contradictions(&stats, &(struct sl_table){ &ops, NULL }), SL_OK);
}

static uint32_t module_of(uint64_t address)
{
	return sl_image_symbol(image, sl_image_symbol_at(image, 0, address).id)->module;
}

void test_stats_breaks__few_places(void **state)
{
	(void)state;
	start();
	lane.module_ranges[module_of(CODE_F)] = 5000;
	for (int i = 0; i < 3; i++) {
		range(elem_stops(CODE_F, 4));
		range(elem_jumps(CODE_G, 4));
	}
	report();
	assert_string_equal(text, "3 0 1 0x1110 f+0x10: few: damaged trace, code that changed while it ran, or a limit of the decoder\n");
	finish();
}

void test_stats_breaks__another_build(void **state)
{
	(void)state;
	start();
	lane.module_ranges[module_of(CODE_F)] = 500;
	for (uint32_t i = 1; i <= 4; i++) {
		range(elem_stops(CODE_F, i));
		range(elem_jumps(CODE_G, 4));
	}
	report();
	assert_string_equal(text, "4 0 4 0x1104 f+0x4: many: another build; give the very file that ran\n");
	finish();
}

void test_stats_breaks__the_kernel(void **state)
{
	char why[200];

	(void)state;
	start();
	lane.check.ranges = 5000;
	range(elem_stops(0xffff800008001000, 4));
	range(elem_jumps(0xffff800008002000, 4));
	assert_true(sl_flow_check_patched(&lane.check, why, sizeof(why)));
	assert_string_equal(why, "1 of 5002 ranges do not go on as the kernel's image says, first before 0xffff800008001010 (offset 0)");
	assert_false(sl_flow_check_mismatch(&lane.check, why, sizeof(why)));
	report();
	assert_int_equal(rows, 1);
	assert_non_null(strstr(text, "few, in the kernel: patched while it ran"));
	finish();
}

void test_stats_breaks__code_that_does_not_exist(void **state)
{
	struct sl_elem elem = elem_jumps(CODE_H + 8, 4), other = elem_jumps(CODE_NOWHERE, 4), t32 = elem_jumps(CODE_G, 4);

	(void)state;
	t32.isa = SL_ISA_T32;
	start();
	for (int i = 0; i < 3; i++) {
		stats_look_at(&lane, image, &elem);
		stats_look_at(&lane, image, &other);
		stats_look_at(&lane, image, &t32);
	}
	report();
	assert_string_equal(text, "0 1 1 0x1308 h+0x8: code that does not exist ran: the image is data there, or another build\n");
	finish();
}
