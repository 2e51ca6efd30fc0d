/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAVING_H
#define SAVING_H
/* Profiles that are kept: from a session, from a file. What went wrong has been said. */
#include "session.h"
#include "sl_saved.h"

/* What is to hear of a session's run. saver is to be freed. An exit code. */
int saving_new(const struct session *s, const struct sl_filter *filter, struct sl_saver **ret);
/* Behind the run: writes it to a file. An exit code. */
int saving_write(struct sl_saver *saver, const char *path);
/* A profile of a file. An exit code; ret is to be released where it is EXIT_DONE. */
int saving_read(const char *path, struct sl_saved *ret);
/* The profile of a capture or of a file that an operand names, with the options. The same. */
int saving_of_operand(const struct options *o, const char *operand, struct sl_saved *ret);
#endif
