/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "say.h"

static bool is(const char *word, const char *want)
{
	return word && strcmp(word, want) == 0;
}

int tree_options(const struct session *s, const struct sl_filter *filter, struct sl_graph_options *ret)
{
	const struct options *o = s->options;
	struct sl_diag diag = { "" };

	*ret = (struct sl_graph_options){ .image = s->image, .capture = s->capture, .timestamp_hz = session_hz(s),
					  .axis = session_axis_choice(s), .by_task = is(o->by, "task") };
	ret->levels = is(o->levels, "below")   ? SL_GRAPH_LEVELS_BELOW
		      : is(o->levels, "apart") ? SL_GRAPH_LEVELS_APART
					       : SL_GRAPH_LEVELS_ASKED;
	if (sl_sieve_new(filter, s->image, s->capture, ret->timestamp_hz, &ret->sieve, &diag) == SL_OK)
		return EXIT_DONE;
	say("%s", diag.text);
	return EXIT_FAILED;
}

void tree_note_limits(const struct sl_graph *graph)
{
	uint64_t beyond = sl_graph_beyond(graph), folded = sl_graph_folded(graph);

	if (folded)
		say("note: %" PRIu64 " call%s deep in a recursion are counted where the function is further up in the path", folded,
		    folded == 1 ? "" : "s");
	if (beyond)
		say("note: %" PRIu64 " call%s on more paths than are kept are counted as '(paths not kept)'; a filter leaves fewer "
		    "paths: --function, --module", beyond, beyond == 1 ? "" : "s");
}
