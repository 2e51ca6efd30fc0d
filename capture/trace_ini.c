/* SPDX-License-Identifier: Apache-2.0 */
/* trace.ini: which buffers there are, which source writes into which, and which core each source traces. */
#include "snapshot.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Each buffer costs a search through the file, and each pair one through all devices. */
enum { BUFFERS_MAX = 1024, PAIRS_MAX = 8192 };

/* tpiu and tpiu_hsync are ours: the format has no name for them. */
static const struct {
	const char *name;
	enum sl_framing framing;
} formats[] = {
	{ "coresight", SL_FRAMING_CORESIGHT },	     { "source_data", SL_FRAMING_NONE },
	{ "dstream_coresight", SL_FRAMING_DSTREAM }, { "tpiu", SL_FRAMING_TPIU },
	{ "tpiu_hsync", SL_FRAMING_TPIU_HSYNC },
};

static int no_memory(const struct sl_ini *ini, struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_NOMEM, "%s: %s", ini->file, sl_strerror(SL_ERR_NOMEM));
}

static int parse_format(const struct sl_ini *ini, const struct sl_ini_key *key, enum sl_framing *ret,
			struct sl_diag *diag)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcasecmp(key->value, formats[i].name) == 0) {
			*ret = formats[i].framing;
			return SL_OK;
		}
	}
	return sl_ini_expected(ini, key, "one of coresight, source_data, dstream_coresight, tpiu, tpiu_hsync",
			       diag);
}

static int add_buffer(struct sl_snapshot *snap, const struct sl_ini *ini, const char *section,
		      struct sl_diag *diag)
{
	const struct sl_ini_key *name = sl_ini_find(ini, section, "name");
	const struct sl_ini_key *file = sl_ini_find(ini, section, "file");
	const struct sl_ini_key *format = sl_ini_find(ini, section, "format");
	struct sl_snap_buffer buffer = { .ini = ini, .framing = SL_FRAMING_CORESIGHT };
	char shown[80];
	int result;

	if (!name || !file || !*name->value || !*file->value)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: buffer section [%s] has no %s=: expected name= and file=", ini->file,
			       sl_printable(section, shown, sizeof(shown)),
			       name && *name->value ? "file" : "name");
	if (format) {
		result = parse_format(ini, format, &buffer.framing, diag);
		if (result < 0)
			return result;
	}
	if (snap->buffer_len == BUFFERS_MAX)
		return sl_fail(diag, SL_ERR_LIMIT, "%s: more than %d buffers: expected fewer", ini->file,
			       BUFFERS_MAX);
	buffer.name = name->value;
	buffer.file = sl_snapshot_file_name(file);
	buffer.line = file->line;
	if (SL_ARRAY_PUSH(&snap->buffers, &snap->buffer_len, &snap->buffer_cap, buffer) < 0)
		return no_memory(ini, diag);
	return SL_OK;
}

/* The buffers in the order of the list; a comma too many is no buffer. */
static int add_buffers(struct sl_snapshot *snap, const struct sl_ini *ini, struct sl_diag *diag)
{
	const struct sl_ini_key *list = sl_ini_find(ini, "trace_buffers", "buffers");
	char *names, *rest, *name;
	int result = SL_OK;

	if (!list)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: no [trace_buffers] buffers=: expected the names of the buffers' sections",
			       ini->file);
	names = rest = strdup(list->value);
	if (!names)
		return no_memory(ini, diag);
	while (result == SL_OK && (name = strsep(&rest, ","))) {
		size_t at = 0;

		name = sl_trim(name);
		if (!*name)
			continue;
		if (sl_ini_next(ini, name, &at))
			result = add_buffer(snap, ini, name, diag);
		else
			result = sl_ini_expected(ini, list, "a section for each buffer in this list", diag);
	}
	free(names);
	return result;
}

static int add_pairs(struct sl_snap_pairs *pairs, const struct sl_ini *ini, const char *name,
		     struct sl_diag *diag)
{
	const struct sl_ini_section *section;
	size_t at = 0;

	while ((section = sl_ini_next(ini, name, &at))) {
		for (size_t i = section->first; i < section->first + section->count; i++) {
			struct sl_snap_pair pair = { ini->keys[i].name, ini->keys[i].value,
						     ini->keys[i].line };

			if (pairs->len == PAIRS_MAX)
				return sl_fail(diag, SL_ERR_LIMIT,
					       "%s:%u: more than %d lines in [%s]: expected fewer", ini->file,
					       pair.line, PAIRS_MAX, name);
			if (SL_ARRAY_PUSH(&pairs->items, &pairs->len, &pairs->cap, pair) < 0)
				return no_memory(ini, diag);
		}
	}
	return SL_OK;
}

int sl_snapshot_add_trace(struct sl_snapshot *snap, const struct sl_ini *ini, struct sl_notes *notes,
			  struct sl_diag *diag)
{
	const struct sl_ini_key *hz = sl_ini_find(ini, "timestamp", "frequency");
	int result = add_buffers(snap, ini, diag);

	snap->trace_ini = ini;
	if (result == SL_OK)
		result = add_pairs(&snap->source_buffers, ini, "source_buffers", diag);
	if (result == SL_OK)
		result = add_pairs(&snap->core_sources, ini, "core_trace_sources", diag);
	if (result == SL_OK && hz)
		result = sl_ini_number(ini, hz, UINT64_MAX, &snap->timestamp_hz, diag);
	if (result == SL_OK && !snap->buffer_len)
		sl_notes_add(notes, "%s: the list of buffers is empty: the snapshot holds no trace",
			     ini->file);
	return result;
}
