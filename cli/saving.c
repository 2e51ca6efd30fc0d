/* SPDX-License-Identifier: Apache-2.0 */
#include "saving.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "say.h"

static bool is(const char *word, const char *want)
{
	return word && strcmp(word, want) == 0;
}

/* What chose and formed the calls, as it was asked for: profiles that are merged or compared should have it alike. */
static void describe(const struct options *o, char *ret, size_t cap)
{
	const struct {
		const char *name, *value, *preset;
	} all[] = {
		{ "function", o->function, NULL }, { "module", o->module, NULL }, { "task", o->task, NULL }, { "root", o->root, NULL },
		{ "cpu", o->cpus, NULL }, { "level", o->level_list, NULL }, { "window", o->window, NULL },
		{ "min-duration", o->min_duration, NULL }, { "durations", o->durations, "net" }, { "recursion", o->recursion, "all" },
		{ "tail-calls", o->tail_calls, "own" }, { "buffer", o->buffer, NULL },
	};
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && len < cap; i++) {
		if (all[i].value && !is(all[i].preset, all[i].value))
			len += (size_t)snprintf(ret + len, cap - len, "%s--%s %s", len ? " " : "", all[i].name, all[i].value);
	}
	if (o->depth && len < cap)
		len += (size_t)snprintf(ret + len, cap - len, "%s--depth %u", len ? " " : "", (unsigned)o->depth);
	if (o->id != ID_ALL && len < cap)
		snprintf(ret + len, cap - len, "%s--id 0x%x", len ? " " : "", (unsigned)o->id);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int saving_new(const struct session *s, const struct sl_filter *filter, struct sl_saver **ret)
{
	const struct options *o = s->options;
	char form[1024], name[256];
	const struct sl_saver_options options = {
		.image = s->image,
		.capture = s->capture,
		.filter = filter,
		.name = name,
		.form = form,
		.timestamp_hz = session_hz(s),
		.axis = (enum sl_axis_choice)session_axis_choice(s),
		.durations = is(o->durations, "gross") ? SL_DURATIONS_GROSS
			     : is(o->durations, "wall") ? SL_DURATIONS_WALL
							: SL_DURATIONS_NET,
		.outermost = is(o->recursion, "outermost"),
		.fold_tails = is(o->tail_calls, "caller"),
	};
	struct sl_diag diag = { "" };
	int result;

	describe(o, form, sizeof(form));
	snprintf(name, sizeof(name), "%s", base_name(o->operand));
	if (name[0] && name[strlen(name) - 1] == '/')
		name[strlen(name) - 1] = '\0';
	result = sl_saver_new(&options, ret, &diag);
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int finish(struct sl_saver *saver, struct sl_saved *ret)
{
	struct sl_diag diag = { "" };
	int result = sl_saver_finish(saver, ret, &diag);

	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

int saving_write(struct sl_saver *saver, const char *path)
{
	struct sl_diag diag = { "" };
	struct sl_saved saved;
	int code = finish(saver, &saved), result;

	if (code != EXIT_DONE)
		return code;
	result = sl_saved_write(&saved, path, &diag);
	sl_saved_release(&saved);
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

int saving_read(const char *path, struct sl_saved *ret)
{
	struct sl_diag diag = { "" };
	int result = sl_saved_read(path, ret, &diag);

	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

static int run(struct session *s, const struct sl_filter *filter, struct sl_saved *ret)
{
	struct sl_run_options options = { 0 };
	struct tally tally = { .image = s->image };
	struct sl_saver *saver;
	struct sl_sink sinks[2];
	int code = saving_new(s, filter, &saver);

	if (code != EXIT_DONE)
		return code;
	sl_saver_sink(saver, &sinks[0]);
	tally_sink(&tally, &sinks[1]);
	code = session_run(s, &options, sinks, 2, NULL);
	if (code == EXIT_DONE)
		code = session_verdict(s, &tally, tally.ranges > 0);
	if (code == EXIT_DONE)
		code = finish(saver, ret);
	sl_saver_free(saver);
	return code;
}

int saving_of_operand(const struct options *o, const char *operand, struct sl_saved *ret)
{
	struct options own = *o;
	struct sl_filter filter;
	struct session s;
	int code;

	if (!o->protocol && sl_saved_is(operand))
		return saving_read(operand, ret);
	own.operand = operand;
	own.depth = 0; /* that of the tree that is shown */
	code = session_filter(&own, &filter);
	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, &own);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = run(&s, &filter, ret);
	session_close(&s);
	return code;
}
