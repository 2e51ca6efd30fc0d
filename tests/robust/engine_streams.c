/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_streams [--seed N] [--streams N] [--seconds N] [--stub]
 * Lanes of random programs and of random packets, half of them damaged, through both engines. Stops after so many streams, or
 * so many seconds. Each difference is printed once with its seed; "--seed N --streams 1" makes it again. Exit code 0: all are the
 * same; 1: some differ, or the fast engine crashed or hung; 77: it covers none. OpenCSD may crash or hang, which is counted. --stub:
 * with a fast engine that makes a mistake, for the test of this. scripts/fuzz-engines reads what it prints.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "encoder_unit.h"
#include "random_stream.h"
#include "stub_engine.h"

enum { SHOWN = 5, STREAM_SECONDS = 300 /* most take a few ms; then it hangs */ };

struct kind {
	const char *name;
	void (*make)(uint64_t seed, struct random_stream *ret);
	bool damaged;
};
static const struct kind kinds[] = {
	{ "programs", program_stream, false },
	{ "packets", packet_stream, false },
	{ "programs, damaged", program_stream, true },
	{ "packets, damaged", packet_stream, true },
	{ "PTM programs", ptm_stream, false },
	{ "ETMv3 programs", etm3_stream, false },
	{ "PTM programs, damaged", ptm_stream, true },
	{ "ETMv3 programs, damaged", etm3_stream, true },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
/* By seed: two thirds are ETMv4 and ETE, which have more that can go wrong. */
static const uint8_t kind_of[] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3 };

struct counts {
	uint64_t streams, skipped, explained, crashed, elems, ranges, insns, bytes, differ, extra_ranges, purposes[PURPOSES];
};
/* Shared with the child that runs the streams, since OpenCSD may crash. */
struct state {
	struct counts counts[KINDS];
	uint64_t seed, left;
	enum pair_phase phase;
	bool fast_crashed;
};

static unsigned kind_of_seed(uint64_t seed)
{
	return kind_of[seed % sizeof(kind_of)];
}

struct settings {
	bool stub;
	time_t start;
	uint64_t seconds;
};

static void take_result(struct counts *counts, const struct random_stream *stream, const struct pair_result *result, uint64_t seed)
{
	if (result->verdict == PAIR_NOT_COVERED || result->verdict == PAIR_REFUSED) {
		counts->skipped++;
		return;
	}
	counts->streams++;
	counts->bytes += stream->len;
	counts->elems += result->elems;
	counts->ranges += result->ranges;
	counts->insns += result->insns;
	counts->explained += result->purposes.times[PURPOSE_EMPTY_RETURN_STACK];
	counts->extra_ranges += result->range_too_many;
	for (unsigned i = 0; i < PURPOSES; i++)
		counts->purposes[i] += result->purposes.times[i];
	if (result->verdict != PAIR_DIFFERS)
		return;
	if (counts->differ++ < SHOWN)
		printf("seed %" PRIu64 ": %s differs: %s", seed, stream->what, result->text);
	fflush(stdout);
}

static void run_seed(struct state *state, bool stub)
{
	uint64_t seed = state->seed, random = seed * 2 + 1;
	const struct kind *kind = &kinds[kind_of_seed(seed)];
	struct engine_pair pair = { .stub = stub, .phase = &state->phase };
	struct random_stream stream;
	struct pair_result result;

	kind->make(seed, &stream);
	if (kind->damaged)
		stream_damage(&stream, seed);
	pair.config = stream.config;
	pair.image = stream.image;
	pair.lane = (struct sl_bytes){ stream.data, stream.len, 0 };
	pair.piece = gen_random(&random, 2) ? 0 : 1 + gen_random(&random, 700);
	pair.restart_at = gen_random(&random, 8) ? 0 : gen_random(&random, (uint32_t)stream.len + 1);
	engine_pair_run(&pair, &result);
	take_result(&state->counts[kind_of_seed(seed)], &stream, &result, seed);
	stream_release(&stream);
}

static bool goes_on(const struct state *state, const struct settings *settings)
{
	return state->left && !state->fast_crashed && (uint64_t)(time(NULL) - settings->start) < settings->seconds;
}

/* Until all is done, or one stream is the end of it. */
static void run_child(struct state *state, const struct settings *settings)
{
	while (goes_on(state, settings)) {
		alarm(STREAM_SECONDS);
		run_seed(state, settings->stub);
		state->seed++;
		state->left--;
	}
	_exit(0);
}

static void run_all(struct state *state, const struct settings *settings)
{
	while (goes_on(state, settings)) {
		int status = 0;
		pid_t child = fork();

		if (child == 0)
			run_child(state, settings);
		if (child < 0 || waitpid(child, &status, 0) != child)
			abort();
		if (status == 0)
			continue;
		state->fast_crashed = state->phase != PAIR_OPENCSD;
		printf("seed %" PRIu64 ": %s %s\n", state->seed, state->fast_crashed ? "the fast engine" : "OpenCSD",
		       WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung" : "crashed");
		fflush(stdout);
		state->counts[kind_of_seed(state->seed)].crashed++;
		state->seed++;
		state->left--;
	}
}

/* One line a kind, as docs/engine-fuzzing.md has them. */
static void print_results(const struct state *state, struct counts *total)
{
	printf("| lanes | streams | not covered | OpenCSD crashed | bytes | elements | ranges | instructions | explained | differ "
	       "| with a range too many |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < KINDS; i++) {
		const struct counts *c = &state->counts[i];

		printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
		       " | %" PRIu64 " | %" PRIu64 " |\n", kinds[i].name, c->streams, c->skipped, c->crashed, c->bytes, c->elems,
		       c->ranges, c->insns, c->explained, c->differ, c->extra_ranges);
		total->streams += c->streams;
		total->differ += c->differ;
	}
}

/* Over all kinds. */
static void print_purposes(const struct state *state)
{
	for (unsigned p = 0; p < PURPOSES; p++) {
		uint64_t times = 0;

		for (unsigned i = 0; i < KINDS; i++)
			times += state->counts[i].purposes[p];
		printf("differs on purpose: %s %" PRIu64 " times\n", purpose_name((enum purpose)p), times);
	}
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*end || end == text) {
		fprintf(stderr, "engine_streams: %s is no number\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct settings settings = { .start = time(NULL), .seconds = UINT64_MAX };
	struct state *state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct counts total = { 0 };

	if (state == MAP_FAILED)
		return 2;
	state->seed = 1;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--stub") == 0)
			settings.stub = true;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			state->seed = number(argv[++i]);
		else if (strcmp(argv[i], "--streams") == 0 && i + 1 < argc)
			state->left = number(argv[++i]);
		else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
			settings.seconds = number(argv[++i]);
		else
			return fprintf(stderr, "engine_streams: what is %s?\n", argv[i]), 2;
	}
	if (!state->left)
		state->left = settings.seconds == UINT64_MAX ? 1000 : UINT64_MAX;
	stub_plan = (struct stub_plan){ settings.stub ? STUB_CHANGES : STUB_NONE, 50 };
	run_all(state, &settings);
	print_results(state, &total);
	print_purposes(state);
	printf("next seed %" PRIu64 "\n", state->seed);
	if (total.differ || state->fast_crashed)
		return 1;
	return total.streams ? 0 : 77;
}
