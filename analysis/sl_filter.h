/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_FILTER_H
#define SL_FILTER_H
/*
 * Which calls a command counts: what the options ask for (struct sl_filter), and that at work on one run (struct
 * sl_sieve), which every call goes through.
 */
#include "sl_calls.h"

/* What a limit is given in. */
enum sl_filter_unit { SL_UNIT_NONE, SL_UNIT_INSNS, SL_UNIT_CYCLES, SL_UNIT_NS, SL_UNIT_OFFSET };
struct sl_limit {
	enum sl_filter_unit unit; /* NONE: there is no limit */
	uint64_t value;
};

enum { SL_FILTER_CPUS = 4096 };

/* All of it has to hold. Zero: everything. Texts are borrowed. */
struct sl_filter {
	const char *function; /* glob on the function's name */
	const char *module;   /* glob on the name of its file */
	const char *task;     /* glob on the task's name, or its number */
	const char *root;     /* glob: only what is inside of calls of such functions, and these */
	uint32_t depth;	      /* only calls less than so many below the first one, or below root. 0: all */
	unsigned levels;      /* bits 1 << enum sl_level; 0: all */
	bool by_cpu;
	uint64_t cpus[SL_FILTER_CPUS / 64]; /* bits, where by_cpu */
	struct sl_limit from, to;	    /* only calls that begin at from or later and end before to */
	struct sl_limit min_duration;	    /* only calls that take as long */
};
/* Values of options: "0,2-3"; "task,irq"; "10us", "800cycles", "5000insns"; "1ms..2ms", "@0x400..", "..3s". SL_OK, or SL_ERR_FORMAT
 * with diag and filter as it was. */
int sl_filter_set_cpus(struct sl_filter *filter, const char *text, struct sl_diag *diag);
int sl_filter_set_levels(struct sl_filter *filter, const char *text, struct sl_diag *diag);
int sl_filter_set_window(struct sl_filter *filter, const char *text, struct sl_diag *diag);
int sl_filter_set_min_duration(struct sl_filter *filter, const char *text, struct sl_diag *diag);
/* The axes that its limits are on: bits 1 << enum sl_axis. Every lane that ran has to have them. */
unsigned sl_filter_axes(const struct sl_filter *filter);

struct sl_sieve;
/*
 * For one run. filter and its texts, image and capture (where tasks have names; may be NULL) are borrowed. timestamp_hz 0: not
 * known. SL_OK; SL_ERR_CONFIG with diag where a limit is a time and timestamp_hz is not known; SL_ERR_NOMEM.
 */
int sl_sieve_new(const struct sl_filter *filter, const struct sl_image *image, const struct sl_capture *capture,
		 uint64_t timestamp_hz, struct sl_sieve **ret, struct sl_diag *diag);
void sl_sieve_free(struct sl_sieve *sieve);
/* Whether everything counts: then nothing has to go through. */
bool sl_sieve_is_open(const struct sl_sieve *sieve);
/* The kinds of calls that the sieve has to see, besides those that are asked for: bits 1 << enum sl_call_kind. */
unsigned sl_sieve_needs(const struct sl_sieve *sieve);
/*
 * Whether a call counts. Every call goes through once, in order. ENTER: as far as can be known by then (how long it will be, and
 * whether it ends in the window, is not). LEVEL and RESUME: whether what runs in the level may count. Others: true.
 */
bool sl_sieve_call(struct sl_sieve *sieve, const struct sl_call *call);
/* For stays of tasks on CPUs: whether who runs counts by task and CPU, after sl_sieve_call of what told it; and whether from
 * enter to leave is in the window and takes as long as min_duration. */
bool sl_sieve_runs(struct sl_sieve *sieve, const struct sl_call *call);
bool sl_sieve_stay(struct sl_sieve *sieve, const struct sl_call *stay);
/* Whether calls of a function may count, by its name and module. */
bool sl_sieve_symbol(struct sl_sieve *sieve, uint32_t symbol);
/* Whether a piece counts. min_duration says nothing of it. */
bool sl_sieve_piece(struct sl_sieve *sieve, const struct sl_piece *piece);
/* Calls of root, seen from entry or not, that have ended in what counts by CPU, task and level. */
uint64_t sl_sieve_roots(const struct sl_sieve *sieve);
/* Whether there was no memory for all that it had to know: its answers since are wrong. */
bool sl_sieve_failed(const struct sl_sieve *sieve);

/* The number of a lane's CPU: the recording's, else the index of the core in the snapshot; -1: not known. */
int64_t sl_lane_cpu(const struct sl_lane *lane);
#endif
