/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HELP_H
#define HELP_H
#include <stdio.h>

#include "commands.h"

/* -h: fits a screen; --help: everything. */
void help_print(FILE *out, const struct command *command, enum help_wanted wanted);
/* One line an option that is in some help: "--jobs<TAB>-j<TAB>N<TAB>help"; what is missing is empty. */
void help_list_options(FILE *out, const struct command *command);
#endif
