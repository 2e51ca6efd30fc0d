/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_PATHS_H
#define SL_PATHS_H
/*
 * Calls by their path, added up: what the graph sink writes and report/ turns into files of other viewers. Paths come in
 * preorder: behind their parent, and all below one before the next one beside it.
 */
#include "sl_base.h"

enum sl_path_kind {
	SL_PATH_FUNCTION,
	SL_PATH_LEVEL, /* what an exception opened */
	SL_PATH_TASK,
	SL_PATH_GAP,   /* trace was missing */
	SL_PATH_BEYOND, /* of paths that were not kept */
};

struct sl_path {
	enum sl_path_kind kind;
	uint32_t depth;	  /* 0: below nothing */
	uint32_t name_id; /* dense, from 0 on, as they come: the same for the same name and module */
	const char *name, *module; /* module: its file, NULL where it has none; lent for the call */
	uint64_t calls;
	/* In the head's unit. Children's totals and self are the total, exactly. Sums of self over a function's paths are what
	 * report says, which rounds once: so a single one may be off by 1. */
	uint64_t total, self;
};

struct sl_paths_head {
	const char *unit;  /* "ns", "cycles", "insns" */
	uint64_t whole;	   /* of all that has depth 0 */
	uint32_t depth;	   /* above that of all paths */
};

struct sl_paths_ops {
	void (*begin)(void *out, const struct sl_paths_head *head);
	void (*path)(void *out, const struct sl_path *path);
	int (*close)(void *out); /* frees out; the first error (SL_ERR_IO, SL_ERR_NOMEM) sticks until here */
};
struct sl_paths {
	const struct sl_paths_ops *ops;
	void *out;
};
#endif
