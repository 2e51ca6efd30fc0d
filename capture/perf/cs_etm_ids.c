/* SPDX-License-Identifier: Apache-2.0 */
/* Who is who: trace ids that the kernel gave out while recording, and the events that records belong to. */
#include "cs_etm.h"

#include <inttypes.h>

static const uint64_t NO_NUMBER = UINT64_MAX;

/* An ID_INDEX: u64 count, then {id, idx, cpu, tid} each; (u64)-1 where an event is of all CPUs or threads. */
static int read_id_index(const struct perf_file *file, const struct perf_record *record,
			 struct cs_etm_index *index)
{
	uint64_t count = perf_u64(file, record, 0);

	for (size_t i = 0; i < count && 8 + 32 * (i + 1) <= record->body_len; i++) {
		uint64_t id = perf_u64(file, record, 8 + 32 * i);
		uint64_t *cpu = sl_map_put(&index->cpus, id), *tid = sl_map_put(&index->tids, id);

		if (!cpu || !tid)
			return SL_ERR_NOMEM;
		*cpu = perf_u64(file, record, 8 + 32 * i + 16);
		*tid = perf_u64(file, record, 8 + 32 * i + 24);
	}
	return SL_OK;
}

int cs_etm_index_read(const struct perf_file *file, struct cs_etm_index *ret)
{
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);
	int result = SL_OK;

	*ret = (struct cs_etm_index){ SL_MAP_INIT, SL_MAP_INIT };
	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (records[i].type == PERF_ID_INDEX)
			result = read_id_index(file, &records[i], ret);
	}
	return result;
}

void cs_etm_index_release(struct cs_etm_index *index)
{
	sl_map_release(&index->cpus);
	sl_map_release(&index->tids);
}

static int32_t number(bool known, uint32_t value, const struct sl_map *map, const struct perf_who *who)
{
	bool told = known && value != UINT32_MAX;
	uint64_t *found = !told && who->has_id ? sl_map_get(map, who->id) : NULL;
	uint64_t n = told ? value : found ? *found : NO_NUMBER;

	return n <= INT32_MAX ? (int32_t)n : -1;
}

int32_t cs_etm_record_cpu(const struct cs_etm_index *index, const struct perf_record *record)
{
	return number(record->who.has_cpu, record->who.cpu, &index->cpus, &record->who);
}

int32_t cs_etm_record_tid(const struct cs_etm_index *index, const struct perf_record *record)
{
	return number(record->who.has_tid, record->who.tid, &index->tids, &record->who);
}

struct hw_id {
	uint8_t trace_id;
	bool has_sink;
	uint32_t sink_id;
};

static bool valid(unsigned trace_id)
{
	return trace_id >= CS_ETM_ID_FIRST && trace_id <= CS_ETM_ID_LAST;
}

/* Bits 7:0 trace id, from version 0.1 on 39:8 sink, 59:56 minor, 63:60 major version. */
static bool parse_hw_id(uint64_t value, struct hw_id *ret)
{
	if (value >> 60 || !valid(value & 0xff))
		return false;
	ret->trace_id = value & 0xff;
	ret->has_sink = (value >> 56 & 0xf) >= 1;
	ret->sink_id = ret->has_sink ? (uint32_t)(value >> 8) : 0;
	return true;
}

static void set_id(struct cs_etm_cpu *cpu, const struct hw_id *id)
{
	bool etm3 = cpu->config.protocol == SL_PROTOCOL_ETMV3 || cpu->config.protocol == SL_PROTOCOL_PTM;

	cpu->has_hw_id = true;
	cpu->trace_id = id->trace_id;
	cpu->has_sink = id->has_sink;
	cpu->sink_id = id->sink_id;
	sl_config_set(&cpu->config, etm3 ? SL_REG_ETMTRACEIDR : SL_REG_TRCTRACEIDR, id->trace_id);
}

static bool same_id(const struct cs_etm_cpu *cpu, const struct hw_id *id)
{
	return cpu->trace_id == id->trace_id && cpu->has_sink == id->has_sink && cpu->sink_id == id->sink_id;
}

/* What is wrong with an AUX_OUTPUT_HW_ID, or NULL. */
static const char *take_hw_id(const struct perf_file *file, const struct perf_record *record,
			      const struct cs_etm_index *index, struct cs_etm *etm)
{
	int32_t number = cs_etm_record_cpu(index, record);
	struct cs_etm_cpu *cpu = NULL;
	const char *trouble = NULL;
	struct hw_id id;

	if (record->body_len < 8 || !parse_hw_id(perf_u64(file, record, 0), &id))
		return "is of an unknown version, or its trace id is none: ignored";
	if (number >= 0)
		cpu = cs_etm_cpu_find(etm, (uint32_t)number);
	else if (etm->cpu_count == 1)
		cpu = etm->cpus;
	if (!cpu)
		return number >= 0 ? "tells the trace id of a CPU without registers: its trace is not decoded"
				   : "does not tell its CPU: ignored";
	if (cpu->has_hw_id && !same_id(cpu, &id))
		trouble = "gives a CPU another trace id or sink than before: this one is taken";
	set_id(cpu, &id);
	return trouble;
}

static bool share_sink(const struct cs_etm_cpu *a, const struct cs_etm_cpu *b)
{
	return !a->has_sink || !b->has_sink || a->sink_id == b->sink_id;
}

/* Ids of two CPUs that may meet in a buffer. What the kernel announced goes before what perf guessed; a
 * kernel that announces ids does so for each CPU that it traces. */
static void settle_pair(struct cs_etm_cpu *a, struct cs_etm_cpu *b, bool announced, struct sl_notes *notes,
			struct cs_etm_tally *tally)
{
	if (!a->trace_id || a->trace_id != b->trace_id)
		return;
	if (a->has_hw_id != b->has_hw_id)
		(a->has_hw_id ? b : a)->trace_id = 0;
	else if (announced == a->has_hw_id && share_sink(a, b) && cs_etm_tally_next(tally))
		sl_notes_add(
			notes,
			"trace id 0x%02x is that of CPU %u and of CPU %u: in a buffer that they share they "
			"cannot be told apart",
			a->trace_id, a->cpu, b->cpu);
}

static void settle_ids(struct cs_etm *etm, struct sl_notes *notes)
{
	struct cs_etm_tally invalid = { 0 }, doubles = { 0 };
	bool announced = false;

	for (size_t i = 0; i < etm->cpu_count; i++)
		announced |= etm->cpus[i].has_hw_id;
	for (size_t i = 0; i < etm->cpu_count; i++) {
		struct cs_etm_cpu *cpu = &etm->cpus[i];

		if (!valid(cpu->trace_id)) {
			if (!announced && cs_etm_tally_next(&invalid))
				sl_notes_add(
					notes,
					"CPU %u has trace id 0x%02x in AUXTRACE_INFO, and only 0x%02x to "
					"0x%02x are sources",
					cpu->cpu, cpu->trace_id, CS_ETM_ID_FIRST, CS_ETM_ID_LAST);
			cpu->trace_id = 0;
		}
		for (size_t k = 0; k < i; k++)
			settle_pair(&etm->cpus[k], cpu, announced, notes, &doubles);
	}
	cs_etm_tally_end(&invalid, "CPUs have trace ids that are none", notes);
	cs_etm_tally_end(&doubles, "pairs of CPUs share a trace id", notes);
}

void cs_etm_read_ids(const struct perf_file *file, const struct cs_etm_index *index, struct sl_notes *notes,
		     struct cs_etm *etm)
{
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records);
	struct cs_etm_tally tally = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *trouble;

		if (records[i].type != PERF_AUX_OUTPUT_HW_ID)
			continue;
		trouble = take_hw_id(file, &records[i], index, etm);
		if (trouble && cs_etm_tally_next(&tally))
			sl_notes_add(notes, "AUX_OUTPUT_HW_ID at offset 0x%" PRIx64 " (CPU %" PRId32 ") %s",
				     records[i].offset, cs_etm_record_cpu(index, &records[i]), trouble);
	}
	cs_etm_tally_end(&tally, "AUX_OUTPUT_HW_ID records make no sense", notes);
	settle_ids(etm, notes);
}
