/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "output.h"
#include "report_html.h"
#include "saving.h"
#include "say.h"
#include "session.h"

static enum sl_profile_by by_of(const struct options *o)
{
	unsigned by = SL_BY_FUNCTION;

	while (o->by && sl_profile_by_name(by) && strcmp(sl_profile_by_name(by), o->by) != 0)
		by++;
	return (enum sl_profile_by)by;
}

static bool is(const char *word, const char *want)
{
	return word && strcmp(word, want) == 0;
}

static enum sl_durations durations_of(const struct options *o)
{
	if (is(o->durations, "gross"))
		return SL_DURATIONS_GROSS;
	return is(o->durations, "wall") ? SL_DURATIONS_WALL : SL_DURATIONS_NET;
}

/* Of lines and files only instructions are known. */
static bool by_lines(const struct options *o)
{
	return by_of(o) == SL_BY_LINE || by_of(o) == SL_BY_FILE;
}

static int list_fields(const struct options *options)
{
	struct sl_column fields[SL_PROFILE_COLUMNS];
	size_t count = sl_profile_columns(by_of(options), fields_axis(options), fields);

	return fields_write(options, "Columns of report (a name may leave out its unit, which follows --clock)", fields, count);
}

static int check_columns(const struct options *o, enum sl_axis axis, struct sl_diag *diag)
{
	struct sl_column columns[SL_PROFILE_COLUMNS];
	size_t count = sl_profile_columns(by_of(o), axis, columns);

	return fields_check_in(columns, count, o->sort, o->fields, diag);
}

static const char *contradiction(const struct options *o)
{
	if (o->html)
		return report_html_refuses(o);
	if (o->html_calls)
		return "--html-calls is for --html";
	if (!by_lines(o))
		return NULL;
	if (o->clock && strcmp(o->clock, "auto") != 0 && strcmp(o->clock, "insns") != 0)
		return "--by line and --by file count instructions: they take no other --clock";
	if (o->min_duration)
		return "--min-duration chooses calls: --by line and --by file count instructions";
	return NULL;
}

/* Before the run, which may take long: a column must be there on some axis. */
static int check_early(const struct options *o)
{
	const char *text = contradiction(o);
	struct sl_diag diag = { "" };

	for (unsigned axis = SL_AXIS_COUNT; axis-- > 0 && !text;) {
		if (check_columns(o, (enum sl_axis)axis, &diag) == SL_OK)
			return EXIT_DONE;
	}
	say("%s", text ? text : diag.text);
	say_try("report");
	return EXIT_FAILED;
}

/* Text has room for the usual columns, other formats for all; + and - change that. NULL: no memory. */
static char *fields_of(const struct options *o)
{
	bool text = !o->format || strcmp(o->format, "text") == 0;
	const char *base = text ? o->root && !by_lines(o) ? "usual,per_root_calls,per_root_self" : "usual" : "all";
	char *ret;

	if (o->fields && !strchr("+-", o->fields[strspn(o->fields, " ")]))
		return strdup(o->fields);
	if (asprintf(&ret, "%s%s%s", base, o->fields ? "," : "", o->fields ? o->fields : "") < 0)
		return NULL;
	return ret;
}

static bool names_all(const char *list)
{
	while (*list) {
		list += strspn(list, " ,+-");
		if (strncmp(list, "all", 3) == 0 && strcspn(list, " ,") == 3)
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

/* Whether the columns that are asked for need no more than durations: whatever axis it will be on. */
static bool wants_brief(const struct options *o)
{
	char *fields = fields_of(o);
	bool brief = fields && !names_all(fields);
	struct sl_column columns[SL_PROFILE_COLUMNS];
	struct sl_diag diag;

	for (unsigned axis = 0; axis < SL_AXIS_COUNT && brief; axis++) {
		size_t count = sl_profile_brief_columns(by_of(o), (enum sl_axis)axis, columns);

		brief = fields_check_in(columns, count, o->sort, fields, &diag) == SL_OK;
	}
	free(fields);
	return brief;
}

static int write_report(const struct session *s, const struct sl_profile *profile, enum sl_axis axis,
			struct sl_table table)
{
	const struct options *o = s->options;
	char *fields = fields_of(o);
	int result, closed;

	if (!fields) {
		table.ops->close(table.out);
		return SL_ERR_NOMEM;
	}
	result = sl_report_select(sl_profile_table_name(by_of(o)), o->sort ? o->sort : "self", o->limit, fields, table, &table);
	free(fields);
	if (result < 0)
		return result;
	result = sl_profile_report(profile, axis, &table);
	closed = table.ops->close(table.out);
	return result < 0 ? result : closed;
}

static int report(struct session *s, const struct sl_profile *profile, const struct sl_filter *filter)
{
	const struct options *o = s->options;
	const char *lack = session_limits_lack(s, sl_profile_calls(profile), filter);
	struct sl_diag diag = { "" };
	struct sl_table table;
	struct output out;
	enum sl_axis axis;
	int result = sl_profile_axis(profile, &axis, &diag);

	if (result == SL_OK)
		result = check_columns(o, axis, &diag);
	if (result < 0 || lack) {
		say("%s", result < 0 ? diag.text : lack);
		return EXIT_FAILED;
	}
	if (output_table(&out, o, &table) != EXIT_DONE)
		return EXIT_FAILED;
	return output_close(&out, write_report(s, profile, axis, table));
}

static int make_profile(const struct session *s, const struct sl_filter *filter, struct sl_profile **ret)
{
	const struct options *o = s->options;
	const struct sl_profile_options options = {
		.image = s->image,
		.capture = s->capture,
		.filter = filter,
		.timestamp_hz = session_hz(s),
		.axis = by_lines(o) ? SL_CHOOSE_INSNS : session_axis_choice(s),
		.by = by_of(o),
		.durations = durations_of(o),
		.outermost = is(o->recursion, "outermost"),
		.fold_tails = is(o->tail_calls, "caller"),
		.repairs = o->repairs,
		.brief = wants_brief(o),
	};
	struct sl_diag diag = { "" };

	if (sl_profile_new(&options, ret, &diag) == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text);
	return EXIT_FAILED;
}

/* Where most durations are bounds, least and mean ones do not look right beside each other: the mean has all. */
static void note_bounds(const struct session *s, const struct sl_profile *profile)
{
	struct sl_diag diag;
	enum sl_axis axis;
	uint64_t bounds, complete;

	if (s->options->quiet || sl_profile_axis(profile, &axis, &diag) < 0)
		return;
	bounds = sl_profile_bounds(profile, axis, &complete);
	if (bounds > complete / 2)
		say("note: %" PRIu64 " of %" PRIu64 " complete calls are shorter than the trace can tell in %s: they are in total and avg, but in no min "
		    "and percentile (--fields +bounds,+resolution has them row by row)",
		    bounds, complete, axis == SL_AXIS_TICKS ? "time" : "cycles");
}

/* saver: NULL where nothing is to be kept. */
static int collect(struct session *s, const struct sl_filter *filter, struct sl_saver *saver)
{
	struct sl_run_options run = { 0 };
	struct tally tally = { .image = s->image };
	struct sl_profile *profile;
	struct sl_sink sinks[3];
	int code = make_profile(s, filter, &profile);

	if (code != EXIT_DONE)
		return code;
	sl_profile_sink(profile, &sinks[0]);
	tally_sink(&tally, &sinks[1]);
	if (saver)
		sl_saver_sink(saver, &sinks[2]);
	code = session_run(s, &run, sinks, saver ? 3 : 2, NULL);
	/* first of all: whoever reads the report may leave */
	if (code == EXIT_DONE && tally.ranges && saver)
		code = saving_write(saver, s->options->save);
	if (code == EXIT_DONE && tally.ranges)
		code = report(s, profile, filter);
	if (code == EXIT_DONE)
		code = session_verdict(s, &tally, tally.ranges > 0);
	if (code == EXIT_DONE && !by_lines(s->options))
		session_note_calls(s, sl_profile_calls(profile));
	if (code == EXIT_DONE && !by_lines(s->options))
		note_bounds(s, profile);
	if (code == EXIT_DONE && !sl_profile_closes(profile))
		say("warning: the account does not close: please report this with the capture");
	sl_profile_free(profile);
	return code;
}

/* What is kept has a stage of its own: it is of functions and has all axes, whatever is shown. */
static int collect_and_save(struct session *s, const struct sl_filter *filter)
{
	struct sl_saver *saver = NULL;
	int code = s->options->save ? saving_new(s, filter, &saver) : EXIT_DONE;

	if (code == EXIT_DONE)
		code = collect(s, filter, saver);
	sl_saver_free(saver);
	return code;
}

int cmd_report(const struct options *options)
{
	struct sl_filter filter;
	struct session s;
	int code;

	if (options->fields && strcmp(options->fields, "help") == 0)
		return list_fields(options);
	code = check_early(options);
	if (code == EXIT_DONE)
		code = session_filter(options, &filter);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = options->html ? report_html(&s) : collect_and_save(&s, &filter);
	session_close(&s);
	return code;
}
