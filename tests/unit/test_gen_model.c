/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "a64_insn.h"
#include "gen_model.h"
#include "timing.h"

struct follower {
	uint64_t next[8];
	bool known[8];
	uint64_t runs, insns, calls, exceptions, signals, switches, throws, hash;
	uint32_t task[8];
};

static enum gen_end expected(enum a64_kind kind, bool taken)
{
	switch (kind) {
	case A64_BRANCH:
		return GEN_END_TAKEN;
	case A64_CONDITIONAL:
		return taken ? GEN_END_TAKEN : GEN_END_NOT_TAKEN;
	case A64_CALL:
		return GEN_END_CALL;
	case A64_INDIRECT:
		return GEN_END_INDIRECT;
	case A64_INDIRECT_CALL:
		return GEN_END_INDIRECT_CALL;
	case A64_RETURN:
		return GEN_END_RETURN;
	case A64_EXCEPTION_RETURN:
		return GEN_END_ERET;
	case A64_BARRIER:
		return GEN_END_BARRIER;
	default:
		return GEN_END_NONE;
	}
}

/* The code says what the events say. */
static void check_code(const struct gen_run *run)
{
	uint64_t at = run->start, target = 0;
	uint32_t word;

	assert_int_equal(run->end - run->start, 4 * run->insns);
	for (; at + 4 < run->end; at += 4) {
		memcpy(&word, run->code + (at - run->start), 4);
		assert_int_equal(a64_classify(word, at, &target), A64_OTHER);
	}
	memcpy(&word, run->code + (at - run->start), 4);
	assert_int_equal(run->how, expected(a64_classify(word, at, &target), run->how == GEN_END_TAKEN));
	if (run->how == GEN_END_TAKEN || run->how == GEN_END_CALL)
		assert_int_equal(run->target, target);
}

static void take_run(struct follower *f, unsigned cpu, const struct gen_run *run)
{
	bool stays = run->how == GEN_END_NONE || run->how == GEN_END_NOT_TAKEN || run->how == GEN_END_BARRIER;

	check_code(run);
	if (f->known[cpu])
		assert_int_equal(run->start, f->next[cpu]);
	f->next[cpu] = stays ? run->end : run->target;
	f->known[cpu] = true;
	f->runs++;
	f->insns += run->insns;
	f->calls += run->how == GEN_END_CALL || run->how == GEN_END_INDIRECT_CALL;
	f->throws += run->how == GEN_END_INDIRECT;
	f->hash = (f->hash ^ run->start ^ run->end << 20) * 31;
}

static void follow(void *ctx, const struct gen_event *event)
{
	struct follower *f = ctx;

	if (event->kind == GEN_RUN) {
		take_run(f, event->cpu, &event->run);
	} else if (event->kind == GEN_EXCEPTION) {
		if (f->known[event->cpu])
			assert_int_equal(event->exception.preferred_return, f->next[event->cpu]);
		f->next[event->cpu] = event->exception.vector;
		f->known[event->cpu] = true;
		f->exceptions++;
	} else if (event->kind == GEN_CONTEXT && event->context.tid != f->task[event->cpu]) {
		f->switches++;
		f->task[event->cpu] = event->context.tid;
	}
}

static void run_model(const struct gen_model_options *options, struct follower *f, uint64_t insns)
{
	struct gen_model *model = gen_model_new(options);
	struct gen_sink sink = { follow, f };

	memset(f, 0, sizeof(*f));
	gen_model_begin(model, &sink);
	gen_model_run(model, insns, NULL, &sink);
	gen_model_end(model, &sink);
	assert_int_equal(f->insns, gen_model_insns(model));
	gen_model_free(model);
}

void test_gen_model__flows_without_a_break(void **state)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gen_model_options options = { .seed = seed,
						     .cpus = 1 + (unsigned)seed % 3,
						     .processes = 2 };
		struct follower f;

		run_model(&options, &f, 300000);
		assert_in_range(f.insns, 300000, 300100);
		assert_true(f.calls > 1000 && f.exceptions > 10 && f.switches > 3 && f.throws > 10);
	}
}

void test_gen_model__same_seed_same_run(void **state)
{
	struct gen_model_options options = { .seed = 1 }, other = { .seed = 2 };
	struct follower a, b;

	run_model(&options, &a, 100000);
	run_model(&options, &b, 100000);
	assert_memory_equal(&a, &b, sizeof(a));
	run_model(&other, &b, 100000);
	assert_true(a.hash != b.hash);
}

void test_gen_model__user_only_is_never_interrupted(void **state)
{
	struct gen_model_options options = { .seed = 4, .user_only = true, .cpus = 2 };
	struct follower f;

	run_model(&options, &f, 100000);
	assert_int_equal(f.exceptions, 0);
	assert_int_equal(f.switches, 2);
}
