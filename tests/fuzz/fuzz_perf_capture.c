/* SPDX-License-Identifier: Apache-2.0 */
/* A perf.data of the program of fixtures/small (below --symfs): opened, decoded and reported. */
#include <unistd.h>

#include "run_capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sl_capture_options options = { .symfs = SL_SOURCE_DIR "/fixtures/small" };
	char path[] = "/tmp/sightline-fuzz-perf-XXXXXX";
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *capture;
	int fd = mkstemp(path);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && sl_capture_open(path, &options, &notes, &capture, NULL) == SL_OK) {
		run_capture(capture);
		sl_capture_free(capture);
	}
	close(fd);
	unlink(path);
	sl_notes_release(&notes);
	return 0;
}
