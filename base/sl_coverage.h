/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_COVERAGE_H
#define SL_COVERAGE_H
/* What was executed: by source line, for coverage tools, and by address, for compilers. */
#include "sl_base.h"

/* File by file, in order of their names; of a file functions, then branches, then lines, in order of lines. What is passed is lent
 * for the call. */
struct sl_coverage_ops {
	void (*file)(void *out, const char *path);
	/* line 0: not known. calls: how often it was entered, or found running. */
	void (*function)(void *out, const char *name, unsigned line, uint64_t calls);
	/* A conditional branch that was come to; number is that among those of its line. */
	void (*branch)(void *out, unsigned line, unsigned number, uint64_t taken, uint64_t not_taken);
	/* times: of the instruction of the line that was executed most often. */
	void (*line)(void *out, unsigned line, uint64_t times);
	void (*end_file)(void *out);
	int (*close)(void *out); /* frees out; the first error (SL_ERR_IO, SL_ERR_NOMEM) sticks until here */
};
struct sl_coverage {
	const struct sl_coverage_ops *ops;
	void *out;
};

/* Of one program, by addresses from its first loaded segment on, ascending. */
struct sl_executed {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len; /* 0: it has none */
	const struct sl_executed_range {
		uint64_t first, last; /* instructions, both included */
		uint64_t times;
	} *ranges;
	size_t range_count;
	const struct sl_executed_branch {
		uint64_t from, to; /* instructions */
		uint64_t times;
	} *branches; /* that were taken */
	size_t branch_count;
};
#endif
