/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_INI_H
#define SL_INI_H
/*
 * ini files (of snapshots, of lenses): sections of key=value lines with their line numbers. Text after ';', '#' or CR
 * is cut, names and values are trimmed, values lose the quotes around them. Sections and keys may repeat and
 * keep their order.
 */
#include "sl_base.h"
#include "sl_notes.h"

struct sl_ini_key {
	const char *name, *value;
	unsigned line;
};
struct sl_ini_section {
	const char *name;
	unsigned line;
	size_t first, count; /* of keys */
};
struct sl_ini {
	char *file; /* as messages name it */
	char *text; /* what all the strings point into */
	struct sl_ini_key *keys;
	size_t key_len, key_cap;
	struct sl_ini_section *sections;
	size_t section_len, section_cap;
};

/*
 * Parses text (malloc'd, terminated, len bytes), which ret owns from then on; it is freed on failure too.
 * SL_OK; SL_ERR_FORMAT with diag naming file, line and what was expected; SL_ERR_NOMEM.
 */
int sl_ini_parse(const char *file, char *text, size_t len, struct sl_ini *ret, struct sl_diag *diag);
void sl_ini_release(struct sl_ini *ini);

/* The next section of that name from *at on, whose place is then behind it; NULL beyond the last. Case does
 * not matter. */
const struct sl_ini_section *sl_ini_next(const struct sl_ini *ini, const char *name, size_t *at);
/* The last value that the sections of that name give a key, or NULL. Case does not matter. */
const struct sl_ini_key *sl_ini_find(const struct sl_ini *ini, const char *section, const char *key);

/* The key's value as a number of at most max. SL_OK, or SL_ERR_FORMAT with diag. */
int sl_ini_number(const struct sl_ini *ini, const struct sl_ini_key *key, uint64_t max, uint64_t *ret,
		  struct sl_diag *diag);
/* SL_ERR_FORMAT with diag "FILE:LINE: KEY=VALUE: expected WHAT". */
int sl_ini_expected(const struct sl_ini *ini, const struct sl_ini_key *key, const char *what,
		    struct sl_diag *diag);
/* Adds the note "FILE:LINE: TEXT". */
void sl_ini_note(const struct sl_ini *ini, unsigned line, struct sl_notes *notes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#endif
