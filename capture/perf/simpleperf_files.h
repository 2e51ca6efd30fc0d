/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMPLEPERF_FILES_H
#define SIMPLEPERF_FILES_H
/*
 * What simpleperf keeps of the files that were mapped: the features FILE (128) and FILE2 (132, protobuf). Inside of
 * capture/perf/ only. Format: record_file.proto and record_file_format.h of simpleperf.
 */
#include "sl_base.h"

enum simpleperf_type {
	SIMPLEPERF_KERNEL, SIMPLEPERF_MODULE, SIMPLEPERF_ELF, SIMPLEPERF_DEX, SIMPLEPERF_SYMBOL_MAP, SIMPLEPERF_UNKNOWN,
};
enum simpleperf_form { SIMPLEPERF_FILE = 128, SIMPLEPERF_FILE2 = 132 };

struct simpleperf_file {
	const char *path; /* path_len bytes, not terminated */
	size_t path_len;
	uint32_t type;
	uint64_t min_vaddr;
	bool offset_known;
	uint64_t offset;  /* of min_vaddr: in an ELF file, or in a module's memory */
	/* of simpleperf_next_symbol() */
	enum simpleperf_form form;
	bool big;
	uint32_t left;
	struct sl_bytes rest;
};
struct simpleperf_symbol {
	uint64_t vaddr, len;
	const char *name; /* name_len bytes, not terminated */
	size_t name_len;
};

/* Takes the next file off a feature's bytes. SL_OK, SL_END behind the last one, SL_ERR_FORMAT where it is damaged: the next
 * call gives the one behind it. */
int simpleperf_next_file(struct sl_bytes *list, enum simpleperf_form form, bool big, struct simpleperf_file *ret);
/* Its symbols one by one: SL_OK or SL_END. A copy of file has them anew. */
int simpleperf_next_symbol(struct simpleperf_file *file, struct simpleperf_symbol *ret);
#endif
