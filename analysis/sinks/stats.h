/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STATS_H
#define STATS_H
/* What the stats sink counts, and what its report is made of. Inside of analysis/sinks only. */
#include "sl_flow_check.h"
#include "sl_map.h"
#include "sl_sinks.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD(table, text, cols)                                                                                    \
	{ .schema = "sightline.info/1", .name = (table), .title = (text), .columns = (cols), .column_count = COUNT_OF(cols) }
#define LANE_COLUMNS                                                                                               \
	{ "buffer", "buffer", "trace buffer", SL_TYPE_STRING, 0 }, { "id", "id", "trace id", SL_TYPE_HEX, 0 }

enum { PACKET_KINDS = 128, EXCEPTION_NUMBERS = 1024 };

struct packet_count {
	char name[28];
	uint64_t count;
};

struct gap_count {
	uint64_t count, first_offset;
	uint64_t cost_bytes; /* of the lane: from the gap to where the flow goes on */
};

enum { MISSING_SHOWN = 32 }; /* missing files; of more only those whose code ran */

/* A page of code that ran and has no image. */
struct wanted {
	uint64_t page, count, first_offset, cost_bytes;
	uint32_t core;	   /* in whose address space, or SL_CORE_ANY */
	uint32_t missing;  /* number of the missing file that has it, + 1; 0: none was mapped there */
	size_t next;	   /* while missing files are looked for: where to go on */
};

/* Where trace and image contradict each other. */
struct site {
	uint64_t address;  /* behind the instruction, or of the one that does not exist */
	uint64_t first_offset;
	uint64_t breaks, undefined;
	uint32_t core;
};

/* A range that was looked at; code repeats itself. */
struct seen {
	uint64_t start, end;
	uint32_t core;
};
enum { SEEN = 1024 };

/* What ran in an address space. */
struct space {
	uint32_t core;
	uint64_t insns, bytes;
};

/* The gap that the lane is in. */
struct open_gap {
	bool open;
	unsigned gap;
	size_t wanted;	    /* number of the page, + 1; 0: none */
	uint64_t position;  /* in the lane */
};

struct lane_stats {
	enum sl_engine engine; /* that made the elements */
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
	struct open_gap open;
	struct space *spaces;
	size_t space_len, space_cap;
	struct sl_map space_by_core;   /* core -> index + 1 */
	size_t space;		       /* the one that runs now: index + 1; 0: none yet */
	uint64_t space_position;       /* of the lane, from which on its bytes are not counted yet */
	uint64_t calls;
	struct site *sites;
	size_t site_len, site_cap;
	struct sl_map site_by_address; /* and address space -> index + 1 */
	uint64_t sites_dropped;	       /* contradictions at more places than are kept */
	struct seen *seen;	       /* SEEN of them by start; NULL: no range is looked at */
	uint64_t *module_ranges;       /* runs of instructions by module */
	struct sl_trust_account trust; /* what report does not tell */
	struct sl_flow_check check;    /* whether the image is that of the program that ran */
};

/* What a missing file costs in all lanes. */
struct missing_cost {
	size_t index;  /* of the file */
	uint64_t count, bytes;
};

struct sl_stats {
	const struct sl_image *image;
	struct lane_stats **lanes;
	size_t lane_count, lane_cap;
	struct missing_cost *missing;  /* one a missing file, the dearest first; made by stats_charge() */
	size_t *first_map, *first_missing;  /* of each mapping and missing file, the first that is equal */
};

/* stats_cost.c: what a gap costs is what the lane has between its packet and that of the next instructions, or of
 * another gap; an address that stays unknown is part of the gap before. No byte counts twice. */
/* The end: where in the lane flow goes on, another gap begins, or it ends. */
void stats_close_gap(struct lane_stats *lane, uint64_t position);
void stats_open_gap(struct lane_stats *lane, const struct sl_elem *elem, uint64_t position);
/* From position on the lane is of an address space. SL_OK or SL_ERR_NOMEM. */
int stats_enter_space(struct lane_stats *lane, uint32_t core, uint64_t position);
/* stats_repeats.c: fills first_map and first_missing. SL_OK or SL_ERR_NOMEM. */
int stats_find_repeats(struct sl_stats *stats, const struct sl_capture *capture);
/* Charges missing files, of equal ones the first, with the pages that they have; of maps that overlap, the first. SL_OK or SL_ERR_NOMEM. */
int stats_charge(struct sl_stats *stats);

/* stats_recording.c: what the recording says of itself, who ran in it, and what the next one should do otherwise. */
void stats_recording(const struct sl_capture *capture, const struct sl_table *out);
/* SL_OK or SL_ERR_NOMEM. */
int stats_processes(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out);
void stats_next_recording(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out);

/* stats_breaks.c: where the trace contradicts the image, place by place. */
/* The lane's own arrays. SL_OK or SL_ERR_NOMEM. */
int stats_breaks_begin(struct lane_stats *lane, const struct sl_image *image);
void stats_breaks_release(struct lane_stats *lane);
/* The range at which lane->check has just counted a break. */
void stats_count_break(struct lane_stats *lane, const struct sl_elem *range);
/* Looks for instructions that do not exist, in ranges not seen before. */
void stats_look_at(struct lane_stats *lane, const struct sl_image *image, const struct sl_elem *range);
/* The table "contradictions": one row a module. SL_OK or SL_ERR_NOMEM. */
int stats_contradictions(const struct sl_stats *stats, const struct sl_table *out);

/* stats_images.c: the tables "images" and "wanted". */
void stats_images(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out);
/* SL_OK or SL_ERR_NOMEM. */
int stats_wanted(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out);

/* stats_verdict.c: what share of the trace leads to instructions, and what takes the rest. */
void stats_verdict(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		   const struct sl_table *out);

/* stats_advice.c: sentences about what was found and what to do. */
void stats_advice(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_run_result *result,
		  const struct sl_notes *notes, const struct sl_table *out);
#endif
