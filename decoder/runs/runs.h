/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_H
#define RUNS_H
/*
 * Runs: the instructions from an address to the next waypoint, walked once and kept, with the runs that follow. A table
 * belongs to one memory, and following an atom in it is one look at next[]. Inside of decoder/ only.
 */
#include "code.h"

/* What next[] holds instead of a run: not looked up yet, and what a look does not tell. */
enum { RUN_UNKNOWN, RUN_ASK, RUN_FIRST };
/* A bit of next[], where ranges are merged: the run there may be added to this one. */
#define RUN_JOINS (UINT32_C(1) << 31)
/* A merged element is closed before its count may overflow: a packet has at most 24 atoms, and a run 16,384 instructions. */
enum { RUN_MERGED_MAX = 1 << 30 };
static inline uint32_t run_id(uint32_t next)
{
	return next & ~RUN_JOINS;
}

/* The hot half; from kind to end as in an element of this run whose last instruction was not executed. */
struct run {
	uint8_t kind, isa, last, flags;
	uint32_t count;
	uint64_t start, end;
	uint32_t next[2]; /* where the last instruction was not executed, and where it was */
};
_Static_assert(sizeof(struct run) == 32, "two to a cache line");
/* The run that next[] names: its bit is lost when the id becomes an offset. */
static inline const struct run *run_at(const struct run *hot, uint32_t next)
{
	return (const struct run *)((const char *)hot + (uint32_t)(next * (uint32_t)sizeof(*hot)));
}

enum run_what {
	RUN_PLAIN,    /* a waypoint that goes on behind itself */
	RUN_DIRECT,   /* to target, if taken */
	RUN_INDIRECT, /* anywhere, if taken */
	RUN_NO_BYTES, /* no waypoint: the image ends here */
	RUN_TOO_LONG, /* no waypoint within what may be read */
	RUN_BAD_INSN, /* x86: what comes next is no instruction */
};

struct run_cold {
	uint64_t target;
	uint32_t guess; /* the run that followed an indirect branch last; or 0 */
	uint32_t symbol; /* that the whole run lies in, where ranges are merged; or 0 */
	uint8_t target_isa, what; /* enum run_what */
	bool link;
	uint8_t x86, vector; /* enum isa_x86: of the last instruction, and its vector */
};

struct runs {
	struct run *hot;
	struct run_cold *cold;
	uint32_t len, cap;
	uint32_t *index; /* open hash of ids by start and isa */
	uint32_t index_mask;
	struct sl_symbol_range near; /* that was looked up last */
};

void runs_free(struct runs *runs);
/* Forgets all where more is kept than is sane: true where ids mean nothing any more. */
bool runs_trim(struct runs *runs);
/*
 * The id of the run from start on, which is walked where it is not known. Where it is too long to be kept, it is made anew
 * each time in the place of id RUN_ASK. 0: no memory.
 */
uint32_t runs_find(struct runs *runs, struct code *code, uint8_t isa, uint64_t start);

/*
 * Notes that run id follows run from, whose last instruction was executed or not. Where ranges are merged, no run follows
 * one that contradicts the image: see run_is_break().
 */
void runs_link(struct runs *runs, const struct code *code, uint32_t from, bool executed, uint32_t id);
/*
 * An unconditional branch was not taken, of which sl_flow_check.h makes a break: such a range is not merged. In T32 an IT block
 * may have made it conditional, which is not followed: docs/opencsd-quirks.md, 42 and 48.
 */
static inline bool run_is_break(const struct run *run, bool executed)
{
	unsigned last = run->last & 15;

	return !executed && (last == SL_LAST_BRANCH || last == SL_LAST_INDIRECT) && !(run->flags & SL_FLAG_CONDITIONAL) &&
	       run->isa != SL_ISA_T32;
}

/* Tables for the memories that a lane has been in. */
struct run_table {
	struct runs runs;
	uint32_t core;
	uint8_t space;
};
struct run_tables {
	struct run_table *tables;
	size_t len, cap, now;
};
void run_tables_free(struct run_tables *tables);
/* The table of what code is set to; NULL: no memory. Valid until the next call. */
struct runs *run_tables_of(struct run_tables *tables, const struct code *code);
/* The same for all tables. */
bool run_tables_trim(struct run_tables *tables);
#endif
