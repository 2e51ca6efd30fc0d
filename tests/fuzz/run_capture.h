/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_CAPTURE_H
#define RUN_CAPTURE_H
/* An opened capture, decoded and reported, by report and by info; the account must close. */
#include <stdlib.h>

#include "run_calls.h"
#include "run_exports.h"
#include "sl_sinks.h"

static inline void no_begin(void *out, const struct sl_table_head *head)
{
	(void)out;
	(void)head;
}

static inline void no_row(void *out, const struct sl_cell *cells)
{
	(void)out;
	(void)cells;
}

static inline void no_end(void *out)
{
	(void)out;
}

/* Makes all of info's rows, and throws them away. */
static inline void run_report(struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
			      const struct sl_notes *notes)
{
	static const struct sl_table_ops ops = { .begin = no_begin, .row = no_row, .end = no_end };

	(void)sl_stats_report(stats, capture, result, notes, &(struct sl_table){ &ops, NULL });
}

static inline void run_capture(const struct sl_capture *capture)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;
	struct sl_image *image = NULL;
	struct sl_profile *profile = NULL;
	struct sl_stats *stats = NULL;
	struct sl_sink sinks[2];
	struct sl_profile_options profile_options = { .capture = capture, .repairs = true };
	struct sl_run_options options = { .capture = capture, .sinks = sinks, .sink_count = 2, .trace_id = -1, .jobs = 1,
					  .block_bytes = 37 };

	if (sl_capture_load_image(capture, &notes, &image, NULL) == SL_OK)
		profile_options.image = image;
	if (image && sl_profile_new(&profile_options, &profile, NULL) == SL_OK && sl_stats_new(image, &stats) == SL_OK) {
		options.image = image;
		sl_profile_sink(profile, &sinks[0]);
		sl_stats_sink(stats, &sinks[1]);
		if (sl_run(&options, &notes, &result, NULL) == SL_OK) {
			if (!sl_profile_closes(profile))
				abort();
			run_report(stats, capture, &result, &notes);
			sl_run_result_release(&result);
		}
		run_calls(capture, image);
		run_exports(capture, image);
	}
	sl_stats_free(stats);
	sl_profile_free(profile);
	sl_image_free(image);
	sl_notes_release(&notes);
}
#endif
