/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "offsets.h"
#include "open.h"
#include "say.h"

enum { WARNINGS_MAX = 10 };

static int fail(int result, const struct sl_diag *diag)
{
	say("%s", diag->text[0] ? diag->text : sl_strerror(result));
	return EXIT_FAILED;
}

int session_open(struct session *s, const struct options *options)
{
	struct sl_diag diag = { "" };
	int result;

	*s = (struct session){ .options = options, .says_notes = true };
	result = open_capture(options, &s->notes, &s->capture, &diag);
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

int session_load_image(struct session *s)
{
	struct sl_diag diag = { "" };
	int result = sl_capture_load_image(s->capture, &s->notes, &s->image, &diag);

	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

enum sl_engine session_engine(const char *name)
{
	unsigned engine = SL_ENGINE_AUTO;

	while (name && sl_engine_name(engine) && strcmp(sl_engine_name(engine), name) != 0)
		engine++;
	return (enum sl_engine)engine;
}

static int run_all(struct session *s, struct sl_run_options *run, const struct output *out)
{
	const struct options *o = s->options;
	struct sl_diag diag = { "" };
	struct sl_clock_offset *offsets;
	struct progress progress;
	int result = offsets_parse(o, session_hz(s), &offsets, &diag);

	run->offsets = offsets;
	run->offset_count = o->clock_offsets.len;
	progress_init(&progress, !o->quiet && !(out && output_on_terminal(out)), o->fake_console);
	run->progress = progress_update;
	run->progress_ctx = &progress;
	if (result == SL_OK)
		result = sl_run(run, &s->notes, &s->result, &diag);
	progress_clear(&progress);
	free(offsets);
	if (result == SL_ERR_IO && out && ferror(out->file))
		return EXIT_FAILED;
	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}

int session_run(struct session *s, struct sl_run_options *run, const struct sl_sink *sinks, size_t count,
		const struct output *out)
{
	const struct options *o = s->options;

	run->capture = s->capture;
	run->image = s->image;
	run->sinks = sinks;
	run->sink_count = count;
	run->buffer = o->buffer;
	run->trace_id = o->id == ID_ALL ? -1 : (int)o->id;
	run->jobs = (unsigned)o->jobs;
	run->block_bytes = (size_t)o->block_bytes;
	run->engine = session_engine(o->engine);
	run->cycles_are_time = o->cpu_freq_hz > 0;
	if (run->cycles_are_time)
		sl_notes_add(&s->notes, "time is that of cycles at %" PRIu64 " Hz (--cpu-freq), without what a core slept; timestamps are not used",
			     o->cpu_freq_hz);
	return run_all(s, run, out);
}

int session_run_calls(struct session *s, struct sl_calls *calls, struct tally *tally)
{
	struct sl_run_options run = { 0 };
	struct sl_sink sinks[2];

	tally->image = s->image;
	sl_calls_sink(calls, &sinks[0]);
	tally_sink(tally, &sinks[1]);
	return session_run(s, &run, sinks, 2, NULL);
}

int session_run_again(struct session *s, struct sl_run_options *run, const struct sl_sink *sinks, size_t count,
		      const struct output *out)
{
	struct sl_notes said = s->notes;
	int code;

	sl_run_result_release(&s->result);
	s->notes = (struct sl_notes)SL_NOTES_INIT;
	code = session_run(s, run, sinks, count, out);
	sl_notes_release(&s->notes);
	s->notes = said;
	return code;
}

static void say_notes(const struct session *s)
{
	size_t shown = s->notes.len < WARNINGS_MAX ? s->notes.len : WARNINGS_MAX;
	uint64_t more = s->notes.len - shown + s->notes.dropped;

	for (size_t i = 0; i < shown; i++) {
		const struct sl_note *note = &s->notes.items[i];

		if (note->count > 1)
			say("warning: %s (%" PRIu64 " times)", note->text, note->count);
		else
			say("warning: %s", note->text);
	}
	if (more)
		say("warning: ... and %" PRIu64 " more: see 'sightline info'", more);
}

void session_close(struct session *s)
{
	if (s->says_notes && !s->options->quiet)
		say_notes(s);
	sl_run_result_release(&s->result);
	sl_image_free(s->image);
	sl_capture_free(s->capture);
	sl_notes_release(&s->notes);
}

int session_filter(const struct options *o, struct sl_filter *ret)
{
	const struct {
		const char *text;
		int (*set)(struct sl_filter *filter, const char *text, struct sl_diag *diag);
	} values[] = {
		{ o->cpus, sl_filter_set_cpus },
		{ o->level_list, sl_filter_set_levels },
		{ o->window, sl_filter_set_window },
		{ o->min_duration, sl_filter_set_min_duration },
	};
	struct sl_diag diag = { "" };

	*ret = (struct sl_filter){ .function = o->function, .module = o->module, .task = o->task, .root = o->root,
				   .depth = (uint32_t)o->depth };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].text && values[i].set(ret, values[i].text, &diag) < 0)
			return fail(SL_ERR_FORMAT, &diag);
	}
	return EXIT_DONE;
}

uint64_t session_hz(const struct session *s)
{
	if (s->options->cpu_freq_hz)
		return s->options->cpu_freq_hz;
	return s->options->freq_hz ? s->options->freq_hz : sl_capture_timestamp_hz(s->capture);
}

enum sl_axis_choice session_axis_choice(const struct session *s)
{
	const char *clock = s->options->clock;

	if (!clock || strcmp(clock, "auto") == 0)
		return s->options->cpu_freq_hz ? SL_CHOOSE_TIME : SL_CHOOSE_AUTO;
	if (strcmp(clock, "time") == 0)
		return SL_CHOOSE_TIME;
	return strcmp(clock, "cycles") == 0 ? SL_CHOOSE_CYCLES : SL_CHOOSE_INSNS;
}

const char *session_limits_lack(const struct session *s, const struct sl_calls *calls, const struct sl_filter *filter)
{
	unsigned axes = sl_filter_axes(filter);
	struct sl_diag diag;
	enum sl_axis axis;

	if (axes & 1u << SL_AXIS_TICKS && sl_calls_axis(calls, SL_CHOOSE_TIME, session_hz(s), &axis, &diag) < 0)
		return "a limit in time: a lane that ran has no timestamps; give it in cycles or insns";
	if (axes & 1u << SL_AXIS_CYCLES && sl_calls_axis(calls, SL_CHOOSE_CYCLES, 0, &axis, &diag) < 0)
		return "a limit in cycles: a lane that ran has no cycle counts; give it in time or insns";
	return NULL;
}

int session_axis(const struct session *s, const struct sl_calls *calls, enum sl_axis *ret)
{
	struct sl_diag diag = { "" };
	int result = sl_calls_axis(calls, session_axis_choice(s), session_hz(s), ret, &diag);

	return result < 0 ? fail(result, &diag) : EXIT_DONE;
}
