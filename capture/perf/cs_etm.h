/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CS_ETM_H
#define CS_ETM_H
/*
 * What a perf.data says of its CoreSight trace, or of Intel PT: the trace units' registers per CPU, trace ids, and the pieces
 * of trace with where they lie in the file. Inside of capture/ only.
 */
#include "perf_file.h"
#include "sl_config.h"
#include "sl_demux.h"
#include "sl_map.h"

/* Ids that a source in formatter frames may have (IHI 0029, D4). */
enum { CS_ETM_ID_FIRST = 0x01, CS_ETM_ID_LAST = 0x6f };

struct cs_etm_cpu {
	uint32_t cpu;
	struct sl_trace_config config; /* trace id: the registers', replaced by an AUX_OUTPUT_HW_ID */
	uint8_t trace_id;	       /* 0: none that could be believed */
	uint32_t sink_id;	       /* of HW_ID version 0.1 */
	bool has_sink, has_hw_id;
	uint64_t bytes_lost; /* of its AUX records, that are not in the file */
	int ts_source; /* -1 unknown, 1 virtual, 2 guest physical, 3 physical; 0 not told */
};

/* A stretch of trace that was recorded without a stop: the decoder starts anew with each, unless it
 * continues. */
struct cs_etm_piece {
	uint64_t file_offset, len; /* as perf_file_read() counts */
	uint64_t aux_offset;	   /* ring position of its first byte */
	uint64_t record_offset;	   /* of the PERF_RECORD_AUX (or AUXTRACE) in the file, for messages */
	uint32_t flags;		   /* PERF_AUX_FLAG_...: 1 truncated, 2 overwrite, 4 partial, 8 collision */
	bool raw;		   /* no formatter frames: one source's bytes */
	bool joined;		   /* Intel PT: decoding goes on from the piece before, though that one's session is over */
	bool continues;		   /* the bytes before are those of the piece before, elsewhere in the file */
	bool uncovered;		   /* no AUX record tells of these bytes: taken as well as it goes */
	int32_t cpu;		   /* of the AUX record's trailer, or of the buffer; -1 not known */
	int32_t tid, pid;	   /* -1 not known */
	uint64_t time;		   /* of the AUX record; 0 not known */
};

/* A mmapped buffer of the recording: its pieces in ring order. */
struct cs_etm_buffer {
	uint32_t idx;
	int32_t cpu, tid;	     /* -1: per-thread, per-cpu */
	struct cs_etm_piece *pieces; /* some of cs_etm's */
	size_t piece_count;
};

struct cs_etm {
	bool intel_pt;	  /* not CoreSight: intel_pt.h */
	char *filters;	  /* Intel PT: address filters as they were asked for, or NULL */
	uint32_t version; /* of AUXTRACE_INFO's header: 0, 1, 2 */
	uint32_t pmu_type;
	bool snapshot_mode;
	struct cs_etm_cpu *cpus; /* in order of cpu */
	size_t cpu_count, cpu_cap;
	struct cs_etm_buffer *buffers;
	size_t buffer_count, buffer_cap;
	struct cs_etm_piece *pieces; /* of all buffers, one after another */
	size_t piece_count, piece_cap;
	uint64_t aux_bytes_lost; /* of AUX records whose bytes are not in the file */
	struct cs_etm_time_conv {
		bool known;
		uint64_t shift, mult, zero, cycles, mask;
		bool cap_zero, cap_short;
	} time_conv;
};

/* SL_OK; SL_ERR_UNSUPPORTED where the file's trace is neither CoreSight's nor Intel PT (diag names what it is),
 * SL_ERR_FORMAT where it has no AUXTRACE_INFO, SL_ERR_NOMEM. Everything else that is wrong is a note with the
 * file's offset. */
int cs_etm_read(const struct perf_file *file, struct sl_notes *notes, struct cs_etm *ret,
		struct sl_diag *diag);
void cs_etm_release(struct cs_etm *etm);
/* The CPU of that number, or NULL where the file has no registers of it. */
struct cs_etm_cpu *cs_etm_cpu_find(const struct cs_etm *etm, uint32_t cpu);

/* How many pieces have any of these flags. */
size_t cs_etm_pieces_with(const struct cs_etm *etm, uint32_t flags);

/* Its parts, one file each. */
struct cs_etm_index;
int cs_etm_read_metadata(const struct perf_file *file, const struct perf_record *info, struct sl_notes *notes,
			 struct cs_etm *etm);
void cs_etm_read_ids(const struct perf_file *file, const struct cs_etm_index *index, struct sl_notes *notes,
		     struct cs_etm *etm);
int cs_etm_read_pieces(const struct perf_file *file, const struct cs_etm_index *index, struct sl_notes *notes,
		       struct cs_etm *etm);

/* Which CPU and thread an event id belongs to, after the ID_INDEX records: for trailers that do not tell. */
struct cs_etm_index {
	struct sl_map cpus, tids;
};
/* SL_OK or SL_ERR_NOMEM; release it in both cases. */
int cs_etm_index_read(const struct perf_file *file, struct cs_etm_index *ret);
void cs_etm_index_release(struct cs_etm_index *index);
/* -1 where not known. */
int32_t cs_etm_record_cpu(const struct cs_etm_index *index, const struct perf_record *record);
int32_t cs_etm_record_tid(const struct cs_etm_index *index, const struct perf_record *record);

/* Notes of one kind, of which a hostile file has many: all but the first few are counted only. */
struct cs_etm_tally {
	unsigned noted;
	uint64_t more;
};
/* Whether the next one is to be written out. */
bool cs_etm_tally_next(struct cs_etm_tally *tally);
/* Notes how many were not, if any: "12 more <what>". */
void cs_etm_tally_end(const struct cs_etm_tally *tally, const char *what, struct sl_notes *notes);
#endif
