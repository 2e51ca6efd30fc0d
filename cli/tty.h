/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TTY_H
#define TTY_H
/* What only a terminal gets: colour, a pager, progress. */
#include "sl_base.h"

/* --color: "always", "never", or else whether standard output is a terminal that wants it (NO_COLOR,
 * TERM=dumb). */
bool tty_color(const char *when);

/* Whether the environment's character set is UTF-8. */
bool tty_utf8(void);

struct pager {
	int pid; /* 0: none runs */
};
/* Puts $SIGHTLINE_PAGER, $PAGER or less behind standard output. Without a pager (none is installed, or it is
 * "" or "cat") nothing happens. */
void pager_start(struct pager *pager);
/* Ends standard output and waits until the reader has read. */
void pager_wait(struct pager *pager);

/* How far the run is, on standard error: after a second, four times a second. */
struct progress {
	bool on, at_once, shown;
	double next; /* seconds of the monotonic clock */
	double start;
};
/* on: where standard error is a terminal and this program is in its foreground, or fake. */
void progress_init(struct progress *progress, bool wanted, bool fake);
/* As sl_run calls it; ctx is the struct progress. */
void progress_update(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
/* Removes the line. */
void progress_clear(struct progress *progress);
#endif
