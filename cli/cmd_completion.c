/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts of three shells, from the table of options. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

static bool takes(const struct command *command, const struct option_def *def)
{
	return (def->commands & command->bit) && !def->hidden;
}

static bool is_file(const struct option_def *def)
{
	return def->arg && strncmp(def->arg, "FILE", 4) == 0;
}

static bool is_directory(const struct option_def *def)
{
	return def->arg && strcmp(def->arg, "DIR") == 0;
}

static void print_choices(const struct option_def *def)
{
	for (const char *const *choice = def->choices; *choice; choice++)
		printf("%s%s", choice == def->choices ? "" : " ", *choice);
}

static void print_commands(const char *between)
{
	for (size_t i = 0; i < command_count; i++)
		printf("%s%s", command_table[i].name, between);
	printf("help");
}

/* bash: one pattern "command:option" a case; without bash-completion's helpers, which may not be there. */

static void bash_values(const struct command *command, const struct option_def *def)
{
	printf("\t%s:--%s", command->name, def->name);
	if (def->letter)
		printf("|%s:-%c", command->name, def->letter);
	printf(") ");
	if (def->choices) {
		printf("mapfile -t COMPREPLY < <(compgen -W \"");
		print_choices(def);
		printf("\" -- \"$cur\"); ");
	} else if (is_file(def) || is_directory(def)) {
		printf("_sightline_files %s; ", is_file(def) ? "-f" : "-d");
	}
	printf("return ;;\n");
}

static void bash_options(const struct command *command)
{
	printf("\t\t%s) words=\"", command->name);
	for (size_t i = 0; i < option_count; i++) {
		if (takes(command, &option_table[i]))
			printf("--%s ", option_table[i].name);
	}
	printf("\" ;;\n");
}

static void bash_value_cases(void)
{
	printf("\tcase $command:$prev in\n");
	for (size_t c = 0; c < command_count; c++) {
		for (size_t i = 0; i < option_count; i++) {
			if (takes(&command_table[c], &option_table[i]) && option_table[i].arg)
				bash_values(&command_table[c], &option_table[i]);
		}
	}
	printf("\tesac\n");
}

static void bash_option_cases(void)
{
	printf("\tif [[ $cur == -* ]]; then\n\t\tcase $command in\n");
	for (size_t c = 0; c < command_count; c++)
		bash_options(&command_table[c]);
	printf("\t\t'') words=\"--help --version\" ;;\n\t\tesac\n");
	printf("\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n\t\treturn\n\tfi\n");
}

static void print_bash(void)
{
	fputs("# bash completion of sightline, printed by 'sightline completion bash'\n"
	      "_sightline_files()\n{\n"
	      "\tcompopt -o filenames 2> /dev/null\n"
	      "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n}\n\n"
	      "_sightline()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= i\n\n"
	      "\tCOMPREPLY=()\n"
	      "\t# bash splits --option=value in three words\n"
	      "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tcase ${COMP_WORDS[i]} in\n\t\t",
	      stdout);
	print_commands("|");
	fputs(") command=${COMP_WORDS[i]}; break ;;\n\t\tesac\n\tdone\n", stdout);
	bash_value_cases();
	bash_option_cases();
	fputs("\tcase $command in\n\t''|help) mapfile -t COMPREPLY < <(compgen -W \"", stdout);
	print_commands(" ");
	fputs("\" -- \"$cur\") ;;\n"
	      "\tcompletion) mapfile -t COMPREPLY < <(compgen -W \"bash zsh fish\" -- \"$cur\") ;;\n"
	      "\t*) _sightline_files -f ;;\n\tesac\n}\n"
	      "complete -F _sightline sightline\n",
	      stdout);
}

/* Text inside '...' of any shell; what zsh's _arguments would read as its own is escaped too. */
static void quoted(const char *text, bool zsh)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (zsh && strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct option_def *def)
{
	const char *more = def->kind == OPTION_LIST ? "*" : "";
	const char *equals = def->arg ? "=" : "";

	if (def->letter)
		printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", def->letter, def->name, def->letter,
		       def->arg ? "+" : "", def->name, equals);
	else
		printf("\t\t\t'%s--%s%s[", more, def->name, equals);
	quoted(def->help, true);
	putchar(']');
	if (def->arg) {
		putchar(':');
		quoted(def->arg, true);
		putchar(':');
	}
	if (def->choices) {
		putchar('(');
		print_choices(def);
		putchar(')');
	} else if (is_file(def)) {
		fputs("_files", stdout);
	} else if (is_directory(def)) {
		fputs("_files -/", stdout);
	}
	fputs("' \\\n", stdout);
}

static void zsh_command(const struct command *command)
{
	printf("\t\t%s)\n\t\t\t_arguments \\\n", command->name);
	for (size_t i = 0; i < option_count; i++) {
		if (takes(command, &option_table[i]))
			zsh_option(&option_table[i]);
	}
	if (command->bit == FOR_COMPLETION)
		fputs("\t\t\t'1:shell:(bash zsh fish)' ;;\n", stdout);
	else
		fputs("\t\t\t'*:capture:_files' ;;\n", stdout);
}

static void print_zsh(void)
{
	fputs("#compdef sightline\n# zsh completion of sightline, printed by 'sightline completion zsh'\n"
	      "_sightline()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -a commands\n\n"
	      "\tcommands=(\n",
	      stdout);
	for (size_t i = 0; i < command_count; i++) {
		printf("\t\t'%s:", command_table[i].name);
		quoted(command_table[i].summary, true);
		fputs("'\n", stdout);
	}
	fputs("\t\t'help:what a command does and takes'\n\t)\n"
	      "\t_arguments -C '(- *)'{-h,--help}'[help]' '(- *)--version[version]' \\\n"
	      "\t\t'1:command:->command' '*::argument:->argument' && return\n"
	      "\tcase $state in\n\tcommand) _describe command commands ;;\n"
	      "\targument)\n\t\tcase $words[1] in\n",
	      stdout);
	for (size_t i = 0; i < command_count; i++)
		zsh_command(&command_table[i]);
	fputs("\t\thelp) _describe command commands ;;\n\t\tesac ;;\n\tesac\n}\n"
	      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n\t_sightline \"$@\"\n"
	      "else\n\tcompdef _sightline sightline\nfi\n",
	      stdout);
}

/* -d '...': inside of it fish takes \' for the quote; the texts hold no backslash. */
static void fish_description(const char *text)
{
	fputs(" -d '", stdout);
	for (const char *p = text; *p; p++)
		printf(*p == '\'' ? "\\%c" : "%c", *p);
	fputs("'\n", stdout);
}

static void fish_option(const struct command *command, const struct option_def *def)
{
	printf("complete -c sightline -n '__fish_seen_subcommand_from %s' -l %s", command->name, def->name);
	if (def->letter)
		printf(" -s %c", def->letter);
	if (is_file(def) || is_directory(def))
		fputs(" -r -F", stdout);
	else if (def->arg)
		fputs(" -x", stdout);
	if (def->choices) {
		fputs(" -a '", stdout);
		print_choices(def);
		putchar('\'');
	}
	fish_description(def->help);
}

static void print_fish(void)
{
	fputs("# fish completion of sightline, printed by 'sightline completion fish'\n"
	      "complete -c sightline -n __fish_use_subcommand -s h -l help -d 'help'\n"
	      "complete -c sightline -n __fish_use_subcommand -l version -d 'version'\n",
	      stdout);
	for (size_t c = 0; c < command_count; c++) {
		const struct command *command = &command_table[c];

		printf("complete -c sightline -n __fish_use_subcommand -f -a %s", command->name);
		fish_description(command->summary);
		for (size_t i = 0; i < option_count; i++) {
			if (takes(command, &option_table[i]))
				fish_option(command, &option_table[i]);
		}
	}
	fputs("complete -c sightline -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n",
	      stdout);
	fputs("complete -c sightline -n '__fish_seen_subcommand_from help' -f -a '", stdout);
	print_commands(" ");
	fputs("'\n", stdout);
}

int cmd_completion(const struct options *options)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", print_bash },
		{ "zsh", print_zsh },
		{ "fish", print_fish },
	};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, options->operand) != 0)
			continue;
		shells[i].print();
		if (fflush(stdout) == 0 && !ferror(stdout))
			return EXIT_DONE;
		say("cannot write standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	say("completion: '%s' is none of bash, zsh, fish", options->operand);
	say_try("completion");
	return EXIT_FAILED;
}
