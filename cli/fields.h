/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIELDS_H
#define FIELDS_H
/* The columns of a command's table: --fields and what --fields help says. */
#include "options.h"
#include "sl_axes.h"
#include "sl_table.h"

/* The columns on an axis (static). */
typedef size_t fields_fn(enum sl_axis axis, const struct sl_column **ret);

/* The axis that --clock names. */
enum sl_axis fields_axis(const struct options *options);
/* Writes columns with their meaning. An exit code. */
int fields_write(const struct options *options, const char *title, const struct sl_column *fields, size_t count);
/* Writes the columns with their meaning, on the axis that --clock names. An exit code. */
int fields_list(const struct options *options, const char *title, fields_fn *columns);
/* Whether lists of columns, NULL where not given, name what is there. SL_OK, or SL_ERR_FORMAT with diag. */
int fields_check_in(const struct sl_column *columns, size_t count, const char *sort, const char *fields, struct sl_diag *diag);
/* Whether sort (NULL: nothing to check) and --fields name columns that are there on some axis: before the run, which may take
 * long. An exit code; what is wrong has been said. */
int fields_check(const struct options *options, const char *sort, const char *command, fields_fn *columns);
#endif
