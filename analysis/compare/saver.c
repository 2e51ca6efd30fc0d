/* SPDX-License-Identifier: Apache-2.0 */
/* The run that a kept profile is made of: three sinks on one stage. */
#include <stdlib.h>
#include <string.h>

#include "saved.h"
#include "sl_array.h"
#include "sl_lens.h"

struct sl_saver {
	struct sl_saver_options options; /* name and form are copies */
	struct sl_lenses lenses;
	struct sl_sieve *graph_sieve, *events_sieve; /* each follows what is open by itself */
	struct sl_profile *profile;
	struct sl_graph *graph;
	struct sl_events *events;
	struct sl_call_sink sinks[3];
	struct sl_calls *calls;
};

static int make_sieves(struct sl_saver *s, struct sl_diag *diag)
{
	static const struct sl_filter none = { 0 };
	const struct sl_saver_options *o = &s->options;
	const struct sl_filter *filter = o->filter ? o->filter : &none;
	int result = sl_sieve_new(filter, o->image, o->capture, o->timestamp_hz, &s->graph_sieve, diag);

	return result < 0 ? result : sl_sieve_new(filter, o->image, o->capture, o->timestamp_hz, &s->events_sieve, diag);
}

static int make_profile(struct sl_saver *s, struct sl_diag *diag)
{
	const struct sl_saver_options *o = &s->options;
	const struct sl_profile_options options = {
		.image = o->image,
		.capture = o->capture,
		.filter = o->filter,
		.timestamp_hz = o->timestamp_hz,
		.axis = o->axis,
		.durations = o->durations,
		.outermost = o->outermost,
		.fold_tails = o->fold_tails,
		.every_axis = true,
	};

	return sl_profile_new(&options, &s->profile, diag);
}

static int make_others(struct sl_saver *s)
{
	const struct sl_saver_options *o = &s->options;
	const struct sl_graph_options graph = { .image = o->image, .capture = o->capture, .sieve = s->graph_sieve,
						.axis = SL_CHOOSE_INSNS, .timestamp_hz = o->timestamp_hz };
	const struct sl_events_options events = { .image = o->image, .lenses = &s->lenses, .capture = o->capture,
						  .sieve = s->events_sieve };

	if (sl_lenses_init(&s->lenses) < 0 || sl_graph_new(&graph, &s->graph) < 0 || sl_events_new(&events, &s->events) < 0)
		return SL_ERR_NOMEM;
	sl_profile_call_sink(s->profile, &s->sinks[0]);
	sl_graph_call_sink(s->graph, &s->sinks[1]);
	sl_events_sink(s->events, &s->sinks[2]);
	return sl_calls_new(o->image, s->sinks, 3, &s->calls);
}

int sl_saver_new(const struct sl_saver_options *options, struct sl_saver **ret, struct sl_diag *diag)
{
	struct sl_saver *s = calloc(1, sizeof(*s));
	int result;

	if (!s)
		return SL_ERR_NOMEM;
	s->options = *options;
	s->options.name = strdup(options->name);
	s->options.form = strdup(options->form);
	result = s->options.name && s->options.form ? make_sieves(s, diag) : SL_ERR_NOMEM;
	if (result == SL_OK)
		result = make_profile(s, diag);
	if (result == SL_OK)
		result = make_others(s);
	if (result < 0)
		sl_saver_free(s);
	else
		*ret = s;
	return result;
}

void sl_saver_free(struct sl_saver *s)
{
	if (!s)
		return;
	sl_calls_free(s->calls);
	sl_profile_free(s->profile);
	sl_graph_free(s->graph);
	sl_events_free(s->events);
	sl_sieve_free(s->graph_sieve);
	sl_sieve_free(s->events_sieve);
	sl_lenses_release(&s->lenses);
	free((void *)(uintptr_t)s->options.name);
	free((void *)(uintptr_t)s->options.form);
	free(s);
}

void sl_saver_sink(struct sl_saver *s, struct sl_sink *ret)
{
	sl_calls_sink(s->calls, ret);
}

static int save_lanes(const struct sl_calls *calls, struct sl_saved *into)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(calls, &lanes);

	for (size_t i = 0; i < count; i++) {
		const struct sl_account *account = &lanes[i].account;
		struct sl_saved_lane lane = { .trace_id = lanes[i].trace_id, .cpu = lanes[i].cpu, .whole = account->whole,
					      .self = account->self, .gap = account->gap };

		if (lanes[i].config)
			lane.machine = lanes[i].config->protocol == SL_PROTOCOL_IPT ? SL_MACHINE_X86_64 : SL_MACHINE_ARM;
		for (unsigned repair = 0; repair < SL_REPAIRS; repair++)
			lane.repairs += account->repairs[repair];
		if (saved_string(into, lanes[i].buffer, &lane.buffer) < 0 || saved_string(into, lanes[i].source, &lane.source) < 0 ||
		    SL_ARRAY_PUSH(&into->lanes, &into->lane_count, &into->lane_cap, lane) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static uint64_t bytes_of(const struct sl_capture *capture)
{
	const struct sl_buffer *buffers;
	size_t count = sl_capture_buffers(capture, &buffers);
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += buffers[i].size;
	return bytes;
}

static int save_facts(const struct sl_saver *s, struct sl_saved *into, struct sl_diag *diag)
{
	static const enum sl_axis_choice choices[SL_AXIS_COUNT] = { SL_CHOOSE_INSNS, SL_CHOOSE_CYCLES, SL_CHOOSE_TIME };
	const struct sl_saver_options *o = &s->options;
	enum sl_axis axis;

	into->timestamp_hz = o->timestamp_hz;
	into->runs = 1;
	into->trace_bytes = bytes_of(o->capture);
	for (int i = 0; i < SL_AXIS_COUNT; i++) {
		if (sl_calls_axis(s->calls, choices[i], o->timestamp_hz, &axis, NULL) == SL_OK)
			into->axes |= 1u << axis;
	}
	if (saved_string(into, o->name, &into->name) < 0 || saved_string(into, o->form, &into->options) < 0)
		return SL_ERR_NOMEM;
	return sl_calls_axis(s->calls, o->axis, o->timestamp_hz, &into->axis, diag);
}

int sl_saver_finish(struct sl_saver *s, struct sl_saved *ret, struct sl_diag *diag)
{
	int result;

	*ret = (struct sl_saved){ .axis = SL_AXIS_INSNS };
	result = save_facts(s, ret, diag);
	if (result == SL_OK)
		result = sl_profile_save(s->profile, ret);
	if (result == SL_OK)
		result = sl_graph_save(s->graph, ret);
	if (result == SL_OK)
		result = sl_events_result(s->events);
	if (result == SL_OK)
		result = sl_events_save(s->events, ret);
	if (result == SL_OK)
		result = save_lanes(s->calls, ret);
	if (result == SL_OK)
		saved_drop_axes(ret);
	if (result < 0)
		sl_saved_release(ret);
	return result;
}
