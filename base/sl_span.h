/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SPAN_H
#define SL_SPAN_H
/*
 * The flow of a lane as a stream of steps, in order: what the flow sink writes and report/ draws (indented
 * text, JSON, CSV; later timelines).
 */
#include "sl_base.h"

enum sl_span_kind {
	SL_SPAN_ENTER,	/* a call begins (or was found running: flags) */
	SL_SPAN_LEAVE,	/* the call that was entered last ends */
	SL_SPAN_LEVEL,	/* an exception, interrupt or system call opens a level: name says which */
	SL_SPAN_RESUME, /* ... and the level that was opened last ends */
	SL_SPAN_GAP,	/* trace is missing here: name says why */
	SL_SPAN_INSN,	/* one instruction: text is its disassembly, file/line its source */
	SL_SPAN_NOTE,	/* context switch and the like: name says what */
};

enum {
	SL_SPAN_NO_ENTRY = 1, /* the entry was not traced */
	SL_SPAN_NO_EXIT = 2,  /* the exit was not traced */
	SL_SPAN_TAIL = 4,     /* entered or left by a jump, without a call or return of its own */
	SL_SPAN_REPAIRED = 8, /* inferred to keep the stack true to the program counter */
	SL_SPAN_POINTER = 16, /* called by an indirect branch */
};

struct sl_span {
	enum sl_span_kind kind;
	unsigned flags, depth;
	uint64_t offset;   /* of the trace byte, in the buffer */
	uint64_t at;	   /* on the lane's axis */
	uint64_t address;  /* of the call's first instruction seen, of the instruction, or of the gap; 0: none */
	uint64_t duration, self; /* LEAVE and RESUME: the whole of it, and without callees */
	const char *name, *module, *text, *file;  /* any may be NULL; borrowed for the call */
	unsigned line;
};

struct sl_span_ops {
	/* A lane's steps follow; label names it ("ETB_0 id 10 cpu_0"), unit is ns, cycles or insns. */
	void (*begin)(void *out, const char *label, const char *unit);
	void (*step)(void *out, const struct sl_span *span);
	void (*end)(void *out);
	int (*close)(void *out);  /* frees out; the first error sticks until here */
};
struct sl_spans {
	const struct sl_span_ops *ops;
	void *out;
};
#endif
