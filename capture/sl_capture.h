/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CAPTURE_H
#define SL_CAPTURE_H
/*
 * A capture on disk: its buffers of trace bytes, the streams (trace sources) in them with their registers,
 * and where the images are. Immutable once open; every call below may come from any thread.
 */
#include "sl_base.h"
#include "sl_config.h"
#include "sl_demux.h"
#include "sl_image.h"
#include "sl_notes.h"
#include "sl_table.h"

struct sl_buffer {
	const char *name; /* ETB_0 */
	const char *path;
	uint64_t size;
	enum sl_framing framing;
};

/* A stretch of a buffer that was traced without a stop. A snapshot's buffer is one; a perf.data has one a AUX record. */
struct sl_stretch {
	uint64_t offset, len;	   /* in the buffer's file */
	enum sl_framing framing;
	int trace_id;		   /* SL_FRAMING_NONE: whose bytes they are; -1: every stream of the buffer */
	bool restart;		   /* it does not continue the one before: the trace unit was off in between */
	bool whole;		   /* ... and the container tells of no loss before it: the task goes on where it was, or begins */
	bool task_known;
	uint32_t task;		   /* that was traced, where the container tells */
	struct sl_window window;   /* in ns of the recording's clock; all times where the container does not tell */
};

struct sl_stream {
	size_t buffer;	       /* index of its buffer */
	const char *name;      /* of the trace source: ETM_0 */
	const char *core_name; /* NULL for STM and ITM, or where not known */
	uint32_t core;	       /* index of the core, or SL_CORE_ANY */
	int32_t cpu;	       /* number of the CPU in a recording; -1: not known */
	uint8_t trace_id;
	struct sl_trace_config config;
	bool usable; /* false: config lacks something, and why says what */
	const char *why;
};

struct sl_capture;

struct sl_raw_options {		 /* for a dump without any description */
	const char *protocol;	 /* NULL: not a raw dump */
	const char *framing;	 /* NULL: coresight */
	const char *trace_id;	 /* NULL: from the registers */
	const char *core;	 /* Cortex-A53, ARMv8-A ...; NULL: from the registers */
	const char *const *regs; /* "TRCCONFIGR=0x1", NULL-terminated; may be NULL */
};

struct sl_image_file {
	const char *path;
	bool address_known;
	uint64_t address;
};

struct sl_capture_options {
	bool allow_outside; /* paths may leave the capture's directory */
	struct sl_raw_options raw;
	const struct sl_image_file *images; /* --image FILE[@ADDRESS] */
	size_t image_count;
	const struct sl_image_file *symbols; /* --symbols FILE[@OFFSET] */
	size_t symbol_count;
	const char *symfs; /* --symfs DIR: below it lie the target's files that a perf.data names; NULL: none */
};

/*
 * Opens a snapshot directory, its snapshot.ini, a perf.data (file, directory, or "-" for standard input), or (with
 * options->raw.protocol) a raw dump. Options are borrowed for the call. Warnings go to notes. SL_OK; SL_ERR_IO, SL_ERR_FORMAT, SL_ERR_CONFIG,
 * SL_ERR_UNSUPPORTED or SL_ERR_NOMEM with diag.
 */
int sl_capture_open(const char *path, const struct sl_capture_options *options, struct sl_notes *notes,
		    struct sl_capture **ret, struct sl_diag *diag);
void sl_capture_free(struct sl_capture *cap);

const char *sl_capture_container(const struct sl_capture *cap); /* "snapshot", "raw dump", "perf.data" */
size_t sl_capture_buffers(const struct sl_capture *cap, const struct sl_buffer **ret);
/* In order of buffer, then trace id, then name. */
size_t sl_capture_streams(const struct sl_capture *cap, const struct sl_stream **ret);
/* The stretches of a buffer, in the order in which they are to be decoded. */
size_t sl_capture_stretches(const struct sl_capture *cap, size_t buffer, const struct sl_stretch **ret);
/* Cores by index: their names. */
size_t sl_capture_cores(const struct sl_capture *cap, const char *const **ret);
/* What a recording says of itself: command line, host, kernel and the like; none where the container has no place for it. */
struct sl_fact {
	const char *name, *value;
};
size_t sl_capture_facts(const struct sl_capture *cap, const struct sl_fact **ret);
/* A timestamp of a stream in ns of the recording's clock; false where nothing tells how the two go together. */
bool sl_capture_time(const struct sl_capture *cap, const struct sl_stream *stream, uint64_t ticks, uint64_t *ret_ns);
/* The task that ran on a stream's core all the time of a window, as the recording's records of task switches tell; false
 * where they do not, or where several ran. */
bool sl_capture_task_within(const struct sl_capture *cap, const struct sl_stream *stream, struct sl_window window,
			    uint32_t *ret_task);
/* Whether there are such records of a stream's core. */
bool sl_capture_has_switches(const struct sl_capture *cap, const struct sl_stream *stream);
/* Cores may be the memory of another one at some time: that one, or the core itself. */
uint32_t sl_capture_core_of(const struct sl_capture *cap, uint32_t core);
/* What runs in the cores of a recording, which are address spaces; none where cores are cores. */
struct sl_process {
	uint32_t core;	     /* its index */
	uint32_t pid;
	const char *name;    /* NULL: not known */
	const char *traced;  /* its traced threads, for people: "4242, 4243 worker"; NULL: none is told */
	size_t threads, maps; /* of code */
};
size_t sl_capture_processes(const struct sl_capture *cap, const struct sl_process **ret);
/* The name of a task (a thread, or a process by its first thread), the last one that it had; NULL: not known. */
const char *sl_capture_task_name(const struct sl_capture *cap, uint32_t task);
/* What the next recording should do otherwise, with the options for it; some only where the trace shows the lack. */
enum sl_wish_when {
	SL_WISH_ALWAYS,
	SL_WISH_NO_TIME,   /* the trace has no timestamps */
	SL_WISH_TIME,	   /* ... has some */
	SL_WISH_NO_CYCLES, /* ... has no cycle counts */
	SL_WISH_NO_KERNEL, /* the kernel ran, and its code is not here or is not what ran */
};
struct sl_wish {
	enum sl_wish_when when;
	const char *topic, *text;
};
size_t sl_capture_wishes(const struct sl_capture *cap, const struct sl_wish **ret);
/* Bytes of trace that the recording tells of and does not have. */
uint64_t sl_capture_lost(const struct sl_capture *cap);
/* Writes the tables that only the capture can make: of a perf.data "cpus". */
void sl_capture_write_tables(const struct sl_capture *cap, const struct sl_table *out);
/* Ticks of a timestamp per second where the capture tells (trace.ini [timestamp] frequency), else 0. */
uint64_t sl_capture_timestamp_hz(const struct sl_capture *cap);

/* Like pread(2): reads whole or to the end of the buffer; the count, or SL_ERR_IO. */
ptrdiff_t sl_capture_read(const struct sl_capture *cap, size_t buffer, uint64_t offset, void *dst,
			  size_t len);

/* The image of what ran, sealed: dumps, files and symbol texts of the capture and of the options. What is
 * missing is noted and kept in the image; it is no failure. SL_OK or SL_ERR_NOMEM; SL_ERR_IO or SL_ERR_FORMAT
 * with diag for a file that the user named. */
int sl_capture_load_image(const struct sl_capture *cap, struct sl_notes *notes, struct sl_image **ret,
			  struct sl_diag *diag);

/*
 * Writes a capture as a snapshot directory (which must not exist): ini files, buffers and images copied
 * beside them, so that nobody types registers twice. SL_OK; SL_ERR_IO, SL_ERR_FORMAT (of an image) or
 * SL_ERR_NOMEM with diag.
 */
int sl_capture_export_snapshot(const struct sl_capture *cap, const char *dir, struct sl_notes *notes,
			       struct sl_diag *diag);
#endif
