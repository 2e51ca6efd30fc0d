/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <string.h>

#include "commands.h"
#include "output.h"
#include "say.h"

enum sl_axis fields_axis(const struct options *options)
{
	if (options->clock && strcmp(options->clock, "time") == 0)
		return SL_AXIS_TICKS;
	return options->clock && strcmp(options->clock, "cycles") == 0 ? SL_AXIS_CYCLES : SL_AXIS_INSNS;
}

int fields_write(const struct options *options, const char *title, const struct sl_column *fields, size_t count)
{
	static const struct sl_column list_columns[] = {
		{ "field", "field", "", SL_TYPE_STRING, 0 },
		{ "meaning", "meaning", "", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = { .schema = "sightline.fields/1", .name = "fields", .title = title,
					    .columns = list_columns, .column_count = 2 };
	struct output out;
	struct sl_table table;

	if (output_open(&out, options) != EXIT_DONE)
		return EXIT_FAILED;
	out.style.table = NULL;
	if (sl_report_table(out.format, &out.style, out.file, &table) < 0)
		return output_close(&out, SL_ERR_NOMEM);
	table.ops->begin(table.out, &head);
	for (size_t i = 0; i < count; i++) {
		const struct sl_cell cells[] = { sl_cell_str(fields[i].name), sl_cell_str(fields[i].help) };

		table.ops->row(table.out, cells);
	}
	table.ops->end(table.out);
	return output_close(&out, table.ops->close(table.out));
}

int fields_list(const struct options *options, const char *title, fields_fn *columns)
{
	const struct sl_column *fields;
	size_t count = columns(fields_axis(options), &fields);

	return fields_write(options, title, fields, count);
}

int fields_check_in(const struct sl_column *columns, size_t count, const char *sort, const char *fields, struct sl_diag *diag)
{
	int result = SL_OK;

	if (sort)
		result = sl_report_check_columns(columns, count, "--sort", sort, diag);
	if (result == SL_OK && fields)
		result = sl_report_check_columns(columns, count, "--fields", fields, diag);
	return result;
}

int fields_check(const struct options *options, const char *sort, const char *command, fields_fn *columns)
{
	struct sl_diag diag = { "" };

	for (unsigned axis = SL_AXIS_COUNT; axis-- > 0;) {
		const struct sl_column *list;
		size_t count = columns((enum sl_axis)axis, &list);

		if (fields_check_in(list, count, sort, options->fields, &diag) == SL_OK)
			return EXIT_DONE;
	}
	say("%s", diag.text);
	say_try(command);
	return EXIT_FAILED;
}
