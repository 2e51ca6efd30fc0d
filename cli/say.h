/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAY_H
#define SAY_H
/* One line on standard error. Names from files are made printable. */

/* "sightline: ..." */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The second line of a usage error: "try 'sightline report -h'"; command may be "". */
void say_try(const char *command);
#endif
