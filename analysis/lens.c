/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_lens.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sl_array.h"
#include "sl_file.h"
#include "sl_ini.h"

enum { FILE_MAX = 1 << 20 };

extern const unsigned char sl_shipped_lenses[];
extern const size_t sl_shipped_lenses_len;

static const char *const list_keys[SL_LENS_LISTS] = {
	[SL_LENS_DISPATCHER] = "dispatcher", [SL_LENS_EVENT] = "event", [SL_LENS_EXCEPT] = "except",
	[SL_LENS_REQUESTER] = "requester", [SL_LENS_VOLUNTARY] = "voluntary", [SL_LENS_PREEMPTED] = "preempted",
};

static void release_lens(struct sl_lens *lens)
{
	for (int list = 0; list < SL_LENS_LISTS; list++) {
		for (size_t i = 0; i < lens->lists[list].len; i++)
			free(lens->lists[list].items[i]);
		free(lens->lists[list].items);
	}
	free(lens->name);
	free(lens->title);
}

void sl_lenses_release(struct sl_lenses *lenses)
{
	for (size_t i = 0; i < lenses->len; i++)
		release_lens(&lenses->items[i]);
	lenses->len = 0;
}

/* The next of the words of text, which moves behind it; NULL: no more. */
static char *next_word(const char **text)
{
	const char *start = *text + strspn(*text, " \t,");
	size_t len = strcspn(start, " \t,");

	*text = start + len;
	return len ? strndup(start, len) : NULL;
}

static int add_names(struct sl_lens_names *names, const char *text)
{
	while (text[strspn(text, " \t,")]) {
		char *word = next_word(&text);

		if (!word || SL_ARRAY_PUSH(&names->items, &names->len, &names->cap, word) < 0) {
			free(word);
			return SL_ERR_NOMEM;
		}
	}
	return SL_OK;
}

static int add_level(const struct sl_ini *ini, const struct sl_ini_key *key, const char *word, struct sl_lens *lens,
		     struct sl_diag *diag)
{
	for (unsigned level = SL_LEVEL_IRQ; level < SL_LEVELS; level++) {
		if (strcasecmp(word, sl_level_name(level)) == 0) {
			lens->levels |= 1u << level;
			return SL_OK;
		}
	}
	return sl_ini_expected(ini, key, "irq, fiq, serror, syscall, fault, debug, reset or other", diag);
}

static int add_levels(const struct sl_ini *ini, const struct sl_ini_key *key, struct sl_lens *lens, struct sl_diag *diag)
{
	const char *text = key->value;
	int result = SL_OK;

	while (result == SL_OK && text[strspn(text, " \t,")]) {
		char *word = next_word(&text);

		result = word ? add_level(ini, key, word, lens, diag) : SL_ERR_NOMEM;
		free(word);
	}
	return result;
}

static int set_title(struct sl_lens *lens, const char *text)
{
	free(lens->title);
	lens->title = strdup(text);
	return lens->title ? SL_OK : SL_ERR_NOMEM;
}

static int set_flag(const struct sl_ini *ini, const struct sl_ini_key *key, bool *ret, struct sl_diag *diag)
{
	*ret = strcasecmp(key->value, "yes") == 0;
	return *ret || strcasecmp(key->value, "no") == 0 ? SL_OK : sl_ini_expected(ini, key, "yes or no", diag);
}

static int add_key(const struct sl_ini *ini, const struct sl_ini_key *key, struct sl_lens *lens, struct sl_diag *diag)
{
	for (int list = 0; list < SL_LENS_LISTS; list++) {
		if (strcasecmp(key->name, list_keys[list]) == 0)
			return add_names(&lens->lists[list], key->value);
	}
	if (strcasecmp(key->name, "title") == 0)
		return set_title(lens, key->value);
	if (strcasecmp(key->name, "level") == 0)
		return add_levels(ini, key, lens, diag);
	if (strcasecmp(key->name, "switches") == 0)
		return set_flag(ini, key, &lens->switches, diag);
	if (strcasecmp(key->name, "pointers") == 0)
		return set_flag(ini, key, &lens->pointers, diag);
	return sl_ini_expected(ini, key,
			       "title, dispatcher, pointers, event, except, level, requester, switches, voluntary or preempted", diag);
}

/* A lens without events would be silently empty. */
static bool has_events(const struct sl_lens *lens)
{
	return lens->switches || lens->levels || lens->lists[SL_LENS_DISPATCHER].len || lens->lists[SL_LENS_EVENT].len;
}

/* The keys of a section. lens is empty, and may be partly filled on failure. */
static int read_lens(const struct sl_ini *ini, const struct sl_ini_section *section, struct sl_lens *lens, struct sl_diag *diag)
{
	int result = SL_OK;

	lens->name = strdup(section->name);
	if (!lens->name || set_title(lens, section->name) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < section->count && result == SL_OK; i++)
		result = add_key(ini, &ini->keys[section->first + i], lens, diag);
	if (result == SL_OK && !has_events(lens))
		return sl_fail(diag, SL_ERR_FORMAT, "%s:%u: [%s]: expected a dispatcher, event, level or switches: what are its events?",
			       ini->file, section->line, section->name);
	return result;
}

/* Takes the lens over. */
static int put_lens(struct sl_lenses *lenses, const struct sl_lens *lens, const struct sl_ini *ini, struct sl_diag *diag)
{
	const struct sl_lens *known = sl_lenses_find(lenses, lens->name);
	struct sl_lens *place = known ? &lenses->items[known - lenses->items] : NULL;

	if (!place && lenses->len == SL_LENSES_MAX)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: more than %d lenses", ini->file, SL_LENSES_MAX);
	if (place)
		release_lens(place);
	else
		place = &lenses->items[lenses->len++];
	*place = *lens;
	return SL_OK;
}

static int add_sections(struct sl_lenses *lenses, const struct sl_ini *ini, struct sl_diag *diag)
{
	int result = SL_OK;

	for (size_t i = 0; i < ini->section_len && result == SL_OK; i++) {
		struct sl_lens lens = { 0 };

		if (!ini->sections[i].name[0])
			continue;
		result = read_lens(ini, &ini->sections[i], &lens, diag);
		if (result == SL_OK)
			result = put_lens(lenses, &lens, ini, diag);
		if (result < 0)
			release_lens(&lens);
	}
	return result;
}

int sl_lenses_add_text(struct sl_lenses *lenses, const char *file, char *text, size_t len, struct sl_diag *diag)
{
	struct sl_ini ini;
	int result = sl_ini_parse(file, text, len, &ini, diag);

	if (result < 0)
		return result;
	result = add_sections(lenses, &ini, diag);
	sl_ini_release(&ini);
	return result;
}

int sl_lenses_init(struct sl_lenses *lenses)
{
	char *text = malloc(sl_shipped_lenses_len + 1);
	struct sl_diag diag;

	memset(lenses, 0, sizeof(*lenses));
	if (!text)
		return SL_ERR_NOMEM;
	memcpy(text, sl_shipped_lenses, sl_shipped_lenses_len + 1);
	return sl_lenses_add_text(lenses, "lenses.ini", text, sl_shipped_lenses_len, &diag);
}

int sl_lenses_add_file(struct sl_lenses *lenses, const char *path, struct sl_diag *diag)
{
	char *text;
	size_t len;
	int result = sl_file_read_text(path, FILE_MAX, &text, &len, diag);

	return result < 0 ? result : sl_lenses_add_text(lenses, path, text, len, diag);
}

const struct sl_lens *sl_lenses_find(const struct sl_lenses *lenses, const char *name)
{
	for (size_t i = 0; i < lenses->len; i++) {
		if (strcasecmp(lenses->items[i].name, name) == 0)
			return &lenses->items[i];
	}
	return NULL;
}

static bool is_in(const struct sl_lens_names *names, const char *name)
{
	for (size_t i = 0; i < names->len; i++) {
		if (fnmatch(names->items[i], name, 0) == 0)
			return true;
	}
	return false;
}

unsigned sl_lens_match(const struct sl_lens *lens, const char *name)
{
	size_t plain_len = strcspn(name, ".");
	char plain[256];
	unsigned lists = 0;

	plain[0] = '\0';
	if (name[plain_len] && plain_len && plain_len < sizeof(plain)) {
		memcpy(plain, name, plain_len);
		plain[plain_len] = '\0';
	}
	for (int list = 0; list < SL_LENS_LISTS; list++) {
		if (is_in(&lens->lists[list], name) || (plain[0] && is_in(&lens->lists[list], plain)))
			lists |= 1u << list;
	}
	return lists;
}
