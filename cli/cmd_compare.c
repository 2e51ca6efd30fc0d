/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "fields.h"
#include "saving.h"
#include "say.h"
#include "sl_compare.h"
#include "sl_html.h"

static int fail(int result, const struct sl_diag *diag)
{
	say("%s", diag->text[0] ? diag->text : sl_strerror(result));
	return EXIT_FAILED;
}

static enum sl_axis_choice choice_of(const char *clock)
{
	if (!clock || strcmp(clock, "auto") == 0)
		return SL_CHOOSE_AUTO;
	if (strcmp(clock, "time") == 0)
		return SL_CHOOSE_TIME;
	return strcmp(clock, "cycles") == 0 ? SL_CHOOSE_CYCLES : SL_CHOOSE_INSNS;
}

static bool is_text(const struct options *o)
{
	return !o->format || strcmp(o->format, "text") == 0;
}

/* Text has room for the usual columns, other formats for all; + and - change that. NULL: no memory. */
static char *fields_of(const struct options *o)
{
	char *ret;

	if (o->fields && !strchr("+-", o->fields[strspn(o->fields, " ")]))
		return strdup(o->fields);
	if (asprintf(&ret, "%s%s%s", is_text(o) ? "usual" : "all", o->fields ? "," : "", o->fields ? o->fields : "") < 0)
		return NULL;
	return ret;
}

/* A stage that chooses rows and columns of functions, and another that chooses columns of the tree. */
static int select_tables(const struct options *o, const char *fields, struct sl_table *table)
{
	const char *of_tree = is_text(o) ? "usual" : "all";
	int result = sl_report_select("functions", NULL, is_text(o) && !o->limit ? 25 : o->limit, fields, *table, table);

	return result < 0 ? result : sl_report_select("tree", NULL, 0, of_tree, *table, table);
}

static int write_tables(const struct options *o, const struct sl_compare *compare, struct sl_table table)
{
	struct sl_compare_shown shown = { .depth = (uint32_t)o->depth, .percent = o->min_percent };
	char *fields = fields_of(o);
	int result = SL_ERR_NOMEM;

	if (fields)
		result = select_tables(o, fields, &table);
	else
		table.ops->close(table.out);
	free(fields);
	if (shown.percent < 0)
		shown.percent = is_text(o) ? 2 : 0;
	if (result < 0)
		return result;
	sl_compare_report(compare, &shown, &table);
	return table.ops->close(table.out);
}

static int write_compare(const struct options *o, const struct sl_compare *compare)
{
	struct options own = *o;
	struct sl_table table;
	struct output out;

	if (!own.table && own.format && strcmp(own.format, "csv") == 0)
		own.table = "functions";
	if (output_table(&out, &own, &table) != EXIT_DONE)
		return EXIT_FAILED;
	return output_close(&out, write_tables(o, compare, table));
}

static const char *page_refuses(const struct options *o)
{
	if (!o->html)
		return NULL;
	if (o->output || o->format || o->table)
		return "--html writes a page with all tables: it takes no --format, --output and --table";
	if (o->fields || o->limit || o->depth || o->min_percent >= 0)
		return "--html has all rows and columns, which are chosen in the page: it takes no --fields, --limit, --depth and --min-percent";
	return NULL;
}

static int check_page(const struct options *o)
{
	const char *text = page_refuses(o);

	if (!text)
		return EXIT_DONE;
	say("%s", text);
	say_try("compare");
	return EXIT_FAILED;
}

static int no_calls(const struct options *o)
{
	say("compare: A or B has no call of '%s'; 'sightline graph' says what calls what", o->per);
	return EXIT_NO;
}

/* What is read besides the two sides. */
struct context {
	struct sl_aliases *aliases;
	struct sl_kernel_config *configs[2];
	struct sl_config_map *map;
};

/* A side is the sum of its runs. */
struct side {
	struct sl_saved *runs, sum;
	size_t count;
};

/* The page: all tables with all rows, which are chosen in it, and how calls spread. */
static int write_page(const struct options *o, const struct sl_compare *compare, const char *title)
{
	const struct sl_compare_shown all = { .depth = 0, .percent = 0 };
	struct options own = *o;
	struct sl_table table;
	struct output out;
	int result;

	own.output = o->html;
	if (output_open(&out, &own) != EXIT_DONE)
		return EXIT_FAILED;
	result = sl_html_compare_new(out.file, title, &table);
	if (result < 0)
		return output_close(&out, result);
	sl_compare_report(compare, &all, &table);
	sl_compare_histograms(compare, &table);
	return output_close(&out, table.ops->close(table.out));
}

static int write_titled_page(const struct options *o, const struct sl_compare *compare, const struct side sides[2])
{
	struct sl_diag diag = { "" };
	char *title;
	int code;

	if (asprintf(&title, "%s \u2192 %s", sl_saved_string(&sides[0].sum, sides[0].sum.name), sl_saved_string(&sides[1].sum, sides[1].sum.name)) < 0)
		return fail(SL_ERR_NOMEM, &diag);
	code = write_page(o, compare, title);
	free(title);
	return code;
}

/* Whether B is beyond a limit. All that are exceeded are said. */
static int check_limits(const struct options *o, const struct sl_compare *compare)
{
	struct sl_diag diag = { "" };
	struct sl_compare_limit limit;
	char reason[512];
	bool found;
	int code = EXIT_DONE;

	for (size_t i = 0; i < o->fail_if.len; i++) {
		if (sl_compare_limit_parse(o->fail_if.items[i], &limit, &diag) < 0)
			return fail(SL_ERR_CONFIG, &diag);
		if (sl_compare_check(compare, &limit, &found, reason, sizeof(reason)) == SL_END) {
			say("compare: failed: %s", reason);
			code = EXIT_NO;
		}
		if (!found)
			say("warning: --fail-if %s: there is no such thing on either side", limit.text);
	}
	return code;
}

/* Before the runs, which may take long. */
static int check_limits_early(const struct options *o)
{
	struct sl_diag diag = { "" };
	struct sl_compare_limit limit;

	for (size_t i = 0; i < o->fail_if.len; i++) {
		if (sl_compare_limit_parse(o->fail_if.items[i], &limit, &diag) < 0)
			return fail(SL_ERR_CONFIG, &diag);
	}
	return EXIT_DONE;
}

static int compare_sides(const struct options *o, const struct side sides[2], const struct context *x)
{
	const struct sl_compare_options options = { .sides = { &sides[0].sum, &sides[1].sum },
						    .runs = { sides[0].runs, sides[1].runs },
						    .run_counts = { sides[0].count, sides[1].count }, .aliases = x->aliases, .per = o->per,
						    .axis = choice_of(o->clock), .configs = { x->configs[0], x->configs[1] },
						    .map = x->map };
	struct sl_diag diag = { "" };
	struct sl_compare *compare;
	int result = sl_compare_new(&options, &compare, &diag), code;

	if (result != SL_OK)
		return result == SL_END ? no_calls(o) : fail(result, &diag);
	if (!o->quiet && strcmp(sl_saved_string(&sides[0].sum, sides[0].sum.options),
			    sl_saved_string(&sides[1].sum, sides[1].sum.options)) != 0)
		say("warning: A and B were made with other options, see the table sides: what differs may be due to that");
	code = o->html ? write_titled_page(o, compare, sides) : write_compare(o, compare);
	if (code == EXIT_DONE)
		code = check_limits(o, compare);
	if (!sl_compare_adds_up(compare))
		say("warning: the parts do not add up to the whole: please report this with both profiles");
	sl_compare_free(compare);
	return code;
}

static int load_names(const struct options *o, struct sl_aliases **ret, struct sl_diag *diag)
{
	int result = sl_aliases_new(ret);

	return result == SL_OK && o->names ? sl_aliases_add_file(*ret, o->names, diag) : result;
}

static int load_configs(const struct options *o, struct context *x, struct sl_diag *diag)
{
	int result = SL_OK;

	if (!o->configs.len)
		return o->config_map ? sl_fail(diag, SL_ERR_CONFIG, "compare: --config-map goes with --config") : SL_OK;
	if (o->configs.len != 2)
		return sl_fail(diag, SL_ERR_CONFIG, "compare: --config is wanted twice, the first for A and the second for B");
	for (int side = 0; side < 2 && result == SL_OK; side++)
		result = sl_kernel_config_read(o->configs.items[side], &x->configs[side], diag);
	if (result == SL_OK)
		result = sl_config_map_new(&x->map);
	return result == SL_OK && o->config_map ? sl_config_map_add_file(x->map, o->config_map, diag) : result;
}

static int load_context(const struct options *o, struct context *ret)
{
	struct sl_diag diag = { "" };
	int result = load_names(o, &ret->aliases, &diag);

	if (result == SL_OK)
		result = load_configs(o, ret, &diag);
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static void release_context(struct context *x)
{
	sl_aliases_free(x->aliases);
	sl_config_map_free(x->map);
	sl_kernel_config_free(x->configs[0]);
	sl_kernel_config_free(x->configs[1]);
}

static const char *operand(const struct options *o, size_t i)
{
	return i ? o->more[i - 1] : o->operand;
}

static int read_side(const struct options *o, size_t first, size_t count, struct side *ret)
{
	struct sl_diag diag = { "" };
	int code = EXIT_DONE, result;

	ret->runs = calloc(count, sizeof(*ret->runs));
	if (!ret->runs)
		return fail(SL_ERR_NOMEM, &diag);
	while (ret->count < count && code == EXIT_DONE) {
		code = saving_of_operand(o, operand(o, first + ret->count), &ret->runs[ret->count]);
		ret->count += code == EXIT_DONE;
	}
	if (code != EXIT_DONE)
		return code;
	result = sl_saved_sum(ret->runs, count, &ret->sum, &diag);
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static void release_side(struct side *side)
{
	for (size_t i = 0; i < side->count; i++)
		sl_saved_release(&side->runs[i]);
	free(side->runs);
	sl_saved_release(&side->sum);
}

/* One A and one B, or several on either side of --. */
static int read_sides(const struct options *o, struct side sides[2])
{
	size_t all = 1 + o->more_count, split = o->split ? o->split : all == 2 ? 1 : all;
	int code;

	if (split == all) {
		say("compare: of several runs, those of A come before -- and those of B behind it");
		say_try("compare");
		return EXIT_FAILED;
	}
	code = read_side(o, 0, split, &sides[0]);
	return code == EXIT_DONE ? read_side(o, split, all - split, &sides[1]) : code;
}

int cmd_compare(const struct options *o)
{
	struct side sides[2] = { { .count = 0 }, { .count = 0 } };
	struct context context = { .aliases = NULL };
	int code;

	if (o->fields && strcmp(o->fields, "help") == 0)
		return fields_list(o, "Columns of compare (a name may leave out its unit, which follows --clock)", sl_compare_columns);
	code = check_page(o);
	if (code == EXIT_DONE)
		code = fields_check(o, NULL, "compare", sl_compare_columns);
	if (code == EXIT_DONE)
		code = check_limits_early(o);
	if (code == EXIT_DONE)
		code = load_context(o, &context);
	if (code == EXIT_DONE)
		code = read_sides(o, sides);
	if (code == EXIT_DONE)
		code = compare_sides(o, sides, &context);
	release_side(&sides[0]);
	release_side(&sides[1]);
	release_context(&context);
	return code;
}
