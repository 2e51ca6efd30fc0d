/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots in memory: the input is a run of files, each behind a line "@NAME". What opens has streams in
 * order, and in frames no id is decoded twice.
 */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

struct input {
	const char *text;
	size_t size;
};

/* The file behind "@NAME", up to the next line that begins with '@'. */
static int read_file(void *ctx, const char *name, char **ret, size_t *ret_len, struct sl_diag *diag)
{
	const struct input *input = ctx;
	const char *at = input->text, *end = at + input->size;

	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		const char *line = at;

		at = eol ? eol + 1 : end;
		if (*line == '@' && eol && (size_t)(eol - line - 1) == strlen(name) &&
		    memcmp(line + 1, name, strlen(name)) == 0) {
			const char *next =
				at < end && *at == '@' ? at : memmem(at, (size_t)(end - at), "\n@", 2);

			*ret_len = (size_t)((next ? next : end) - at);
			*ret = malloc(*ret_len + 1);
			if (!*ret)
				return sl_fail(diag, SL_ERR_NOMEM, "no memory");
			memcpy(*ret, at, *ret_len);
			(*ret)[*ret_len] = '\0';
			return SL_OK;
		}
	}
	return sl_fail(diag, SL_ERR_IO, "no such file");
}

static void check_streams(const struct sl_capture *cap)
{
	uint8_t seen[1024][SL_TRACE_IDS / 8] = { { 0 } };

	for (size_t i = 0; i < cap->stream_len; i++) {
		const struct sl_stream *s = &cap->streams[i], *before = i ? s - 1 : s;
		struct sl_config_facts facts;

		if (s->buffer >= cap->snap.buffer_len || s->buffer < before->buffer ||
		    (s->buffer == before->buffer && s->trace_id < before->trace_id) ||
		    s->trace_id >= SL_TRACE_IDS)
			abort();
		if ((s->core != SL_CORE_ANY && s->core >= cap->core_len) || !s->name ||
		    s->usable == (s->why != NULL))
			abort();
		sl_config_facts(&s->config, &facts);
		if (!s->usable || cap->snap.buffers[s->buffer].framing == SL_FRAMING_NONE)
			continue;
		if (seen[s->buffer][s->trace_id / 8] >> s->trace_id % 8 & 1)
			abort();
		seen[s->buffer][s->trace_id / 8] |= (uint8_t)(1 << s->trace_id % 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { (const char *)data, size };
	struct sl_snap_files files = { "dir", read_file, &input };
	struct sl_capture *cap = calloc(1, sizeof(*cap));
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_diag diag = { "" };

	if (!cap || !size) {
		free(cap);
		return 0;
	}
	if (sl_snapshot_read(&files, "snapshot.ini", &cap->snap, &notes, &diag) == SL_OK) {
		if (sl_streams_build(cap, &notes) == SL_OK)
			check_streams(cap);
	} else if (!*diag.text || strpbrk(diag.text, "\n\033")) {
		abort();
	}
	for (size_t i = 0; i < notes.len; i++) {
		if (strpbrk(notes.items[i].text, "\n\033"))
			abort();
	}
	sl_capture_free(cap);
	sl_notes_release(&notes);
	return 0;
}
