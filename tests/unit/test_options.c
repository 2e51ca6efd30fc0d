/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "open.h"

enum { ARGS_MAX = 12 };

/* Parses words ("report" is left out) that end with NULL. */
static int parse(const char *command, struct options *options, struct sl_diag *diag, ...)
{
	char *argv[ARGS_MAX];
	va_list words;
	int argc = 0;

	va_start(words, diag);
	while (argc < ARGS_MAX && (argv[argc] = va_arg(words, char *)) != NULL)
		argc++;
	va_end(words);
	return options_parse(*command ? command_find(command) : &command_main, argc, argv, options, diag);
}

void test_options__table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_count; i++) {
		const struct option_def *def = &option_table[i];

		assert_true(def->commands && def->help && *def->help);
		assert_int_equal(def->arg == NULL, def->kind == OPTION_FLAG || def->kind == OPTION_HELP);
		assert_true(def->place < sizeof(struct options));
		assert_true(def->kind != OPTION_WORD || def->choices);
		if (def->kind == OPTION_NUMBER || def->kind == OPTION_HZ)
			assert_true(def->min < def->max);
		/* A command finds one option by a name or a letter. */
		for (size_t j = 0; j < i; j++) {
			if (!(def->commands & option_table[j].commands))
				continue;
			assert_string_not_equal(def->name, option_table[j].name);
			assert_true(!def->letter || def->letter != option_table[j].letter);
		}
	}
}

void test_options__each_kind_is_stored(void **state)
{
	struct options o;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(parse("report", &o, &diag, "cap", "--limit", "0x10", "--quiet", "--format=json", "--freq", "24MHz",
			       "--sort=-self", "--image", "a", "--image=b@0x10", NULL),
			 SL_OK);
	assert_string_equal(o.operand, "cap");
	assert_int_equal(o.limit, 16);
	assert_true(o.quiet);
	assert_string_equal(o.format, "json");
	assert_int_equal(o.freq_hz, 24000000);
	assert_string_equal(o.sort, "-self");
	assert_int_equal(o.images.len, 2);
	assert_string_equal(o.images.items[0], "a");
	assert_string_equal(o.images.items[1], "b@0x10");
	assert_null(o.images.items[2]);
	assert_true(o.id == ID_ALL);
	options_release(&o);
}

void test_options__short_letters(void **state)
{
	struct options o;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(parse("flow", &o, &diag, "-j4", "-o", "file", "cap", NULL), SL_OK);
	assert_int_equal(o.jobs, 4);
	assert_string_equal(o.output, "file");
	options_release(&o);
	assert_int_equal(parse("flow", &o, &diag, "-hj", "2", NULL), SL_OK);
	assert_int_equal(o.help, HELP_SHORT);
	assert_int_equal(o.jobs, 2);
	options_release(&o);
	assert_int_equal(parse("flow", &o, &diag, "--help", NULL), SL_OK);
	assert_int_equal(o.help, HELP_LONG);
	options_release(&o);
}

void test_options__what_follows_the_capture(void **state)
{
	const struct command command = { .name = "latency", .bit = FOR_REPORT, .operand = "CAPTURE", .more = "A [B]",
					 .more_min = 1, .more_max = 2 };
	char *args[] = { "cap", "a", "--quiet", "b", "c" };
	struct options o;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(options_parse(&command, 4, args, &o, &diag), SL_OK);
	assert_string_equal(o.operand, "cap");
	assert_int_equal(o.more_count, 2);
	assert_string_equal(o.more[0], "a");
	assert_string_equal(o.more[1], "b");
	options_release(&o);
	assert_int_equal(options_parse(&command, 5, args, &o, &diag), SL_ERR_FORMAT);
	assert_string_equal(diag.text, "unexpected argument 'c': latency takes one CAPTURE and A [B]");
	options_release(&o);
}

void test_options__operands_behind_two_dashes(void **state)
{
	struct options o;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(parse("info", &o, &diag, "--quiet", "--", "--strange", NULL), SL_OK);
	assert_string_equal(o.operand, "--strange");
	options_release(&o);
	assert_int_equal(parse("info", &o, &diag, "-", NULL), SL_OK);
	assert_string_equal(o.operand, "-");
	options_release(&o);
	assert_int_equal(parse("info", &o, &diag, "--", "a", "b", NULL), SL_ERR_FORMAT);
	options_release(&o);
}

void test_options__same_name_means_what_its_command_says(void **state)
{
	struct options o;
	struct sl_diag diag;

	(void)state;
	assert_int_equal(parse("info", &o, &diag, "--table", "gaps", NULL), SL_OK);
	options_release(&o);
	assert_int_equal(parse("report", &o, &diag, "--table", "wanted", NULL), SL_ERR_FORMAT);
	assert_string_equal(diag.text, "option '--table': 'wanted' is none of functions, modules, tasks, cpus, levels, lines, files, "
				       "root, account, clocks, gaps, repairs, ledger");
	options_release(&o);
}

void test_options__numbers(void **state)
{
	static const struct { const char *text; int result; uint64_t value; } cases[] = {
		{ "0", SL_OK, 0 }, { "010", SL_OK, 10 }, { "0x1F", SL_OK, 31 }, { "0Xff", SL_OK, 255 },
		{ "18446744073709551615", SL_OK, UINT64_MAX }, { "0xffffffffffffffff", SL_OK, UINT64_MAX },
		{ "18446744073709551616", SL_ERR_FORMAT, 0 }, { "0x10000000000000000", SL_ERR_FORMAT, 0 },
		{ "", SL_ERR_FORMAT, 0 }, { "0x", SL_ERR_FORMAT, 0 }, { "-1", SL_ERR_FORMAT, 0 }, { " 1", SL_ERR_FORMAT, 0 },
		{ "1 ", SL_ERR_FORMAT, 0 }, { "1a", SL_ERR_FORMAT, 0 }, { "0xg", SL_ERR_FORMAT, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 0;

		assert_int_equal(parse_number(cases[i].text, &value), cases[i].result);
		assert_true(value == cases[i].value);
	}
}

void test_options__frequencies(void **state)
{
	static const struct { const char *text; int result; uint64_t value; } cases[] = {
		{ "24000000", SL_OK, 24000000 }, { "24M", SL_OK, 24000000 }, { "24MHz", SL_OK, 24000000 },
		{ "32768Hz", SL_OK, 32768 },	 { "1GHz", SL_OK, 1000000000 }, { "100k", SL_OK, 100000 },
		{ "MHz", SL_ERR_FORMAT, 0 },	 { "1.5G", SL_ERR_FORMAT, 0 },	{ "24 MHz", SL_ERR_FORMAT, 0 },
		{ "18446744073709551615k", SL_ERR_FORMAT, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 0;

		assert_int_equal(parse_hz(cases[i].text, &value), cases[i].result);
		assert_true(value == cases[i].value);
	}
}

void test_options__image_files(void **state)
{
	static const struct { const char *text, *path; bool known; uint64_t address; } cases[] = {
		{ "vmlinux", "vmlinux", false, 0 },
		{ "app@0xaaaad0000000", "app", true, 0xaaaad0000000 },
		{ "me@home/app@16", "me@home/app", true, 16 },
		{ "me@home", "me@home", false, 0 },
		{ "app@", "app@", false, 0 },
		{ "@5", "@5", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_image_file file;

		assert_int_equal(parse_image_file(cases[i].text, &file), SL_OK);
		assert_string_equal(file.path, cases[i].path);
		assert_int_equal(file.address_known, cases[i].known);
		assert_true(file.address == cases[i].address);
		free((void *)file.path);
	}
}
