/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JITDUMP_H
#define JITDUMP_H
/*
 * A jitdump: what code a JIT compiler made, when, where, and its bytes. Inside of capture/perf/ only.
 * Format: tools/perf/Documentation/jitdump-specification.txt of Linux, version 1 of the file.
 */
#include "sl_base.h"
#include "sl_notes.h"

/* A function that came to an address: compiled, or moved there. */
struct jit_code {
	uint64_t time;	      /* as in the file; see struct jitdump */
	uint64_t address, size;
	uint64_t file_offset; /* of its bytes */
	uint64_t record_offset;
	const char *name;     /* of the data that was parsed */
};

struct jitdump {
	uint32_t machine;	/* ELF's e_machine */
	uint32_t pid;		/* as the program saw itself, which in a container is another number */
	bool arch_time;		/* times are ticks of the machine's counter, else ns of a clock, usually CLOCK_MONOTONIC */
	struct jit_code *codes; /* by time; those of one time in the order of the file */
	size_t count, cap;
};

/*
 * Reads a whole file; label names it in notes. SL_OK; SL_ERR_FORMAT or SL_ERR_UNSUPPORTED (another version) with diag;
 * SL_ERR_NOMEM. A file that is cut or damaged gives what is before that, with a note. Release ret after SL_OK.
 */
int jitdump_parse(const char *label, struct sl_bytes data, struct sl_notes *notes, struct jitdump *ret, struct sl_diag *diag);
void jitdump_release(struct jitdump *dump);
#endif
