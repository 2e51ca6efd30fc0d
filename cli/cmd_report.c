/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "output.h"
#include "say.h"
#include "session.h"

static int list_fields(const struct options *options)
{
	static const struct sl_column columns[] = {
		{ "field", "field", "", SL_TYPE_STRING, 0 },
		{ "meaning", "meaning", "", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = {
		.schema = "sightline.fields/1",
		.name = "fields",
		.title = "Columns of report (a name may leave out its unit, which follows --clock)",
		.columns = columns,
		.column_count = 2
	};
	const struct sl_column *fields;
	enum sl_axis axis = SL_AXIS_INSNS;
	struct output out;
	struct sl_table table;
	size_t count;

	if (options->clock && strcmp(options->clock, "time") == 0)
		axis = SL_AXIS_TICKS;
	if (options->clock && strcmp(options->clock, "cycles") == 0)
		axis = SL_AXIS_CYCLES;
	if (output_open(&out, options) != EXIT_DONE)
		return EXIT_FAILED;
	out.style.table = NULL;
	if (sl_report_table(out.format, &out.style, out.file, &table) < 0)
		return output_close(&out, SL_ERR_NOMEM);
	count = sl_profile_columns(axis, &fields);
	table.ops->begin(table.out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_cell cells[] = { sl_cell_str(fields[i].name), sl_cell_str(fields[i].help) };

		table.ops->row(table.out, cells);
	}
	table.ops->end(table.out);
	return output_close(&out, table.ops->close(table.out));
}

static int check_columns(const struct options *o, enum sl_axis axis, struct sl_diag *diag)
{
	const struct sl_column *columns;
	size_t count = sl_profile_columns(axis, &columns);
	int result = SL_OK;

	if (o->sort)
		result = sl_report_check_columns(columns, count, "--sort", o->sort, diag);
	if (result == SL_OK && o->fields)
		result = sl_report_check_columns(columns, count, "--fields", o->fields, diag);
	return result;
}

/* Before the run, which may take long: a column must be there on some axis. */
static int check_early(const struct options *o)
{
	struct sl_diag diag = { "" };

	for (unsigned axis = SL_AXIS_COUNT; axis-- > 0;) {
		if (check_columns(o, (enum sl_axis)axis, &diag) == SL_OK)
			return EXIT_DONE;
	}
	say("%s", diag.text);
	say_try("report");
	return EXIT_FAILED;
}

static int write_report(const struct session *s, const struct sl_profile *profile, enum sl_axis axis,
			struct sl_table table)
{
	const struct options *o = s->options;
	int result = sl_report_select("functions", o->sort ? o->sort : "self", o->limit, o->fields, table, &table), closed;

	if (result < 0)
		return result;
	result = sl_profile_report(profile, axis, session_hz(s), o->repairs, &table);
	closed = table.ops->close(table.out);
	return result < 0 ? result : closed;
}

static int report(struct session *s, const struct sl_profile *profile)
{
	const struct options *o = s->options;
	struct sl_diag diag = { "" };
	struct sl_table table;
	struct output out;
	enum sl_axis axis;
	int result = sl_profile_axis(profile, (enum sl_axis_choice)session_axis_choice(s), session_hz(s),
				     &axis, &diag);

	if (result == SL_OK)
		result = check_columns(o, axis, &diag);
	if (result < 0) {
		say("%s", diag.text);
		return EXIT_FAILED;
	}
	if (output_table(&out, o, &table) != EXIT_DONE)
		return EXIT_FAILED;
	return output_close(&out, write_report(s, profile, axis, table));
}

static int collect(struct session *s)
{
	const struct options *o = s->options;
	const struct sl_filter filter = { .function = o->function,
					  .module = o->module,
					  .depth = (uint32_t)o->depth };
	struct sl_run_options run = { 0 };
	struct tally tally = { .image = s->image };
	struct sl_profile *profile;
	struct sl_sink sinks[2];
	int code;

	if (sl_profile_new(s->image, &filter, &profile) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	sl_profile_sink(profile, &sinks[0]);
	tally_sink(&tally, &sinks[1]);
	code = session_run(s, &run, sinks, 2, NULL);
	if (code == EXIT_DONE && tally.ranges)
		code = report(s, profile);
	if (code == EXIT_DONE)
		code = session_verdict(s, &tally, tally.ranges > 0);
	if (code == EXIT_DONE && !sl_profile_closes(profile))
		say("warning: the account does not close: please report this with the capture");
	sl_profile_free(profile);
	return code;
}

int cmd_report(const struct options *options)
{
	struct session s;
	int code;

	if (options->fields && strcmp(options->fields, "help") == 0)
		return list_fields(options);
	code = check_early(options);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = collect(&s);
	session_close(&s);
	return code;
}
