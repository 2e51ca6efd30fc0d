/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_H
#define RULES_H
/* Rules that ship, and files that add to them. Inside of analysis/compare only. */
#include "sl_ini.h"

/* Files; what the last one says comes first. Their strings are the rules. */
struct rules {
	struct sl_ini *files;
	size_t len, cap;
};
/* Whether a file is what it should be: SL_OK, or SL_ERR_FORMAT with diag. */
typedef int rules_check_fn(const struct sl_ini *ini, struct sl_diag *diag);

/* Adds those of a text (malloc'd, terminated, len bytes), which is freed; file stands in messages. SL_OK; SL_ERR_FORMAT with diag naming
 * file and line; SL_ERR_NOMEM. */
int rules_add_text(struct rules *rules, const char *file, char *text, size_t len, rules_check_fn *check, struct sl_diag *diag);
/* The same of a file; also SL_ERR_IO, SL_ERR_LIMIT. */
int rules_add_file(struct rules *rules, const char *path, rules_check_fn *check, struct sl_diag *diag);
/* The same of what ships: bytes with a 0 behind them. */
int rules_add_shipped(struct rules *rules, const char *file, const unsigned char *text, size_t len, rules_check_fn *check);
void rules_release(struct rules *rules);
#endif
