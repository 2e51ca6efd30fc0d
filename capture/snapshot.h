/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H
/*
 * What a snapshot directory says, as data: devices with registers and dumps, buffers, and which source
 * belongs to which buffer and core. Reading it opens no buffer and no dump. A raw dump is described by the
 * same data.
 */
#include "sl_ini.h"
#include "sl_config.h"
#include "sl_demux.h"
#include "sl_image.h"

struct sl_snap_dump {
	const char *file; /* as the ini names it, with forward slashes */
	struct sl_place place;
	const struct sl_ini *ini;
	unsigned line; /* of file= */
	char *path;    /* where the file is; NULL until it is looked up, or where it may not be read */
};

struct sl_snap_device {
	const char *name, *type;       /* type may be NULL */
	bool core;		       /* else a trace source */
	struct sl_trace_config config; /* only its registers */
	struct sl_snap_dump *dumps;
	size_t dump_len, dump_cap;
	const struct sl_ini *ini; /* NULL: not from a file */
	unsigned type_line;
	const struct sl_snap_device *traces; /* the core of a trace source, or NULL */
};

struct sl_snap_buffer {
	const char *name, *file;
	enum sl_framing framing;
	const struct sl_ini *ini;
	unsigned line; /* of file= */
};

/* source=buffer or core=source */
struct sl_snap_pair {
	const char *left, *right;
	unsigned line;
};
struct sl_snap_pairs {
	struct sl_snap_pair *items;
	size_t len, cap;
};

struct sl_snapshot {
	struct sl_ini **inis; /* own the strings of all the rest */
	size_t ini_len, ini_cap;
	struct sl_snap_device *devices;
	size_t device_len, device_cap;
	struct sl_snap_buffer *buffers;
	size_t buffer_len, buffer_cap;
	struct sl_snap_pairs source_buffers, core_sources;
	const struct sl_ini *trace_ini; /* NULL: no trace */
	uint64_t timestamp_hz;
};

/* Where the ini files come from: a directory, or memory in tests. */
struct sl_snap_files {
	const char *dir; /* how messages name it */
	/* The text of file name as a new terminated string. SL_OK, or an error with diag. */
	int (*read)(void *ctx, const char *name, char **ret, size_t *ret_len, struct sl_diag *diag);
	void *ctx;
};

/* Reads snapshot.ini (called top) and all that it names. SL_OK; SL_ERR_FORMAT, SL_ERR_IO or SL_ERR_NOMEM with
 * diag. */
int sl_snapshot_read(const struct sl_snap_files *files, const char *top, struct sl_snapshot *ret,
		     struct sl_notes *notes, struct sl_diag *diag);
void sl_snapshot_release(struct sl_snapshot *snap);

/* Its parts, one file each. */
int sl_snapshot_load_ini(struct sl_snapshot *snap, const struct sl_snap_files *files, const char *name,
			 struct sl_ini **ret, struct sl_diag *diag);
int sl_snapshot_add_device(struct sl_snapshot *snap, const struct sl_ini *ini, struct sl_notes *notes,
			   struct sl_diag *diag);
int sl_snapshot_add_trace(struct sl_snapshot *snap, const struct sl_ini *ini, struct sl_notes *notes,
			  struct sl_diag *diag);

/* A file name of an ini with forward slashes, changed in place. */
const char *sl_snapshot_file_name(const struct sl_ini_key *key);
#endif
