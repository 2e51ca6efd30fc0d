/* SPDX-License-Identifier: Apache-2.0 */
#include "column.h"

#include "sl_nearest.h"
#include "sl_report.h"

#include <stdio.h>
#include <string.h>

bool sl_column_key_next(const char **list, struct sl_column_key *ret)
{
	const char *p = *list;

	if (!*p)
		return false;
	p += strspn(p, " ");
	ret->sign = *p == '-' || *p == '+' ? *p++ : '\0';
	ret->name = p;
	ret->len = strcspn(p, ",");
	p += ret->len;
	while (ret->len && ret->name[ret->len - 1] == ' ')
		ret->len--;
	*list = *p ? p + 1 : p;
	return true;
}

enum sl_column_set sl_column_set(const struct sl_column_key *key)
{
	if (key->len == 3 && memcmp(key->name, "all", 3) == 0)
		return SL_COLUMNS_ALL;
	return key->len == 5 && memcmp(key->name, "usual", 5) == 0 ? SL_COLUMNS_USUAL : SL_COLUMN_ONE;
}

size_t sl_column_find(const struct sl_column *columns, size_t count, const struct sl_column_key *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(columns[i].name) == key->len && memcmp(columns[i].name, key->name, key->len) == 0)
			return i;
	}
	for (size_t i = 0; key->len && i < count; i++) {
		if (strncmp(columns[i].name, key->name, key->len) == 0 && columns[i].name[key->len] == '_')
			return i;
	}
	return SL_NO_COLUMN;
}

static int unknown_column(const struct sl_column *columns, size_t count, const char *option,
			  const struct sl_column_key *key, struct sl_diag *diag)
{
	char typed[48], all[320] = "there are:", guess[80] = "";
	struct sl_nearest nearest;
	size_t len = strlen(all);

	snprintf(typed, sizeof(typed), "%.*s", (int)(key->len < 47 ? key->len : 47), key->name);
	sl_nearest_init(&nearest, typed);
	for (size_t i = 0; i < count; i++) {
		sl_nearest_offer(&nearest, columns[i].name);
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, " %s", columns[i].name);
	}
	if (len >= sizeof(all))
		snprintf(all, sizeof(all), "--fields help lists all");
	if (nearest.best)
		snprintf(guess, sizeof(guess), " (did you mean '%s'?)", nearest.best);
	return sl_fail(diag, SL_ERR_FORMAT, "%s: no column '%s'%s; %s", option, typed, guess, all);
}

int sl_report_check_columns(const struct sl_column *columns, size_t count, const char *option,
			    const char *list, struct sl_diag *diag)
{
	bool sets = strcmp(option, "--fields") == 0;
	struct sl_column_key key;

	if (!*list)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: names no column", option);
	while (sl_column_key_next(&list, &key)) {
		if (!(sets && sl_column_set(&key) != SL_COLUMN_ONE) && sl_column_find(columns, count, &key) == SL_NO_COLUMN)
			return unknown_column(columns, count, option, &key, diag);
	}
	return SL_OK;
}
