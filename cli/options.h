/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H
/*
 * The one table of options. The parser, -h and --help, the completions and the check against the man pages are all
 * made from it.
 */
#include "sl_base.h"

enum {	/* who takes an option: a set */
	FOR_MAIN = 1,
	FOR_INFO = 2,
	FOR_PACKETS = 4,
	FOR_FLOW = 8,
	FOR_REPORT = 16,
	FOR_IMPORT = 32,
	FOR_COMPLETION = 64,
	FOR_CHECK = 128,
	FOR_EVENTS = 256,
	FOR_GRAPH = 512,
	FOR_LATENCY = 1024,
	FOR_HISTOGRAM = 2048,
	FOR_EXPORT = 4096,
	FOR_MERGE = 8192,
	FOR_COMPARE = 16384,
	FOR_VIEW = 32768,
	FOR_CALLS = FOR_REPORT | FOR_GRAPH | FOR_EVENTS | FOR_COMPARE, /* what counts calls */
	FOR_MEASURES = FOR_LATENCY | FOR_HISTOGRAM,
	FOR_FILTERS = FOR_CALLS | FOR_MEASURES | FOR_EXPORT, /* that take what struct sl_filter can hold */
	FOR_VIEWS = FOR_INFO | FOR_PACKETS | FOR_FLOW | FOR_CALLS | FOR_MEASURES | FOR_CHECK,
	FOR_TIMED = FOR_FLOW | FOR_CALLS | FOR_MEASURES | FOR_EXPORT | FOR_VIEW, /* that are on an axis */
	FOR_RUNS = FOR_VIEWS | FOR_EXPORT | FOR_VIEW, /* what decodes */
	FOR_CAPTURES = FOR_RUNS | FOR_IMPORT,
	FOR_ALL = FOR_MAIN | FOR_CAPTURES | FOR_MERGE | FOR_COMPLETION,
};

enum option_kind {
	OPTION_FLAG,	/* bool */
	OPTION_STRING,	/* const char *; choices, where there are some, are only suggested */
	OPTION_WORD,	/* const char *, one of choices */
	OPTION_GLOB,	/* const char *, a pattern with * and ? */
	OPTION_NUMBER,	/* uint64_t from min to max */
	OPTION_PERCENT,	/* double from 0 to 100 */
	OPTION_HZ,	/* uint64_t from min to max; may end with k, M or G and Hz */
	OPTION_LIST,	/* struct option_list: may be given again */
	OPTION_HELP,	/* enum help_wanted */
};

enum option_group { GROUP_INPUT, GROUP_SHOW, GROUP_OUTPUT, GROUP_OTHER, GROUPS };

struct option_def {
	const char *name;    /* without the dashes */
	char letter;	     /* 0: none */
	enum option_kind kind;
	enum option_group group;
	unsigned commands;
	size_t place;	     /* in struct options */
	const char *arg;     /* NULL for flags */
	const char *help;
	const char *preset;  /* the default, as help shows it; NULL where there is nothing to say */
	const char *const *choices;
	uint64_t min, max;
	bool brief;	     /* -h shows it too */
	bool hidden;	     /* for tests and scripts: in no help */
};
extern const struct option_def option_table[];
extern const size_t option_count;

enum help_wanted { HELP_NONE, HELP_SHORT, HELP_LONG };

struct option_list {
	const char **items;  /* NULL-terminated where len is above 0 */
	size_t len, cap;
};

enum { OPERANDS_MORE = 31 };

struct options {
	const char *operand;  /* the capture, the shell, the command to explain */
	const char *more[OPERANDS_MORE]; /* what follows it */
	size_t more_count;
	size_t split; /* operands before --; 0: there is none */
	/* what is read */
	struct option_list images, symbols, regs, clock_offsets;
	bool allow_outside;
	const char *symfs;
	const char *protocol, *framing, *trace_id, *core;
	/* what is shown */
	const char *buffer, *function, *module, *sort, *fields, *clock, *table, *against, *lenses;
	const char *root, *task, *cpus, *level_list, *window, *min_duration; /* see sl_filter.h */
	const char *durations, *recursion, *tail_calls, *save;
	const char *per, *names, *config_map; /* compare */
	struct option_list configs, fail_if;
	uint64_t id, depth, limit, freq_hz, cpu_freq_hz;
	bool ranges, elements, insn, repairs;
	/* graph */
	const char *callers, *callees, *linkage, *slowest, *by, *levels;
	bool inverted;
	double min_percent; /* below 0: not given */
	/* latency, histogram */
	const char *pair, *of;
	/* report */
	const char *html;
	uint64_t html_calls;
	/* export */
	bool open;
	uint64_t port;
	/* how */
	const char *format, *output, *color, *engine;
	uint64_t jobs, block_bytes;
	bool no_pager, quiet, fake_console;
	/* and instead of it */
	unsigned help;	/* enum help_wanted */
	bool version;
	const char *list_options;
};
#define ID_ALL UINT64_MAX
#define PORT_PERFETTO 9001 /* as Perfetto's own tools */

struct command;
/*
 * Reads the arguments behind the command's name. Strings are borrowed from argv. SL_OK, SL_ERR_FORMAT with diag, or
 * SL_ERR_NOMEM. Release in any case.
 */
int options_parse(const struct command *command, int argc, char *const *argv, struct options *ret,
		  struct sl_diag *diag);
void options_release(struct options *options);

/* 0x.. or decimal digits, nothing else; a leading 0 makes nothing octal. SL_OK or SL_ERR_FORMAT. */
int parse_number(const char *text, uint64_t *ret);
/* The same with k, M, G and Hz behind it: "24MHz". */
int parse_hz(const char *text, uint64_t *ret);
#endif
