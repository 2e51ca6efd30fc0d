/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "output.h"
#include "say.h"
#include "session.h"
#include "sl_nearest.h"
#include "tree.h"

/* In text, where a line has to fit. */
static const char *const text_fields[] = {
	[SL_GRAPH_TREE] = "percent,total,self,calls,avg,p99,max,function",
	[SL_GRAPH_CALLEES] = "percent,total,self,calls,per_call,avg,p99,max,function",
	[SL_GRAPH_CALLERS] = "percent,total,self,calls,avg,p99,max,function",
	[SL_GRAPH_INVERTED] = "percent,self,total,calls,function",
	[SL_GRAPH_LINKAGE] = "kind,percent,total,self,calls,per_call,avg,p99,max,function",
};

static const char slowest_fields[] = "slowest,median,difference,self_difference,slowest_calls,median_calls,function";

struct graph_run {
	struct session *session;
	struct sl_graph *graph;
	struct sl_slowest *slowest; /* instead of graph */
	struct sl_sieve *sieve;
	struct sl_calls *calls;
	struct tally tally;
};

static bool is_text(const struct options *o)
{
	return !o->format || strcmp(o->format, "text") == 0;
}

static unsigned choice_of(const char *name, const char *const *names)
{
	unsigned i = 0;

	while (name && names[i] && strcmp(names[i], name) != 0)
		i++;
	return name && names[i] ? i : 0;
}

static struct sl_graph_shown shown_of(const struct options *o)
{
	static const char *const orders[] = { "total", "self", "calls", "avg", "max", "function", "time", NULL };
	struct sl_graph_shown shown = { .depth = (uint32_t)o->depth, .percent = o->min_percent };

	if (shown.percent < 0)
		shown.percent = is_text(o) ? 0.5 : 0;
	shown.order = (enum sl_graph_order)choice_of(o->sort, orders);
	shown.view = o->callers	   ? SL_GRAPH_CALLERS
		     : o->callees  ? SL_GRAPH_CALLEES
		     : o->linkage  ? SL_GRAPH_LINKAGE
		     : o->inverted ? SL_GRAPH_INVERTED
				   : SL_GRAPH_TREE;
	shown.function = o->callers ? o->callers : o->callees ? o->callees : o->linkage;
	return shown;
}

/* No function matches: why. */
static int say_no_function(const struct graph_run *run, const char *glob)
{
	const struct sl_image *image = run->session->image;
	struct sl_nearest nearest;
	bool there = false;

	sl_nearest_init(&nearest, glob);
	for (uint32_t i = 1; i <= sl_image_symbol_count(image); i++) {
		const char *name = sl_image_symbol(image, i)->name;

		sl_nearest_offer(&nearest, name);
		there |= strcmp(glob, name) == 0 || fnmatch(glob, name, 0) == 0;
	}
	if (there)
		say(run->slowest ? "%s: no call was seen from entry to exit" : "%s: was not called where there is trace", glob);
	else if (nearest.best)
		say("no function '%s' was called (did you mean '%s'?)", glob, nearest.best);
	else
		say("no function '%s' was called; sightline report lists those that were", glob);
	return EXIT_NO;
}

static int write_table(const struct graph_run *run, const struct sl_graph_shown *shown, struct sl_table table)
{
	const struct options *o = run->session->options;
	const char *fields = o->fields;
	int result, closed;

	if (!fields && is_text(o))
		fields = text_fields[shown->view];
	result = sl_report_select("graph", NULL, 0, fields, table, &table);
	if (result < 0)
		return result;
	result = sl_graph_report(run->graph, run->calls, shown, &table);
	closed = table.ops->close(table.out);
	return result ? result : closed;
}

static int find_axis(const struct graph_run *run, struct sl_graph_shown *shown)
{
	shown->timestamp_hz = session_hz(run->session);
	return session_axis(run->session, run->calls, &shown->axis);
}

static int report(const struct graph_run *run)
{
	struct sl_graph_shown shown = shown_of(run->session->options);
	struct sl_table table;
	struct output out;
	int result;

	if (find_axis(run, &shown) != EXIT_DONE || output_table(&out, run->session->options, &table) != EXIT_DONE)
		return EXIT_FAILED;
	result = write_table(run, &shown, table);
	if (output_close(&out, result) != EXIT_DONE)
		return EXIT_FAILED;
	return result == SL_END ? say_no_function(run, shown.function) : EXIT_DONE;
}

static int write_slowest(const struct graph_run *run, const struct sl_graph_shown *shown, struct sl_table table)
{
	const struct options *o = run->session->options;
	const char *fields = o->fields ? o->fields : is_text(o) ? slowest_fields : NULL;
	int result = sl_report_select("difference", NULL, 0, fields, table, &table), closed;

	if (result == SL_OK)
		result = sl_report_select("instances", NULL, 0, is_text(o) ? "-number,-buffer,-trace_id" : NULL, table, &table);
	if (result < 0)
		return result;
	result = sl_slowest_report(run->slowest, shown, &table);
	closed = table.ops->close(table.out);
	return result < 0 ? result : closed;
}

/* The second run. */
static int look_into(struct graph_run *run, struct sl_call_sink *sink)
{
	struct sl_run_options options = { 0 };
	struct sl_sink calls;

	sl_calls_free(run->calls);
	run->calls = NULL;
	if (sl_calls_new(run->session->image, sink, 1, &run->calls) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	sl_calls_sink(run->calls, &calls);
	return session_run_again(run->session, &options, &calls, 1, NULL);
}

static int report_slowest(struct graph_run *run, struct sl_call_sink *sink)
{
	struct options o = *run->session->options;
	struct sl_graph_shown shown = shown_of(&o);
	uint64_t dropped;
	struct sl_table table;
	struct output out;
	int result;

	if (find_axis(run, &shown) != EXIT_DONE)
		return EXIT_FAILED;
	result = sl_slowest_choose(run->slowest, shown.axis);
	if (result == SL_END)
		return say_no_function(run, o.slowest);
	if (result < 0 || look_into(run, sink) != EXIT_DONE)
		return EXIT_FAILED;
	if (!o.table && o.format && strcmp(o.format, "csv") == 0)
		o.table = "difference";
	if (output_table(&out, &o, &table) != EXIT_DONE)
		return EXIT_FAILED;
	if (output_close(&out, write_slowest(run, &shown, table)) != EXIT_DONE)
		return EXIT_FAILED;
	dropped = sl_slowest_dropped(run->slowest);
	if (dropped && !o.quiet)
		say("note: the median is that of all calls but the last %" PRIu64, dropped);
	return EXIT_DONE;
}

/* Makes what collects. */
static int prepare(struct graph_run *run, const struct sl_filter *filter, struct sl_call_sink *sink)
{
	const char *slowest = run->session->options->slowest;
	struct sl_graph_options options;
	int result, code = tree_options(run->session, filter, &options);

	if (code != EXIT_DONE)
		return code;
	run->sieve = options.sieve;
	result = slowest ? sl_slowest_new(&options, slowest, &run->slowest) : sl_graph_new(&options, &run->graph);
	if (result == SL_OK) {
		if (slowest)
			sl_slowest_call_sink(run->slowest, sink);
		else
			sl_graph_call_sink(run->graph, sink);
		result = sl_calls_new(options.image, sink, 1, &run->calls);
	}
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", sl_strerror(result));
	return EXIT_FAILED;
}

static bool is_filtered(const struct options *o)
{
	return o->function || o->module || o->task || o->root || o->cpus || o->level_list || o->window || o->min_duration;
}

static int collect(struct graph_run *run)
{
	struct session *s = run->session;
	struct sl_filter filter;
	struct sl_call_sink sink;
	int code = session_filter(s->options, &filter);

	filter.depth = 0; /* --depth is that of the tree */
	if (code == EXIT_DONE)
		code = prepare(run, &filter, &sink);
	if (code != EXIT_DONE)
		return code;
	code = session_run_calls(s, run->calls, &run->tally);
	if (code == EXIT_DONE && run->tally.ranges)
		code = run->slowest ? report_slowest(run, &sink) : report(run);
	if (code != EXIT_DONE)
		return code;
	code = session_verdict(s, &run->tally, run->tally.ranges > 0);
	if (code == EXIT_DONE)
		session_note_calls(s, run->calls);
	if (run->slowest || code != EXIT_DONE)
		return code;
	if (!s->options->quiet)
		tree_note_limits(run->graph);
	if (!is_filtered(s->options) && !sl_graph_closes(run->graph, run->calls))
		say("warning: the account does not close: please report this with the capture");
	return code;
}

static int check_options(const struct options *o)
{
	int views = (o->callers != NULL) + (o->callees != NULL) + (o->linkage != NULL) + (o->slowest != NULL) + o->inverted;
	const char *wrong = NULL;

	if (views > 1)
		wrong = "--callers, --callees, --flat, --slowest and --inverted exclude each other";
	else if (o->slowest && (o->by || o->sort))
		wrong = "--slowest takes neither --by nor --sort";
	else if (o->table && !o->slowest)
		wrong = "--table is for --slowest: the others have one table";
	if (wrong) {
		say("%s", wrong);
		say_try("graph");
		return EXIT_FAILED;
	}
	return fields_check(o, NULL, "graph", o->slowest ? sl_slowest_columns : sl_graph_columns);
}

static int list_fields(const struct options *o)
{
	if (o->slowest)
		return fields_list(o, "Columns of graph --slowest (a name may leave out its unit, which follows --clock)",
				   sl_slowest_columns);
	return fields_list(o, "Columns of graph (a name may leave out its unit, which follows --clock)", sl_graph_columns);
}

int cmd_graph(const struct options *options)
{
	struct session s;
	struct graph_run run = { .session = &s };
	int code;

	if (options->fields && strcmp(options->fields, "help") == 0)
		return list_fields(options);
	code = check_options(options);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = collect(&run);
	sl_calls_free(run.calls);
	sl_graph_free(run.graph);
	sl_slowest_free(run.slowest);
	sl_sieve_free(run.sieve);
	session_close(&s);
	return code;
}
