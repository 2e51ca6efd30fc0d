/* SPDX-License-Identifier: Apache-2.0 */
/* A kept profile as its file: docs/formats/profile.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "saved_pack.h"
#include "saved_tables.h"
#include "sl_text.h"

struct writer {
	FILE *file; /* in memory */
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
	fputc('"', w->file);
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', w->file);
		fputc(*c, w->file);
	}
	fputc('"', w->file);
	free(clean);
}

/* JSON's integers end at 2^63 for many readers: what is beyond is negative, modulo 2^64. */
static void put_number(struct writer *w, uint64_t value)
{
	fprintf(w->file, "%" PRId64, (int64_t)value);
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
	fprintf(w->file, ",\n\"%s\":{", table->name);
	for (size_t c = 0; c < table->column_count; c++) {
		const struct saved_column *column = &table->columns[c];

		if (c && !has_values(table, column, rows, count))
			continue;
		fprintf(w->file, "%s\n\"%s\":[", c ? "," : "", column->name);
		for (size_t i = 0; i < count; i++) {
			fputs(i ? "," : "", w->file);
			put_number(w, value_of(table, column, rows, i));
		}
		fputs("]", w->file);
	}
	fputs("}", w->file);
}

static void put_facts(struct writer *w, const struct sl_saved *s)
{
	const uint64_t facts[] = { s->name, s->options, s->axis, s->axes, s->timestamp_hz, s->trace_bytes, s->runs };

	fprintf(w->file, "{\"schema\":\"" SAVED_SCHEMA "%d\",\"made_by\":\"sightline " SL_VERSION "\",\n", SAVED_VERSION);
	fputs("\"strings\":[", w->file);
	for (size_t i = 0; i < s->string_count; i++) {
		fputs(i ? ",\n" : "\n", w->file);
		put_string(w, s->strings[i]);
	}
	fputs("],\n\"capture\":[", w->file);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		fputs(i ? "," : "", w->file);
		put_number(w, facts[i]);
	}
	fputs("]", w->file);
}

static void put_all(struct writer *w, const struct sl_saved *saved, const struct packed *packed)
{
	put_facts(w, saved);
	for (int table = 0; table < TABLES; table++)
		put_table(w, &saved_tables[table], packed->rows[table], packed->counts[table]);
	fputs("}\n", w->file);
}

/* The text; ret is to be freed. */
static int make_text(const struct sl_saved *saved, const struct packed *packed, char **ret, size_t *ret_len)
{
	struct writer w = { .file = open_memstream(ret, ret_len) };

	if (!w.file)
		return SL_ERR_NOMEM;
	put_all(&w, saved, packed);
	w.no_memory |= ferror(w.file) != 0;
	return fclose(w.file) == 0 && !w.no_memory ? SL_OK : SL_ERR_NOMEM;
}

static int write_bytes(const uint8_t *bytes, size_t len, const char *path, struct sl_diag *diag)
{
	FILE *file = fopen(path, "we");
	bool written;
	int error;

	if (!file)
		return sl_fail(diag, SL_ERR_IO, "cannot write %s: %s", path, strerror(errno));
	errno = 0;
	written = fwrite(bytes, 1, len, file) == len;
	error = errno;
	if (fclose(file) == 0 && written)
		return SL_OK;
	error = error ? error : errno ? errno : ENOSPC;
	unlink(path);
	return sl_fail(diag, SL_ERR_IO, "cannot write %s: %s", path, strerror(error));
}

int sl_saved_write(const struct sl_saved *saved, const char *path, struct sl_diag *diag)
{
	struct packed packed;
	uint8_t *bytes = NULL;
	char *text = NULL;
	size_t text_len = 0, len = 0;
	int result = packed_make(saved, &packed);

	if (result == SL_OK)
		result = make_text(saved, &packed, &text, &text_len);
	packed_release(&packed);
	if (result == SL_OK)
		result = saved_pack((struct sl_bytes){ (const uint8_t *)text, text_len, 0 }, &bytes, &len);
	if (result == SL_OK)
		result = write_bytes(bytes, len, path, diag);
	free(bytes);
	free(text);
	return result;
}
