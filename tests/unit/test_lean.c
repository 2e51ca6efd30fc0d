/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of calls at once, in brief and many at a time is the same: on walks through a program, some of which make sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "encoder_unit.h"
#include "sl_callstack.h"

enum { SYMBOLS = 64, WALKS = 300, STEPS = 400, DEPTH = 40 };

/* Of the calls of a function, by flags and whether they are inside of another one. */
struct sums {
	struct sum { uint64_t calls, total, self, squares; } of[SYMBOLS][64][2];
	uint64_t at_once; /* told by leans */
};

static void add(struct sums *sums, uint32_t symbol, unsigned flags, bool recursive, uint64_t total, uint64_t self)
{
	struct sum *sum;

	assert_true(symbol < SYMBOLS && flags < 64);
	sum = &sums->of[symbol][flags][recursive];
	sum->calls++;
	sum->total += total;
	sum->self += self;
	sum->squares += total * total;
}

static void on_call(void *ctx, const struct sl_call *call)
{
	if (call->kind == SL_CALL_LEAVE)
		add(ctx, call->symbol, call->flags, call->recursive, call->total->v[SL_AXIS_INSNS], call->self->v[SL_AXIS_INSNS]);
}

static void on_brief(void *ctx, const struct sl_brief *brief)
{
	add(ctx, brief->symbol, brief->flags, brief->recursive, brief->total->v[SL_AXIS_INSNS], brief->self->v[SL_AXIS_INSNS]);
}

static void on_leans(void *ctx, const struct sl_lean *leans, size_t len)
{
	struct sums *sums = ctx;

	sums->at_once += len;
	for (size_t i = 0; i < len; i++)
		add(sums, leans[i].symbol, leans[i].flags, leans[i].recursive, leans[i].total, leans[i].self);
}

/* How a walk goes on: the address after next, and the calls that are open, as long as it makes sense. */
struct walk {
	uint64_t random, at;
	uint64_t returns[DEPTH];
	size_t depth;
	bool timed;
};

static uint64_t somewhere(struct walk *w)
{
	static const uint64_t places[] = { CODE_MAIN, CODE_F, CODE_G, CODE_H, CODE_VECTORS, CODE_F_COLD, CODE_TASK_B, CODE_PAGES };
	uint64_t place = places[gen_random(&w->random, sizeof(places) / sizeof(places[0]))];

	return place + (gen_random(&w->random, 2) ? 0 : 4 * gen_random(&w->random, 70));
}

static struct sl_elem walk_call(struct walk *w, uint32_t count)
{
	struct sl_elem elem = elem_run(w->at, count, gen_random(&w->random, 2) ? SL_LAST_BRANCH : SL_LAST_INDIRECT, SL_BRANCH_CALL);

	if (w->depth < DEPTH)
		w->returns[w->depth++] = elem.range.end;
	w->at = somewhere(w);
	return elem;
}

static struct sl_elem walk_return(struct walk *w, uint32_t count)
{
	bool marked = gen_random(&w->random, 4);
	struct sl_elem elem = marked ? elem_returns(w->at, count) : elem_jumps_far(w->at, count);

	w->at = w->depth && gen_random(&w->random, 8) ? w->returns[--w->depth] : somewhere(w);
	return elem;
}

static struct sl_elem walk_rare(struct walk *w)
{
	static const enum sl_gap gaps[] = { SL_GAP_FILTER, SL_GAP_OVERFLOW, SL_GAP_RESET };

	switch (gen_random(&w->random, w->timed ? 7 : 5)) {
	case 0:
		return elem_gap(gaps[gen_random(&w->random, 3)], 0);
	case 1:
		return elem_gap(SL_GAP_NO_IMAGE, CODE_NOWHERE);
	case 2:
		return elem_exception(5, w->at);
	case 3:
		return elem_erets(w->at, 1);
	case 4:
		return elem_context((uint32_t)gen_random(&w->random, 3));
	case 5:
		return elem_time(gen_random(&w->random, 1000));
	default:
		return elem_cycles((uint32_t)gen_random(&w->random, 9));
	}
}

static struct sl_elem walk_on(struct walk *w)
{
	uint32_t count = 1 + (uint32_t)gen_random(&w->random, gen_random(&w->random, 5) ? 9 : 80);
	struct sl_elem elem = elem_stops(w->at, count);

	switch (gen_random(&w->random, 8)) {
	case 0:
	case 1:
		return walk_call(w, count);
	case 2:
	case 3:
		return walk_return(w, count);
	case 4:
		elem = elem_jumps(w->at, count);
		w->at = somewhere(w);
		return elem;
	case 5:
		return gen_random(&w->random, 8) ? elem : walk_rare(w);
	default:
		elem = elem_jumps(w->at, count);
		elem.flags &= (uint8_t)~SL_FLAG_EXECUTED;
		w->at = elem.range.end;
		return elem;
	}
}

struct told {
	struct sums sums;
	struct sl_account account;
};

/* What a call stack tells of elements that come in pieces. */
static void tell(const struct sl_image *image, const struct sl_callstack_options *how, const struct sl_elem *elems, struct told *ret)
{
	struct sl_callstack_options options = *how;
	struct sl_callstack *cs;

	memset(ret, 0, sizeof(*ret));
	options.image = image;
	options.ctx = options.brief_ctx = &ret->sums;
	assert_int_equal(sl_callstack_new(&options, &cs), SL_OK);
	for (size_t done = 0, len; done < STEPS; done += len) {
		len = done % 7 + 1 < STEPS - done ? done % 7 + 1 : STEPS - done;
		assert_int_equal(sl_callstack_feed(cs, elems + done, len), SL_OK);
	}
	assert_int_equal(sl_callstack_finish(cs), SL_OK);
	ret->account = *sl_callstack_account(cs);
	sl_callstack_free(cs);
}

/* How many calls were told many at a time. */
static uint64_t compare(const struct sl_image *image, uint64_t seed, bool timed)
{
	const struct sl_callstack_options whole = { .call = on_call, .untold = 1u << SL_CALL_REPAIR };
	const struct sl_callstack_options brief = { .call = on_call, .untold = 1u << SL_CALL_REPAIR, .brief = on_brief,
						    .leans = on_leans };
	static struct told a, b;
	struct walk walk = { .random = seed, .at = CODE_MAIN, .timed = timed };
	struct sl_elem elems[STEPS];
	uint64_t at_once;

	for (size_t i = 0; i < STEPS; i++) {
		elems[i] = walk_on(&walk);
		elems[i].offset = i;
	}
	tell(image, &whole, elems, &a);
	tell(image, &brief, elems, &b);
	at_once = b.sums.at_once;
	b.sums.at_once = 0;
	if (memcmp(&a, &b, sizeof(a)) != 0)
		fail_msg("walk %u: not the same", (unsigned)seed);
	return at_once;
}

static uint64_t compare_all(bool timed)
{
	struct sl_image *image = code_image();
	uint64_t at_once = 0;

	assert_non_null(image);
	for (uint64_t seed = 1; seed <= WALKS; seed++)
		at_once += compare(image, seed, timed);
	sl_image_free(image);
	return at_once;
}

/* ... and that it is what most are told as. */
void test_lean__says_the_same(void **state)
{
	(void)state;
	assert_true(compare_all(false) > WALKS * STEPS / 8);
}

/* Once there is time, nothing is. */
void test_lean__says_the_same_where_time_is_told(void **state)
{
	(void)state;
	assert_true(compare_all(true) > 0);
}
