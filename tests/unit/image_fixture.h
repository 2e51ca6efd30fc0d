/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_FIXTURE_H
#define IMAGE_FIXTURE_H
/* An image that is built in a test, with the notes and the diag of that. Include behind cmocka.h, in one file of a test
 * program. */
#include "sl_image.h"

static struct sl_image *image;
static struct sl_notes notes;
static struct sl_diag diag;

static inline void start(void)
{
	notes = (struct sl_notes)SL_NOTES_INIT;
	diag.text[0] = '\0';
	assert_int_equal(sl_image_new(&image), SL_OK);
}

static inline void finish(void)
{
	sl_image_free(image);
	sl_notes_release(&notes);
}
#endif
