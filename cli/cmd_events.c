/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "fields.h"
#include "output.h"
#include "say.h"
#include "session.h"
#include "sl_events.h"

static int load_lenses(const struct options *o, struct sl_lenses *lenses)
{
	struct sl_diag diag = { "" };
	int result = sl_lenses_init(lenses);

	if (result == SL_OK && o->lenses)
		result = sl_lenses_add_file(lenses, o->lenses, &diag);
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int unknown_lens(const struct sl_lenses *lenses, const char *name)
{
	char names[SL_LENSES_MAX * 24] = "";

	for (size_t i = 0; i < lenses->len; i++) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "", lenses->items[i].name);
	}
	say("events: there is no lens '%s': there are %s; --lenses FILE adds others", name, names);
	return EXIT_FAILED;
}

static enum sl_events_by grouping(const char *by)
{
	if (!by || strcmp(by, "event") == 0)
		return SL_EVENTS_BY_EVENT;
	return strcmp(by, "task") == 0 ? SL_EVENTS_BY_TASK : SL_EVENTS_BY_CPU;
}

/* What is looked at in text: most of the columns are for scripts. */
static const char *default_fields(const struct options *o)
{
	bool text = !o->format || strcmp(o->format, "text") == 0;

	if (o->fields || !text)
		return o->fields;
	return grouping(o->by) == SL_EVENTS_BY_EVENT ?
		       "lens,event,module,count,rate,share,total,avg,max,interval_avg,events_per_burst,burst_interval" :
		       "lens,event,group,count,rate,share,total,avg,max,interval_avg,events_per_burst,burst_interval";
}

static int check_columns(const struct options *o, enum sl_axis axis, struct sl_diag *diag)
{
	const struct sl_column *columns;
	size_t count = sl_events_columns(axis, &columns);

	return fields_check_in(columns, count, o->sort, o->fields, diag);
}

static int write_tables(const struct session *s, const struct sl_events *events, const struct sl_calls *calls,
			enum sl_axis axis, struct sl_table table)
{
	const struct options *o = s->options;
	struct sl_calls_extent extent = sl_calls_extent(calls, axis);
	const struct sl_events_view view = { axis, session_hz(s), extent.longest, extent.sum };
	int result = sl_report_select("events", o->sort ? o->sort : "lens,-count", o->limit, default_fields(o), table, &table);

	if (result < 0)
		return result;
	sl_events_report(events, &view, &table);
	return table.ops->close(table.out);
}

static int write_events(const struct session *s, const struct sl_events *events, const struct sl_calls *calls)
{
	struct sl_diag diag = { "" };
	struct sl_table table;
	struct output out;
	enum sl_axis axis;
	int result = sl_events_result(events);

	if (result < 0) {
		say("%s", sl_strerror(result));
		return EXIT_FAILED;
	}
	if (session_axis(s, calls, &axis) != EXIT_DONE)
		return EXIT_FAILED;
	if (check_columns(s->options, axis, &diag) < 0) {
		say("%s", diag.text);
		return EXIT_FAILED;
	}
	if (output_table(&out, s->options, &table) != EXIT_DONE)
		return EXIT_FAILED;
	return output_close(&out, write_tables(s, events, calls, axis, table));
}

/* Runs, and writes what was seen. */
static int collect(struct session *s, struct sl_events *events)
{
	struct tally tally = { 0 };
	struct sl_call_sink sink;
	struct sl_calls *calls;
	int code;

	sl_events_sink(events, &sink);
	if (sl_calls_new(s->image, &sink, 1, &calls) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	code = session_run_calls(s, calls, &tally);
	if (code == EXIT_DONE && tally.ranges)
		code = write_events(s, events, calls);
	if (code == EXIT_DONE)
		code = session_verdict(s, &tally, tally.ranges > 0);
	if (code == EXIT_DONE)
		session_note_calls(s, calls);
	if (code == EXIT_DONE && sl_events_empty(events))
		say("no event: none of the functions that a lens looks for ran; 'sightline report' says which did, and --lenses "
		    "FILE can name them");
	sl_calls_free(calls);
	return code;
}

static int look_through(struct session *s, struct sl_events_options *options)
{
	struct sl_events *events;
	int code;

	if (sl_events_new(options, &events) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	code = collect(s, events);
	sl_events_free(events);
	return code;
}

static int look(struct session *s, const struct sl_lenses *lenses, const struct sl_lens *lens)
{
	struct sl_events_options options = { .image = s->image, .lenses = lenses, .lens = lens, .capture = s->capture,
					     .by = grouping(s->options->by) };
	struct sl_diag diag = { "" };
	struct sl_filter filter;
	int code = session_filter(s->options, &filter), result;

	if (code != EXIT_DONE)
		return code;
	result = sl_sieve_new(&filter, s->image, s->capture, session_hz(s), &options.sieve, &diag);
	if (result < 0) {
		say("%s", diag.text[0] ? diag.text : sl_strerror(result));
		return EXIT_FAILED;
	}
	code = look_through(s, &options);
	sl_sieve_free(options.sieve);
	return code;
}

static int open_and_look(const struct options *options, const struct sl_lenses *lenses, const struct sl_lens *lens)
{
	struct session s;
	int code = session_open(&s, options);

	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = look(&s, lenses, lens);
	session_close(&s);
	return code;
}

int cmd_events(const struct options *options)
{
	const char *name = options->more_count ? options->more[0] : NULL;
	struct sl_lenses lenses;
	const struct sl_lens *lens = NULL;
	int code = fields_check(options, options->sort, "events", sl_events_columns);

	if (code != EXIT_DONE)
		return code;
	code = load_lenses(options, &lenses);
	if (code == EXIT_DONE && name) {
		lens = sl_lenses_find(&lenses, name);
		code = lens ? EXIT_DONE : unknown_lens(&lenses, name);
	}
	if (code == EXIT_DONE)
		code = open_and_look(options, &lenses, lens);
	sl_lenses_release(&lenses);
	return code;
}
