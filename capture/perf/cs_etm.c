/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TALLY_NOTED = 16 };

enum { AUXTRACE_INTEL_PT = 1, AUXTRACE_CS_ETM = 3 };
/* enum auxtrace_type of perf */
static const char *const auxtrace_types[] = {
	"of no known kind",	"Intel PT",	 "Intel BTS",	  "CoreSight", "Arm SPE",
	"s390 CPU measurement", "HiSilicon PTT", "POWER VPA DTL",
};

bool cs_etm_tally_next(struct cs_etm_tally *tally)
{
	if (tally->noted < TALLY_NOTED) {
		tally->noted++;
		return true;
	}
	tally->more++;
	return false;
}

void cs_etm_tally_end(const struct cs_etm_tally *tally, const char *what, struct sl_notes *notes)
{
	if (tally->more)
		sl_notes_add(notes, "%" PRIu64 " more %s", tally->more, what);
}

static int by_number(const void *key, const void *item)
{
	uint32_t cpu = *(const uint32_t *)key, other = ((const struct cs_etm_cpu *)item)->cpu;

	return cpu < other ? -1 : cpu > other;
}

struct cs_etm_cpu *cs_etm_cpu_find(const struct cs_etm *etm, uint32_t cpu)
{
	return etm->cpu_count ? bsearch(&cpu, etm->cpus, etm->cpu_count, sizeof(*etm->cpus), by_number)
			      : NULL;
}

size_t cs_etm_pieces_with(const struct cs_etm *etm, uint32_t flags)
{
	size_t count = 0;

	for (size_t i = 0; i < etm->piece_count; i++)
		count += (etm->pieces[i].flags & flags) != 0;
	return count;
}

static bool is_readable(uint32_t type)
{
	return type == AUXTRACE_CS_ETM || type == AUXTRACE_INTEL_PT;
}

/* The first AUXTRACE_INFO of CoreSight or Intel PT, or the first of another kind, or NULL. */
static const struct perf_record *find_info(const struct perf_file *file)
{
	const struct perf_record *records, *other = NULL;
	size_t count = perf_file_records(file, &records);

	for (size_t i = 0; i < count; i++) {
		if (records[i].type != PERF_AUXTRACE_INFO)
			continue;
		if (is_readable(perf_u32(file, &records[i], 0)))
			return &records[i];
		if (!other)
			other = &records[i];
	}
	return other;
}

static int check_info(const struct perf_file *file, const struct perf_record *info, struct sl_diag *diag)
{
	uint32_t type;

	if (!info)
		return sl_fail(
			diag, SL_ERR_FORMAT,
			"no AUXTRACE_INFO record: the recording holds no hardware trace; record with perf "
			"record -e cs_etm//u");
	type = perf_u32(file, info, 0);
	if (is_readable(type))
		return SL_OK;
	return sl_fail(diag, SL_ERR_UNSUPPORTED,
		       "AUXTRACE_INFO at offset 0x%" PRIx64
		       ": the trace is %s (type %u), and only CoreSight (type 3) and Intel PT (type 1) can be read",
		       info->offset,
		       auxtrace_types[type < sizeof(auxtrace_types) / sizeof(*auxtrace_types) ? type : 0],
		       type);
}

/* struct perf_record_time_conv: the last three fields came later. */
static void read_time_conv(const struct perf_file *file, const struct perf_record *record,
			   struct sl_notes *notes, struct cs_etm_time_conv *ret)
{
	struct cs_etm_time_conv conv = {
		.shift = perf_u64(file, record, 0),
		.mult = perf_u64(file, record, 8),
		.zero = perf_u64(file, record, 16),
		.cap_zero = true,
	};

	if (record->body_len < 24 || conv.shift > 63 || !conv.mult) {
		sl_notes_add(notes,
			     "TIME_CONV at offset 0x%" PRIx64 " makes no sense (shift %" PRIu64
			     ", mult %" PRIu64 "): times stay in ticks",
			     record->offset, conv.shift, conv.mult);
		return;
	}
	if (record->body_len >= 42) {
		conv.cycles = perf_u64(file, record, 24);
		conv.mask = perf_u64(file, record, 32);
		conv.cap_zero = record->body[40] != 0;
		conv.cap_short = record->body[41] != 0;
	}
	conv.known = true;
	*ret = conv;
}

static void find_time_conv(const struct perf_file *file, struct sl_notes *notes, struct cs_etm *etm)
{
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);

	for (size_t i = 0; i < count && !etm->time_conv.known; i++) {
		if (records[i].type == PERF_TIME_CONV)
			read_time_conv(file, &records[i], notes, &etm->time_conv);
	}
}

static int read_trace(const struct perf_file *file, const struct perf_record *info, const struct cs_etm_index *index,
		      struct sl_notes *notes, struct cs_etm *etm)
{
	bool intel = perf_u32(file, info, 0) == AUXTRACE_INTEL_PT;
	int result = intel ? intel_pt_read_metadata(file, info, index, notes, etm) : cs_etm_read_metadata(file, info, notes, etm);

	if (result < 0)
		return result;
	if (!intel)
		cs_etm_read_ids(file, index, notes, etm);
	result = cs_etm_read_pieces(file, index, notes, etm);
	if (result == SL_OK && intel)
		intel_pt_join_pieces(etm);
	return result;
}

int cs_etm_read(const struct perf_file *file, struct sl_notes *notes, struct cs_etm *ret,
		struct sl_diag *diag)
{
	const struct perf_record *info = find_info(file);
	struct cs_etm_index index;
	struct cs_etm etm = { 0 };
	int result = check_info(file, info, diag);

	if (result < 0)
		return result;
	result = cs_etm_index_read(file, &index);
	if (result == SL_OK)
		result = read_trace(file, info, &index, notes, &etm);
	cs_etm_index_release(&index);
	if (result < 0) {
		cs_etm_release(&etm);
		return sl_fail(diag, result, "not enough memory for the trace's description");
	}
	find_time_conv(file, notes, &etm);
	if (etm.intel_pt)
		intel_pt_read_time(file, info, &etm);
	*ret = etm;
	return SL_OK;
}

void cs_etm_release(struct cs_etm *etm)
{
	free(etm->cpus);
	free(etm->filters);
	free(etm->buffers);
	free(etm->pieces);
	*etm = (struct cs_etm){ 0 };
}
