/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_COMPARE_H
#define SL_COMPARE_H
/* compare: what differs between two kept profiles, function by function and path by path, and how sure that is. */
#include "sl_saved.h"
#include "sl_table.h"

/* Rules by which names are one function's: those that ship (compare/names.ini), and others. */
struct sl_aliases;
/* SL_OK or SL_ERR_NOMEM. */
int sl_aliases_new(struct sl_aliases **ret);
void sl_aliases_free(struct sl_aliases *aliases);
/* Adds those of a file. SL_OK; SL_ERR_IO, SL_ERR_FORMAT with diag naming file and line; SL_ERR_NOMEM. */
int sl_aliases_add_file(struct sl_aliases *aliases, const char *path, struct sl_diag *diag);
/* The same of a text (malloc'd, terminated, len bytes), which is freed; file stands in messages. */
int sl_aliases_add_text(struct sl_aliases *aliases, const char *file, char *text, size_t len, struct sl_diag *diag);
/* What stands for a name: free() it. NULL: no memory. */
char *sl_aliases_name(const struct sl_aliases *aliases, const char *name);

/* A kernel's .config, and which functions its options are known by: what ships (compare/options.ini), and others. */
struct sl_kernel_config;
/* SL_OK; SL_ERR_IO, SL_ERR_FORMAT with diag; SL_ERR_NOMEM. */
int sl_kernel_config_read(const char *path, struct sl_kernel_config **ret, struct sl_diag *diag);
/* The same of a text (malloc'd, terminated), which is freed; file stands in messages. */
int sl_kernel_config_parse(const char *file, char *text, struct sl_kernel_config **ret, struct sl_diag *diag);
void sl_kernel_config_free(struct sl_kernel_config *config);
struct sl_config_map;
/* SL_OK or SL_ERR_NOMEM. */
int sl_config_map_new(struct sl_config_map **ret);
void sl_config_map_free(struct sl_config_map *map);
/* As sl_aliases_add_file and sl_aliases_add_text. */
int sl_config_map_add_file(struct sl_config_map *map, const char *path, struct sl_diag *diag);
int sl_config_map_add_text(struct sl_config_map *map, const char *file, char *text, size_t len, struct sl_diag *diag);

enum { SL_COMPARE_SIDES = 2 }; /* A, which is what was, and B, which is what is */

struct sl_compare_options {
	const struct sl_saved *sides[SL_COMPARE_SIDES];
	/* The runs that a side is the sum of, where there are several: how much they differ says what chance is. May be NULL. */
	const struct sl_saved *runs[SL_COMPARE_SIDES];
	size_t run_counts[SL_COMPARE_SIDES];
	const struct sl_aliases *aliases;
	const char *per; /* a function's name or a glob: of one call of it; NULL: of a whole run */
	enum sl_axis_choice axis; /* AUTO: the finest that both have */
	const struct sl_kernel_config *configs[SL_COMPARE_SIDES]; /* NULL: not known */
	const struct sl_config_map *map;
};
struct sl_compare;
/* Options are copied; what they point to is borrowed. SL_OK; SL_END where a side has no call of per; SL_ERR_CONFIG (a side has no
 * such axis) with diag; SL_ERR_NOMEM. */
int sl_compare_new(const struct sl_compare_options *options, struct sl_compare **ret, struct sl_diag *diag);
void sl_compare_free(struct sl_compare *compare);

struct sl_compare_shown {
	uint32_t depth;	/* of the tree: only nodes less than so many below the root. 0: all */
	double percent; /* of the tree: only nodes that have so much of the greatest difference */
};
enum sl_axis sl_compare_axis(const struct sl_compare *compare);
/* The columns of the table "functions" on an axis (static). */
size_t sl_compare_columns(enum sl_axis axis, const struct sl_column **ret);
/* Writes the tables sides, call (of per, where it is one function), functions, tree, lenses, config (where there are configs), matches (functions that were not matched
 * by their very name), sum and verdict. */
void sl_compare_report(const struct sl_compare *compare, const struct sl_compare_shown *shown, const struct sl_table *out);
/* Writes the table histograms: how long the complete calls of each function are on both sides, as often as there is such a class. A row names its
 * function by the place, from 0 on, that it has in the table functions. */
void sl_compare_histograms(const struct sl_compare *compare, const struct sl_table *out);
/* How much B may differ before that is a failure: p99(irq_handler):+10%, calls(x):+0, total:+5%, rate(irq):-10%. */
struct sl_compare_limit {
	const char *text; /* borrowed */
	unsigned metric;
	char of[256]; /* a function, a pattern, a lens; "": the whole */
	double amount;
	bool percent, falls;
};
/* SL_OK, or SL_ERR_CONFIG with diag. */
int sl_compare_limit_parse(const char *text, struct sl_compare_limit *ret, struct sl_diag *diag);
/* SL_OK; SL_END where it is exceeded, with the reason. ret_found: whether there is what it is of on any side. */
int sl_compare_check(const struct sl_compare *compare, const struct sl_compare_limit *limit, bool *ret_found, char *reason, size_t cap);
/* Whether all that functions differ by is what the whole differs by. */
bool sl_compare_adds_up(const struct sl_compare *compare);
/* How many functions differ by more than chance. */
size_t sl_compare_significant(const struct sl_compare *compare);
#endif
