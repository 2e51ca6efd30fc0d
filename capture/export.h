/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_H
#define EXPORT_H
/* A snapshot directory while it is being written. What fails is taken back as a whole. */
#include "capture.h"

#include <stdio.h>

struct export_file {
	char *name;   /* in the directory */
	char *source; /* where it was copied from, or NULL */
};
struct export
{
	const struct sl_capture *cap;
	const char *dir;
	int fd; /* of dir */
	struct export_file *files;
	size_t file_len, file_cap;
	struct sl_notes *notes;
	struct sl_diag *diag;
};

/* An error of the file name in the directory, with errno's reason; returns SL_ERR_IO. */
int sl_export_fail(const struct export *ex, const char *name);
/* Chooses a name in the directory that nothing has yet, made of wanted; the export owns it. NULL: out of
 * memory. */
const char *sl_export_name(struct export *ex, const char *wanted);
/* Opens a new file. NULL with diag. */
FILE *sl_export_create(struct export *ex, const char *name);
/* Closes it. SL_OK, or SL_ERR_IO with diag where anything was not written. */
int sl_export_close(struct export *ex, const char *name, FILE *out);
/* Copies the file path, once however often it is asked for. SL_OK, SL_ERR_IO or SL_ERR_NOMEM with diag. */
int sl_export_copy(struct export *ex, const char *path, const char **ret_name);

/* The [dump] sections of a core: its own, then what the user named. */
int sl_export_dumps(struct export *ex, const struct sl_snap_device *core, FILE *out);
/* Copies the symbol texts so that opening the directory finds them. */
int sl_export_symbols(struct export *ex);
#endif
