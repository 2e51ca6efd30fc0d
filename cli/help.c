/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <string.h>

enum { HELP_AT = 31, WIDTH = 80 };

static const char *const group_titles[GROUPS] = {
	[GROUP_INPUT] = "What is read:",
	[GROUP_SHOW] = "What is shown:",
	[GROUP_OUTPUT] = "How it is written:",
	[GROUP_OTHER] = "Other:",
};

static void usage(FILE *out, const struct command *command)
{
	if (command == &command_main)
		fputs("usage: sightline COMMAND [options] CAPTURE\n", out);
	else
		fprintf(out, "usage: sightline %s [options] %s%s%s\n", command->name, command->operand, command->more ? " " : "",
			command->more ? command->more : "");
}

static void option_name(FILE *out, const struct option_def *def)
{
	int width = fprintf(out, def->letter ? "  -%c, " : "      ", def->letter);

	width += fprintf(out, "--%s%s%s", def->name, def->arg ? " " : "", def->arg ? def->arg : "");
	fprintf(out, "%*s%s", width < HELP_AT - 1 ? HELP_AT - width : 2, "", def->help);
}

/* "(coresight, none, tpiu; default coresight)" as one string. */
static void values(const struct option_def *def, char *ret, size_t cap)
{
	size_t len = 0;

	ret[0] = '\0';
	for (const char *const *choice = def->choices; choice && *choice && len < cap; choice++)
		len += (size_t)snprintf(ret + len, cap - len, "%s%s", len ? ", " : "", *choice);
	if (def->preset && len < cap)
		snprintf(ret + len, cap - len, "%sdefault %s", len ? "; " : "", def->preset);
}

/* Words in lines that begin under the help texts. */
static void wrapped(FILE *out, const char *text)
{
	size_t at = WIDTH;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (at + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", HELP_AT, "");
			at = HELP_AT;
		} else {
			putc(' ', out);
			at++;
		}
		fwrite(text, 1, len, out);
		at += len;
		text += len + (text[len] == ' ');
	}
}

static void option_line(FILE *out, const struct option_def *def, bool all)
{
	char text[160];
	size_t used = HELP_AT + strlen(def->help);

	values(def, text, sizeof(text));
	option_name(out, def);
	if (*text && used + strlen(text) + 3 <= WIDTH)
		fprintf(out, " (%s)", text);
	else if (*text && all)
		wrapped(out, text);
	putc('\n', out);
}

static bool in_help(const struct option_def *def, const struct command *command)
{
	return (def->commands & command->bit) && !def->hidden;
}

static void options_of_group(FILE *out, const struct command *command, enum option_group group)
{
	bool titled = false;

	for (size_t i = 0; i < option_count; i++) {
		if (!in_help(&option_table[i], command) || option_table[i].group != group)
			continue;
		if (!titled)
			fprintf(out, "\n%s\n", group_titles[group]);
		titled = true;
		option_line(out, &option_table[i], true);
	}
}

static void brief_options(FILE *out, const struct command *command)
{
	putc('\n', out);
	for (size_t i = 0; i < option_count; i++) {
		if (in_help(&option_table[i], command) && option_table[i].brief)
			option_line(out, &option_table[i], false);
	}
}

static void commands(FILE *out)
{
	putc('\n', out);
	for (size_t i = 0; i < command_count; i++)
		fprintf(out, "  %-12s %s\n", command_table[i].name, command_table[i].summary);
	fputs("  help         what a command does and takes: sightline help report\n", out);
}

static void exit_codes(FILE *out, const struct command *command)
{
	if (command->bit == FOR_CHECK)
		fputs("\nExit code: 0 all holds; 1 something does not; 2 it could not be checked.\n", out);
	else
		fputs("\nExit code: 0 done; 1 done, but nothing could be decoded; 2 it could not be done.\n", out);
}

void help_print(FILE *out, const struct command *command, enum help_wanted wanted)
{
	bool is_main = command == &command_main;
	bool page = !is_main && command->bit != FOR_COMPLETION; /* has a manual page of its own */

	usage(out, command);
	fprintf(out, "%s\n", command->summary);
	if (wanted == HELP_LONG)
		fprintf(out, "\n%s", command->about);
	if (is_main)
		commands(out);
	if (wanted == HELP_SHORT) {
		brief_options(out, command);
		fprintf(out, "\nAll of it: sightline %s%s--help, or man sightline%s%s\n", command->name,
			is_main ? "" : " ", page ? "-" : "", page ? command->name : "");
		return;
	}
	for (unsigned group = 0; group < GROUPS; group++)
		options_of_group(out, command, (enum option_group)group);
	fprintf(out, "\nExamples:\n%s", command->examples);
	exit_codes(out, command);
}

void help_list_options(FILE *out, const struct command *command)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_def *def = &option_table[i];
		char letter[3] = { '-', def->letter, '\0' };

		if (in_help(def, command))
			fprintf(out, "--%s\t%s\t%s\t%s\n", def->name, def->letter ? letter : "",
				def->arg ? def->arg : "", def->help);
	}
}
