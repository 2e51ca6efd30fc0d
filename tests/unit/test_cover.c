/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces told to the cover sink, and what it makes of them; lines are tested with programs (tests/cli/export.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_export.h"
#include "sl_export_files.h"

struct fixture {
	struct sl_image *image;
	struct sl_cover *cover;
	struct sl_call_sink sink;
	struct sl_lane lanes[2];
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	fx->lanes[1].index = 1;
	assert_int_equal(sl_cover_new(fx->image, NULL, &fx->cover), SL_OK);
	sl_cover_call_sink(fx->cover, &fx->sink);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_cover_free(fx->cover);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void piece(struct fixture *fx, unsigned lane, struct sl_elem range)
{
	const struct sl_piece piece = { .range = &range, .symbol = sl_image_symbol_at(fx->image, 0, range.range.start).id,
					.lane = &fx->lanes[lane] };

	fx->sink.ops->piece(fx->sink.self, &piece);
}

static struct sl_elem conditional(uint64_t start, uint32_t count, bool taken)
{
	struct sl_elem range = elem_jumps(start, count);

	range.flags = (uint8_t)(SL_FLAG_CONDITIONAL | (taken ? SL_FLAG_EXECUTED : 0));
	return range;
}

/* "first-last*times ... from>to*times ..." of the busiest file. */
static const char *executed(struct fixture *fx, char *ret, size_t cap)
{
	struct sl_executed all;
	size_t others, len = 0;

	ret[0] = '\0';
	if (sl_cover_executed(fx->cover, &all, &others) != SL_OK)
		return ret;
	for (size_t i = 0; i < all.range_count; i++)
		len += (size_t)snprintf(ret + len, cap - len, "%x-%x*%d ", (unsigned)all.ranges[i].first,
					(unsigned)all.ranges[i].last, (int)all.ranges[i].times);
	for (size_t i = 0; i < all.branch_count; i++)
		len += (size_t)snprintf(ret + len, cap - len, "%x>%x*%d ", (unsigned)all.branches[i].from,
					(unsigned)all.branches[i].to, (int)all.branches[i].times);
	return ret;
}

/* Addresses of the fixture's image are those of a program whose first segment lies at 0. */
void test_cover__ranges_and_branches_are_counted(void **state)
{
	struct fixture *fx = *state;
	char text[400];

	piece(fx, 0, conditional(CODE_MAIN, 4, true));
	piece(fx, 0, conditional(CODE_MAIN, 4, false));
	piece(fx, 0, elem_calls(CODE_MAIN + 16, 1));
	piece(fx, 0, elem_returns(CODE_F, 2));
	assert_string_equal(executed(fx, text, sizeof(text)), "1000-100c*2 1010-1010*1 1100-1104*1 100c>1000*1 1010>1100*1 ");
}

/* What another CPU runs is no target of this one's branch; nor is what an exception began. */
void test_cover__branches_go_where_the_lane_goes_on(void **state)
{
	struct fixture *fx = *state;
	const struct sl_call level = { .kind = SL_CALL_LEVEL, .level = SL_LEVEL_IRQ, .lane = &fx->lanes[0] };
	char text[400];

	piece(fx, 0, elem_calls(CODE_MAIN, 1));
	piece(fx, 1, elem_run(CODE_H, 1, SL_LAST_OTHER, SL_BRANCH_PLAIN));
	piece(fx, 0, elem_jumps(CODE_G, 1));
	fx->sink.ops->call(fx->sink.self, &level);
	piece(fx, 0, elem_run(CODE_VECTORS, 1, SL_LAST_OTHER, SL_BRANCH_PLAIN));
	assert_string_equal(executed(fx, text, sizeof(text)), "1000-1000*1 1200-1200*1 1300-1300*1 1400-1400*1 1000>1200*1 ");
}

/* Where a function runs on into the next one, nothing tells how long its last instruction is: it was executed all the same. */
void test_cover__pieces_shorter_than_an_instruction_count(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem cut = elem_run(CODE_F, 1, SL_LAST_OTHER, SL_BRANCH_PLAIN);
	char text[400];

	cut.isa = SL_ISA_T32;
	cut.range.end = cut.range.start + 2;
	piece(fx, 0, cut);
	assert_string_equal(executed(fx, text, sizeof(text)), "1100-1100*1 ");
}

/* Neither pieces nor jumps of what the sieve refuses count. */
void test_cover__the_sieve_chooses(void **state)
{
	const struct sl_filter filter = { .by_cpu = true, .cpus = { 1u << 1 } };
	struct fixture *fx = *state;
	struct sl_stream streams[] = { { .cpu = 0 }, { .cpu = 1 } };
	struct sl_sieve *sieve;
	char text[400];

	sl_cover_free(fx->cover);
	assert_int_equal(sl_sieve_new(&filter, fx->image, NULL, 0, &sieve, NULL), SL_OK);
	assert_int_equal(sl_cover_new(fx->image, sieve, &fx->cover), SL_OK);
	sl_cover_call_sink(fx->cover, &fx->sink);
	for (unsigned lane = 0; lane < 2; lane++) {
		fx->lanes[lane].stream = &streams[lane];
		piece(fx, lane, conditional(CODE_MAIN, 4, true));
		piece(fx, lane, elem_calls(CODE_F, 1));
	}
	assert_string_equal(executed(fx, text, sizeof(text)), "1000-100c*1 1100-1100*1 100c>1100*1 ");
	sl_sieve_free(sieve);
}

void test_cover__nothing_is_nothing(void **state)
{
	struct fixture *fx = *state;
	struct sl_executed all;
	size_t others;

	assert_int_equal(sl_cover_executed(fx->cover, &all, &others), SL_END);
}

void test_cover__lcov_counts_what_is_hit(void **state)
{
	struct sl_coverage lcov;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(sl_coverage_lcov_new(out, &lcov), SL_OK);
	lcov.ops->file(lcov.out, "a\nb.c");
	lcov.ops->function(lcov.out, "f(int, int)", 3, 2);
	lcov.ops->function(lcov.out, "g", 9, 0);
	lcov.ops->branch(lcov.out, 4, 0, 2, 0);
	lcov.ops->line(lcov.out, 3, 2);
	lcov.ops->line(lcov.out, 9, 0);
	lcov.ops->end_file(lcov.out);
	assert_int_equal(lcov.ops->close(lcov.out), SL_OK);
	fclose(out);
	assert_string_equal(text, "TN:\nSF:a?b.c\nFN:3,f(int, int)\nFNDA:2,f(int, int)\nFN:9,g\nFNDA:0,g\nBRDA:4,0,0,2\nBRDA:4,0,1,0\n"
				  "DA:3,2\nDA:9,0\nFNF:2\nFNH:1\nBRF:2\nBRH:1\nLF:2\nLH:1\nend_of_record\n");
	free(text);
}

void test_cover__autofdo_has_last_instructions(void **state)
{
	static const struct sl_executed_range range = { 0xa80, 0xa8c, 7 };
	static const struct sl_executed_branch branch = { 0xa8c, 0xb00, 7 };
	static const uint8_t build_id[] = { 0xab, 0x01 };
	const struct sl_executed all = { .path = "p", .build_id = build_id, .build_id_len = 2, .ranges = &range, .range_count = 1,
					 .branches = &branch, .branch_count = 1 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(sl_executed_autofdo(out, &all), SL_OK);
	fclose(out);
	assert_string_equal(text, "1\na80-a8c:7\n0\n1\na8c->b00:7\n// build_id: ab01\n// p\n");
	free(text);
}
