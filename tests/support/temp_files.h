/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMP_FILES_H
#define TEMP_FILES_H
/* A folder of files for one test program, and the captures that come from elsewhere. Failures end the
 * program. */
#include <stddef.h>

/* Makes the folder, and removes it with all that is in it (also in folders made by temp_write). */
void temp_setup(void);
void temp_teardown(void);

/* Path of a file in it; valid until the eighth call after this one. */
const char *temp_path(const char *name);
/* Writes a file, with the folders that its name has; returns its path. */
const char *temp_write(const char *name, const void *data, size_t len);

/* Path of a file of SIGHTLINE_SHARED (default: ../shared beside the sources), or NULL where it is not there.
 * Valid until the eighth call after this one. */
const char *shared_path(const char *name);
#endif
