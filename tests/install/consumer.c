/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's program: built by install.sh against what was installed. Opens a capture and counts its streams. */
#include <sl_capture.h>
#include <sl_report.h>
#include <sl_sinks.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	struct sl_capture_options options = { 0 };
	struct sl_notes notes = SL_NOTES_INIT;
	const struct sl_stream *streams;
	struct sl_capture *capture;
	struct sl_diag diag;

	if (argc != 2 || sl_capture_open(argv[1], &options, &notes, &capture, &diag) != SL_OK)
		return 1;
	printf("%s %s %zu\n", SL_VERSION, sl_capture_container(capture), sl_capture_streams(capture, &streams));
	sl_capture_free(capture);
	sl_notes_release(&notes);
	return 0;
}
