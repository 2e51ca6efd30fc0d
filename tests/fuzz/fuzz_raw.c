/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A raw dump as the command line gives it: the input's first lines are protocol, framing, trace id, core and registers,
 * the rest are the dump's bytes. Opened, decoded and reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_capture.h"

enum { FIELDS = 4, REGS = 12, LINE_MAX_BYTES = 64 };

struct lines {
	char text[FIELDS + REGS][LINE_MAX_BYTES];
	const char *regs[REGS + 1];
};

/* One line off the input; false where there is none. */
static bool take_line(const uint8_t **data, size_t *size, char ret[LINE_MAX_BYTES])
{
	const uint8_t *end = memchr(*data, '\n', *size);
	size_t len = end ? (size_t)(end - *data) : 0, kept = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES - 1;

	if (!end)
		return false;
	memcpy(ret, *data, kept);
	ret[kept] = '\0';
	*data += len + 1;
	*size -= len + 1;
	return true;
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/sightline-fuzz-raw-XXXXXX";
	struct lines lines = { 0 };
	struct sl_capture_options options = { 0 };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *capture;
	int fd;

	for (size_t i = 0; i < FIELDS; i++) {
		if (!take_line(&data, &size, lines.text[i]))
			return 0;
	}
	for (size_t i = 0; i < REGS && take_line(&data, &size, lines.text[FIELDS + i]) && lines.text[FIELDS + i][0]; i++)
		lines.regs[i] = lines.text[FIELDS + i];
	options.raw = (struct sl_raw_options){ or_null(lines.text[0]), or_null(lines.text[1]), or_null(lines.text[2]),
					       or_null(lines.text[3]), lines.regs };
	fd = mkstemp(path);
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
