/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_LIST_H
#define IMAGE_LIST_H
/* A text that says which files are the memory of what ran: "ADDRESS FILE LENGTH" a line. docs/formats/image-list.md */
#include "sl_image.h"

/* Whether the file looks like such a text: its first line does. */
bool image_list_is(const char *path);
/*
 * Adds what it lists, as dumps for all cores; the files lie in the text's own folder unless allow_outside. SL_OK; SL_ERR_IO,
 * SL_ERR_FORMAT or SL_ERR_LIMIT with diag; SL_ERR_NOMEM.
 */
int image_list_add(const char *path, bool allow_outside, struct sl_image *image, struct sl_notes *notes, struct sl_diag *diag);
#endif
