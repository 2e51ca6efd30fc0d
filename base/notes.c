/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_notes.h"

#include "sl_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 1000 };

static void add_text(struct sl_notes *notes, const char *text, uint64_t count)
{
	struct sl_note note = { .count = count };

	for (size_t i = 0; i < notes->len; i++) {
		if (strcmp(notes->items[i].text, text) == 0) {
			notes->items[i].count += count;
			return;
		}
	}
	note.text = notes->len < NOTES_MAX ? strdup(text) : NULL;
	if (!note.text || SL_ARRAY_PUSH(&notes->items, &notes->len, &notes->cap, note) < 0) {
		free(note.text);
		notes->dropped += count;
	}
}

void sl_notes_add(struct sl_notes *notes, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!notes)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_text(notes, text, 1);
}

void sl_notes_merge(struct sl_notes *into, const struct sl_notes *from)
{
	for (size_t i = 0; i < from->len; i++)
		add_text(into, from->items[i].text, from->items[i].count);
	into->dropped += from->dropped;
}

void sl_notes_release(struct sl_notes *notes)
{
	for (size_t i = 0; i < notes->len; i++)
		free(notes->items[i].text);
	free(notes->items);
	*notes = (struct sl_notes)SL_NOTES_INIT;
}
