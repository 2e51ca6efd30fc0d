/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both engines over the PTM and ETMv3 lanes of captures: v7_diff [--mutants N] [--seed S] [--time ROUNDS]
 * CAPTURE... Exit code 1 where elements or packets differ. Mutants are lanes with bytes changed, dropped and
 * doubled.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "v7_diff.h"
#include "sl_capture.h"

static unsigned mutants, rounds;
static bool scramble;
static uint64_t seed = 1;

static struct v7_bytes read_lane(const struct sl_capture *cap, const struct sl_stream *stream)
{
	const struct sl_buffer *buffers;
	struct v7_bytes lane = { 0 };
	struct sl_demux *demux = NULL;
	static uint8_t block[1 << 16];
	uint64_t at = 0;
	ptrdiff_t n;

	sl_capture_buffers(cap, &buffers);
	if (buffers[stream->buffer].framing != SL_FRAMING_NONE &&
	    sl_demux_new(buffers[stream->buffer].framing, &demux) < 0)
		abort();
	while ((n = sl_capture_read(cap, stream->buffer, at, block, sizeof(block))) > 0) {
		struct sl_bytes in = { block, (size_t)n, at };

		if (!demux) {
			v7_append(&lane, block, (size_t)n);
		} else {
			const struct sl_lane_bytes *bytes;

			sl_demux_split(demux, in);
			bytes = sl_demux_lane(demux, stream->trace_id);
			v7_append(&lane, bytes->data, bytes->len);
		}
		at += (uint64_t)n;
	}
	sl_demux_free(demux);
	return lane;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static void take_time(struct v7_diff *d)
{
	double times[2][64];
	struct v7_bytes lane = { 0 };

	while (lane.len < 1 << 20)
		v7_append(&lane, d->lane.data, d->lane.len);
	d->lane = (struct sl_bytes){ lane.data, lane.len, 0 };
	for (unsigned i = 0; i < rounds && i < 64; i++) {
		uint64_t sums[2];

		for (unsigned e = 0; e < 2; e++) {
			double start = now();

			sums[e] = v7_sum(d, e ? SL_ENGINE_FAST : SL_ENGINE_OPENCSD);
			times[e][i] = now() - start;
		}
		if (sums[0] != sums[1])
			printf("  sums differ: %" PRIx64 " %" PRIx64 "\n", sums[0], sums[1]);
	}
	for (unsigned e = 0; e < 2; e++)
		qsort(times[e], rounds, sizeof(double), compare_doubles);
	printf("  %zu bytes: OpenCSD %.2f ms, fast %.2f ms: %.1f x\n", lane.len, times[0][rounds / 2],
	       times[1][rounds / 2], times[0][rounds / 2] / times[1][rounds / 2]);
	free(lane.data);
}

static void print_bytes(const struct v7_diff *d)
{
	size_t from = d->differ_at > 24 ? d->differ_at - 24 : 0;

	printf("   ");
	for (size_t i = from; i < from + 48 && i < d->lane.len; i++)
		printf("%s%02x", i == d->differ_at ? " >" : " ", d->lane.data[i]);
	printf("\n");
}

static bool diff_mutants(struct v7_diff *d, const struct v7_bytes *lane, unsigned *ret_differ)
{
	const struct sl_trace_config *stream_config = d->config;
	struct sl_trace_config config;
	char text[512];

	d->config = &config;
	for (unsigned i = 0; i < mutants; i++) {
		uint64_t state = seed + i;
		struct v7_bytes mutant = { 0 };

		v7_append(&mutant, lane->data, lane->len);
		config = *stream_config;
		if (scramble)
			v7_scramble(&config, &state);
		v7_mutate(&mutant, &state);
		d->lane = (struct sl_bytes){ mutant.data, mutant.len, 0 };
		d->piece = 1 + v7_random(&state) % 700;
		d->restart_at = v7_random(&state) % 3 ? 0 : v7_random(&state) % mutant.len;
		if (!v7_diff(d, text, sizeof(text))) {
			if ((*ret_differ)++ < 3)
				print_bytes(d), printf("  mutant %" PRIu64 " (piece %zu, restart %zu): %s\n",
						       seed + i, d->piece, d->restart_at, text);
		}
		free(mutant.data);
	}
	d->config = stream_config;
	return !*ret_differ;
}

static bool diff_stream(const char *path, const struct sl_capture *cap, const struct sl_image *image,
			const struct sl_stream *stream)
{
	struct sl_decoder_options options = { .image = image, .core = stream->core };
	struct v7_diff d = { .config = &stream->config, .options = &options, .packets = true };
	struct v7_bytes lane = read_lane(cap, stream);
	char text[512] = "same";
	unsigned differ = 0;
	bool same;

	d.lane = (struct sl_bytes){ lane.data, lane.len, 0 };
	same = v7_diff(&d, text, sizeof(text));
	printf("%s %02x: %zu bytes, %" PRIu64 " elements, %" PRIu64 " ranges, %" PRIu64
	       " instructions, %" PRIu64 " gaps: %s\n",
	       path, stream->trace_id, lane.len, d.elems, d.ranges, d.instructions, d.gaps, text);
	if (!same)
		print_bytes(&d);
	if (mutants && lane.len > 64) {
		d.elems = d.ranges = d.gaps = d.instructions = 0;
		same &= diff_mutants(&d, &lane, &differ);
		printf("  %u mutants, %" PRIu64 " elements, %" PRIu64 " ranges, %" PRIu64
		       " gaps: %u differ\n",
		       mutants, d.elems, d.ranges, d.gaps, differ);
	}
	d.piece = d.restart_at = 0;
	d.packets = false;
	d.lane = (struct sl_bytes){ lane.data, lane.len, 0 };
	if (rounds && lane.len)
		take_time(&d);
	free(lane.data);
	return same;
}

static bool diff_capture(const char *path)
{
	struct sl_capture_options options = { .allow_outside = true };
	const struct sl_stream *streams;
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *cap;
	struct sl_image *image;
	struct sl_diag diag = { "" };
	bool same = true;
	size_t n;

	if (sl_capture_open(path, &options, &notes, &cap, &diag) < 0 ||
	    sl_capture_load_image(cap, &notes, &image, &diag) < 0) {
		printf("%s: %s\n", path, diag.text);
		return false;
	}
	n = sl_capture_streams(cap, &streams);
	for (size_t i = 0; i < n; i++) {
		if (streams[i].usable && (streams[i].config.protocol == SL_PROTOCOL_PTM ||
					  streams[i].config.protocol == SL_PROTOCOL_ETMV3))
			same &= diff_stream(path, cap, image, &streams[i]);
	}
	sl_image_free(image);
	sl_capture_free(cap);
	sl_notes_release(&notes);
	return same;
}

int main(int argc, char **argv)
{
	bool same = true;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--mutants") == 0 && i + 1 < argc)
			mutants = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = (uint64_t)atoll(argv[++i]);
		else if (strcmp(argv[i], "--scramble") == 0)
			scramble = true;
		else if (strcmp(argv[i], "--time") == 0 && i + 1 < argc)
			rounds = (unsigned)atoi(argv[++i]);
		else
			same &= diff_capture(argv[i]);
	}
	return !same;
}
