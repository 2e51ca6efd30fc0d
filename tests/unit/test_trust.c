/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is believed of elements with marks among them. Each element's offset is its place in the row; what comes out reads "r1100" a
 * range, "l5" five instructions lost, "g" a gap and its cause, "t" a time, "c" a context, "x" an exception.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "trust.h"

struct row {
	struct sl_elem elems[64];
	struct sl_mark marks[64];
	size_t len, mark_count;
};

static void add(struct row *row, struct sl_elem elem)
{
	elem.offset = row->len;
	row->elems[row->len++] = elem;
}

/* Before the next element. */
static void mark(struct row *row, enum sl_mark_kind kind, uint64_t address)
{
	row->marks[row->mark_count++] = (struct sl_mark){ row->len, address, kind };
}

/* Good flow: ranges of instructions in main. */
static void add_flow(struct row *row, unsigned ranges)
{
	for (unsigned i = 0; i < ranges; i++)
		add(row, elem_jumps(CODE_MAIN, 2));
}

static size_t note(char *text, size_t len, size_t cap, const struct sl_elem *e)
{
	switch (e->kind) {
	case SL_ELEM_RANGE:
		return len + (size_t)snprintf(text + len, cap - len, "r%x ", (unsigned)e->range.start);
	case SL_ELEM_RANGE_NO_PATH:
		return len + (size_t)snprintf(text + len, cap - len, "l%u ", e->count);
	case SL_ELEM_GAP:
		return len + (size_t)snprintf(text + len, cap - len, "g:%s ", sl_gap_name(e->count));
	default:
		return len + (size_t)snprintf(text + len, cap - len, "%c ",
					      e->kind == SL_ELEM_TIME ? 't' : e->kind == SL_ELEM_CONTEXT ? 'c' : 'x');
	}
}

static void drain(struct trust *trust, char *text, size_t cap)
{
	const struct sl_elem *elems;
	size_t n = trust_lend(trust, &elems), len = strlen(text);

	for (size_t i = 0; i < n; i++)
		len = note(text, len, cap, &elems[i]);
}

/* In batches of so many elements, each with the marks up to its end. */
static struct sl_trust_account run(const struct row *row, const struct sl_image *image, size_t batch, char *text, size_t cap)
{
	struct trust trust = { .image = image };
	struct sl_trust_account account;
	size_t m = 0;

	text[0] = '\0';
	for (size_t at = 0; at < row->len; at += batch) {
		size_t n = row->len - at < batch ? row->len - at : batch, marks = m;

		while (m < row->mark_count && row->marks[m].offset < at + n)
			m++;
		assert_int_equal(trust_take(&trust, row->elems + at, n, row->marks + marks, m - marks), SL_OK);
		drain(&trust, text, cap);
	}
	assert_int_equal(trust_take(&trust, NULL, 0, row->marks + m, row->mark_count - m), SL_OK);
	drain(&trust, text, cap);
	assert_int_equal(trust_finish(&trust), SL_OK);
	drain(&trust, text, cap);
	account = trust.account;
	trust_release(&trust);
	return account;
}

static struct sl_trust_account expect(const struct row *row, const struct sl_image *image, const char *expected)
{
	struct sl_trust_account account = { 0 };
	char text[2000];

	for (size_t batch = 1; batch <= 64; batch *= 4) {
		account = run(row, image, batch, text, sizeof(text));
		assert_string_equal(text, expected);
	}
	return account;
}

void test_trust__what_nothing_contradicts(void **state)
{
	struct row row = { 0 };

	(void)state;
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 2);
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	add_flow(&row, 1);
	add(&row, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE));
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	expect(&row, NULL, "r1000 r1000 r1000 g:no image r1000 ");
}

void test_trust__from_sync_point_to_sync_point(void **state)
{
	struct row row = { 0 };
	struct sl_trust_account account;

	(void)state;
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	add_flow(&row, 1);
	add(&row, elem_time(5));
	add(&row, elem_exception(1, CODE_F));
	mark(&row, SL_MARK_ATOM, CODE_G);
	add_flow(&row, 1);
	mark(&row, SL_MARK_NOT_TAKEN, CODE_H); /* no news */
	add(&row, elem_context(7));
	add(&row, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE));
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	account = expect(&row, NULL, "r1000 g:untrusted t c l4 r1000 ");
	assert_int_equal(account.untrusted.count, 1);
	assert_int_equal(account.untrusted.insns, 4);
	assert_int_equal(account.untrusted.first_offset, 4);
	assert_int_equal(account.untrusted.first_address, CODE_G);
	assert_int_equal(account.untrusted.cause, SL_MARK_ATOM);
	assert_int_equal(account.image.count, 0);
}

/* Bytes that are no packets are where nobody knows how long it has been wrong, and in which direction. */
void test_trust__damage(void **state)
{
	struct row row = { 0 };

	(void)state;
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1); /* neither confirmed nor refuted so far: now it is not believed */
	add(&row, elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE));
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	mark(&row, SL_MARK_PACKET, 0);
	add(&row, elem_gap(SL_GAP_BAD_PACKET, 0));
	mark(&row, SL_MARK_SYNC, 0);
	add_flow(&row, 1);
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	add_flow(&row, 1);
	mark(&row, SL_MARK_SYNC, 0); /* from now on what is not confirmed does not count */
	add_flow(&row, 1);
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	expect(&row, NULL, "g:untrusted g:bad packet l6 r1000 g:untrusted l2 r1000 ");
}

/* The end is no sync point. */
void test_trust__the_end(void **state)
{
	struct row good = { 0 }, bad = { 0 };

	(void)state;
	mark(&good, SL_MARK_SYNC, 0);
	add_flow(&good, 2);
	expect(&good, NULL, "r1000 r1000 ");
	mark(&bad, SL_MARK_PACKET, 0); /* nothing is held */
	mark(&bad, SL_MARK_SYNC, 0);
	add_flow(&bad, 2);
	expect(&bad, NULL, "g:untrusted l4 ");
}

/* Where that is a good part of all, it is another program's image: none of it counts, but its name is right. */
void test_trust__the_image_again_and_again(void **state)
{
	struct row row = { 0 };
	struct sl_trust_account account;

	(void)state;
	mark(&row, SL_MARK_SYNC, 0);
	for (unsigned i = 0; i < 3; i++) {
		add(&row, elem_returns(CODE_MAIN, 1));
		add(&row, elem_jumps(CODE_F, 3));
		mark(&row, SL_MARK_ADDRESS, CODE_H);
		add(&row, elem_jumps(CODE_G, 1));
		mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	}
	account = expect(&row, NULL, "g:untrusted l5 g:untrusted l5 g:image mismatch l5 ");
	assert_int_equal(account.image.count, 1);
	assert_int_equal(account.image.insns, 5);
}

static void add_long_flow(struct trust *trust, unsigned ranges)
{
	struct sl_mark confirmed = { .kind = SL_MARK_CONFIRMED };
	const struct sl_elem *elems, e = elem_jumps(CODE_MAIN, 1);

	for (unsigned i = 0; i < ranges; i++)
		assert_int_equal(trust_take(trust, &e, 1, NULL, 0), SL_OK);
	assert_int_equal(trust_take(trust, NULL, 0, &confirmed, 1), SL_OK);
	assert_int_equal(trust_lend(trust, &elems), ranges);
}

/* A branch that the image has otherwise, in much that is good: from the third time on, only what it led to. */
void test_trust__a_patched_branch(void **state)
{
	const struct sl_mark patched = { .kind = SL_MARK_ADDRESS, .address = CODE_H };
	const struct sl_mark sync = { .kind = SL_MARK_CONFIRMED, .address = CODE_MAIN };
	const struct sl_elem told = elem_returns(CODE_MAIN, 1), led = elem_jumps(CODE_F, 3);
	static const size_t lent[] = { 2, 2, 3 }; /* untrusted, lost; at last the return, a mismatch, lost */
	struct trust trust = { 0 };
	const struct sl_elem *elems;

	(void)state;
	add_long_flow(&trust, 1000);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(trust_take(&trust, &told, 1, NULL, 0), SL_OK);
		assert_int_equal(trust_take(&trust, &led, 1, NULL, 0), SL_OK);
		assert_int_equal(trust_take(&trust, NULL, 0, &patched, 1), SL_OK);
		assert_int_equal(trust_take(&trust, NULL, 0, &sync, 1), SL_OK);
		assert_int_equal(trust_lend(&trust, &elems), lent[i]);
	}
	assert_int_equal(elems[1].count, SL_GAP_IMAGE);
	assert_int_equal(elems[1].address, CODE_H);
	assert_int_equal(elems[2].count, 3);
	assert_int_equal(trust.account.image.count, 1);
	assert_int_equal(trust.account.image.insns, 3);
	trust_release(&trust);
}

/* A return to where no call is: in trace that is damaged, a wrong bit of its address. The image of this test has no calls. */
void test_trust__returns_that_cannot_be(void **state)
{
	struct sl_image *image = code_image();
	struct row row = { 0 };

	(void)state;
	assert_non_null(image);
	mark(&row, SL_MARK_PACKET, 0);
	mark(&row, SL_MARK_SYNC, 0);
	add(&row, elem_returns(CODE_MAIN, 1));
	add_flow(&row, 1); /* to the beginning of a function, which somebody may have made by hand */
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	add(&row, elem_returns(CODE_MAIN, 1));
	add(&row, elem_jumps(CODE_F + 8, 1));
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	add(&row, elem_run(CODE_MAIN, 1, SL_LAST_INDIRECT, SL_BRANCH_CALL));
	add(&row, elem_jumps(CODE_F + 8, 1)); /* called in its middle */
	mark(&row, SL_MARK_CONFIRMED, CODE_MAIN);
	expect(&row, image, "r1000 r1000 g:untrusted l2 g:untrusted l2 ");
	sl_image_free(image);
}

/* Trace without periodic sync points: what is held is bounded. */
void test_trust__nothing_is_held_for_ever(void **state)
{
	struct trust trust = { 0 };
	struct sl_elem row[1000];
	const struct sl_elem *elems;
	size_t most = 0, given = 0;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		row[i] = elem_jumps(CODE_MAIN, 1);
	for (size_t i = 0; i < 2000; i++) {
		for (size_t k = 0; k < 1000; k++)
			row[k].offset = (1000 * i + k) / 8;
		assert_int_equal(trust_take(&trust, row, 1000, NULL, 0), SL_OK);
		given += trust_lend(&trust, &elems);
		most = trust.cap > most ? trust.cap : most;
	}
	assert_in_range(most, 1, 3 << 19);
	assert_in_range(given, 2000000 - (1 << 19) - 1000, 2000000);
	trust_release(&trust);
}
