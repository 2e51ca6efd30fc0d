/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "code_image.h"
#include "compare.h"
#include "encoder_unit.h"

enum { ELEMS = 1000 };

static struct sl_elem stream[ELEMS];

int group_setup(void **state)
{
	for (unsigned i = 0; i < ELEMS; i++) {
		stream[i] = elem_jumps(CODE_MAIN + 4 * i, 1);
		stream[i].offset = i;
	}
	return 0;
}

/* Both streams in batches at random; b is stream, but for the element at changed and without the one at dropped. */
static void run(struct compare *c, unsigned changed, unsigned dropped, uint64_t seed)
{
	struct sl_elem other[ELEMS];
	size_t at[2] = { 0 }, len[2] = { ELEMS, 0 };

	for (unsigned i = 0; i < ELEMS; i++) {
		if (i != dropped)
			other[len[1]++] = stream[i];
		if (i == changed)
			other[len[1] - 1].count++;
	}
	*c = (struct compare){ 0 };
	while (at[0] < len[0] || at[1] < len[1]) {
		unsigned side = gen_random(&seed, 2);
		size_t n = gen_random(&seed, 40);

		n = n < len[side] - at[side] ? n : len[side] - at[side];
		assert_int_equal(compare_add(c, side, (side ? other : stream) + at[side], n), SL_OK);
		at[side] += n;
	}
	compare_finish(c);
}

void test_compare__what_is_the_same(void **state)
{
	struct compare c;

	for (unsigned seed = 1; seed < 20; seed++) {
		run(&c, ELEMS, ELEMS, seed);
		assert_false(c.differs);
		assert_int_equal(c.same, ELEMS);
		assert_null(c.ahead);
	}
}

void test_compare__an_element_that_differs(void **state)
{
	struct compare c;

	for (unsigned seed = 1; seed < 20; seed++) {
		run(&c, 500, ELEMS, seed);
		assert_true(c.differs);
		assert_false(c.held_back);
		assert_int_equal(c.same, 500);
		assert_int_equal(compare_offset(&c), 500);
		assert_int_equal(c.before_len, COMPARE_BEFORE);
		assert_int_equal(c.before[0].offset, 500 - COMPARE_BEFORE);
		assert_int_equal(c.after_len[0], COMPARE_AFTER);
		assert_int_equal(c.after_len[1], COMPARE_AFTER);
		assert_int_equal(c.after[0][0].count, 1);
		assert_int_equal(c.after[1][0].count, 2);
		assert_int_equal(c.after[1][COMPARE_AFTER - 1].offset, 500 + COMPARE_AFTER - 1);
	}
}

/* OpenCSD 1.3.3 marks nothing in an IT block. */
void test_compare__it_blocks(void **state)
{
	struct sl_elem a = elem_jumps(CODE_MAIN, 1), b = a;

	b.flags |= SL_FLAG_CONDITIONAL;
	assert_false(compare_same(&a, &b));
	a.isa = b.isa = SL_ISA_T32;
	assert_true(compare_same(&a, &b));
	b.flags ^= SL_FLAG_EXECUTED;
	assert_false(compare_same(&a, &b));
	b.flags ^= SL_FLAG_EXECUTED;
	b.range.end += 2;
	assert_false(compare_same(&a, &b));
}

void test_compare__an_element_too_few(void **state)
{
	struct compare c;

	run(&c, ELEMS, 2, 1);
	assert_true(c.differs);
	assert_int_equal(c.same, 2);
	assert_int_equal(c.before_len, 2);
	assert_int_equal(c.after[0][0].offset, 2);
	assert_int_equal(c.after[1][0].offset, 3);
	assert_int_equal(compare_offset(&c), 2);
}

void test_compare__the_last_one_is_missing(void **state)
{
	struct compare c;

	run(&c, ELEMS, ELEMS - 1, 1);
	assert_true(c.differs);
	assert_int_equal(c.same, ELEMS - 1);
	assert_int_equal(c.after_len[0], 1);
	assert_int_equal(c.after_len[1], 0);
	assert_int_equal(compare_offset(&c), ELEMS - 1);
}

/* Memory is bounded, whatever a broken engine does. */
void test_compare__one_that_says_nothing(void **state)
{
	struct compare c = { 0 };

	for (unsigned i = 0; i <= COMPARE_AHEAD_MAX / ELEMS; i++)
		assert_int_equal(compare_add(&c, 1, stream, ELEMS), SL_OK);
	assert_true(c.differs);
	assert_true(c.held_back);
	assert_null(c.ahead);
	assert_int_equal(c.same, 0);
	assert_int_equal(c.after_len[1], COMPARE_AFTER);
	compare_release(&c);
}
