/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEAR_H
#define NEAR_H
/* The first capture by name, a snapshot or a perf.data, that lies right in this directory: to be freed. NULL: none, or no memory. */
char *capture_near(const char *dir);
#endif
