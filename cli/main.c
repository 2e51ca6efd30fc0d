/* SPDX-License-Identifier: Apache-2.0 */
/* sightline: finds the command, reads its options, runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "say.h"
#include "sl_decoder.h"
#include "sl_nearest.h"

/* For what is printed without struct output: help, version, scripts. */
static int finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	if (errno == EPIPE)
		return EXIT_DONE;
	say("cannot write standard output: %s", strerror(errno));
	return EXIT_FAILED;
}

static int unknown_command(const char *name)
{
	struct sl_nearest nearest;

	sl_nearest_init(&nearest, name);
	for (size_t i = 0; i < command_count; i++)
		sl_nearest_offer(&nearest, command_table[i].name);
	if (access(name, F_OK) == 0)
		say("unknown command '%s'; for a capture of this name: sightline report %s", name, name);
	else if (nearest.best)
		say("unknown command '%s' (did you mean '%s'?)", name, nearest.best);
	else
		say("unknown command '%s'", name);
	say_try("");
	return EXIT_FAILED;
}

static int run_help(int argc, char **argv)
{
	const struct command *command = &command_main;

	if (argc > 0 && strcmp(argv[0], "help") != 0)
		command = command_find(argv[0]);
	if (!command)
		return unknown_command(argv[0]);
	help_print(stdout, command, HELP_LONG);
	return finish_stdout();
}

static int list_options(const char *name)
{
	const struct command *command = *name ? command_find(name) : &command_main;

	if (!command)
		return unknown_command(name);
	help_list_options(stdout, command);
	return finish_stdout();
}

static int run_main_options(const struct options *options)
{
	if (options->list_options)
		return list_options(options->list_options);
	if (options->version) {
		printf("sightline %s (%s)\n", SL_VERSION, sl_decoder_engine());
		return finish_stdout();
	}
	say("no command given");
	say_try("");
	return EXIT_FAILED;
}

static int run(const struct command *command, const struct options *options)
{
	/* What needs no capture must not ask for one. */
	bool alone = options->fields && strcmp(options->fields, "help") == 0;

	if (options->help) {
		help_print(stdout, command, (enum help_wanted)options->help);
		return finish_stdout();
	}
	if (command == &command_main)
		return run_main_options(options);
	if (!options->operand && !alone) {
		say("%s: no %s given", command->name,
		    command == command_find("completion") ? "shell" : "capture");
		say_try(command->name);
		return EXIT_FAILED;
	}
	if (!alone && options->more_count < command->more_min) {
		say("%s: too few arguments: it takes %s %s", command->name, command->operand, command->more);
		say_try(command->name);
		return EXIT_FAILED;
	}
	return command->run(options);
}

int main(int argc, char **argv)
{
	const struct command *command = &command_main;
	struct options options;
	struct sl_diag diag = { "" };
	int skip = 1, code;

	if (argc > 1 && argv[1][0] != '-') {
		if (strcmp(argv[1], "help") == 0)
			return run_help(argc - 2, argv + 2);
		command = command_find(argv[1]);
		if (!command)
			return unknown_command(argv[1]);
		skip = 2;
	}
	if (options_parse(command, argc - skip, argv + skip, &options, &diag) < 0) {
		say("%s", diag.text);
		say_try(command->name);
		code = EXIT_FAILED;
	} else {
		code = run(command, &options);
	}
	options_release(&options);
	return code;
}
