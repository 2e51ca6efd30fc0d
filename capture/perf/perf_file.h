/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_FILE_H
#define PERF_FILE_H
/*
 * The container of perf.data: file, pipe and directory form, either byte order, compressed records, and simpleperf's
 * dialect. It yields records; what they mean is for others. Inside of capture/ only.
 * Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux.
 */
#include "sl_base.h"
#include "sl_notes.h"

/* Record types that are read here (perf_event.h and perf's own from 64 on). */
enum perf_type {
	PERF_MMAP = 1, PERF_LOST = 2, PERF_COMM = 3, PERF_EXIT = 4, PERF_FORK = 7, PERF_SAMPLE = 9, PERF_MMAP2 = 10,
	PERF_AUX = 11, PERF_ITRACE_START = 12, PERF_LOST_SAMPLES = 13, PERF_SWITCH = 14, PERF_SWITCH_CPU_WIDE = 15,
	PERF_NAMESPACES = 16, PERF_KSYMBOL = 17, PERF_TEXT_POKE = 20, PERF_AUX_OUTPUT_HW_ID = 21,
	PERF_HEADER_ATTR = 64, PERF_TRACING_DATA = 66, PERF_BUILD_ID = 67, PERF_FINISHED_ROUND = 68, PERF_ID_INDEX = 69,
	PERF_AUXTRACE_INFO = 70, PERF_AUXTRACE = 71, PERF_AUXTRACE_ERROR = 72, PERF_TIME_CONV = 79, PERF_FEATURE = 80,
	PERF_COMPRESSED = 81, PERF_FINISHED_INIT = 82, PERF_COMPRESSED2 = 83,
};

/* Bits of a record's misc, and of an attribute's flags. */
enum { PERF_MISC_COMM_EXEC = 1 << 13 /* COMM: a new program */ };
enum perf_attr_flag {
	PERF_ATTR_INHERIT = 1 << 1, PERF_ATTR_EXCLUDE_USER = 1 << 4, PERF_ATTR_EXCLUDE_KERNEL = 1 << 5,
	PERF_ATTR_ENABLE_ON_EXEC = 1 << 12, PERF_ATTR_USE_CLOCKID = 1 << 25,
};

/* Who and when, from the sample_id trailer (or the head of a SAMPLE). */
struct perf_who {
	bool has_tid, has_time, has_cpu, has_id;
	uint32_t pid, tid, cpu;
	uint64_t time, id;    /* without has_time: the time of the record before it, by which it is ordered */
};

struct perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;      /* of its header in the file (of the compressed record that it comes from); those of a
				 directory's data.N count on where the file before ends */
	const uint8_t *body;  /* behind the header, trailer included; in the file's byte order; valid until the file is closed */
	size_t len;
	size_t body_len;      /* without the sample_id trailer */
	struct perf_who who;
	uint64_t payload_offset, payload_len;  /* AUXTRACE: its bytes in the file, cut to what is there */
};

struct perf_attr {
	uint32_t type;
	uint64_t config, config1, config2, config3; /* 0 where the file's attribute is too short for it */
	uint64_t sample_period, sample_type, flags; /* flags: the bit field at offset 40 */
	uint32_t clockid;	/* of times, where flags say that it is used: as clock_gettime(2) */
	const uint64_t *ids;
	size_t id_count;
};

struct perf_build_id {
	uint8_t id[20];
	uint8_t len;
	int32_t pid;
	uint16_t misc;
	const char *name;
};

struct perf_file;

/*
 * Opens path: a file, a directory with "data" in it, or "-" for standard input (which is read whole into a temporary
 * file where it is none; a named pipe likewise). SL_OK; SL_ERR_IO, SL_ERR_FORMAT (no perf.data, version 1, records that
 * make no sense) or SL_ERR_NOMEM with diag. A file that is cut, damaged or beyond what is sane opens as far as it can be
 * read, with notes.
 */
int perf_file_open(const char *path, struct sl_notes *notes, struct perf_file **ret, struct sl_diag *diag);
void perf_file_close(struct perf_file *file);
/* Whether the file begins like a perf.data (or is a directory that holds one). False for "-" and named pipes, whose
 * bytes can be read only once. */
bool perf_is_file(const char *path);

/* All records, in order of time where they have one (stable; records without keep their place behind the one before),
 * AUXTRACE payloads left in the file. */
size_t perf_file_records(const struct perf_file *file, const struct perf_record **ret);
size_t perf_file_attrs(const struct perf_file *file, const struct perf_attr **ret);
size_t perf_file_build_ids(const struct perf_file *file, const struct perf_build_id **ret);
/* Feature strings; NULL where the file has none. */
const char *perf_file_arch(const struct perf_file *file);	/* aarch64, armv7l */
const char *perf_file_release(const struct perf_file *file);	/* kernel: 6.1.0 */
const char *perf_file_hostname(const struct perf_file *file);
const char *perf_file_cmdline(const struct perf_file *file);	/* arguments separated by blanks */
const char *perf_file_cpudesc(const struct perf_file *file);
const char *perf_file_cpuid(const struct perf_file *file); /* "GenuineIntel,6,78,3" */
bool perf_file_is_simpleperf(const struct perf_file *file);
bool perf_file_is_pipe(const struct perf_file *file);
/* A feature section's bytes by bit number; len 0 where absent. For simpleperf's FILE2 and the like. */
struct sl_bytes perf_file_feature(const struct perf_file *file, unsigned bit);
/* How large the recording is: all its files together. */
uint64_t perf_file_bytes(const struct perf_file *file);
/* The directory of a directory-form recording, else NULL: kcore_dir lies in it. */
const char *perf_file_dir(const struct perf_file *file);
/* Copies len bytes at an offset as records have them, a directory's data.N included. How many there are. */
size_t perf_file_read(const struct perf_file *file, uint64_t offset, void *dst, size_t len);

/* Numbers of a record's body in the file's byte order; 0 beyond its end. */
uint16_t perf_u16(const struct perf_file *file, const struct perf_record *record, size_t at);
uint32_t perf_u32(const struct perf_file *file, const struct perf_record *record, size_t at);
uint64_t perf_u64(const struct perf_file *file, const struct perf_record *record, size_t at);
/* A string of the body: terminated inside of it, else "". */
const char *perf_string(const struct perf_record *record, size_t at);
#endif
