/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "sl_array.h"
#include "sl_nearest.h"

struct parse {
	const struct command *command;
	int argc, at;
	char *const *argv;
	struct options *ret;
	struct sl_diag *diag;
};

int parse_number(const char *text, uint64_t *ret)
{
	unsigned base = 10;
	uint64_t value = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return SL_ERR_FORMAT;
	for (; *text; text++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = strchr(digits, *text);
		unsigned n = digit ? (unsigned)(digit - digits) % 16 : 16;

		if (n >= base || value > (UINT64_MAX - n) / base)
			return SL_ERR_FORMAT;
		value = value * base + n;
	}
	*ret = value;
	return SL_OK;
}

int parse_hz(const char *text, uint64_t *ret)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} units[] = {
		{ "kHz", 1000 }, { "MHz", 1000000 }, { "GHz", 1000000000 }, { "Hz", 1 },
		{ "k", 1000 },	 { "M", 1000000 },   { "G", 1000000000 },   { "", 1 },
	};
	size_t len = strlen(text);
	char digits[32];
	uint64_t value;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t tail = strlen(units[i].suffix);

		if (len < tail || strcmp(text + len - tail, units[i].suffix) != 0)
			continue;
		if (len - tail >= sizeof(digits))
			return SL_ERR_FORMAT;
		memcpy(digits, text, len - tail);
		digits[len - tail] = '\0';
		if (parse_number(digits, &value) < 0 || value > UINT64_MAX / units[i].factor)
			return SL_ERR_FORMAT;
		*ret = value * units[i].factor;
		return SL_OK;
	}
	return SL_ERR_FORMAT;
}

static const struct option_def *find(const char *name, size_t len, unsigned commands)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_def *def = &option_table[i];

		if ((def->commands & commands) && strlen(def->name) == len &&
		    memcmp(def->name, name, len) == 0)
			return def;
	}
	return NULL;
}

static const struct option_def *find_letter(const struct parse *p, char letter)
{
	for (size_t i = 0; i < option_count; i++) {
		if ((option_table[i].commands & p->command->bit) && option_table[i].letter == letter)
			return &option_table[i];
	}
	return NULL;
}

/* All commands that take an option of a name. */
static unsigned takers(const char *name)
{
	unsigned commands = 0;

	for (size_t i = 0; i < option_count; i++) {
		if (strcmp(option_table[i].name, name) == 0)
			commands |= option_table[i].commands;
	}
	return commands;
}

/* The option is known, to other commands. */
static int misplaced(const struct parse *p, const struct option_def *def)
{
	const char *here = *p->command->name ? p->command->name : "sightline without a command";
	unsigned commands = takers(def->name);
	char names[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < command_count && len < sizeof(names); i++) {
		if (commands & command_table[i].bit)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
						command_table[i].name);
	}
	return sl_fail(p->diag, SL_ERR_FORMAT, "'--%s' is an option of %s, not of %s", def->name,
		       *names ? names : "sightline itself", here);
}

static int unknown(const struct parse *p, const char *typed, size_t len)
{
	const struct option_def *elsewhere = find(typed, len, FOR_ALL);
	char name[64], guess[96] = "";
	struct sl_nearest nearest;

	if (elsewhere && !elsewhere->hidden)
		return misplaced(p, elsewhere);
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), typed);
	sl_nearest_init(&nearest, name);
	for (size_t i = 0; i < option_count; i++) {
		if ((option_table[i].commands & p->command->bit) && !option_table[i].hidden)
			sl_nearest_offer(&nearest, option_table[i].name);
	}
	if (nearest.best)
		snprintf(guess, sizeof(guess), " (did you mean '--%s'?)", nearest.best);
	return sl_fail(p->diag, SL_ERR_FORMAT, "unknown option '--%s'%s", name, guess);
}

static int set_number(const struct parse *p, const struct option_def *def, const char *value, uint64_t *ret)
{
	bool hz = def->kind == OPTION_HZ;
	uint64_t n;

	if ((hz ? parse_hz(value, &n) : parse_number(value, &n)) < 0)
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s': '%s' is no number (decimal or 0x..%s)",
			       def->name, value, hz ? ", with k, M or G" : "");
	if (n < def->min)
		return sl_fail(p->diag, SL_ERR_FORMAT,
			       "option '--%s': %s is too small: the least is %" PRIu64, def->name, value,
			       def->min);
	if (n > def->max)
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s': %s is too large: the most is %" PRIu64,
			       def->name, value, def->max);
	*ret = n;
	return SL_OK;
}

static int set_percent(const struct parse *p, const struct option_def *def, const char *value, double *ret)
{
	size_t whole = strspn(value, "0123456789"), part = value[whole] == '.' ? strspn(value + whole + 1, "0123456789") : 0;
	double percent = strtod(value, NULL);

	if (!whole || value[whole + (part ? part + 1 : 0)])
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s': '%s' is no number such as 0.5", def->name, value);
	if (percent > 100)
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s': %s is too large: the most is 100", def->name, value);
	*ret = percent;
	return SL_OK;
}

static int set_word(const struct parse *p, const struct option_def *def, const char *value, const char **ret)
{
	char all[240] = "";
	size_t len = 0;

	for (const char *const *choice = def->choices; *choice; choice++) {
		if (strcmp(*choice, value) == 0) {
			*ret = *choice;
			return SL_OK;
		}
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", len ? ", " : "",
						*choice);
	}
	return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s': '%s' is none of %s", def->name, value, all);
}

static int add_to_list(const struct parse *p, struct option_list *list, const char *value)
{
	if (sl_array_reserve((void **)&list->items, &list->cap, sizeof(*list->items), list->len + 2) < 0)
		return sl_fail(p->diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	list->items[list->len++] = value;
	list->items[list->len] = NULL;
	return SL_OK;
}

static int set(const struct parse *p, const struct option_def *def, const char *value)
{
	void *place = (char *)p->ret + def->place;

	switch (def->kind) {
	case OPTION_FLAG:
		*(bool *)place = true;
		return SL_OK;
	case OPTION_STRING:
	case OPTION_GLOB:
		*(const char **)place = value;
		return SL_OK;
	case OPTION_WORD:
		return set_word(p, def, value, place);
	case OPTION_NUMBER:
	case OPTION_HZ:
		return set_number(p, def, value, place);
	case OPTION_PERCENT:
		return set_percent(p, def, value, place);
	case OPTION_LIST:
		return add_to_list(p, place, value);
	case OPTION_HELP:
		*(unsigned *)place = p->argv[p->at][1] == '-' ? HELP_LONG : HELP_SHORT;
		return SL_OK;
	}
	return SL_OK;
}

/* An option's value: behind its name (attached, or NULL), or the next argument. */
static int take_value(struct parse *p, const struct option_def *def, const char *attached, const char **ret)
{
	if (!def->arg) {
		*ret = NULL;
		if (!attached)
			return SL_OK;
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s' takes no value", def->name);
	}
	if (!attached && p->at + 1 < p->argc)
		attached = p->argv[++p->at];
	if (!attached)
		return sl_fail(p->diag, SL_ERR_FORMAT, "option '--%s' needs a value: %s", def->name,
			       def->arg);
	*ret = attached;
	return SL_OK;
}

static int parse_long(struct parse *p)
{
	const char *name = p->argv[p->at] + 2, *value;
	size_t len = strcspn(name, "=");
	const struct option_def *def = find(name, len, p->command->bit);
	int result;

	if (!def)
		return unknown(p, name, len);
	result = take_value(p, def, name[len] ? name + len + 1 : NULL, &value);
	return result < 0 ? result : set(p, def, value);
}

static int parse_short(struct parse *p)
{
	const char *letters = p->argv[p->at] + 1, *value = NULL;
	int result = SL_OK;

	for (; *letters && result == SL_OK; letters++) {
		const struct option_def *def = find_letter(p, *letters);

		if (!def)
			return sl_fail(p->diag, SL_ERR_FORMAT, "unknown option '-%c'", *letters);
		if (!def->arg) {
			result = set(p, def, NULL);
			continue;
		}
		result = take_value(p, def, letters[1] ? letters + 1 : NULL, &value);
		return result < 0 ? result : set(p, def, value);
	}
	return result;
}

static int parse_operand(const struct parse *p, const char *text)
{
	const struct command *command = p->command;

	if (!command->operand)
		return sl_fail(p->diag, SL_ERR_FORMAT, "unexpected argument '%s'", text);
	if (p->ret->operand && p->ret->more_count == command->more_max)
		return sl_fail(p->diag, SL_ERR_FORMAT, "unexpected argument '%s': %s takes one %s%s%s", text, command->name,
			       command->operand, command->more ? " and " : "", command->more ? command->more : "");
	if (p->ret->operand) {
		p->ret->more[p->ret->more_count++] = text;
		return SL_OK;
	}
	if (!*text)
		return sl_fail(p->diag, SL_ERR_FORMAT, "%s: the name of %s is empty", command->name,
			       command->operand);
	p->ret->operand = text;
	return SL_OK;
}

/* Behind -- all are operands. How many came before is told. */
static void end_options(const struct parse *p, bool *ret_operands_only)
{
	*ret_operands_only = true;
	p->ret->split = p->ret->operand ? 1 + p->ret->more_count : 0;
}

int options_parse(const struct command *command, int argc, char *const *argv, struct options *ret,
		  struct sl_diag *diag)
{
	struct parse p = { .command = command, .argc = argc, .argv = argv, .ret = ret, .diag = diag };
	bool operands_only = false;
	int result = SL_OK;

	*ret = (struct options){ .id = ID_ALL, .min_percent = -1, .port = PORT_PERFETTO };
	for (; p.at < argc && result == SL_OK; p.at++) {
		const char *arg = argv[p.at];

		if (operands_only || arg[0] != '-' || !arg[1])
			result = parse_operand(&p, arg);
		else if (strcmp(arg, "--") == 0)
			end_options(&p, &operands_only);
		else if (arg[1] == '-')
			result = parse_long(&p);
		else
			result = parse_short(&p);
	}
	return result;
}

void options_release(struct options *options)
{
	free((void *)options->images.items);
	free((void *)options->symbols.items);
	free((void *)options->regs.items);
	free((void *)options->clock_offsets.items);
	free((void *)options->configs.items);
	free((void *)options->fail_if.items);
	*options = (struct options){ 0 };
}
