/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_H
#define CAPTURE_H
/* How a capture is kept, for the files of this folder. */
#include "sl_capture.h"
#include "snapshot.h"

/* Where the bytes of a buffer lie. */
struct buffer_file {
	int fd; /* -1: not open, or read through cap->perf */
	size_t first_stretch, stretch_count;
};

struct perf_capture;

struct sl_capture {
	const char *container;
	char *dir; /* of a snapshot; NULL for a raw dump */
	bool allow_outside;
	struct sl_snapshot snap;
	struct sl_buffer *buffers;
	size_t buffer_len;
	struct buffer_file *files; /* one a buffer */
	struct sl_stretch *stretches; /* of all buffers, one buffer after another */
	size_t stretch_len, stretch_cap;
	struct perf_capture *perf; /* NULL: no perf.data */
	struct sl_fact *facts;
	size_t fact_len, fact_cap;
	struct sl_process *processes;
	size_t process_len;
	struct sl_wish *wishes;
	size_t wish_len, wish_cap;
	struct sl_stream *streams;
	size_t stream_len, stream_cap;
	const char **core_names;
	size_t *core_devices; /* their places in snap.devices */
	size_t core_len;
	struct sl_image_file *images, *symbols; /* what the options gave, copied */
	size_t image_count, symbol_count;
	char **strings; /* texts that no ini holds */
	size_t string_len, string_cap;
};

/* A copy of text that lives as long as the capture, or NULL. */
const char *sl_capture_keep(struct sl_capture *cap, const char *text);

/* Room for count buffers, none of them open. SL_OK or SL_ERR_NOMEM. */
int sl_capture_make_buffers(struct sl_capture *cap, size_t count);

/* Makes cores, buffers (whose files are not open yet) and streams of what cap->snap says. SL_OK or SL_ERR_NOMEM. */
int sl_streams_build(struct sl_capture *cap, struct sl_notes *notes);

/* Completes the registers of a stream of one of the capture's buffers and says whether it can be decoded; trace id and
 * reason into stream. SL_OK or SL_ERR_NOMEM. */
int sl_stream_check(struct sl_capture *cap, struct sl_stream *stream);
/* Sorts the streams, and refuses the second of two that claim an id. SL_OK or SL_ERR_NOMEM. */
int sl_streams_settle(struct sl_capture *cap);

/* Describes the raw dump path in cap->snap. SL_OK; SL_ERR_FORMAT or SL_ERR_CONFIG with diag; SL_ERR_NOMEM. */
int sl_raw_describe(struct sl_capture *cap, const char *path, const struct sl_raw_options *raw,
		    struct sl_diag *diag);

/* Whether a file of this name beside snapshot.ini is taken for a symbol text, if it looks like one. */
bool sl_is_symbol_file_name(const char *name);
/* The symbol texts in the capture's directory, sorted; paths in an array to be freed like its items. SL_OK or
 * SL_ERR_NOMEM. */
int sl_capture_symbol_files(const struct sl_capture *cap, char ***ret, size_t *ret_len);
#endif
