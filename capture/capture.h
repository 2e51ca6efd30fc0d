/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_H
#define CAPTURE_H
/* How a capture is kept, for the files of this folder. */
#include "sl_capture.h"
#include "snapshot.h"

struct sl_capture {
	const char *container;
	char *dir; /* of a snapshot; NULL for a raw dump */
	bool allow_outside;
	struct sl_snapshot snap;
	struct sl_buffer *buffers; /* as many as snap has */
	struct sl_stretch *stretches; /* one a buffer */
	int *fds;
	size_t open_len; /* of them that are open */
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

/* Makes cores and streams of what cap->snap says. SL_OK or SL_ERR_NOMEM. */
int sl_streams_build(struct sl_capture *cap, struct sl_notes *notes);

/* Describes the raw dump path in cap->snap. SL_OK; SL_ERR_FORMAT or SL_ERR_CONFIG with diag; SL_ERR_NOMEM. */
int sl_raw_describe(struct sl_capture *cap, const char *path, const struct sl_raw_options *raw,
		    struct sl_diag *diag);

/* Whether a file of this name beside snapshot.ini is taken for a symbol text, if it looks like one. */
bool sl_is_symbol_file_name(const char *name);
/* The symbol texts in the capture's directory, sorted; paths in an array to be freed like its items. SL_OK or
 * SL_ERR_NOMEM. */
int sl_capture_symbol_files(const struct sl_capture *cap, char ***ret, size_t *ret_len);
#endif
