/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_CAPTURE_H
#define RUN_CAPTURE_H
/* An opened capture, decoded and reported; the account must close. */
#include <stdlib.h>

#include "sl_sinks.h"

static inline void run_capture(const struct sl_capture *capture)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;
	struct sl_image *image = NULL;
	struct sl_profile *profile = NULL;
	struct sl_sink sink;
	struct sl_run_options options = { .capture = capture, .sinks = &sink, .sink_count = 1, .trace_id = -1, .jobs = 1,
					  .block_bytes = 37 };

	if (sl_capture_load_image(capture, &notes, &image, NULL) == SL_OK &&
	    sl_profile_new(image, NULL, &profile) == SL_OK) {
		options.image = image;
		sl_profile_sink(profile, &sink);
		if (sl_run(&options, &notes, &result, NULL) == SL_OK) {
			if (!sl_profile_closes(profile))
				abort();
			sl_run_result_release(&result);
		}
	}
	sl_profile_free(profile);
	sl_image_free(image);
	sl_notes_release(&notes);
}
#endif
