/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as a database: tables function, track, call, run, loss, meta. Built where libsqlite3 is.
 */
#include "sl_export_files.h"

#ifdef SL_HAVE_SQLITE

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sl_array.h"
#include "sl_map.h"
#include "utf8.h"

enum statement { ADD_META, ADD_FUNCTION, ADD_TRACK, ADD_CALL, ADD_RUN, ADD_LOSS, STATEMENTS };

static const char *const insertions[STATEMENTS] = {
	[ADD_META] = "INSERT INTO meta VALUES (?, ?)",
	[ADD_FUNCTION] = "INSERT INTO function VALUES (?, ?, ?, ?)",
	[ADD_TRACK] = "INSERT INTO track VALUES (?, ?, ?)",
	[ADD_CALL] = "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ADD_RUN] = "INSERT INTO run VALUES (?, ?, ?, ?, ?)",
	[ADD_LOSS] = "INSERT INTO loss VALUES (?, ?, ?, ?, ?)",
};

/* %1$s is the unit. */
static const char schema[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
	"CREATE TABLE function (id INTEGER PRIMARY KEY, name TEXT, module TEXT, is_level INTEGER);"
	"CREATE TABLE track (id INTEGER PRIMARY KEY, task INTEGER, name TEXT);"
	"CREATE TABLE call (id INTEGER PRIMARY KEY, parent_id INTEGER, function_id INTEGER REFERENCES function(id),"
	" track_id INTEGER REFERENCES track(id), depth INTEGER, start_%1$s INTEGER, duration_%1$s INTEGER, total_%1$s INTEGER,"
	" self_%1$s INTEGER, cpu INTEGER, no_entry INTEGER, no_exit INTEGER, recursive INTEGER, moved INTEGER, offset INTEGER);"
	"CREATE TABLE run (lane INTEGER, cpu INTEGER, track_id INTEGER REFERENCES track(id), start_%1$s INTEGER,"
	" duration_%1$s INTEGER);"
	"CREATE TABLE loss (lane INTEGER, cpu INTEGER, at_%1$s INTEGER, cause TEXT, offset INTEGER);"
	"CREATE VIEW calls AS SELECT call.*, function.name AS function, function.module, track.name AS task FROM call"
	" JOIN function ON function.id = function_id JOIN track ON track.id = track_id;";

struct open_ids {
	sqlite3_int64 *ids;
	size_t len, cap;
};

struct stay {
	sqlite3_int64 track; /* -1: nobody */
	uint64_t since;
};

struct database {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
	const struct sl_timeline_head *head;
	struct sl_map functions, tracks; /* that are in */
	struct open_ids *open;		 /* by track: ids of the calls that have begun */
	size_t open_count, open_cap;
	struct stay *stays; /* by lane */
	sqlite3_int64 last_id;
	int result; /* SL_OK, SL_ERR_IO, SL_ERR_NOMEM */
};

static void keep(struct database *d, int status)
{
	if (status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW && d->result == SL_OK)
		d->result = status == SQLITE_NOMEM ? SL_ERR_NOMEM : SL_ERR_IO;
}

static void execute(struct database *d, const char *sql)
{
	keep(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

/* Values of one row, in order. */
struct values {
	struct database *d;
	sqlite3_stmt *statement;
	int at;
};

static struct values begin_row(struct database *d, enum statement statement)
{
	return (struct values){ d, d->statements[statement], 0 };
}

static void number(struct values *v, uint64_t value)
{
	keep(v->d, sqlite3_bind_int64(v->statement, ++v->at, (sqlite3_int64)value));
}

static void number_or_null(struct values *v, bool known, uint64_t value)
{
	if (known)
		number(v, value);
	else
		keep(v->d, sqlite3_bind_null(v->statement, ++v->at));
}

/* The database takes any bytes, but who reads it may not: what is no UTF-8 becomes U+FFFD. */
static void text(struct values *v, const char *value)
{
	sqlite3_str *out = sqlite3_str_new(v->d->db);

	while (value && *value) {
		uint32_t code;
		unsigned size = sl_utf8_next(value, &code);

		sqlite3_str_append(out, size ? value : "\xef\xbf\xbd", size ? (int)size : 3);
		value += size ? size : 1;
	}
	keep(v->d, sqlite3_str_errcode(out));
	/* NULL where it is empty */
	keep(v->d, sqlite3_bind_text(v->statement, ++v->at, sqlite3_str_finish(out), -1, sqlite3_free));
}

static void end_row(struct values *v)
{
	keep(v->d, sqlite3_step(v->statement));
	keep(v->d, sqlite3_reset(v->statement));
}

static void add_meta(struct database *d, const char *key, const char *value)
{
	struct values row = begin_row(d, ADD_META);

	text(&row, key);
	text(&row, value);
	end_row(&row);
}

static void prepare(struct database *d, const char *unit)
{
	sqlite3_str *out = sqlite3_str_new(d->db);
	const char *from = schema, *at;
	char *sql;

	for (; (at = strstr(from, "%1$s")) != NULL; from = at + strlen("%1$s")) {
		sqlite3_str_append(out, from, (int)(at - from));
		sqlite3_str_appendall(out, unit);
	}
	sqlite3_str_appendall(out, from);
	sql = sqlite3_str_finish(out);
	if (sql)
		execute(d, sql);
	else
		d->result = SL_ERR_NOMEM;
	sqlite3_free(sql);
	for (int i = 0; i < STATEMENTS && d->result == SL_OK; i++)
		keep(d, sqlite3_prepare_v2(d->db, insertions[i], -1, &d->statements[i], NULL));
}

static void database_begin(void *self, const struct sl_timeline_head *head)
{
	struct database *d = self;

	d->head = head;
	d->stays = calloc((size_t)head->lanes + 1, sizeof(*d->stays));
	if (!d->stays)
		d->result = SL_ERR_NOMEM;
	for (uint32_t i = 0; d->stays && i < head->lanes; i++)
		d->stays[i].track = -1;
	/* A file that is written once needs no journal: where that fails, there is none. */
	execute(d, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;");
	prepare(d, head->unit);
	if (d->result != SL_OK)
		return;
	add_meta(d, "schema", "sightline.calls/1");
	add_meta(d, "generator", "sightline " SL_VERSION);
	add_meta(d, "unit", head->unit);
	add_meta(d, "about", head->about);
}

static bool is_new(struct database *d, struct sl_map *map, uint64_t key)
{
	uint64_t *known = sl_map_put(map, key);
	bool fresh = known && !*known;

	if (known)
		*known = 1;
	else
		d->result = SL_ERR_NOMEM;
	return fresh;
}

static void need_track(struct database *d, const struct sl_timeline_track *track)
{
	struct values row = begin_row(d, ADD_TRACK);

	if (!is_new(d, &d->tracks, track->id))
		return;
	number(&row, track->id);
	number_or_null(&row, track->has_task, track->task);
	text(&row, track->name);
	end_row(&row);
}

static void need_function(struct database *d, const struct sl_timeline_event *e)
{
	struct values row = begin_row(d, ADD_FUNCTION);

	if (!is_new(d, &d->functions, e->name_id))
		return;
	number(&row, e->name_id);
	text(&row, e->name);
	text(&row, e->module);
	number(&row, (e->flags & SL_TIMELINE_LEVEL) != 0);
	end_row(&row);
}

static struct open_ids *open_of(struct database *d, uint32_t track)
{
	while (d->open_count <= track) {
		if (SL_ARRAY_PUSH(&d->open, &d->open_count, &d->open_cap, (struct open_ids){ 0 }) < 0) {
			d->result = SL_ERR_NOMEM;
			return NULL;
		}
	}
	return &d->open[track];
}

static void add_call(struct database *d, const struct sl_timeline_event *e, sqlite3_int64 id, sqlite3_int64 parent)
{
	struct values row = begin_row(d, ADD_CALL);

	number(&row, (uint64_t)id);
	number_or_null(&row, parent != 0, (uint64_t)parent);
	number(&row, e->name_id);
	number(&row, e->track->id);
	number(&row, e->depth);
	number(&row, e->start);
	number(&row, e->at - e->start);
	number_or_null(&row, e->costs, e->total);
	number_or_null(&row, e->costs, e->self);
	number_or_null(&row, e->cpu >= 0, (uint64_t)e->cpu);
	number(&row, (e->flags & SL_SPAN_NO_ENTRY) != 0);
	number(&row, (e->flags & SL_SPAN_NO_EXIT) != 0);
	number(&row, (e->flags & SL_TIMELINE_RECURSIVE) != 0);
	number(&row, (e->flags & SL_TIMELINE_MOVED) != 0);
	number(&row, e->offset);
	end_row(&row);
}

static void span(struct database *d, const struct sl_timeline_event *e)
{
	struct open_ids *open = open_of(d, e->track->id);
	sqlite3_int64 id;

	if (!open)
		return;
	if (e->kind == SL_TIMELINE_BEGIN) {
		if (SL_ARRAY_PUSH(&open->ids, &open->len, &open->cap, ++d->last_id) < 0)
			d->result = SL_ERR_NOMEM;
		return;
	}
	if (!open->len)
		return;
	id = open->ids[--open->len];
	need_track(d, e->track);
	need_function(d, e);
	add_call(d, e, id, open->len ? open->ids[open->len - 1] : 0);
}

static void stay(struct database *d, const struct sl_timeline_event *e)
{
	struct stay *stay = &d->stays[e->lane];
	struct values row = begin_row(d, ADD_RUN);

	if (stay->track >= 0 && e->at > stay->since) {
		number(&row, e->lane);
		number_or_null(&row, e->cpu >= 0, (uint64_t)e->cpu);
		number(&row, (uint64_t)stay->track);
		number(&row, stay->since);
		number(&row, e->at - stay->since);
		end_row(&row);
	}
	if (e->track)
		need_track(d, e->track);
	*stay = (struct stay){ e->track ? (sqlite3_int64)e->track->id : -1, e->at };
}

static void loss(struct database *d, const struct sl_timeline_event *e)
{
	struct values row = begin_row(d, ADD_LOSS);

	number(&row, e->lane);
	number_or_null(&row, e->cpu >= 0, (uint64_t)e->cpu);
	number(&row, e->at);
	text(&row, e->name);
	number(&row, e->offset);
	end_row(&row);
}

static void database_event(void *self, const struct sl_timeline_event *e)
{
	struct database *d = self;

	if (d->result != SL_OK)
		return;
	if (e->kind == SL_TIMELINE_RUN)
		stay(d, e);
	else if (e->kind == SL_TIMELINE_MARK)
		loss(d, e);
	else
		span(d, e);
}

static int database_close(void *self)
{
	struct database *d = self;
	int result;

	if (d->result == SL_OK)
		execute(d, "CREATE INDEX call_function ON call(function_id); CREATE INDEX call_parent ON call(parent_id);");
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(d->statements[i]);
	if (d->head && d->result == SL_OK)
		execute(d, "COMMIT;");
	keep(d, sqlite3_close(d->db));
	result = d->result;
	for (size_t i = 0; i < d->open_count; i++)
		free(d->open[i].ids);
	free(d->open);
	free(d->stays);
	sl_map_release(&d->functions);
	sl_map_release(&d->tracks);
	free(d);
	return result;
}

int sl_timeline_sqlite_new(const char *path, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { database_begin, database_event, database_close };
	struct database *d = calloc(1, sizeof(*d));

	if (!d)
		return SL_ERR_NOMEM;
	/* What was there before is of another run: it is replaced, as by all formats. */
	if (truncate(path, 0) != 0 && access(path, F_OK) == 0) {
		free(d);
		return SL_ERR_IO;
	}
	if (sqlite3_open(path, &d->db) != SQLITE_OK) {
		sqlite3_close(d->db);
		free(d);
		return SL_ERR_IO;
	}
	*ret = (struct sl_timeline){ &ops, d };
	return SL_OK;
}

#else

int sl_timeline_sqlite_new(const char *path, struct sl_timeline *ret)
{
	(void)path;
	(void)ret;
	return SL_ERR_UNSUPPORTED;
}

#endif
