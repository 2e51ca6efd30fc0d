/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_H
#define COMMANDS_H
/* The commands: what the program is called with. */
#include "options.h"

/* Exit codes of the program. */
enum {
	EXIT_DONE = 0,
	EXIT_NO = 1,	 /* done, and the answer is no: nothing could be decoded; check: something is wrong */
	EXIT_FAILED = 2, /* could not do it */
};

struct command {
	const char *name;			   /* "" for the program itself */
	unsigned bit;				   /* FOR_... */
	const char *operand;			   /* CAPTURE; NULL: takes none */
	const char *more;			   /* what may follow it, as usage shows it: "A [B]"; NULL: nothing */
	unsigned more_min, more_max;		   /* how many, at most OPERANDS_MORE */
	const char *summary;			   /* one line */
	const char *about;			   /* --help says this first; lines are broken already */
	const char *examples;			   /* ... and this last */
	int (*run)(const struct options *options); /* returns an exit code */
};
extern const struct command command_table[];
extern const size_t command_count;
/* sightline itself: for options without a command. */
extern const struct command command_main;

/* NULL: no such command. */
const struct command *command_find(const char *name);

int cmd_info(const struct options *options);
int cmd_packets(const struct options *options);
int cmd_flow(const struct options *options);
int cmd_report(const struct options *options);
int cmd_graph(const struct options *options);
int cmd_events(const struct options *options);
int cmd_latency(const struct options *options);
int cmd_histogram(const struct options *options);
int cmd_export(const struct options *options);
int cmd_view(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_merge(const struct options *options);
int cmd_check(const struct options *options);
int cmd_import(const struct options *options);
int cmd_completion(const struct options *options);
#endif
