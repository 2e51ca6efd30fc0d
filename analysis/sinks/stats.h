/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STATS_H
#define STATS_H
/* What the stats sink counts, and what its report is made of. Inside of analysis/sinks only. */
#include "sl_flow_check.h"
#include "sl_map.h"
#include "sl_sinks.h"

enum { PACKET_KINDS = 128, EXCEPTION_NUMBERS = 1024 };

struct packet_count {
	char name[28];
	uint64_t count;
};

struct gap_count {
	uint64_t count, first_offset;
};

enum { MISSING_SHOWN = 32 }; /* missing files; of more only those whose code ran */

/* A page of code that ran and has no image. */
struct wanted {
	uint64_t page, count, first_offset;
};

struct lane_stats {
	char buffer[64], source[64];
	uint32_t core;
	uint8_t trace_id;
	enum sl_protocol protocol;
	struct sl_config_facts facts;
	uint64_t bytes, packets, syncs, bad_packets, skipped_bytes;
	uint64_t elems[SL_ELEM_KINDS];
	uint64_t attached_counts, attached_times;
	uint64_t insns, no_path_insns, cycles;
	uint64_t first_tick, last_tick, zero_ticks;
	struct gap_count gaps[SL_GAPS];
	struct packet_count names[PACKET_KINDS];
	size_t name_count;
	uint64_t exceptions[EXCEPTION_NUMBERS];  /* the last one counts all beyond */
	struct wanted *wanted;
	size_t wanted_len, wanted_cap;
	struct sl_map wanted_by_page;  /* page -> index + 1 */
	uint64_t wanted_dropped;       /* gaps whose page is beyond the limit */
	uint64_t calls;
	struct sl_flow_check check;    /* whether the image is that of the program that ran */
};

struct sl_stats {
	const struct sl_image *image;
	struct lane_stats **lanes;
	size_t lane_count, lane_cap;
};

/* stats_advice.c: sentences about what was found and what to do. */
void stats_advice(const struct sl_stats *stats, const struct sl_run_result *result,
		  const struct sl_notes *notes, const struct sl_table *out);
#endif
