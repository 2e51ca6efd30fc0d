/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding alone, as the commands do it: decode_run [-j JOBS] [-e ENGINE] CAPTURE. All lanes go to a sink that counts. No part of
 * the product.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sl_run.h"

struct counts {
	uint64_t elements, ranges, instructions;
};

static void die(const char *what)
{
	fprintf(stderr, "decode_run: %s\n", what);
	exit(2);
}

static int count_begin(void *self, const struct sl_lane *lane, void **shard)
{
	(void)self, (void)lane;
	*shard = calloc(1, sizeof(struct counts));
	return *shard ? SL_OK : SL_ERR_NOMEM;
}

static int count_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct counts *counts = shard;

	counts->elements += len;
	for (size_t i = 0; i < len; i++) {
		bool is_range = elems[i].kind == SL_ELEM_RANGE;

		counts->ranges += is_range;
		counts->instructions += is_range ? elems[i].count : 0;
	}
	return SL_OK;
}

static int count_end(void *self, void *shard, const struct sl_lane *lane)
{
	struct counts *total = self, *counts = shard;

	(void)lane;
	total->elements += counts->elements;
	total->ranges += counts->ranges;
	total->instructions += counts->instructions;
	free(shard);
	return SL_OK;
}

static void run(const char *path, struct sl_run_options *options, struct counts *counts)
{
	static const struct sl_sink_ops ops = { .name = "count", .begin = count_begin, .elems = count_elems, .end = count_end,
						.drop = free };
	const struct sl_sink sink = { &ops, counts };
	struct sl_capture_options capture_options = { .allow_outside = true };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;
	struct sl_capture *cap;
	struct sl_image *image = NULL;
	struct sl_diag diag;

	if (sl_capture_open(path, &capture_options, &notes, &cap, &diag) < 0 ||
	    sl_capture_load_image(cap, &notes, &image, &diag) < 0)
		die(diag.text);
	options->capture = cap;
	options->image = image;
	options->sinks = &sink;
	options->sink_count = 1;
	options->trace_id = -1;
	if (sl_run(options, &notes, &result, &diag) < 0)
		die(diag.text);
	sl_run_result_release(&result);
	sl_image_free(image);
	sl_capture_free(cap);
	sl_notes_release(&notes);
}

int main(int argc, char **argv)
{
	struct sl_run_options options = { .jobs = 1 };
	struct counts counts = { 0 };
	int option;

	while ((option = getopt(argc, argv, "j:e:")) != -1) {
		if (option == 'j')
			options.jobs = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'e' && strcmp(optarg, "opencsd") == 0)
			options.engine = SL_ENGINE_OPENCSD;
		else if (option == 'e' && strcmp(optarg, "fast") == 0)
			options.engine = SL_ENGINE_FAST;
		else
			die("usage: decode_run [-j JOBS] [-e fast|opencsd] CAPTURE");
	}
	if (optind + 1 != argc)
		die("usage: decode_run [-j JOBS] [-e fast|opencsd] CAPTURE");
	run(argv[optind], &options, &counts);
	printf("%" PRIu64 " elements, %" PRIu64 " ranges, %" PRIu64 " instructions\n", counts.elements, counts.ranges,
	       counts.instructions);
	return 0;
}
