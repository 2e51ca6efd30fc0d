/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SNAPSHOT_WRITE_H
#define SNAPSHOT_WRITE_H
/*
 * The ini files of a snapshot directory: one trace buffer, any number of cores with a trace source each. The
 * buffer and the dumped files are the caller's to write.
 */
#include "etm4_encode.h"

struct snapshot_dump {
	const char *file;		  /* name in the directory */
	uint64_t address, length, offset; /* length bytes from offset of the file lie at address */
};

struct snapshot_core {
	const char *type; /* Cortex-A53 */
	const struct snapshot_dump *dumps;
	size_t dump_count;
	const char *source_type;     /* ETM4, ETE */
	const struct etm4_reg *regs; /* of its trace source */
	size_t reg_count;
};

struct snapshot {
	const struct snapshot_core *cores; /* core i is cpu_i with the source ETM_i */
	size_t core_count;
	const char *buffer_file;
	const char *buffer_format; /* coresight, source_data */
	uint64_t timestamp_hz;	   /* 0: not told */
};

/* SL_OK, or SL_ERR_IO with errno. The directory exists. */
int snapshot_write(const struct snapshot *snapshot, const char *dir);
/* A file of that directory, for the buffer and the dumps. SL_OK, or SL_ERR_IO with errno. */
int snapshot_write_file(const char *dir, const char *name, const void *data, size_t len);
#endif
