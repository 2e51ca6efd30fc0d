/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "output.h"
#include "say.h"
#include "session.h"

static int write_info(struct session *s, struct sl_stats *stats, const struct options *options)
{
	struct output out;
	struct sl_table table;
	int code = output_table(&out, options, &table), result, closed;

	if (code != EXIT_DONE)
		return code;
	result = sl_stats_report(stats, s->capture, &s->result, &s->notes, &table);
	closed = table.ops->close(table.out);
	return output_close(&out, result < 0 ? result : closed);
}

static int collect(struct session *s, const struct options *options)
{
	struct sl_run_options run = { 0 };
	struct sl_stats *stats = NULL;
	struct sl_sink sink;
	int code;

	if (sl_stats_new(s->image, &stats) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	sl_stats_sink(stats, &sink);
	code = session_run(s, &run, &sink, 1, NULL);
	if (code == EXIT_DONE)
		code = write_info(s, stats, options);
	sl_stats_free(stats);
	return code;
}

/* The tables that only a recording has, which a capture without them would leave out in silence. */
static bool asks_for_nothing(const struct session *s)
{
	static const char *const tables[] = { "recording", "cpus", "processes", "next_recording" };
	const struct sl_fact *facts;

	for (size_t i = 0; s->options->table && i < sizeof(tables) / sizeof(*tables); i++) {
		if (strcmp(s->options->table, tables[i]) == 0)
			return !sl_capture_facts(s->capture, &facts);
	}
	return false;
}

int cmd_info(const struct options *options)
{
	struct session s;
	int code = session_open(&s, options);

	if (code == EXIT_DONE && asks_for_nothing(&s)) {
		say("%s: a %s has no table '%s': only a perf.data tells how it was recorded", options->operand,
		    sl_capture_container(s.capture), options->table);
		code = EXIT_NO;
	}
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE) {
		s.says_notes = false;
		code = collect(&s, options);
	}
	session_close(&s);
	return code;
}
