/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical names: rules as data, in names.ini and files like it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rules.h"
#include "sl_compare.h"

extern const unsigned char sl_shipped_names[];
extern const size_t sl_shipped_names_len;

enum rule_kind { RULE_PREFIX, RULE_SUFFIX, RULE_ALIAS, RULE_KINDS };
static const char *const kind_names[RULE_KINDS] = { "prefix", "suffix", "alias" };

struct sl_aliases {
	struct rules rules;
};

static int check_file(const struct sl_ini *ini, struct sl_diag *diag)
{
	for (size_t i = 0; i < ini->section_len; i++) {
		const struct sl_ini_section *section = &ini->sections[i];
		unsigned kind = 0;

		while (kind < RULE_KINDS && strcasecmp(section->name, kind_names[kind]) != 0)
			kind++;
		if (kind == RULE_KINDS)
			return sl_fail(diag, SL_ERR_FORMAT, "%s:%u: [%s]: expected prefix, suffix or alias", ini->file, section->line,
				       section->name);
		for (size_t k = section->first; k < section->first + section->count; k++) {
			if (kind == RULE_SUFFIX && strcmp(ini->keys[k].value, "drop") != 0)
				return sl_ini_expected(ini, &ini->keys[k], "drop", diag);
			if (!*ini->keys[k].name || !*ini->keys[k].value)
				return sl_ini_expected(ini, &ini->keys[k], "a name on either side", diag);
		}
	}
	return SL_OK;
}

int sl_aliases_add_text(struct sl_aliases *aliases, const char *file, char *text, size_t len, struct sl_diag *diag)
{
	return rules_add_text(&aliases->rules, file, text, len, check_file, diag);
}

int sl_aliases_add_file(struct sl_aliases *aliases, const char *path, struct sl_diag *diag)
{
	return rules_add_file(&aliases->rules, path, check_file, diag);
}

int sl_aliases_new(struct sl_aliases **ret)
{
	struct sl_aliases *aliases = calloc(1, sizeof(*aliases));
	int result = aliases ? rules_add_shipped(&aliases->rules, "names.ini", sl_shipped_names, sl_shipped_names_len, check_file)
			     : SL_ERR_NOMEM;

	if (result < 0)
		sl_aliases_free(aliases);
	else
		*ret = aliases;
	return result;
}

void sl_aliases_free(struct sl_aliases *aliases)
{
	if (!aliases)
		return;
	rules_release(&aliases->rules);
	free(aliases);
}

/* How many characters at the end of name the ending is; N in it is one digit or more. 0: it is none. */
static size_t ending(const char *name, size_t len, const char *pattern)
{
	size_t at = len, p = strlen(pattern);

	while (p) {
		if (pattern[p - 1] == 'N') {
			size_t digits = at;

			while (at && isdigit((unsigned char)name[at - 1]))
				at--;
			if (at == digits)
				return 0;
		} else if (!at || name[--at] != pattern[p - 1]) {
			return 0;
		}
		p--;
	}
	return at ? len - at : 0;
}

/* Versions of symbols (name@VERSION, name@@VERSION) are no part of the name. */
static size_t without_version(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at > name ? (size_t)(at - name) : strlen(name);
}

/* The first rule of a kind that holds; NULL: none. matched: of name, how many characters it takes. */
static const struct sl_ini_key *find_rule(const struct sl_aliases *aliases, enum rule_kind kind, const char *name, size_t *ret)
{
	size_t len = strlen(name);

	for (size_t f = aliases->rules.len; f-- > 0;) {
		const struct sl_ini *ini = &aliases->rules.files[f];
		const struct sl_ini_section *section;
		size_t at = 0;

		while ((section = sl_ini_next(ini, kind_names[kind], &at))) {
			for (size_t k = section->first; k < section->first + section->count; k++) {
				const char *rule = ini->keys[k].name;
				size_t n = strlen(rule);

				if (kind == RULE_PREFIX)
					*ret = strncmp(name, rule, n) == 0 && len > n ? n : 0;
				else if (kind == RULE_SUFFIX)
					*ret = ending(name, len, rule);
				else
					*ret = strcmp(name, rule) == 0 ? n : 0;
				if (*ret)
					return &ini->keys[k];
			}
		}
	}
	return NULL;
}

static char *replace(char *name, size_t cut, const char *by)
{
	size_t rest = strlen(name + cut), len = strlen(by);
	char *ret = malloc(len + rest + 1);

	if (ret) {
		memcpy(ret, by, len);
		memcpy(ret + len, name + cut, rest + 1);
	}
	free(name);
	return ret;
}

char *sl_aliases_name(const struct sl_aliases *aliases, const char *name)
{
	char *ret = strndup(name, without_version(name));
	const struct sl_ini_key *rule;
	size_t n;

	while (ret && find_rule(aliases, RULE_SUFFIX, ret, &n))
		ret[strlen(ret) - n] = '\0';
	rule = ret ? find_rule(aliases, RULE_PREFIX, ret, &n) : NULL;
	if (rule)
		ret = replace(ret, n, rule->value);
	rule = ret ? find_rule(aliases, RULE_ALIAS, ret, &n) : NULL;
	return rule ? replace(ret, n, rule->value) : ret;
}
