/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "saving.h"
#include "say.h"

static int add(struct sl_saved *into, const char *path)
{
	struct sl_diag diag = { "" };
	struct sl_saved more;
	int code = saving_read(path, &more), result;

	if (code != EXIT_DONE)
		return code;
	result = sl_saved_merge(into, &more, &diag);
	sl_saved_release(&more);
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s%s%s", diag.text[0] ? path : "", diag.text[0] ? ": " : "", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}

int cmd_merge(const struct options *o)
{
	struct sl_diag diag = { "" };
	struct sl_saved merged;
	int code, result;

	if (!o->output) {
		say("merge: where to? -o FILE is missing");
		say_try("merge");
		return EXIT_FAILED;
	}
	code = saving_read(o->operand, &merged);
	if (code != EXIT_DONE)
		return code;
	for (size_t i = 0; i < o->more_count && code == EXIT_DONE; i++)
		code = add(&merged, o->more[i]);
	result = code == EXIT_DONE ? sl_saved_write(&merged, o->output, &diag) : SL_OK;
	sl_saved_release(&merged);
	if (result == SL_OK)
		return code;
	say("%s", diag.text[0] ? diag.text : sl_strerror(result));
	return EXIT_FAILED;
}
