/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sinks cost behind the decoder: sink_cost CAPTURE [ROUNDS [SINK]]. Decodes once and keeps the elements, then gives them
 * to each sink alone and to those of report, in turns, in batches that lie in the cache as a decoder leaves them. Prints
 * CPU time per range, less that of making the batches: the median and the least of all rounds. No part of the product.
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
	struct sl_profile *profile;
	struct sl_sink sink;
	double cost;

	check(sl_profile_new(bench->image, NULL, &profile));
	sl_profile_sink(profile, &sink);
	cost = play(bench, &sink, 1);
	sl_profile_free(profile);
	return cost;
}

static double report_round(struct bench *bench)
{
	struct sl_profile *profile;
	struct tally tally = { 0 };
	struct sl_sink sinks[2];
	double cost;

	check(sl_profile_new(bench->image, NULL, &profile));
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
	{ "report", report_round },	     { "stats", stats_round },
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
