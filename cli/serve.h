/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_H
#define SERVE_H
#include "sl_base.h"

/*
 * Serves files over HTTP to this machine alone: GET and HEAD of their names, whole or a range of bytes. port 0: any that is free.
 * said is called when connections are taken, with the port. An exit code; what went wrong has been said.
 */
struct served_file {
	int file;	  /* open for reading; not closed */
	const char *name; /* "trace.pftrace"; "": what the address itself is */
	const char *type; /* "text/html" */
};
struct serve {
	const struct served_file *files;
	size_t count;
	const char *origin; /* "https://ui.perfetto.dev": a page from there may read them too; NULL: none */
	bool once;	    /* until somebody has the first file whole; else until the program is stopped */
	uint16_t port;
	void (*said)(const struct serve *serve, uint16_t port);
};
int serve_files(const struct serve *serve);
#endif
