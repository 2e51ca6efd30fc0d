/* SPDX-License-Identifier: Apache-2.0 */
/* What lenses saw as a kept profile has it. */
#include <stdio.h>

#include "compare/saved.h"
#include "events.h"
#include "sl_array.h"
#include "sl_image.h"

static int save_what(const struct sl_events *events, const struct event *from, struct sl_saved_event *into, struct sl_saved *saved)
{
	const struct sl_image *image = events->options.image;
	const struct sl_symbol *symbol = sl_image_symbol(image, from->what == EVENT_CALL ? from->number : 0);
	char name[64];

	if (from->what == EVENT_CALL) {
		if (from->number && saved_string(saved, sl_image_module(image, symbol->module)->name, &into->module) < 0)
			return SL_ERR_NOMEM;
		return saved_string(saved, symbol->name, &into->event);
	}
	snprintf(name, sizeof(name), "%s, exception %u", sl_level_name(from->level), from->number);
	return saved_string(saved, name, &into->event);
}

/* Switches of tasks are no calls: they are one event. */
static int save_switches(const struct sl_events *events, struct sl_saved *into)
{
	struct sl_saved_event event = { .module = SL_SAVED_NONE, .count = events->switches };

	for (uint32_t lens = 0; events->switches && lens < events->options.lenses->len; lens++) {
		if (!(events->with_switches & 1u << lens))
			continue;
		if (saved_string(into, events->options.lenses->items[lens].name, &event.lens) < 0 ||
		    saved_string(into, "switches", &event.event) < 0 ||
		    SL_ARRAY_PUSH(&into->events, &into->event_count, &into->event_cap, event) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

int sl_events_save(const struct sl_events *events, struct sl_saved *into)
{
	for (size_t i = 0; i < events->event_count; i++) {
		const struct event *from = &events->events[i];
		struct sl_saved_event event = {
			.module = SL_SAVED_NONE,
			.count = from->count,
			.no_entry = from->no_entry,
			.no_exit = from->no_exit,
			.complete = from->complete,
			.total = from->total,
			.self = from->self,
		};

		if (saved_string(into, events->options.lenses->items[from->lens].name, &event.lens) < 0 ||
		    save_what(events, from, &event, into) < 0 ||
		    SL_ARRAY_PUSH(&into->events, &into->event_count, &into->event_cap, event) < 0)
			return SL_ERR_NOMEM;
	}
	return save_switches(events, into);
}
