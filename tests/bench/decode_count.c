/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding alone, through the library: decode_count [-n ROUNDS] [-f] [-j JOBS] CAPTURE. Each round decodes all lanes of ETMv4
 * and ETE and sums up ranges and instructions; cold with a new decoder, warm with the one of the round before, restarted.
 * The rounds of both engines take turns; -f: only the fast one; -j: also with parts at once (analysis/decode.h), and all times
 * are those of the clock on the wall instead of the CPU's, of rounds in which nobody else wanted the CPUs, as far as there are
 * any. Prints the median time of each, and their ratio.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "decode.h"
#include "sl_capture.h"
#include "sl_decoder.h"
#include "sl_demux.h"
#include "sl_file.h"

enum { ROUNDS_MAX = 1000, LANES_MAX = 64, FEED_BYTES = 1 << 20 };

struct lane {
	const struct sl_stream *stream;
	struct sl_bytes bytes;
	struct sl_decoder *decoders[SL_ENGINES + 1]; /* the last one's parts are decoded at once */
	struct decode *parts;
};

static struct lane lanes[LANES_MAX];
static size_t lane_count;
static uint64_t total_bytes;
static struct sl_pool *pool;

struct sums {
	uint64_t ranges, instructions, elements;
};

static double now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void add(struct sums *sums, const struct sl_elem *elems, size_t len)
{
	sums->elements += len;
	for (size_t i = 0; i < len; i++) {
		bool is_range = elems[i].kind == SL_ELEM_RANGE;

		sums->ranges += is_range;
		sums->instructions += is_range ? elems[i].count : 0;
	}
}

struct series {
	const char *name;
	enum sl_engine engine;
	bool warm, at_once;
	unsigned rounds, calm; /* of which calm ones are the first in ms */
	double ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX];
	struct sums sums;
};

static void new_decoders(const struct sl_image *image, struct lane *lane, const struct series *series)
{
	struct sl_decoder_options options = { .image = image, .core = lane->stream->core, .engine = series->engine };
	struct sl_decoder **dec = &lane->decoders[series->at_once ? SL_ENGINES : series->engine];
	struct decode_options parts = { .pool = pool };

	if (series->at_once) {
		decode_free(lane->parts);
		lane->parts = NULL;
	}
	sl_decoder_free(*dec);
	*dec = NULL;
	if (sl_decoder_new(&lane->stream->config, &options, dec, NULL) < 0)
		abort();
	parts.decoder = *dec;
	if (series->at_once && decode_new(&parts, &lane->parts) < 0)
		abort();
}

static void decode_lane(const struct sl_image *image, struct lane *lane, struct series *series)
{
	struct sl_decoder **dec = &lane->decoders[series->at_once ? SL_ENGINES : series->engine];
	size_t most = series->at_once ? FEED_BYTES : 65536, len;
	struct sl_elem *elems;

	if (*dec && series->warm)
		sl_decoder_restart(*dec);
	else
		new_decoders(image, lane, series);
	for (size_t at = 0, n; at < lane->bytes.len; at += n) {
		struct sl_bytes in = { lane->bytes.data + at, n = lane->bytes.len - at < most ? lane->bytes.len - at : most, at };

		if (series->at_once)
			decode_feed(lane->parts, in);
		else
			sl_decoder_feed(*dec, in);
		while ((series->at_once ? decode_lend(lane->parts, &elems, &len) : sl_decoder_lend(*dec, &elems, &len)) == SL_OK)
			add(&series->sums, elems, len);
	}
}

/* How often somebody else was given a CPU that this process was using. */
static long interruptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

/* Calm rounds first. */
static void add_round(struct series *series, double ms, bool calm)
{
	series->ms[series->rounds++] = ms;
	if (!calm)
		return;
	series->ms[series->rounds - 1] = series->ms[series->calm];
	series->ms[series->calm++] = ms;
}

static void run_round(const struct sl_image *image, struct series *series)
{
	long before = interruptions();
	double start = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);

	series->sums = (struct sums){ 0 };
	for (size_t i = 0; i < lane_count; i++)
		decode_lane(image, &lanes[i], series);
	cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	series->cpu_ms[series->rounds] = cpu;
	add_round(series, pool ? now_ms(CLOCK_MONOTONIC) - start : cpu, pool && interruptions() == before);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_lanes(const struct sl_capture *capture)
{
	const struct sl_stream *streams;
	const struct sl_buffer *buffers;
	size_t n = sl_capture_streams(capture, &streams);

	sl_capture_buffers(capture, &buffers);
	for (size_t i = 0; i < n && lane_count < LANES_MAX; i++) {
		struct lane *lane = &lanes[lane_count];
		struct sl_demux *demux;
		struct sl_file file;

		if (!streams[i].usable || (streams[i].config.protocol != SL_PROTOCOL_ETMV4 &&
					   streams[i].config.protocol != SL_PROTOCOL_ETE))
			continue;
		if (sl_file_map(buffers[streams[i].buffer].path, &file, NULL) < 0)
			abort();
		lane->stream = &streams[i];
		lane->bytes = (struct sl_bytes){ file.data, file.len, 0 };
		if (buffers[streams[i].buffer].framing != SL_FRAMING_NONE) {
			if (sl_demux_new(buffers[streams[i].buffer].framing, &demux) < 0 ||
			    sl_demux_split(demux, lane->bytes) < 0)
				abort();
			lane->bytes.data = sl_demux_lane(demux, streams[i].trace_id)->data;
			lane->bytes.len = sl_demux_lane(demux, streams[i].trace_id)->len;
		}
		total_bytes += lane->bytes.len;
		lane_count += lane->bytes.len > 0;
	}
}

static double median(const struct series *series)
{
	return series->ms[(series->calm ? series->calm : series->rounds) / 2];
}

static void print_series(struct series *s, const struct series *base)
{
	unsigned used = s->calm ? s->calm : s->rounds;

	qsort(s->ms, used, sizeof(double), by_value);
	qsort(s->cpu_ms, s->rounds, sizeof(double), by_value);
	printf("%-10s %9.3f ms (%.3f to %.3f, %u of %u rounds) cpu %9.3f ms %7.1f MB/s %6.1fx  %" PRIu64 " ranges %" PRIu64
	       " instructions %" PRIu64 " elements\n",
	       s->name, median(s), s->ms[0], s->ms[used - 1], used, s->rounds, s->cpu_ms[s->rounds / 2],
	       (double)total_bytes / 1e3 / median(s), median(base) / median(s), s->sums.ranges, s->sums.instructions,
	       s->sums.elements);
}

int main(int argc, char **argv)
{
	static struct series series[] = {
		{ .name = "opencsd", .engine = SL_ENGINE_OPENCSD },
		{ .name = "fast cold", .engine = SL_ENGINE_FAST },
		{ .name = "fast warm", .engine = SL_ENGINE_FAST, .warm = true },
		{ .name = "parts cold", .engine = SL_ENGINE_FAST, .at_once = true },
		{ .name = "parts warm", .engine = SL_ENGINE_FAST, .at_once = true, .warm = true },
	};
	struct sl_capture_options options = { .allow_outside = true };
	struct sl_capture *capture;
	struct sl_notes notes = { 0 };
	struct sl_diag diag = { "" };
	struct sl_image *image;
	unsigned rounds = 9, first = 0, last = 3;

	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "-n") == 0)
			rounds = (unsigned)atoi(argv[++i]) % ROUNDS_MAX;
		else if (strcmp(argv[i], "-f") == 0)
			first = 1;
		else if (strcmp(argv[i], "-j") == 0 && sl_pool_new((unsigned)atoi(argv[++i]), &pool) == SL_OK)
			last = sizeof(series) / sizeof(series[0]);
	}
	if (sl_capture_open(argv[argc - 1], &options, &notes, &capture, &diag) < 0 ||
	    sl_capture_load_image(capture, &notes, &image, &diag) < 0) {
		fprintf(stderr, "decode_count: %s\n", diag.text);
		return 2;
	}
	add_lanes(capture);
	for (unsigned r = 0; r < rounds; r++) {
		for (size_t i = first; i < last; i++)
			run_round(image, &series[i]);
	}
	for (size_t i = first; i < last; i++)
		print_series(&series[i], &series[first]);
	for (size_t i = 0; i < lane_count && pool; i++)
		printf("lane %zu: %" PRIu64 " parts at once, %" PRIu64 " of them again\n", i, decode_stats(lanes[i].parts).parts,
		       decode_stats(lanes[i].parts).again);
	return 0;
}
