/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "code_image.h"
#include "encoder_unit.h"

enum { OFFSET = 100 };

static struct sl_elem elem(enum sl_elem_kind kind, uint64_t start, uint64_t end)
{
	struct sl_elem e = { .offset = OFFSET, .kind = (uint8_t)kind, .range = { start, end } };

	if (kind == SL_ELEM_EXCEPTION)
		e = (struct sl_elem){ .offset = OFFSET, .kind = SL_ELEM_EXCEPTION, .address = start, .flags = SL_FLAG_ADDRESS };
	if (kind == SL_ELEM_GAP)
		e = (struct sl_elem){ .offset = OFFSET, .kind = SL_ELEM_GAP, .address = start, .count = SL_GAP_NO_IMAGE };
	return e;
}

void test_purpose__exception_behind(void **state)
{
	const struct sl_elem exception = elem(SL_ELEM_EXCEPTION, 0x1000, 0), walk = elem(SL_ELEM_RANGE, 0x2000, 0x3000);
	const struct sl_elem end = elem(SL_ELEM_GAP, 0x3000, 0), later = elem(SL_ELEM_EXCEPTION, 0x4000, 0);
	struct sl_elem elsewhere = walk, before = elem(SL_ELEM_RANGE, 0x800, 0x1000);
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	elsewhere.offset++;
	assert_int_equal(purpose_of(&purposes, &exception, &elsewhere), PURPOSES);
	assert_int_equal(purpose_of(&purposes, &exception, &before), PURPOSES);
	assert_int_equal(purpose_of(&purposes, &walk, &exception), PURPOSES); /* a range that OpenCSD does not have */
	assert_int_equal(purpose_of(&purposes, &later, &end), PURPOSES);
	assert_int_equal(purpose_of(&purposes, &exception, &walk), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &exception, &end), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &later, &end), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purposes.times[PURPOSE_EXCEPTION_BEHIND], 3);
	assert_true(purpose_pass(&purposes, &later, &end, &fast, &opencsd));
	assert_true(opencsd && !fast && !purposes.lost);
}

void test_purpose__q(void **state)
{
	const struct sl_elem ours = elem(SL_ELEM_RANGE_NO_PATH, 0x2000, 0x1000), exception = elem(SL_ELEM_EXCEPTION, 0x1000, 0);
	const struct sl_elem end = elem(SL_ELEM_GAP, 0x3000, 0);
	struct sl_elem other = ours, range = elem(SL_ELEM_RANGE, 0x2000, 0x2010), far = range;
	struct purposes purposes = { 0 };

	other.offset = 3;
	assert_int_equal(purpose_of(&purposes, &ours, &other), PURPOSES);
	purposes.q = true;
	assert_int_equal(purpose_of(&purposes, &ours, &other), PURPOSE_Q_OFFSET);
	other.range.start = 0x3000;
	assert_int_equal(purpose_of(&purposes, &ours, &other), PURPOSES);
	assert_int_equal(purpose_of(&purposes, &exception, &end), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &ours, &other), PURPOSE_Q_BEHIND);
	other.range.end++;
	assert_int_equal(purpose_of(&purposes, &ours, &other), PURPOSES);
	far.offset = 3;
	assert_int_equal(purpose_of(&purposes, &range, &far), PURPOSES);
	far.offset = OFFSET + 3;
	assert_int_equal(purpose_of(&purposes, &range, &far), PURPOSE_Q_OFFSET);
}

void test_purpose__source_behind(void **state)
{
	const struct sl_elem exception = elem(SL_ELEM_EXCEPTION, 0x1000, 0), end = elem(SL_ELEM_GAP, 0x3000, 0);
	struct sl_elem walk = elem(SL_ELEM_RANGE, 0x2000, 0x3000), ours = elem(SL_ELEM_RANGE, 0x800, 0x802), theirs = ours;
	struct purposes purposes = { 0 };

	walk.isa = ours.isa = SL_ISA_T32;
	walk.last = SL_LAST_OTHER;
	theirs.isa = SL_ISA_A32;
	ours.count = theirs.count = 1;
	purpose_same(&purposes, &(struct sl_elem){ .kind = SL_ELEM_CONTEXT }, 1);
	assert_int_equal(purpose_of(&purposes, &exception, &walk), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	walk.last = SL_LAST_BRANCH;
	assert_int_equal(purpose_of(&purposes, &exception, &walk), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &exception, &end), PURPOSE_EXCEPTION_BEHIND);
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSE_SOURCE_BEHIND);
	assert_int_equal(purpose_of(&purposes, &theirs, &ours), PURPOSES); /* it is OpenCSD that changed */
	ours.isa = SL_ISA_A32; /* a BLX of T32, as which it is told behind it */
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	ours.last = SL_LAST_BRANCH | SL_BRANCH_CALL << 4;
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSE_SOURCE_BEHIND);
	ours.isa = SL_ISA_T32;
	theirs.range.start++;
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	theirs = ours;
	theirs.last = SL_LAST_OTHER;
	theirs.isa = SL_ISA_A32;
	ours.count = 2; /* more than what a source address tells */
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
}

static struct sl_elem gap(enum sl_gap which, uint64_t offset)
{
	return (struct sl_elem){ .offset = offset, .kind = SL_ELEM_GAP, .count = which };
}

/* Nothing says in which instruction set the source address is: OpenCSD gives up, and drops what it has not told. */
void test_purpose__source_before_context(void **state)
{
	const struct sl_elem dropped = { .offset = OFFSET - 5, .kind = SL_ELEM_TRANSACTION }, gave_up = gap(SL_GAP_DECODE_ERROR, OFFSET + 2);
	const struct sl_elem context = { .offset = 1, .kind = SL_ELEM_CONTEXT }, before = gap(SL_GAP_DECODE_ERROR, OFFSET - 1);
	const struct sl_elem trace_on = gap(SL_GAP_FILTER, OFFSET - 6);
	struct sl_elem source = elem(SL_ELEM_RANGE, 0x1000, 0x1004), other = source, time = { .offset = 2, .kind = SL_ELEM_TIME };
	struct purposes purposes = { 0 }, told = { 0 };
	bool fast, opencsd;

	source.count = other.count = 1;
	source.isa = SL_ISA_A32;
	other.isa = SL_ISA_T32;
	assert_int_equal(purpose_of(&purposes, &source, &before), PURPOSES);
	assert_int_equal(purpose_of(&purposes, &source, &other), PURPOSE_NO_ADDRESS_YET);
	purpose_same(&purposes, &time, 1);
	assert_true(purpose_pass(&purposes, &trace_on, &gave_up, &fast, &opencsd));
	assert_true(fast && !opencsd && !purposes.lost);
	assert_true(purpose_pass(&purposes, &dropped, &gave_up, &fast, &opencsd));
	assert_true(fast && !opencsd && !purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_NO_ADDRESS_YET], 1);
	assert_true(purpose_pass(&purposes, &source, &gave_up, &fast, &opencsd));
	assert_true(!fast && !opencsd && purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_NO_ADDRESS_YET], 2);
	purpose_same(&told, &context, 1);
	assert_int_equal(purpose_of(&told, &source, &gave_up), PURPOSES);
	assert_int_equal(purpose_of(&told, &dropped, &gave_up), PURPOSES);
	assert_int_equal(purpose_of(&told, &source, &other), PURPOSES);
	source.count = 2; /* more than what a source address tells */
	assert_int_equal(purpose_of(&(struct purposes){ 0 }, &source, &gave_up), PURPOSES);
}

void test_purpose__no_address_yet(void **state)
{
	const struct sl_elem range = elem(SL_ELEM_RANGE, 0, 8), exception = elem(SL_ELEM_EXCEPTION, 8, 0), far = elem(SL_ELEM_RANGE, 0x1000, 0x1008);
	const struct sl_elem missing = elem(SL_ELEM_GAP, 0x2000, 0); /* of a source address */
	struct purposes purposes = { 0 };

	assert_int_equal(purpose_of(&purposes, &range, &exception), PURPOSE_NO_ADDRESS_YET);
	assert_int_equal(purpose_of(&purposes, &far, &exception), PURPOSES);
	purpose_same(&purposes, &missing, 1);
	assert_int_equal(purpose_of(&purposes, &range, &exception), PURPOSE_NO_ADDRESS_YET);
	purpose_same(&purposes, &far, 1);
	assert_int_equal(purpose_of(&purposes, &range, &exception), PURPOSES); /* a program at 0 */
}

void test_purpose__empty_return_stack(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET), later = gap(SL_GAP_BAD_PACKET, OFFSET + 9);
	const struct sl_elem lost = gap(SL_GAP_LOST_SYNC, OFFSET);
	const struct sl_elem context = { .offset = OFFSET, .kind = SL_ELEM_CONTEXT }, range = elem(SL_ELEM_RANGE, 0, 8);
	struct sl_elem branch = elem(SL_ELEM_RANGE, 0x1000, 0x1008);
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	branch.last = SL_LAST_INDIRECT;
	purpose_same(&purposes, &branch, 1);
	assert_int_equal(purpose_of(&purposes, &context, &bad), PURPOSES); /* not taken */
	branch.flags = SL_FLAG_EXECUTED;
	purpose_same(&purposes, &branch, 1);
	assert_int_equal(purpose_of(&purposes, &range, &bad), PURPOSES);
	assert_true(purpose_pass(&purposes, &context, &bad, &fast, &opencsd));
	assert_true(fast && !opencsd);
	assert_true(purpose_pass(&purposes, &later, &bad, &fast, &opencsd));
	assert_true(fast && opencsd && !purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_EMPTY_RETURN_STACK], 1);
	assert_int_equal(purpose_of(&purposes, &context, &bad), PURPOSES); /* that was it */
	purpose_same(&purposes, &branch, 1);
	assert_true(purpose_pass(&purposes, &lost, &bad, &fast, &opencsd)); /* its trace unit gave it up, or another packet is for resync */
	assert_true(fast && opencsd && !purposes.lost);
	purpose_same(&purposes, &branch, 1);
	purpose_same(&purposes, &later, 1);
	assert_int_equal(purpose_of(&purposes, &context, &bad), PURPOSES);
}

/* ETE: the target is still asked for behind a source address, which is one instruction. */
void test_purpose__source_and_empty_return_stack(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET), context = { .offset = OFFSET, .kind = SL_ELEM_CONTEXT };
	struct sl_elem branch = elem(SL_ELEM_RANGE, 0x1000, 0x1008), source = elem(SL_ELEM_RANGE, 0x1008, 0x100c);
	struct purposes ete = { .ete = true }, etm4 = { 0 };

	branch.last = SL_LAST_INDIRECT;
	branch.flags = SL_FLAG_EXECUTED;
	source.count = 1;
	purpose_same(&ete, &source, 1);
	assert_int_equal(purpose_of(&ete, &context, &bad), PURPOSES); /* of no branch */
	purpose_same(&ete, &branch, 1);
	purpose_same(&ete, &source, 1);
	assert_int_equal(purpose_of(&ete, &context, &bad), PURPOSE_EMPTY_RETURN_STACK);
	source.count = 2;
	purpose_same(&ete, &source, 1);
	assert_int_equal(purpose_of(&ete, &context, &bad), PURPOSES);
	source.count = 1;
	purpose_same(&etm4, &branch, 1);
	purpose_same(&etm4, &source, 1);
	assert_int_equal(purpose_of(&etm4, &context, &bad), PURPOSES);
}

/* Both tell of an absurd Trace Info, OpenCSD behind its loss of sync, the fast engine before: once, and at the same place. */
void test_purpose__errors_behind_an_empty_return_stack(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET), later = gap(SL_GAP_BAD_PACKET, OFFSET + 3);
	const struct sl_elem error = gap(SL_GAP_DECODE_ERROR, OFFSET + 3), other = gap(SL_GAP_DECODE_ERROR, OFFSET + 4);
	struct sl_elem branch = elem(SL_ELEM_RANGE, 0x1000, 0x1008);
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	branch.last = SL_LAST_INDIRECT;
	branch.flags = SL_FLAG_EXECUTED;
	purpose_same(&purposes, &branch, 1);
	assert_true(purpose_pass(&purposes, &error, &bad, &fast, &opencsd));
	assert_true(fast && !opencsd);
	assert_true(purpose_pass(&purposes, &later, &bad, &fast, &opencsd));
	assert_true(fast && opencsd);
	assert_false(purpose_pass(&purposes, &branch, &other, &fast, &opencsd));
	assert_true(purpose_pass(&purposes, &branch, &error, &fast, &opencsd));
	assert_true(!fast && opencsd);
	assert_false(purpose_pass(&purposes, &branch, &error, &fast, &opencsd)); /* that was it */
	purpose_same(&purposes, &branch, 1);
	assert_true(purpose_pass(&purposes, &error, &bad, &fast, &opencsd));
	assert_true(purpose_pass(&purposes, &later, &bad, &fast, &opencsd));
	purpose_same(&purposes, &branch, 1);
	assert_false(purpose_pass(&purposes, &branch, &error, &fast, &opencsd)); /* too late */
}

/* OpenCSD was kept from an exception that the fast engine goes on behind: nothing is compared up to where both begin anew. */
void test_purpose__kept_from_an_exception(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET), exception = { .offset = OFFSET, .kind = SL_ELEM_EXCEPTION };
	const struct sl_elem anew = gap(SL_GAP_LOST_SYNC, OFFSET + 9), range = elem(SL_ELEM_RANGE, 0x2000, 0x2008);
	struct sl_elem branch = elem(SL_ELEM_RANGE, 0x1000, 0x1008);
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	branch.last = SL_LAST_INDIRECT;
	branch.flags = SL_FLAG_EXECUTED;
	purpose_same(&purposes, &branch, 1);
	assert_false(purpose_pass(&purposes, &range, &bad, &fast, &opencsd)); /* no exception */
	assert_true(purpose_pass(&purposes, &exception, &bad, &fast, &opencsd));
	assert_true(fast && !opencsd);
	assert_true(purpose_pass(&purposes, &range, &bad, &fast, &opencsd));
	assert_true(purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_EMPTY_RETURN_STACK], 1);
	assert_true(purpose_pass(&purposes, &range, &anew, &fast, &opencsd));
	assert_true(fast && !opencsd);
	assert_true(purpose_pass(&purposes, &anew, &anew, &fast, &opencsd));
	assert_true(fast && opencsd && !purposes.lost);
	purpose_same(&purposes, &branch, 1);
	assert_false(purpose_pass(&purposes, &range, &bad, &fast, &opencsd)); /* that was it */
}

/* BL of T32, and BLX of A32: told alike, and then they are elsewhere. */
void test_purpose__leads_elsewhere(void **state)
{
	const struct sl_elem here = elem(SL_ELEM_GAP, 0x2000, 0), there = elem(SL_ELEM_GAP, 0x3000, 0);
	struct sl_elem call = elem(SL_ELEM_RANGE, 0x1000, 0x1004);
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	call.count = 1;
	call.last = SL_LAST_BRANCH | SL_BRANCH_CALL << 4;
	assert_int_equal(sl_elem_branch(&call), SL_BRANCH_CALL);
	purpose_same(&purposes, &call, 1);
	assert_false(purpose_pass(&purposes, &here, &there, &fast, &opencsd)); /* no walk to an exception before */
	purposes.walked_isa = SL_ISA_T32;
	purpose_same(&purposes, &call, 1);
	assert_false(purpose_pass(&purposes, &here, &here, &fast, &opencsd));
	assert_true(purpose_pass(&purposes, &here, &there, &fast, &opencsd));
	assert_true(purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_SOURCE_BEHIND], 1);
}

/* The context that OpenCSD dropped with such an exception. */
void test_purpose__ids_behind(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET);
	const struct sl_elem alone = { .offset = OFFSET, .kind = SL_ELEM_CONTEXT, .context = { .context_id = 5, .flags = SL_CTX_ID } };
	struct sl_elem branch = elem(SL_ELEM_RANGE, 0x1000, 0x1008), ours = alone, theirs = alone;
	struct purposes purposes = { 0 };
	bool fast, opencsd;

	theirs.context = (struct sl_context){ 0 };
	branch.last = SL_LAST_INDIRECT;
	branch.flags = SL_FLAG_EXECUTED;
	purpose_same(&purposes, &branch, 1);
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	assert_true(purpose_pass(&purposes, &alone, &bad, &fast, &opencsd));
	assert_true(purpose_pass(&purposes, &ours, &theirs, &fast, &opencsd));
	assert_true(fast && opencsd && !purposes.lost);
	assert_int_equal(purposes.times[PURPOSE_IDS_BEHIND], 1);
	ours.context.el = 1;
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	ours.context.el = 0;
	ours.context.context_id = 6;
	assert_int_equal(purpose_of(&purposes, &ours, &theirs), PURPOSES);
	purpose_same(&purposes, &ours, 1); /* both know it now */
	assert_int_equal(purpose_of(&purposes, &alone, &theirs), PURPOSES);
}

void test_purpose__newer_packet(void **state)
{
	const struct sl_elem bad = gap(SL_GAP_BAD_PACKET, OFFSET + 1), range = elem(SL_ELEM_RANGE, 0x1000, 0x1008);
	const struct sl_trace_config ite = { .protocol = SL_PROTOCOL_ETE, .regs[SL_REG_TRCDEVARCH] = 0x47735a13 };
	const struct sl_trace_config older = { .protocol = SL_PROTOCOL_ETE, .regs[SL_REG_TRCDEVARCH] = 0x47725a13 };
	struct sl_elem later = range, dropped = { .offset = OFFSET - 3, .kind = SL_ELEM_TIME };
	struct purposes purposes = { .ite = purpose_has_ite(&older) };
	bool fast, opencsd;

	later.offset = OFFSET + 10;
	purpose_same(&purposes, &range, 1);
	assert_int_equal(purpose_of(&purposes, &later, &bad), PURPOSES);
	purposes.ite = purpose_has_ite(&ite);
	assert_int_equal(purpose_of(&purposes, &dropped, &bad), PURPOSE_NEWER_PACKET);
	assert_true(purpose_pass(&purposes, &later, &bad, &fast, &opencsd));
	assert_true(purposes.lost && purposes.gave_up);
	later.offset--; /* of what would be inside of the packet */
	assert_int_equal(purpose_of(&purposes, &later, &bad), PURPOSES);
	dropped.offset = OFFSET + 2;
	assert_int_equal(purpose_of(&purposes, &dropped, &bad), PURPOSES);
}

/* Elements of either stream in batches: what is passed does not make a lane differ, and what follows is still compared. */
static void run(struct compare *c, unsigned fast, struct sl_elem last)
{
	const struct sl_elem ours[] = { elem_jumps(CODE_MAIN, 1), elem(SL_ELEM_EXCEPTION, 0x1000, 0), elem_jumps(CODE_MAIN, 2) };
	const struct sl_elem theirs[] = { ours[0], elem(SL_ELEM_RANGE, 0x2000, 0x3000), elem(SL_ELEM_GAP, 0x3000, 0), ours[1], last };
	struct sl_image *image;

	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	*c = (struct compare){ .purposes.image = image, .fast = fast };
	for (unsigned i = 0; i < 5; i++) {
		if (i < 3)
			assert_int_equal(compare_add(c, fast, &ours[i], 1), SL_OK);
		assert_int_equal(compare_add(c, !fast, &theirs[i], 1), SL_OK);
	}
	compare_finish(c);
	sl_image_free(image);
}

void test_purpose__streams(void **state)
{
	struct compare c;

	for (unsigned fast = 0; fast < 2; fast++) {
		run(&c, fast, elem_jumps(CODE_MAIN, 2));
		assert_false(c.differs);
		assert_int_equal(c.same, 3);
		assert_int_equal(c.purposes.times[PURPOSE_EXCEPTION_BEHIND], 2);
		run(&c, fast, elem_jumps(CODE_MAIN, 3));
		assert_true(c.differs);
		assert_int_equal(c.same, 2);
	}
}

/* Lost at their first elements: ours and theirs in batches of one; whether the rest differs. */
static bool differs_behind(const struct sl_elem *ours, const struct sl_elem *theirs, size_t len)
{
	struct sl_image *image;
	struct compare c;
	bool differs;

	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	c = (struct compare){ .purposes.image = image };
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(compare_add(&c, 0, &ours[i], 1), SL_OK);
		assert_int_equal(compare_add(&c, 1, &theirs[i], 1), SL_OK);
	}
	compare_finish(&c);
	assert_int_equal(c.purposes.times[PURPOSE_NO_ADDRESS_YET], 1);
	differs = c.differs;
	compare_release(&c);
	sl_image_free(image);
	return differs;
}

/* What is lost is found again where both begin anew, and only there. */
void test_purpose__found_again(void **state)
{
	const struct sl_elem range = elem(SL_ELEM_RANGE, 0, 8), exception = elem(SL_ELEM_EXCEPTION, 8, 0), context = { .kind = SL_ELEM_CONTEXT };
	const struct sl_elem gave_up = gap(SL_GAP_DECODE_ERROR, OFFSET), bad = gap(SL_GAP_BAD_PACKET, 200), reset = gap(SL_GAP_RESET, 300);
	const struct sl_elem one = elem_jumps(CODE_MAIN, 1), two = elem_jumps(CODE_MAIN, 2);

	assert_false(differs_behind((struct sl_elem[]){ range, one, two }, (struct sl_elem[]){ exception, two, one }, 3));
	assert_false(differs_behind((struct sl_elem[]){ range, one, bad, two }, (struct sl_elem[]){ exception, two, bad, two }, 4));
	assert_true(differs_behind((struct sl_elem[]){ range, one, bad, context, one, two },
				   (struct sl_elem[]){ exception, bad, context, one, one, one }, 6));
	/* OpenCSD has forgotten what packets refer to: a bad packet is not enough */
	assert_false(differs_behind((struct sl_elem[]){ range, bad, one, two }, (struct sl_elem[]){ gave_up, bad, two, one }, 4));
	assert_true(differs_behind((struct sl_elem[]){ range, bad, reset, one, two }, (struct sl_elem[]){ gave_up, bad, reset, one, one }, 5));
	/* a gap that the other does not have is passed */
	assert_true(differs_behind((struct sl_elem[]){ range, gap(SL_GAP_LOST_SYNC, 150), bad, one, two },
				   (struct sl_elem[]){ exception, bad, one, one, one }, 5));
}
