/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "output.h"
#include "say.h"
#include "session.h"
#include "sl_nearest.h"

enum { WORST_SHOWN = 5 };

struct measure_state {
	struct measure_job *job;
	struct session session;
	struct sl_latency *latency;
	struct sl_calls *calls;
	struct sl_sieve *sieve;
	struct tally tally;
};

static void add_field(char *fields, size_t cap, const char *name, bool wanted)
{
	size_t len = strlen(fields);

	if (wanted)
		snprintf(fields + len, cap - len, ",%s", name);
}

/* In text: what has happened, and not what might have. */
static void text_fields(const struct measure_state *state, char *ret, size_t cap)
{
	struct sl_latency_counts counts = sl_latency_counts(state->latency);
	bool pairs = state->job->what.of == SL_LATENCY_PAIRS;

	snprintf(ret, cap, "measured,min,avg,max,stdev,p50,p90,p99,p999");
	add_field(ret, cap, "seen_a,seen_b,alone_a,alone_b", pairs);
	add_field(ret, cap, "over_gap", counts.over_gap);
	add_field(ret, cap, "other_clock", counts.other_clock);
	add_field(ret, cap, "lacking", counts.lacking);
	add_field(ret, cap, "dropped", counts.dropped);
}

static int write_tables(const struct measure_state *state, const struct sl_latency_shown *shown, struct sl_table table)
{
	const struct options *o = state->job->options;
	char fields[200];
	int result = SL_OK, closed;

	if (!o->format || strcmp(o->format, "text") == 0) {
		text_fields(state, fields, sizeof(fields));
		result = sl_report_select("summary", NULL, 0, fields, table, &table);
		if (result == SL_OK)
			result = sl_report_select("worst", NULL, 0, "-rank,-end_buffer,-end_trace_id", table, &table);
	}
	if (result < 0)
		return result;
	result = sl_latency_report(state->latency, shown, &table);
	closed = table.ops->close(table.out);
	return result < 0 ? result : closed;
}

/* Whether a function has the name that a place tells; else the nearest that there is. */
static int say_never(const struct measure_state *state)
{
	const char *place = state->job->place, *colon = strchr(place, ':'), *name = colon ? colon + 1 : place;
	const struct sl_image *image = state->session.image;
	struct sl_nearest nearest;

	sl_nearest_init(&nearest, name);
	for (uint32_t i = 1; i <= sl_image_symbol_count(image); i++)
		sl_nearest_offer(&nearest, sl_image_symbol(image, i)->name);
	if (nearest.best && nearest.distance && state->job->what.a.function)
		say("'%s' did not happen where there is trace (did you mean '%s'?)", place, nearest.best);
	else
		say("'%s' did not happen where there is trace", place);
	return EXIT_NO;
}

static int answer(const struct measure_state *state)
{
	struct sl_latency_counts counts = sl_latency_counts(state->latency);

	if (counts.measured)
		return EXIT_DONE;
	if (state->job->what.of == SL_LATENCY_PAIRS)
		say("no pair could be measured: A %" PRIu64 " time%s, B %" PRIu64 " time%s; see --pair", counts.a, counts.a == 1 ? "" : "s",
		    counts.b, counts.b == 1 ? "" : "s");
	else
		say("nothing could be measured: it happened %" PRIu64 " time%s", counts.a, counts.a == 1 ? "" : "s");
	return EXIT_NO;
}

static int report(struct measure_state *state)
{
	struct session *s = &state->session;
	const struct options *o = s->options;
	struct sl_latency_shown shown = { .title = state->job->title, .timestamp_hz = session_hz(s),
					  .worst = o->limit ? o->limit : WORST_SHOWN, .bars_first = state->job->bars_first };
	struct sl_table table;
	struct output out;

	if (session_axis(s, state->calls, &shown.axis) != EXIT_DONE)
		return EXIT_FAILED;
	if (sl_latency_finish(state->latency, shown.axis) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	if (!sl_latency_counts(state->latency).a)
		return say_never(state);
	if (output_table(&out, o, &table) != EXIT_DONE)
		return EXIT_FAILED;
	if (output_close(&out, write_tables(state, &shown, table)) != EXIT_DONE)
		return EXIT_FAILED;
	return answer(state);
}

static int prepare(struct measure_state *state, struct sl_call_sink *sink)
{
	struct session *s = &state->session;
	struct sl_diag diag = { "" };
	struct sl_filter filter;
	int result;

	if (session_filter(s->options, &filter) != EXIT_DONE)
		return EXIT_FAILED;
	result = sl_sieve_new(&filter, s->image, s->capture, session_hz(s), &state->sieve, &diag);
	state->job->what.image = s->image;
	state->job->what.sieve = state->sieve;
	if (result == SL_OK)
		result = sl_latency_new(&state->job->what, &state->latency);
	if (result == SL_OK) {
		sl_latency_call_sink(state->latency, sink);
		result = sl_calls_new(s->image, sink, 1, &state->calls);
	}
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int collect(struct measure_state *state)
{
	struct session *s = &state->session;
	struct sl_call_sink sink;
	int code = prepare(state, &sink), verdict;

	if (code != EXIT_DONE)
		return code;
	code = session_run_calls(s, state->calls, &state->tally);
	if (code == EXIT_DONE && state->tally.ranges)
		code = report(state);
	if (code == EXIT_FAILED)
		return code;
	verdict = session_verdict(s, &state->tally, state->tally.ranges > 0);
	if (verdict != EXIT_DONE)
		return verdict;
	session_note_calls(s, state->calls);
	return code;
}

int measure_run(struct measure_job *job)
{
	struct measure_state state = { .job = job };
	int code = session_open(&state.session, job->options);

	if (code == EXIT_DONE)
		code = session_load_image(&state.session);
	if (code == EXIT_DONE)
		code = collect(&state);
	sl_calls_free(state.calls);
	sl_latency_free(state.latency);
	sl_sieve_free(state.sieve);
	session_close(&state.session);
	return code;
}
