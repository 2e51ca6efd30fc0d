/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sinks cost behind the decoder: sink_cost CAPTURE [ROUNDS [SINK]]. Decodes once and keeps the elements, then gives them
 * to each sink alone and to those of report, in turns, in batches that lie in the cache as a decoder leaves them. Prints
 * CPU time per range, less that of making the batches: the median and the least of all rounds. "call" is per call, and what the
 * profile does with it alone. No part of the product.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sl_array.h"
#include "sl_sinks.h"
#include "tally.h"

enum { BATCH = 1024, ROUNDS_MAX = 1000, SINKS_MAX = 2 };

/* A lane's elements. */
struct tape {
	struct sl_lane lane;
	struct sl_elem *elems;
	size_t len, cap;
};

struct bench {
	struct sl_capture *capture;
	struct sl_image *image;
	struct sl_notes notes;
	struct tape tapes[SL_TRACE_IDS];
	size_t tape_count;
	uint64_t elems, ranges;
};

static void die(const char *what)
{
	fprintf(stderr, "sink_cost: %s\n", what);
	exit(2);
}

static void check(int result)
{
	if (result < 0)
		die(sl_strerror(result));
}

static int keep_begin(void *self, const struct sl_lane *lane, void **shard)
{
	struct bench *bench = self;

	if (bench->tape_count == SL_TRACE_IDS)
		return SL_ERR_LIMIT;
	bench->tapes[bench->tape_count].lane = *lane;
	*shard = &bench->tapes[bench->tape_count++];
	return SL_OK;
}

static int keep_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct tape *tape = shard;

	if (sl_array_reserve((void **)&tape->elems, &tape->cap, sizeof(*elems), tape->len + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(tape->elems + tape->len, elems, len * sizeof(*elems));
	tape->len += len;
	return SL_OK;
}

static int keep_end(void *self, void *shard, const struct sl_lane *lane)
{
	struct bench *bench = self;
	struct tape *tape = shard;

	tape->lane.bytes = lane->bytes;
	bench->elems += tape->len;
	for (size_t i = 0; i < tape->len; i++)
		bench->ranges += tape->elems[i].kind == SL_ELEM_RANGE;
	return SL_OK;
}

static void keep_drop(void *shard)
{
	(void)shard;
}

static void record(struct bench *bench, const char *path)
{
	static const struct sl_sink_ops ops = { .name = "keep", .wants_ranges = true, .begin = keep_begin, .elems = keep_elems, .end = keep_end,
						.drop = keep_drop };
	const struct sl_sink sink = { &ops, bench };
	const struct sl_capture_options how = { 0 };
	struct sl_run_options options = { .sinks = &sink, .sink_count = 1, .trace_id = -1, .jobs = 1 };
	struct sl_run_result result;
	struct sl_diag diag = { "" };

	if (sl_capture_open(path, &how, &bench->notes, &bench->capture, &diag) < 0 ||
	    sl_capture_load_image(bench->capture, &bench->notes, &bench->image, &diag) < 0)
		die(diag.text);
	options.capture = bench->capture;
	options.image = bench->image;
	if (sl_run(&options, &bench->notes, &result, &diag) < 0)
		die(diag.text);
	sl_run_result_release(&result);
	if (!bench->ranges)
		die("the capture has no ranges");
}

/* The copy stands for the decoder, which writes each batch anew. */
static void play_tape(struct tape *tape, const struct sl_sink *sinks, size_t count)
{
	static struct sl_elem batch[BATCH];
	static uint64_t positions[BATCH];
	void *shards[SINKS_MAX];

	tape->lane.positions = positions;
	for (size_t s = 0; s < count; s++)
		check(sinks[s].ops->begin(sinks[s].self, &tape->lane, &shards[s]));
	for (size_t i = 0; i < tape->len; i += BATCH) {
		size_t len = tape->len - i < BATCH ? tape->len - i : BATCH;

		memcpy(batch, tape->elems + i, len * sizeof(*batch));
		for (size_t s = 0; s < count; s++)
			check(sinks[s].ops->turn ? sinks[s].ops->turn(shards[s], batch, len, false) :
						   sinks[s].ops->elems(shards[s], batch, len));
	}
	for (size_t s = 0; s < count; s++)
		check(sinks[s].ops->end(sinks[s].self, shards[s], &tape->lane));
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double play(struct bench *bench, const struct sl_sink *sinks, size_t count)
{
	uint64_t start = cpu_ns();

	for (size_t i = 0; i < bench->tape_count; i++)
		play_tape(&bench->tapes[i], sinks, count);
	return (double)(cpu_ns() - start) / (double)bench->ranges;
}

static double copy_round(struct bench *bench)
{
	return play(bench, NULL, 0);
}

static double tally_round(struct bench *bench)
{
	struct tally tally = { 0 };
	struct sl_sink sink;

	tally_sink(&tally, &sink);
	return play(bench, &sink, 1);
}

static double profile_round(struct bench *bench)
{
	const struct sl_profile_options options = { .image = bench->image, .capture = bench->capture };
	struct sl_profile *profile;
	struct sl_sink sink;
	double cost;

	check(sl_profile_new(&options, &profile, NULL));
	sl_profile_sink(profile, &sink);
	cost = play(bench, &sink, 1);
	sl_profile_free(profile);
	return cost;
}

/* Calls as a sink is told of them, kept with what they point to. */
struct told {
	struct sl_call call;
	struct sl_axes enter, leave, total, self;
};
struct calls {
	struct told *items;
	size_t len, cap;
	const struct sl_lane *lane;
};

static struct sl_axes copy(const struct sl_axes *axes)
{
	return axes ? *axes : (struct sl_axes){ { 0 } };
}

static void keep_call(void *ctx, const struct sl_call *call)
{
	struct calls *calls = ctx;
	struct told told = { *call, copy(call->enter), copy(call->leave), copy(call->total), copy(call->self) };

	told.call.lane = calls->lane;
	check(SL_ARRAY_PUSH(&calls->items, &calls->len, &calls->cap, told));
}

/* Of the first tape: what the sink gets from it. */
static const struct calls *record_calls(const struct bench *bench)
{
	static struct calls calls;
	const struct sl_callstack_options options = { .image = bench->image, .core = bench->tapes[0].lane.stream->core,
						      .call = keep_call, .ctx = &calls,
						      .untold = ~(1u << SL_CALL_ENTER | 1u << SL_CALL_LEAVE) };
	struct sl_callstack *cs;

	if (calls.len)
		return &calls;
	calls.lane = &bench->tapes[0].lane;
	check(sl_callstack_new(&options, &cs));
	check(sl_callstack_feed(cs, bench->tapes[0].elems, bench->tapes[0].len));
	check(sl_callstack_finish(cs));
	sl_callstack_free(cs);
	for (size_t i = 0; i < calls.len; i++) {
		struct told *told = &calls.items[i];

		told->call.enter = &told->enter;
		told->call.leave = &told->leave;
		told->call.total = &told->total;
		told->call.self = &told->self;
	}
	return &calls;
}

/* A sink that only reads what it is told. */
static void read_call(void *self, const struct sl_call *call)
{
	uint64_t *sum = self;

	*sum += call->depth + call->enter->v[0] + call->symbol + call->offset + call->flags;
	if (call->kind == SL_CALL_LEAVE)
		*sum += call->self->v[0] + call->total->v[0] + call->leave->v[0];
}

static uint64_t play_calls(const struct calls *calls, size_t from, size_t to, const struct sl_call_sink *sink)
{
	uint64_t start = cpu_ns();

	for (size_t i = from; i < to; i++)
		sink->ops->call(sink->self, &calls->items[i].call);
	return cpu_ns() - start;
}

/* What profile does with a call, its entry and its exit, alone: more than to read it, which lies in the cache as the stage's does. */
static double call_round(struct bench *bench)
{
	const struct sl_profile_options options = { .image = bench->image, .capture = bench->capture };
	const struct calls *calls = record_calls(bench);
	static const struct sl_call_sink_ops read_ops = { .name = "read", .call = read_call };
	static uint64_t sum;
	const struct sl_call_sink reader = { &read_ops, &sum };
	struct sl_call_sink sink;
	struct sl_profile *profile;
	uint64_t time = 0, reading = 0;

	check(sl_profile_new(&options, &profile, NULL));
	sl_profile_call_sink(profile, &sink);
	check(sink.ops->begin(sink.self, calls->lane));
	for (size_t i = 0; i < calls->len; i += BATCH) {
		size_t end = i + BATCH < calls->len ? i + BATCH : calls->len;

		play_calls(calls, i, end, &reader);
		reading += play_calls(calls, i, end, &reader);
		time += play_calls(calls, i, end, &sink);
	}
	sl_profile_free(profile);
	return ((double)time - (double)reading) / ((double)calls->len / 2);
}

static double report_round(struct bench *bench)
{
	const struct sl_profile_options options = { .image = bench->image, .capture = bench->capture, .brief = true };
	struct sl_profile *profile;
	struct tally tally = { 0 };
	struct sl_sink sinks[2];
	double cost;

	check(sl_profile_new(&options, &profile, NULL));
	sl_profile_sink(profile, &sinks[0]);
	tally_sink(&tally, &sinks[1]);
	cost = play(bench, sinks, 2);
	sl_profile_free(profile);
	return cost;
}

static double stats_round(struct bench *bench)
{
	struct sl_stats *stats;
	struct sl_sink sink;
	double cost;

	check(sl_stats_new(bench->image, &stats));
	sl_stats_sink(stats, &sink);
	cost = play(bench, &sink, 1);
	sl_stats_free(stats);
	return cost;
}

static const struct {
	const char *name;
	double (*round)(struct bench *bench);
} rows[] = {
	{ "(batches)", copy_round },	   { "tally", tally_round }, { "profile", profile_round },
	{ "report", report_round },	     { "stats", stats_round },	   { "call", call_round },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void print(const struct bench *bench, double (*costs)[ROUNDS_MAX], size_t rounds)
{
	double copy = 0, least_copy = 0;

	printf("%" PRIu64 " elements, %" PRIu64 " ranges\n%-14s %10s %10s\n", bench->elems, bench->ranges, "sinks",
	       "ns/range", "least");
	for (size_t row = 0; row < ROWS; row++) {
		if (costs[row][0] <= 0)
			continue;
		qsort(costs[row], rounds, sizeof(costs[row][0]), by_value);
		if (rows[row].round == call_round)
			copy = least_copy = 0;
		printf("%-14s %10.2f %10.2f\n", rows[row].name, costs[row][rounds / 2] - copy, costs[row][0] - least_copy);
		if (!row) {
			copy = costs[0][rounds / 2];
			least_copy = costs[0][0];
		}
	}
}

int main(int argc, char **argv)
{
	static double costs[ROWS][ROUNDS_MAX];
	static struct bench bench;
	size_t rounds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 15;

	if (argc < 2 || argc > 4 || !rounds || rounds > ROUNDS_MAX)
		die("usage: sink_cost CAPTURE [ROUNDS [SINK]]");
	record(&bench, argv[1]);
	for (size_t round = 0; round < rounds; round++) {
		for (size_t row = 0; row < ROWS; row++) {
			if (!row || argc < 4 || strcmp(rows[row].name, argv[3]) == 0)
				costs[row][round] = rows[row].round(&bench);
		}
	}
	print(&bench, costs, rounds);
	for (size_t i = 0; i < bench.tape_count; i++)
		free(bench.tapes[i].elems);
	sl_image_free(bench.image);
	sl_capture_free(bench.capture);
	sl_notes_release(&bench.notes);
	return 0;
}
