/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt.h"

#include "cs_etm_rings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

/* Words of AUXTRACE_INFO behind its type, as perf's intel-pt.h numbers them; older ones end earlier. */
enum word {
	PMU_TYPE, TIME_SHIFT, TIME_MULT, TIME_ZERO, CAP_USER_TIME_ZERO, TSC_BIT, NORETCOMP_BIT, HAVE_SCHED_SWITCH,
	SNAPSHOT_MODE, PER_CPU_MMAPS, MTC_BIT, MTC_FREQ_BITS, TSC_CTC_N, TSC_CTC_D, CYC_BIT, MAX_NONTURBO_RATIO, FILTER_LEN,
	WORDS,
};
enum { INFO_PRIV = 8, FILTER_MAX = 4096, SHIFT_MAX = 63 };

static uint64_t word(const struct perf_file *file, const struct perf_record *info, enum word i)
{
	return info->body_len >= INFO_PRIV + 8 * ((size_t)i + 1) ? perf_u64(file, info, INFO_PRIV + 8 * (size_t)i) : 0;
}

uint32_t intel_pt_cpuid_eax(const char *cpuid)
{
	unsigned family, model, stepping;
	uint32_t eax;

	if (!cpuid || sscanf(cpuid, "GenuineIntel,%u,%u,%u", &family, &model, &stepping) != 3 || family > 15 + 255 ||
	    model > 255 || stepping > 15)
		return 0;
	eax = stepping | (model & 15) << 4 | (model >> 4) << 16;
	return family < 15 ? eax | family << 8 : eax | 15u << 8 | (family - 15) << 20;
}

/* attr.config of the event is laid out like IA32_RTIT_CTL. */
static const struct perf_attr *find_attr(const struct perf_file *file, uint32_t pmu_type)
{
	const struct perf_attr *attrs;
	size_t count = perf_file_attrs(file, &attrs);

	for (size_t i = 0; i < count; i++) {
		if (attrs[i].type == pmu_type)
			return &attrs[i];
	}
	return NULL;
}

static struct sl_trace_config config_of(const struct perf_file *file, const struct perf_record *info, uint32_t pmu_type)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_IPT };
	const struct perf_attr *attr = find_attr(file, pmu_type);
	uint32_t eax = intel_pt_cpuid_eax(perf_file_cpuid(file));
	uint64_t numerator = word(file, info, TSC_CTC_N), denominator = word(file, info, TSC_CTC_D);

	if (attr)
		sl_config_set(&config, SL_REG_RTIT_CTL, (uint32_t)attr->config);
	if (eax)
		sl_config_set(&config, SL_REG_CPUID_1_EAX, eax);
	if (numerator && denominator && numerator <= UINT32_MAX && denominator <= UINT32_MAX) {
		sl_config_set(&config, SL_REG_CPUID_15_EBX, (uint32_t)numerator);
		sl_config_set(&config, SL_REG_CPUID_15_EAX, (uint32_t)denominator);
	}
	if (word(file, info, MAX_NONTURBO_RATIO))
		sl_config_set(&config, SL_REG_PLATFORM_INFO, (uint32_t)(word(file, info, MAX_NONTURBO_RATIO) & 0xff) << 8);
	return config;
}

static int add_cpu(struct cs_etm *etm, const struct sl_trace_config *config, int32_t number)
{
	struct cs_etm_cpu cpu = { .cpu = (uint32_t)number, .config = *config };

	return number < 0 ? SL_OK : SL_ARRAY_PUSH(&etm->cpus, &etm->cpu_count, &etm->cpu_cap, cpu);
}

static int by_number(const void *left, const void *right)
{
	const struct cs_etm_cpu *a = left, *b = right;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void sort_cpus(struct cs_etm *etm)
{
	size_t kept = 0;

	if (!etm->cpu_count)
		return;
	qsort(etm->cpus, etm->cpu_count, sizeof(*etm->cpus), by_number);
	for (size_t i = 1; i < etm->cpu_count; i++) {
		if (etm->cpus[i].cpu != etm->cpus[kept].cpu)
			etm->cpus[++kept] = etm->cpus[i];
	}
	etm->cpu_count = kept + 1;
}

/* AUXTRACE: u64 size, offset, reference; u32 idx, tid, cpu. Records are many, and CPUs few: those in a row are taken once. */
static int find_cpus(const struct perf_file *file, const struct cs_etm_index *index, const struct sl_trace_config *config,
		     struct cs_etm *etm)
{
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		int32_t cpu = -1;

		if (records[i].type == PERF_AUXTRACE)
			cpu = (int32_t)perf_u32(file, &records[i], 32);
		else if (records[i].type == PERF_AUX)
			cpu = cs_etm_record_cpu(index, &records[i]);
		if (!etm->cpu_count || etm->cpus[etm->cpu_count - 1].cpu != (uint32_t)cpu)
			result = add_cpu(etm, config, cpu);
	}
	sort_cpus(etm);
	return result;
}

static int keep_filters(const struct perf_file *file, const struct perf_record *info, struct sl_notes *notes, struct cs_etm *etm)
{
	uint64_t len = word(file, info, FILTER_LEN);
	size_t at = INFO_PRIV + 8 * (size_t)WORDS;

	if (!len)
		return SL_OK;
	if (len > FILTER_MAX || info->body_len < at || len > info->body_len - at) {
		sl_notes_add(notes, "AUXTRACE_INFO at offset 0x%" PRIx64 ": its address filters are cut: they are not shown", info->offset);
		return SL_OK;
	}
	etm->filters = strndup((const char *)info->body + at, (size_t)len);
	return etm->filters ? SL_OK : SL_ERR_NOMEM;
}

int intel_pt_read_metadata(const struct perf_file *file, const struct perf_record *info,
			   const struct cs_etm_index *index, struct sl_notes *notes, struct cs_etm *etm)
{
	struct sl_trace_config config;
	int result;

	etm->intel_pt = true;
	etm->pmu_type = (uint32_t)word(file, info, PMU_TYPE);
	etm->snapshot_mode = word(file, info, SNAPSHOT_MODE) != 0;
	config = config_of(file, info, etm->pmu_type);
	if (info->body_len < INFO_PRIV + 8 * ((size_t)PER_CPU_MMAPS + 1))
		sl_notes_add(notes, "AUXTRACE_INFO at offset 0x%" PRIx64 " is cut: what it should tell is not known", info->offset);
	result = find_cpus(file, index, &config, etm);
	return result < 0 ? result : keep_filters(file, info, notes, etm);
}

void intel_pt_read_time(const struct perf_file *file, const struct perf_record *info, struct cs_etm *etm)
{
	struct cs_etm_time_conv conv = { .known = true, .cap_zero = true,
					 .shift = word(file, info, TIME_SHIFT),
					 .mult = word(file, info, TIME_MULT),
					 .zero = word(file, info, TIME_ZERO) };

	if (!etm->time_conv.known && word(file, info, CAP_USER_TIME_ZERO) && conv.shift <= SHIFT_MAX && conv.mult)
		etm->time_conv = conv;
}

/*
 * The hardware is stopped when its buffer is handed over, and goes on as if nothing had been, without a PSB packet: a piece
 * that begins where the one before ended in the ring continues it, unless trace was lost behind that one or another task was traced.
 */
void intel_pt_join_pieces(struct cs_etm *etm)
{
	enum { LOSS = AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION };

	for (size_t b = 0; b < etm->buffer_count; b++) {
		struct cs_etm_piece *pieces = etm->buffers[b].pieces;

		for (size_t i = 1; i < etm->buffers[b].piece_count; i++)
			pieces[i].joined = !pieces[i].continues && !(pieces[i - 1].flags & LOSS) &&
					   pieces[i].tid == pieces[i - 1].tid && pieces[i - 1].aux_offset + pieces[i - 1].len == pieces[i].aux_offset;
	}
}
