/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_COLUMN_H
#define SL_COLUMN_H
/* Lists of column names, as --sort and --fields take them. Internal to report/. */
#include "sl_table.h"

#define SL_NO_COLUMN SIZE_MAX

/* One name of a list, with the sign before it (0: none). */
struct sl_column_key {
	char sign;
	const char *name;
	size_t len;
};
/* Takes the next name from *list and moves *list behind it; false at the end. Names may have blanks around.
 */
bool sl_column_key_next(const char **list, struct sl_column_key *ret);
/* What a name of --fields means: one column, or those of a set. */
enum sl_column_set { SL_COLUMN_ONE, SL_COLUMNS_ALL, SL_COLUMNS_USUAL };
enum sl_column_set sl_column_set(const struct sl_column_key *key);
/* Index of the column that a name means, with or without its unit; SL_NO_COLUMN where there is none. */
size_t sl_column_find(const struct sl_column *columns, size_t count, const struct sl_column_key *key);
#endif
