/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sane numbers of devices in a list, so that a short list cannot name a long file a million times. */
enum { DEVICES_MAX = 1024 };

static int no_memory(struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_NOMEM, "reading a snapshot: %s", sl_strerror(SL_ERR_NOMEM));
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

const char *sl_snapshot_file_name(const struct sl_ini_key *key)
{
	/* Values lie in their ini's own text, which is writable. */
	char *name = (char *)(uintptr_t)key->value;

	for (char *at = name; (at = strchr(at, '\\'));)
		*at = '/';
	return name;
}

int sl_snapshot_load_ini(struct sl_snapshot *snap, const struct sl_snap_files *files, const char *name,
			 struct sl_ini **ret, struct sl_diag *diag)
{
	struct sl_ini *ini = NULL;
	char *path = join(files->dir, name), *text;
	size_t len;
	int result;

	if (!path)
		return no_memory(diag);
	result = files->read(files->ctx, name, &text, &len, diag);
	if (result == SL_OK) {
		ini = calloc(1, sizeof(*ini));
		if (!ini) {
			free(text);
			result = no_memory(diag);
		} else {
			result = sl_ini_parse(path, text, len, ini, diag);
		}
	}
	free(path);
	if (result == SL_OK && SL_ARRAY_PUSH(&snap->inis, &snap->ini_len, &snap->ini_cap, ini) < 0) {
		sl_ini_release(ini);
		result = no_memory(diag);
	}
	if (result < 0) {
		free(ini);
		return result;
	}
	*ret = ini;
	return SL_OK;
}

static int read_devices(struct sl_snapshot *snap, const struct sl_snap_files *files, const struct sl_ini *top,
			struct sl_notes *notes, struct sl_diag *diag)
{
	const struct sl_ini_section *section;
	size_t at = 0;

	while ((section = sl_ini_next(top, "device_list", &at))) {
		for (size_t i = section->first; i < section->first + section->count; i++) {
			struct sl_ini *ini;
			int result;

			if (snap->ini_len > DEVICES_MAX)
				return sl_fail(diag, SL_ERR_LIMIT,
					       "%s:%u: more than %d devices: expected fewer", top->file,
					       top->keys[i].line, DEVICES_MAX);
			result = sl_snapshot_load_ini(snap, files, sl_snapshot_file_name(&top->keys[i]), &ini,
						      diag);
			if (result == SL_OK)
				result = sl_snapshot_add_device(snap, ini, notes, diag);
			if (result < 0)
				return result;
		}
	}
	return SL_OK;
}

static int read_trace(struct sl_snapshot *snap, const struct sl_snap_files *files, const struct sl_ini *top,
		      struct sl_notes *notes, struct sl_diag *diag)
{
	const struct sl_ini_key *metadata = sl_ini_find(top, "trace", "metadata");
	struct sl_ini *ini;
	int result;

	if (!metadata) {
		sl_notes_add(notes, "%s: no [trace] metadata=: the snapshot holds memory and no trace",
			     top->file);
		return SL_OK;
	}
	result = sl_snapshot_load_ini(snap, files, sl_snapshot_file_name(metadata), &ini, diag);
	return result < 0 ? result : sl_snapshot_add_trace(snap, ini, notes, diag);
}

static int check_top(const struct sl_ini *top, struct sl_notes *notes, struct sl_diag *diag)
{
	const struct sl_ini_key *version = sl_ini_find(top, "snapshot", "version");
	char shown[40];
	size_t at = 0;

	if (!sl_ini_next(top, "device_list", &at))
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: no [device_list]: expected the snapshot.ini of a snapshot directory",
			       top->file);
	if (version && strcmp(version->value, "1.0") != 0 && strcmp(version->value, "1") != 0)
		sl_ini_note(top, version->line, notes, "snapshot version '%s' is not known here: read as 1.0",
			    sl_printable(version->value, shown, sizeof(shown)));
	return SL_OK;
}

int sl_snapshot_read(const struct sl_snap_files *files, const char *top, struct sl_snapshot *ret,
		     struct sl_notes *notes, struct sl_diag *diag)
{
	struct sl_snapshot snap = { 0 };
	struct sl_ini *ini;
	int result = sl_snapshot_load_ini(&snap, files, top, &ini, diag);

	if (result == SL_OK)
		result = check_top(ini, notes, diag);
	if (result == SL_OK)
		result = read_devices(&snap, files, ini, notes, diag);
	if (result == SL_OK)
		result = read_trace(&snap, files, ini, notes, diag);
	if (result < 0) {
		sl_snapshot_release(&snap);
		return result;
	}
	*ret = snap;
	return SL_OK;
}

void sl_snapshot_release(struct sl_snapshot *snap)
{
	for (size_t i = 0; i < snap->device_len; i++) {
		for (size_t k = 0; k < snap->devices[i].dump_len; k++)
			free(snap->devices[i].dumps[k].path);
		free(snap->devices[i].dumps);
	}
	for (size_t i = 0; i < snap->ini_len; i++) {
		sl_ini_release(snap->inis[i]);
		free(snap->inis[i]);
	}
	free(snap->inis);
	free(snap->devices);
	free(snap->buffers);
	free(snap->source_buffers.items);
	free(snap->core_sources.items);
	memset(snap, 0, sizeof(*snap));
}
