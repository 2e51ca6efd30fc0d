/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes of ETMv4 and ETE in parts at once, beside one decoder: parts_diff [--streams COUNT] [-m COUNT] [-s SEED] [CAPTURE...]
 * Each lane of each capture, with several jobs and sizes of parts; -m: and COUNT damaged pieces of it; --streams: COUNT random
 * lanes of each kind, whole and damaged. Exit code 1 where elements differ; what differs is named.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder_unit.h"
#include "parts_trial.h"
#include "random_stream.h"
#include "sl_capture.h"
#include "sl_demux.h"
#include "sl_file.h"

enum { PIECE_MAX = 1 << 16 };

static struct sl_pool *two, *seven;
static uint64_t seed = 1;
static struct {
	uint64_t lanes, elems, parts, again, differ;
} totals;

static void try_lane(const struct parts_trial *trial, const char *what)
{
	struct parts_result result;

	parts_trial_run(trial, &result);
	if (result.refused)
		return;
	totals.lanes++;
	totals.elems += result.elems;
	totals.parts += result.stats.parts;
	totals.again += result.stats.again;
	if (result.same)
		return;
	totals.differ++;
	printf("%s: parts of %zu, pieces of %zu, restart at %zu: %s\n", what, trial->part_bytes, trial->piece, trial->restart_at,
	       result.text);
}

static void try_whole(struct parts_trial trial, const char *what)
{
	trial.pool = two;
	try_lane(&trial, what);
	trial.pool = seven;
	trial.part_bytes = 1;
	try_lane(&trial, what);
	trial.part_bytes = 3000;
	trial.piece = 40001;
	try_lane(&trial, what);
}

static void try_somehow(struct parts_trial trial, uint64_t *random, const char *what)
{
	trial.pool = gen_random(random, 2) ? two : seven;
	trial.part_bytes = gen_random(random, 2) ? 1 : 1 + gen_random(random, 3000);
	trial.piece = gen_random(random, 3) ? 0 : 1 + gen_random(random, 5000);
	trial.restart_at = gen_random(random, 4) ? 0 : gen_random(random, (uint32_t)trial.lane.len + 1);
	try_lane(&trial, what);
}

/* A piece of the lane, damaged. */
static void try_mutant(struct parts_trial trial, const char *name, uint64_t mutant_seed)
{
	uint64_t random = mutant_seed * 2 + 1;
	size_t at = gen_random(&random, (uint32_t)trial.lane.len), len = trial.lane.len - at;
	struct random_stream stream = { .len = len < PIECE_MAX ? len : PIECE_MAX };

	stream.data = malloc(stream.len + 1);
	if (!stream.data)
		abort();
	memcpy(stream.data, trial.lane.data + at, stream.len);
	snprintf(stream.what, sizeof(stream.what), "%.80s, seed %" PRIu64, name, mutant_seed);
	for (unsigned n = gen_random(&random, 4); n; n--)
		stream_damage(&stream, random += 7);
	trial.lane = (struct sl_bytes){ stream.data, stream.len, 0 };
	try_somehow(trial, &random, stream.what);
	free(stream.data);
}

static void try_stream(const struct sl_capture *capture, const struct sl_stream *stream, const struct sl_image *image,
		       const char *path, unsigned mutants)
{
	struct parts_trial trial = { .config = stream->config, .image = image, .core = stream->core };
	const struct sl_buffer *buffers;
	struct sl_demux *demux = NULL;
	struct sl_file file;

	sl_capture_buffers(capture, &buffers);
	if (sl_file_map(buffers[stream->buffer].path, &file, NULL) < 0)
		return;
	trial.lane = (struct sl_bytes){ file.data, file.len, 0 };
	if (buffers[stream->buffer].framing != SL_FRAMING_NONE) {
		if (sl_demux_new(buffers[stream->buffer].framing, &demux) < 0 || sl_demux_split(demux, trial.lane) < 0)
			abort();
		trial.lane.data = sl_demux_lane(demux, stream->trace_id)->data;
		trial.lane.len = sl_demux_lane(demux, stream->trace_id)->len;
	}
	if (trial.lane.len)
		try_whole(trial, path);
	for (unsigned i = 0; i < mutants && trial.lane.len > 64; i++)
		try_mutant(trial, path, seed + i);
	sl_demux_free(demux);
	sl_file_unmap(&file);
}

static void try_capture(const char *path, unsigned mutants)
{
	struct sl_capture_options options = { .allow_outside = true };
	const struct sl_stream *streams;
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_diag diag = { "" };
	struct sl_capture *capture;
	struct sl_image *image;

	if (sl_capture_open(path, &options, &notes, &capture, &diag) < 0 ||
	    sl_capture_load_image(capture, &notes, &image, &diag) < 0) {
		printf("%s: %s\n", path, diag.text);
		totals.differ++;
		return;
	}
	for (size_t i = 0, n = sl_capture_streams(capture, &streams); i < n; i++) {
		if (streams[i].usable && (streams[i].config.protocol == SL_PROTOCOL_ETMV4 ||
					  streams[i].config.protocol == SL_PROTOCOL_ETE))
			try_stream(capture, &streams[i], image, path, mutants);
	}
	sl_image_free(image);
	sl_capture_free(capture);
	sl_notes_release(&notes);
}

static void try_random(void (*make)(uint64_t seed, struct random_stream *ret), uint64_t stream_seed)
{
	uint64_t random = stream_seed * 2 + 1;
	struct random_stream stream;
	struct parts_trial trial;

	make(stream_seed, &stream);
	for (unsigned damaged = 0; damaged < 2; damaged++) {
		if (damaged)
			stream_damage(&stream, stream_seed);
		snprintf(stream.what + strlen(stream.what), sizeof(stream.what) - strlen(stream.what), ", seed %" PRIu64, stream_seed);
		trial = (struct parts_trial){ .config = stream.config, .image = stream.image,
					      .lane = { stream.data, stream.len, 0 } };
		try_somehow(trial, &random, stream.what);
	}
	stream_release(&stream);
}

int main(int argc, char **argv)
{
	unsigned mutants = 0, streams = 0;

	if (sl_pool_new(2, &two) < 0 || sl_pool_new(7, &seven) < 0)
		abort();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-m") == 0 && i + 1 < argc)
			mutants = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 0);
		else if (strcmp(argv[i], "--streams") == 0 && i + 1 < argc)
			streams = (unsigned)atoi(argv[++i]);
		else
			try_capture(argv[i], mutants);
	}
	for (unsigned i = 0; i < streams; i++) {
		try_random(program_stream, seed + i);
		try_random(packet_stream, seed + i);
	}
	printf("%" PRIu64 " lanes, %" PRIu64 " elements, %" PRIu64 " parts at once, %" PRIu64 " of them again; %" PRIu64 " differ\n",
	       totals.lanes, totals.elems, totals.parts, totals.again, totals.differ);
	sl_pool_free(two);
	sl_pool_free(seven);
	return totals.differ ? 1 : 0;
}
