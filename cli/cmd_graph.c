/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "output.h"
#include "say.h"
#include "session.h"
#include "sl_graph.h"
#include "sl_nearest.h"

/* In text, where a line has to fit. */
static const char *const text_fields[] = {
	[SL_GRAPH_TREE] = "percent,total,self,calls,avg,p99,max,function",
	[SL_GRAPH_CALLEES] = "percent,total,self,calls,per_call,avg,p99,max,function",
	[SL_GRAPH_CALLERS] = "percent,total,self,calls,avg,p99,max,function",
	[SL_GRAPH_INVERTED] = "percent,self,total,calls,function",
	[SL_GRAPH_LINKAGE] = "kind,percent,total,self,calls,per_call,avg,p99,max,function",
};

struct graph_run {
	struct session *session;
	struct sl_graph *graph;
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

static void note_limits(const struct graph_run *run)
{
	uint64_t beyond = sl_graph_beyond(run->graph), folded = sl_graph_folded(run->graph);

	if (folded)
		say("note: %" PRIu64 " call%s deep in a recursion are counted where the function is further up in the path", folded,
		    folded == 1 ? "" : "s");
	if (beyond)
		say("note: %" PRIu64 " call%s on more paths than are kept are counted as '(paths not kept)'; a filter leaves fewer "
		    "paths: --function, --module", beyond, beyond == 1 ? "" : "s");
}

/* No function matches: why. */
static int say_no_function(const struct graph_run *run, const char *glob)
{
	const struct sl_image *image = run->session->image;
	struct sl_nearest nearest;

	sl_nearest_init(&nearest, glob);
	for (uint32_t i = 1; i <= sl_image_symbol_count(image); i++)
		sl_nearest_offer(&nearest, sl_image_symbol(image, i)->name);
	if (nearest.best && nearest.distance == 0)
		say("%s: was not called where there is trace", glob);
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

static int report(const struct graph_run *run)
{
	const struct session *s = run->session;
	struct sl_graph_shown shown = shown_of(s->options);
	struct sl_diag diag = { "" };
	struct sl_table table;
	struct output out;
	int result;

	shown.timestamp_hz = session_hz(s);
	result = sl_calls_axis(run->calls, (enum sl_axis_choice)session_axis_choice(s), shown.timestamp_hz, &shown.axis, &diag);
	if (result < 0) {
		say("%s", diag.text);
		return EXIT_FAILED;
	}
	if (output_table(&out, s->options, &table) != EXIT_DONE)
		return EXIT_FAILED;
	result = write_table(run, &shown, table);
	if (output_close(&out, result) != EXIT_DONE)
		return EXIT_FAILED;
	if (result == SL_END)
		return say_no_function(run, shown.function);
	return EXIT_DONE;
}

/* Makes what collects. */
static int prepare(struct graph_run *run, const struct sl_filter *filter, struct sl_call_sink *sink)
{
	static const char *const levels[] = { "asked", "below", "apart", NULL };
	struct session *s = run->session;
	struct sl_graph_options options = { .image = s->image, .capture = s->capture };
	struct sl_diag diag = { "" };
	int result = sl_sieve_new(filter, s->image, s->capture, session_hz(s), &run->sieve, &diag);

	options.sieve = run->sieve;
	options.axis = (enum sl_axis_choice)session_axis_choice(s);
	options.timestamp_hz = session_hz(s);
	options.by_task = s->options->by && strcmp(s->options->by, "task") == 0;
	options.levels = (enum sl_graph_levels)choice_of(s->options->levels, levels);
	if (result == SL_OK)
		result = sl_graph_new(&options, &run->graph);
	if (result == SL_OK) {
		sl_graph_call_sink(run->graph, sink);
		result = sl_calls_new(s->image, sink, 1, &run->calls);
	}
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int collect(struct graph_run *run)
{
	struct session *s = run->session;
	const struct sl_filter filter = { .function = s->options->function, .module = s->options->module };
	bool filtered = filter.function || filter.module;
	struct sl_run_options options = { 0 };
	struct sl_call_sink sink;
	struct sl_sink sinks[2];
	int code = prepare(run, &filter, &sink);

	if (code != EXIT_DONE)
		return code;
	sl_calls_sink(run->calls, &sinks[0]);
	tally_sink(&run->tally, &sinks[1]);
	code = session_run(s, &options, sinks, 2, NULL);
	if (code == EXIT_DONE && run->tally.ranges)
		code = report(run);
	if (code != EXIT_DONE)
		return code;
	note_limits(run);
	code = session_verdict(s, &run->tally, run->tally.ranges > 0);
	if (code == EXIT_DONE && !filtered && !sl_graph_closes(run->graph, run->calls))
		say("warning: the account does not close: please report this with the capture");
	return code;
}

static int check_options(const struct options *o)
{
	int views = (o->callers != NULL) + (o->callees != NULL) + (o->linkage != NULL) + o->inverted;

	if (views > 1) {
		say("--callers, --callees, --flat and --inverted exclude each other");
		say_try("graph");
		return EXIT_FAILED;
	}
	return fields_check(o, "graph", sl_graph_columns);
}

int cmd_graph(const struct options *options)
{
	struct session s;
	struct graph_run run = { .session = &s };
	int code;

	if (options->fields && strcmp(options->fields, "help") == 0)
		return fields_list(options, "Columns of graph (a name may leave out its unit, which follows --clock)",
				   sl_graph_columns);
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
	sl_sieve_free(run.sieve);
	session_close(&s);
	return code;
}
