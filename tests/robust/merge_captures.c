/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_captures [--only NAME] CAPTURE...: each capture with and without merged ranges. Elements, flow check, calls and account
 * have to say the same (merge_trial.h), and so has what report prints. Exit code 0: they do; 1: some do not; 77: nothing was merged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge_trial.h"
#include "sl_report.h"
#include "sl_run.h"
#include "sl_sinks.h"

enum { LANES_MAX = 512 };

/* What a run made of a capture. */
struct outcome {
	struct lane_outcome {
		uint32_t core;
		uint8_t trace_id;
		struct merge_list list;
	} lanes[LANES_MAX];
	size_t lane_count;
	char *report;
	size_t report_len;
};

static int begin(void *self, const struct sl_lane *lane, void **shard)
{
	struct outcome *outcome = self;

	if (outcome->lane_count == LANES_MAX)
		return SL_ERR_LIMIT;
	*shard = &outcome->lanes[outcome->lane_count++];
	**(struct lane_outcome **)shard = (struct lane_outcome){ .core = lane->stream->core, .trace_id = lane->stream->trace_id };
	return SL_OK;
}

static int elems(void *shard, const struct sl_elem *elems, size_t len)
{
	merge_list_add(&((struct lane_outcome *)shard)->list, elems, len);
	return SL_OK;
}

static int end(void *self, void *shard, const struct sl_lane *lane)
{
	(void)self;
	((struct lane_outcome *)shard)->list.merged = lane->merged;
	return SL_OK;
}

static void drop(void *shard)
{
	(void)shard;
}

static void print_report(const struct sl_profile *profile, struct outcome *ret)
{
	const struct sl_report_style style = { 0 };
	FILE *file = open_memstream(&ret->report, &ret->report_len);
	struct sl_table table;

	if (!file || sl_report_table(SL_FORMAT_JSON, &style, file, &table) < 0)
		abort();
	for (unsigned axis = 0; axis < SL_AXIS_COUNT; axis++)
		sl_profile_report(profile, (enum sl_axis)axis, &table);
	table.ops->close(table.out);
	fclose(file);
}

static int run(const struct sl_capture *capture, const struct sl_image *image, bool merge, struct outcome *ret)
{
	static const struct sl_sink_ops any = { .name = "any", .begin = begin, .elems = elems, .end = end, .drop = drop };
	static const struct sl_sink_ops each = { .name = "each", .wants_ranges = true, .begin = begin, .elems = elems,
						 .end = end, .drop = drop };
	struct sl_sink sinks[2] = { { merge ? &any : &each, ret } };
	struct sl_run_options options = { .capture = capture, .image = image, .sinks = sinks, .sink_count = 2, .trace_id = -1,
					  .jobs = 1 };
	const struct sl_profile_options how = { .image = image, .timestamp_hz = 1000000000, .repairs = true };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result = { 0 };
	struct sl_profile *profile;
	int code;

	if (sl_profile_new(&how, &profile, NULL) < 0)
		abort();
	sl_profile_sink(profile, &sinks[1]);
	code = sl_run(&options, &notes, &result, NULL);
	print_report(profile, ret);
	sl_profile_free(profile);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
	return code;
}

static void release(struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->lane_count; i++)
		merge_list_release(&outcome->lanes[i].list);
	free(outcome->report);
	free(outcome);
}

struct totals {
	unsigned captures, lanes, differ;
	uint64_t elems, merged;
};

static bool same(const char *path, const struct sl_image *image, const struct outcome *plain, const struct outcome *merged,
		 struct totals *totals)
{
	bool all = plain->lane_count == merged->lane_count;
	char why[800];

	for (size_t i = 0; all && i < plain->lane_count; i++) {
		const struct lane_outcome *a = &plain->lanes[i], *b = &merged->lanes[i];

		totals->lanes++;
		totals->elems += a->list.len;
		totals->merged += b->list.merged;
		if (merge_same(image, a->core, &a->list, &b->list, why, sizeof(why)))
			continue;
		printf("%s, trace id 0x%02x: %s\n", path, a->trace_id, why);
		all = false;
	}
	if (plain->report_len == merged->report_len && memcmp(plain->report, merged->report, plain->report_len) == 0)
		return all;
	printf("%s: the reports differ\n", path);
	return false;
}

static void run_capture(const char *path, struct totals *totals)
{
	struct outcome *plain = calloc(1, sizeof(*plain)), *merged = calloc(1, sizeof(*merged));
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *capture = NULL;
	struct sl_image *image = NULL;

	if (!plain || !merged)
		abort();
	if (sl_capture_open(path, &(struct sl_capture_options){ .allow_outside = true }, &notes, &capture, NULL) == SL_OK &&
	    sl_capture_load_image(capture, &notes, &image, NULL) == SL_OK) {
		totals->captures++;
		if (run(capture, image, false, plain) != run(capture, image, true, merged) ||
		    !same(path, image, plain, merged, totals))
			totals->differ++;
	}
	release(plain);
	release(merged);
	sl_image_free(image);
	sl_capture_free(capture);
	sl_notes_release(&notes);
}

int main(int argc, char **argv)
{
	struct totals totals = { 0 };
	const char *only = NULL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (!only || strstr(argv[i], only))
			run_capture(argv[i], &totals);
	}
	printf("%u captures, %u lanes, %" PRIu64 " elements, %" PRIu64 " of them merged into others, %u captures differ\n",
	       totals.captures, totals.lanes, totals.elems, totals.merged, totals.differ);
	if (totals.differ)
		return 1;
	return totals.merged ? 0 : 77;
}
