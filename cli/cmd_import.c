/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "say.h"
#include "session.h"

int cmd_import(const struct options *options)
{
	struct sl_diag diag = { "" };
	struct session s;
	int code, result;

	if (!options->output) {
		say("import: give the directory to make with -o DIR");
		say_try("import");
		return EXIT_FAILED;
	}
	code = session_open(&s, options);
	if (code == EXIT_DONE) {
		result = sl_capture_export_snapshot(s.capture, options->output, &s.notes, &diag);
		if (result < 0) {
			say("%s", diag.text[0] ? diag.text : sl_strerror(result));
			code = EXIT_FAILED;
		}
	}
	if (code == EXIT_DONE && !options->quiet)
		say("wrote %s: see 'sightline info %s'", options->output, options->output);
	session_close(&s);
	return code;
}
