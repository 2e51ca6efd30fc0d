/* SPDX-License-Identifier: Apache-2.0 */
/* report --html: two runs. The first one counts, and finds out where the clocks begin; the second one is the timeline. */
#include "report_html.h"

#include <errno.h>
#include <string.h>

#include "commands.h"
#include "say.h"
#include "sl_events.h"
#include "sl_export.h"
#include "sl_html.h"
#include "tree.h"

struct page {
	struct session *s;
	struct sl_filter filter; /* none */
	struct tally tally;
	struct sl_profile *profile, *tasks;
	struct sl_sieve *sieve;
	struct sl_graph *graph;
	struct sl_lenses lenses;
	struct sl_events *events;
	struct sl_call_sink sinks[2]; /* graph and events */
	struct sl_calls *stage;	      /* ... have this one */
	struct sl_stats *stats;
	struct sl_html *html;
	enum sl_axis axis;
	FILE *file, *columns; /* NULL: to --html, with the columns in it */
	struct options to;    /* the session's, where --html is --output */
	bool written;
};

static int fail(int result, const struct sl_diag *diag)
{
	say("%s", diag->text[0] ? diag->text : sl_strerror(result));
	return EXIT_FAILED;
}

const char *report_html_refuses(const struct options *o)
{
	if (o->output || o->format || o->table || o->save)
		return "--html writes a page with all tables: it takes no --format, --output, --table and --save";
	if (o->by || o->sort || o->fields || o->limit || o->repairs)
		return "--html has all rows and columns, which are chosen in the page: it takes no --by, --sort, --fields, --limit and --repairs";
	if (o->function || o->module || o->root || o->task || o->cpus || o->level_list || o->window || o->min_duration || o->depth)
		return "--html is of the whole capture, of which parts are chosen in the page: it takes no filter but --buffer and --id";
	if (o->durations || o->recursion || o->tail_calls)
		return "--html shows net durations of all calls: it takes no --durations, --recursion and --tail-calls";
	return NULL;
}

static int make_profile(struct page *page, enum sl_profile_by by, struct sl_profile **ret)
{
	const struct session *s = page->s;
	const struct sl_profile_options options = { .image = s->image, .capture = s->capture, .filter = &page->filter,
						    .timestamp_hz = session_hz(s), .axis = session_axis_choice(s), .by = by };
	struct sl_diag diag = { "" };
	int result = sl_profile_new(&options, ret, &diag);

	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static int make_stage(struct page *page)
{
	struct sl_graph_options tree;
	const struct sl_events_options events = { .image = page->s->image, .lenses = &page->lenses, .capture = page->s->capture };
	struct sl_diag diag = { "" };
	int code = tree_options(page->s, &page->filter, &tree), result;

	if (code != EXIT_DONE)
		return code;
	page->sieve = tree.sieve;
	result = sl_lenses_init(&page->lenses);
	if (result == SL_OK)
		result = sl_graph_new(&tree, &page->graph);
	if (result == SL_OK)
		result = sl_events_new(&events, &page->events);
	if (result < 0)
		return fail(result, &diag);
	sl_graph_call_sink(page->graph, &page->sinks[0]);
	sl_events_sink(page->events, &page->sinks[1]);
	result = sl_calls_new(page->s->image, page->sinks, 2, &page->stage);
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static int make_sinks(struct page *page)
{
	struct sl_diag diag = { "" };
	int code = make_profile(page, SL_BY_FUNCTION, &page->profile), result;

	if (code == EXIT_DONE)
		code = make_profile(page, SL_BY_TASK, &page->tasks);
	if (code == EXIT_DONE)
		code = make_stage(page);
	if (code != EXIT_DONE)
		return code;
	result = sl_stats_new(page->s->image, &page->stats);
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

static int count(struct page *page)
{
	struct sl_run_options run = { 0 };
	struct sl_sink sinks[5];
	int code = make_sinks(page);

	if (code != EXIT_DONE)
		return code;
	page->tally.image = page->s->image;
	sl_profile_sink(page->profile, &sinks[0]);
	sl_profile_sink(page->tasks, &sinks[1]);
	sl_calls_sink(page->stage, &sinks[2]);
	sl_stats_sink(page->stats, &sinks[3]);
	tally_sink(&page->tally, &sinks[4]);
	code = session_run(page->s, &run, sinks, 5, NULL);
	if (code == EXIT_DONE && page->tally.ranges)
		code = session_axis(page->s, sl_profile_calls(page->profile), &page->axis);
	return code;
}

/* What the first run counted. */
static int write_tables(struct page *page)
{
	struct session *s = page->s;
	struct sl_calls_extent extent = sl_calls_extent(page->stage, page->axis);
	const struct sl_events_view view = { page->axis, session_hz(s), extent.longest, extent.sum };
	struct sl_table table;
	struct sl_paths paths;
	int result = sl_events_result(page->events);

	sl_html_table(page->html, &table);
	sl_html_paths(page->html, &paths);
	if (result == SL_OK)
		result = sl_profile_report(page->profile, page->axis, &table);
	if (result == SL_OK)
		result = sl_profile_report(page->tasks, page->axis, &table);
	if (result == SL_OK)
		result = sl_stats_report(page->stats, s->capture, &s->result, &s->notes, &table);
	if (result == SL_OK)
		sl_events_report(page->events, &view, &table);
	if (result == SL_OK)
		result = sl_graph_paths(page->graph, page->stage, page->axis, session_hz(s), &paths);
	return result;
}

static int tell_calls(struct page *page, struct sl_timeline_sink *sink)
{
	struct sl_run_options run = { 0 };
	struct sl_diag diag = { "" };
	struct sl_call_sink calls;
	struct sl_calls *stage;
	struct sl_sink element_sink;
	int code;

	sl_timeline_call_sink(sink, &calls);
	if (sl_calls_new(page->s->image, &calls, 1, &stage) < 0)
		return fail(SL_ERR_NOMEM, &diag);
	sl_calls_sink(stage, &element_sink);
	code = session_run_again(page->s, &run, &element_sink, 1, NULL);
	if (code == EXIT_DONE)
		sl_timeline_sink_finish(sink);
	sl_calls_free(stage);
	return code;
}

/* The second run, to the end of the page: the timeline's names live as long as its sink. */
static int write_timeline(struct page *page, struct output *out)
{
	struct session *s = page->s;
	struct sl_timeline_options options = { .image = s->image, .capture = s->capture, .calls = sl_profile_calls(page->profile),
					       .axis = page->axis, .timestamp_hz = session_hz(s) };
	struct sl_timeline_sink *sink = NULL;
	struct sl_diag diag = { "" };
	int result, code;

	sl_html_timeline(page->html, &options.out);
	result = sl_timeline_sink_new(&options, &sink, &diag);
	code = result < 0 ? fail(result, &diag) : tell_calls(page, sink);
	result = sl_html_close(page->html, code == EXIT_DONE);
	page->html = NULL;
	if (code == EXIT_DONE)
		code = output_close(out, result);
	else
		output_close(out, SL_OK);
	page->written = code == EXIT_DONE;
	sl_timeline_sink_free(sink);
	return code;
}

/* What the page is called: the capture without the folders that it lies in. */
static const char *title_of(const char *capture)
{
	const char *last = capture;

	for (const char *at = capture; *at; at++) {
		if (*at == '/' && at[1] && at[1] != '/')
			last = at + 1;
	}
	return last;
}

static int open_page(struct page *page, struct output *out)
{
	page->to = *page->s->options;
	page->to.output = page->s->options->html;
	if (!page->file)
		return output_open(out, &page->to);
	*out = (struct output){ .options = &page->to, .file = page->file };
	return EXIT_DONE;
}

static int write_page(struct page *page)
{
	const struct options *o = page->s->options;
	struct sl_html_options options = { .title = title_of(o->operand), .calls_max = o->html_calls, .columns = page->columns };
	struct sl_diag diag = { "" };
	struct output out;
	int code = open_page(page, &out), result;

	if (code != EXIT_DONE)
		return code;
	options.out = out.file;
	result = sl_html_new(&options, &page->html);
	if (result == SL_OK)
		result = write_tables(page);
	if (result == SL_OK)
		return write_timeline(page, &out);
	if (page->html)
		sl_html_close(page->html, false);
	output_close(&out, SL_OK);
	return fail(result, &diag);
}

static void free_page(struct page *page)
{
	sl_stats_free(page->stats);
	sl_calls_free(page->stage);
	sl_events_free(page->events);
	sl_lenses_release(&page->lenses);
	sl_graph_free(page->graph);
	sl_sieve_free(page->sieve);
	sl_profile_free(page->tasks);
	sl_profile_free(page->profile);
}

static int make_and_free(struct page *page)
{
	struct session *s = page->s;
	int code = count(page);

	if (code == EXIT_DONE && page->tally.ranges)
		code = write_page(page);
	if (code == EXIT_DONE)
		code = session_verdict(s, &page->tally, page->tally.ranges > 0);
	if (code == EXIT_DONE)
		session_note_calls(s, sl_profile_calls(page->profile));
	free_page(page);
	return code;
}

int report_html(struct session *s)
{
	struct page page = { .s = s };

	return make_and_free(&page);
}

int report_html_apart(struct session *s, FILE *file, FILE *columns, bool *ret_written)
{
	struct page page = { .s = s, .file = file, .columns = columns };
	int code = make_and_free(&page);

	*ret_written = page.written;
	return code;
}
