/* SPDX-License-Identifier: Apache-2.0 */
/* A kept profile as its file: docs/formats/profile.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "saved_tables.h"
#include "sl_text.h"

struct writer {
	gzFile file;
	bool no_memory;
};

/* Names come from strangers' files: what is no UTF-8 is '?'. */
static void put_string(struct writer *w, const char *text)
{
	size_t cap = strlen(text) + 1;
	char *clean = malloc(cap);

	if (!clean) {
		w->no_memory = true;
		return;
	}
	sl_printable(text, clean, cap);
	gzputc(w->file, '"');
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			gzputc(w->file, '\\');
		gzputc(w->file, *c);
	}
	gzputc(w->file, '"');
	free(clean);
}

/* JSON's integers end at 2^63 for many readers: what is beyond is negative, modulo 2^64. */
static void put_number(struct writer *w, uint64_t value)
{
	gzprintf(w->file, "%" PRId64, (int64_t)value);
}

static uint64_t value_of(const struct saved_table *table, const struct saved_column *column, const char *rows, size_t i)
{
	uint64_t before = column->steps && i ? saved_get(column, rows + (i - 1) * table->row_size) : 0;

	return saved_get(column, rows + i * table->row_size) - before;
}

static bool has_values(const struct saved_table *table, const struct saved_column *column, const char *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (value_of(table, column, rows, i))
			return true;
	}
	return false;
}

/* A column that is zero throughout is left out, but for the first, which says how many rows there are. */
static void put_table(struct writer *w, const struct saved_table *table, const char *rows, size_t count)
{
	gzprintf(w->file, ",\n\"%s\":{", table->name);
	for (size_t c = 0; c < table->column_count; c++) {
		const struct saved_column *column = &table->columns[c];

		if (c && !has_values(table, column, rows, count))
			continue;
		gzprintf(w->file, "%s\n\"%s\":[", c ? "," : "", column->name);
		for (size_t i = 0; i < count; i++) {
			gzputs(w->file, i ? "," : "");
			put_number(w, value_of(table, column, rows, i));
		}
		gzputs(w->file, "]");
	}
	gzputs(w->file, "}");
}

static void put_facts(struct writer *w, const struct sl_saved *s)
{
	const uint64_t facts[] = { s->name, s->options, s->axis, s->axes, s->timestamp_hz, s->trace_bytes, s->runs };

	gzprintf(w->file, "{\"schema\":\"" SAVED_SCHEMA "%d\",\"made_by\":\"sightline " SL_VERSION "\",\n", SAVED_VERSION);
	gzputs(w->file, "\"strings\":[");
	for (size_t i = 0; i < s->string_count; i++) {
		gzputs(w->file, i ? ",\n" : "\n");
		put_string(w, s->strings[i]);
	}
	gzputs(w->file, "],\n\"capture\":[");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		gzputs(w->file, i ? "," : "");
		put_number(w, facts[i]);
	}
	gzputs(w->file, "]");
}

static void put_all(struct writer *w, const struct sl_saved *saved, const struct packed *packed)
{
	put_facts(w, saved);
	for (int table = 0; table < TABLES; table++)
		put_table(w, &saved_tables[table], packed->rows[table], packed->counts[table]);
	gzputs(w->file, "}\n");
}

static int write_packed(const struct sl_saved *saved, const struct packed *packed, const char *path, struct sl_diag *diag)
{
	struct writer w = { .file = gzopen(path, "wbe9") };
	int error = Z_OK;

	if (!w.file)
		return sl_fail(diag, SL_ERR_IO, "cannot write %s: %s", path, strerror(errno));
	put_all(&w, saved, packed);
	gzerror(w.file, &error);
	errno = errno ? errno : ENOSPC;
	if (gzclose(w.file) == Z_OK && error == Z_OK && !w.no_memory)
		return SL_OK;
	error = errno;
	unlink(path);
	if (w.no_memory)
		return SL_ERR_NOMEM;
	return sl_fail(diag, SL_ERR_IO, "cannot write %s: %s", path, strerror(error));
}

int sl_saved_write(const struct sl_saved *saved, const char *path, struct sl_diag *diag)
{
	struct packed packed;
	int result = packed_make(saved, &packed);

	if (result == SL_OK)
		result = write_packed(saved, &packed, path, diag);
	packed_release(&packed);
	return result;
}
