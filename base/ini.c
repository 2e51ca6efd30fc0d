/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_ini.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int bad_line(const struct sl_ini *ini, unsigned line, const char *text, const char *what,
		    struct sl_diag *diag)
{
	char shown[80];

	return sl_fail(diag, SL_ERR_FORMAT, "%s:%u: '%s': expected %s", ini->file, line,
		       sl_printable(text, shown, sizeof(shown)), what);
}

static int add_section(struct sl_ini *ini, char *text, unsigned line, struct sl_diag *diag)
{
	struct sl_ini_section section = { .line = line, .first = ini->key_len };
	size_t len = strlen(text);

	if (len < 3 || text[len - 1] != ']')
		return bad_line(ini, line, text, "[section]", diag);
	text[len - 1] = '\0';
	section.name = sl_trim(text + 1);
	if (SL_ARRAY_PUSH(&ini->sections, &ini->section_len, &ini->section_cap, section) < 0)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: %s", ini->file, sl_strerror(SL_ERR_NOMEM));
	return SL_OK;
}

static char *unquote(char *value)
{
	size_t len = strlen(value);

	if (len < 2 || (*value != '"' && *value != '\'') || value[len - 1] != *value)
		return value;
	value[len - 1] = '\0';
	return value + 1;
}

static int add_key(struct sl_ini *ini, char *text, unsigned line, struct sl_diag *diag)
{
	struct sl_ini_key key = { .line = line };
	char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return bad_line(ini, line, text, "key=value or [section]", diag);
	if (!ini->section_len)
		return bad_line(ini, line, text, "a [section] before the first key", diag);
	*equals = '\0';
	key.name = sl_trim(text);
	key.value = unquote(sl_trim(equals + 1));
	if (SL_ARRAY_PUSH(&ini->keys, &ini->key_len, &ini->key_cap, key) < 0)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: %s", ini->file, sl_strerror(SL_ERR_NOMEM));
	ini->sections[ini->section_len - 1].count++;
	return SL_OK;
}

static int parse_lines(struct sl_ini *ini, char *at, struct sl_diag *diag)
{
	for (unsigned line = 1; at; line++) {
		char *end = strchr(at, '\n');
		char *text;
		int result = SL_OK;

		if (end)
			*end = '\0';
		at[strcspn(at, ";#\r")] = '\0';
		text = sl_trim(at);
		if (*text)
			result = *text == '[' ? add_section(ini, text, line, diag)
					      : add_key(ini, text, line, diag);
		if (result < 0)
			return result;
		at = end ? end + 1 : NULL;
	}
	return SL_OK;
}

int sl_ini_parse(const char *file, char *text, size_t len, struct sl_ini *ret, struct sl_diag *diag)
{
	static const char utf8_mark[] = "\xef\xbb\xbf";
	struct sl_ini ini = { .text = text, .file = malloc(strlen(file) + 1) };
	int result;

	if (ini.file)
		sl_printable(file, ini.file, strlen(file) + 1);
	if (!ini.file)
		result = sl_fail(diag, SL_ERR_NOMEM, "%s: %s", file, sl_strerror(SL_ERR_NOMEM));
	else if (strlen(text) != len)
		result = sl_fail(diag, SL_ERR_FORMAT,
				 "%s: a zero byte at offset 0x%zx: expected an ini file, which is text", file,
				 strlen(text));
	else
		result = parse_lines(&ini, strncmp(text, utf8_mark, 3) == 0 ? text + 3 : text, diag);
	if (result < 0) {
		sl_ini_release(&ini);
		return result;
	}
	*ret = ini;
	return SL_OK;
}

void sl_ini_release(struct sl_ini *ini)
{
	free(ini->file);
	free(ini->text);
	free(ini->keys);
	free(ini->sections);
	memset(ini, 0, sizeof(*ini));
}

const struct sl_ini_section *sl_ini_next(const struct sl_ini *ini, const char *name, size_t *at)
{
	while (*at < ini->section_len) {
		const struct sl_ini_section *section = &ini->sections[(*at)++];

		if (strcasecmp(section->name, name) == 0)
			return section;
	}
	return NULL;
}

const struct sl_ini_key *sl_ini_find(const struct sl_ini *ini, const char *section, const char *key)
{
	const struct sl_ini_section *in;
	const struct sl_ini_key *found = NULL;
	size_t at = 0;

	while ((in = sl_ini_next(ini, section, &at))) {
		for (size_t i = in->first; i < in->first + in->count; i++) {
			if (strcasecmp(ini->keys[i].name, key) == 0)
				found = &ini->keys[i];
		}
	}
	return found;
}

int sl_ini_expected(const struct sl_ini *ini, const struct sl_ini_key *key, const char *what,
		    struct sl_diag *diag)
{
	char name[80], value[80];

	return sl_fail(diag, SL_ERR_FORMAT, "%s:%u: %s=%s: expected %s", ini->file, key->line,
		       sl_printable(key->name, name, sizeof(name)),
		       sl_printable(key->value, value, sizeof(value)), what);
}

int sl_ini_number(const struct sl_ini *ini, const struct sl_ini_key *key, uint64_t max, uint64_t *ret,
		  struct sl_diag *diag)
{
	uint64_t value;
	char what[64];

	if (sl_parse_u64(key->value, &value) < 0)
		return sl_ini_expected(ini, key, "a number (0x.. hex, 0.. octal, or decimal)", diag);
	if (value > max) {
		snprintf(what, sizeof(what), "a number of at most 0x%llx", (unsigned long long)max);
		return sl_ini_expected(ini, key, what, diag);
	}
	*ret = value;
	return SL_OK;
}

void sl_ini_note(const struct sl_ini *ini, unsigned line, struct sl_notes *notes, const char *format, ...)
{
	struct sl_diag text, shown;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	sl_notes_add(notes, "%s:%u: %s", ini->file, line,
		     sl_printable(text.text, shown.text, sizeof(shown.text)));
}
