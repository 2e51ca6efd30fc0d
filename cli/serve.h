/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_H
#define SERVE_H
#include "sl_base.h"

/*
 * Serves one file over HTTP to this machine alone, for a page that comes from elsewhere: GET and HEAD of name, until somebody
 * has it whole. Only that page's origin may read it in a browser. port 0: any that is free. said is called when connections
 * are taken, with the port. An exit code; what went wrong has been said.
 */
struct serve {
	int file;	    /* open for reading; not closed */
	const char *name;   /* "trace.pftrace" */
	const char *origin; /* "https://ui.perfetto.dev" */
	uint16_t port;
	void (*said)(const struct serve *serve, uint16_t port);
};
int serve_file(const struct serve *serve);
#endif
