/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding alone, through the library: decode_count [-n ROUNDS] [-f] CAPTURE. Each round decodes all lanes of ETMv4
 * and ETE and sums up ranges and instructions; cold with a new decoder, warm with the one of the round before, restarted.
 * The rounds of both engines take turns; -f: only the fast one. Prints the median time of each, and their ratio.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sl_capture.h"
#include "sl_decoder.h"
#include "sl_demux.h"
#include "sl_file.h"

enum { ROUNDS_MAX = 1000, LANES_MAX = 64 };

struct lane {
	const struct sl_stream *stream;
	struct sl_bytes bytes;
	struct sl_decoder *decoders[SL_ENGINES];
};

static struct lane lanes[LANES_MAX];
static size_t lane_count;
static uint64_t total_bytes;

struct sums {
	uint64_t ranges, instructions, elements;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void drain(struct sl_decoder *dec, struct sums *sums)
{
	struct sl_elem *elems;
	size_t n;

	while (sl_decoder_lend(dec, &elems, &n) == SL_OK) {
		sums->elements += n;
		for (size_t i = 0; i < n; i++) {
			bool is_range = elems[i].kind == SL_ELEM_RANGE;

			sums->ranges += is_range;
			sums->instructions += is_range ? elems[i].count : 0;
		}
	}
}

static void decode_lane(const struct sl_image *image, struct lane *lane, enum sl_engine engine, bool warm,
			struct sums *sums)
{
	struct sl_decoder_options options = { .image = image, .core = lane->stream->core, .engine = engine };
	struct sl_decoder **dec = &lane->decoders[engine];

	if (*dec && warm) {
		sl_decoder_restart(*dec);
	} else {
		sl_decoder_free(*dec);
		*dec = NULL;
		if (sl_decoder_new(&lane->stream->config, &options, dec, NULL) < 0)
			abort();
	}
	for (size_t at = 0, n; at < lane->bytes.len; at += n) {
		n = lane->bytes.len - at < 65536 ? lane->bytes.len - at : 65536;
		sl_decoder_feed(*dec, (struct sl_bytes){ lane->bytes.data + at, n, at });
		drain(*dec, sums);
	}
}

static double round_ms(const struct sl_image *image, enum sl_engine engine, bool warm, struct sums *sums)
{
	double start = now_ms();

	*sums = (struct sums){ 0 };
	for (size_t i = 0; i < lane_count; i++)
		decode_lane(image, &lanes[i], engine, warm, sums);
	return now_ms() - start;
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

struct series {
	const char *name;
	enum sl_engine engine;
	bool warm;
	unsigned rounds;
	double ms[ROUNDS_MAX];
	struct sums sums;
};

int main(int argc, char **argv)
{
	static struct series series[] = {
		{ .name = "opencsd", .engine = SL_ENGINE_OPENCSD },
		{ .name = "fast cold", .engine = SL_ENGINE_FAST },
		{ .name = "fast warm", .engine = SL_ENGINE_FAST, .warm = true },
	};
	struct sl_capture_options options = { .allow_outside = true };
	struct sl_capture *capture;
	struct sl_notes notes = { 0 };
	struct sl_diag diag = { "" };
	struct sl_image *image;
	unsigned rounds = 9, first = 0;

	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "-n") == 0)
			rounds = (unsigned)atoi(argv[++i]) % ROUNDS_MAX;
		else if (strcmp(argv[i], "-f") == 0)
			first = 1;
	}
	if (sl_capture_open(argv[argc - 1], &options, &notes, &capture, &diag) < 0 ||
	    sl_capture_load_image(capture, &notes, &image, &diag) < 0) {
		fprintf(stderr, "decode_count: %s\n", diag.text);
		return 2;
	}
	add_lanes(capture);
	for (unsigned r = 0; r < rounds; r++) {
		for (size_t i = first; i < sizeof(series) / sizeof(series[0]); i++)
			series[i].ms[r] = round_ms(image, series[i].engine, series[i].warm, &series[i].sums);
	}
	for (size_t i = first; i < sizeof(series) / sizeof(series[0]); i++) {
		qsort(series[i].ms, rounds, sizeof(double), by_value);
		printf("%-10s %9.3f ms (%.3f to %.3f) %7.1f MB/s %6.1fx  %" PRIu64 " ranges %" PRIu64 " instructions %" PRIu64
		       " elements\n",
		       series[i].name, series[i].ms[rounds / 2], series[i].ms[0], series[i].ms[rounds - 1],
		       (double)total_bytes / 1e3 / series[i].ms[rounds / 2], series[first].ms[rounds / 2] / series[i].ms[rounds / 2],
		       series[i].sums.ranges, series[i].sums.instructions, series[i].sums.elements);
	}
	return 0;
}
