/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TREE_H
#define TREE_H
/* What graph and the exports of calls by path have in common. */
#include "session.h"
#include "sl_graph.h"

/* What --by, --levels, --clock and the filter ask for; its sieve is the caller's to free. An exit code; what is wrong has been
 * said. */
int tree_options(const struct session *s, const struct sl_filter *filter, struct sl_graph_options *ret);
/* Says which calls do not stand where they were made. */
void tree_note_limits(const struct sl_graph *graph);
#endif
