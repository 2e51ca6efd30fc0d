/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "output.h"
#include "say.h"
#include "session.h"

static int write_check(const struct session *s, const struct sl_check *check)
{
	struct output out;
	struct sl_table table;
	int code = output_table(&out, s->options, &table);

	if (code != EXIT_DONE)
		return code;
	sl_check_report(check, &s->result, &table);
	return output_close(&out, table.ops->close(table.out));
}

/* What cannot be decoded cannot be checked: that is no "no". */
static int verdict(const struct session *s, const struct tally *tally, const struct sl_check *check)
{
	bool found = tally->ranges || tally->messages || tally->others;

	if (session_verdict(s, tally, found) != EXIT_DONE)
		return EXIT_FAILED;
	return sl_check_holds(check, &s->result) ? EXIT_DONE : EXIT_NO;
}

static int collect(struct session *s)
{
	const char *against = s->options->against ? s->options->against : "opencsd";
	struct sl_run_options run = { .against = session_engine(against) };
	struct tally tally = { .image = s->image };
	struct sl_check *check;
	struct sl_sink sinks[2];
	int code;

	if (sl_check_new(s->image, &check) < 0) {
		say("%s", sl_strerror(SL_ERR_NOMEM));
		return EXIT_FAILED;
	}
	sl_check_sink(check, &sinks[0]);
	tally_sink(&tally, &sinks[1]);
	code = session_run(s, &run, sinks, 2, NULL);
	if (code == EXIT_DONE)
		code = write_check(s, check);
	if (code == EXIT_DONE)
		code = verdict(s, &tally, check);
	sl_check_free(check);
	return code;
}

int cmd_check(const struct options *options)
{
	struct session s;
	int code = session_open(&s, options);

	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = collect(&s);
	session_close(&s);
	return code;
}
