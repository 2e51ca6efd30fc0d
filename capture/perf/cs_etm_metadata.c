/* SPDX-License-Identifier: Apache-2.0 */
/* PERF_RECORD_AUXTRACE_INFO of cs_etm: the trace units' registers, as perf read them from sysfs. */
#include "cs_etm.h"

#include "sl_array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	INFO_PRIV = 8,	  /* offset of the words in the body */
	HEADER_WORDS = 3, /* version, PMU type and number of CPUs, snapshot flag */
	VERSION_KNOWN = 2,
	TS_SOURCE_PARAM = SL_REGS, /* a parameter that is no register */
};

/* What the words of a CPU's block are, by its magic. */
static const struct layout {
	uint64_t magic;
	const char *name;
	size_t count;	 /* of params below */
	size_t v0_count; /* of those that version 0 has */
	uint8_t params[9];
} layouts[] = {
	{ 0x3030303030303030,
	  "ETMv3 or PTM",
	  4,
	  4,
	  { SL_REG_ETMCR, SL_REG_ETMTRACEIDR, SL_REG_ETMCCER, SL_REG_ETMIDR } },
	{ 0x4040404040404040,
	  "ETMv4",
	  8,
	  7,
	  { SL_REG_TRCCONFIGR, SL_REG_TRCTRACEIDR, SL_REG_TRCIDR0, SL_REG_TRCIDR1, SL_REG_TRCIDR2,
	    SL_REG_TRCIDR8, SL_REG_TRCAUTHSTATUS, TS_SOURCE_PARAM } },
	{ 0x5050505050505050,
	  "ETE",
	  9,
	  8,
	  { SL_REG_TRCCONFIGR, SL_REG_TRCTRACEIDR, SL_REG_TRCIDR0, SL_REG_TRCIDR1, SL_REG_TRCIDR2,
	    SL_REG_TRCIDR8, SL_REG_TRCAUTHSTATUS, SL_REG_TRCDEVARCH, TS_SOURCE_PARAM } },
};
enum { LAYOUTS = sizeof(layouts) / sizeof(*layouts) };

struct reader {
	const struct perf_file *file;
	const struct perf_record *info;
	struct sl_notes *notes;
	struct cs_etm *etm;
	size_t words, at;   /* of priv[] */
	uint64_t announced; /* CPUs that the header tells of */
	struct cs_etm_tally vendor_words, bad_blocks, missing;
};

/* One CPU's words. */
struct block {
	uint64_t magic, cpu, count;
	size_t at;		    /* of its magic */
	size_t params, params_here; /* index of the first, how many are in the record */
};

static uint64_t word(const struct reader *r, size_t i)
{
	return perf_u64(r->file, r->info, INFO_PRIV + 8 * i);
}

static const struct layout *find_layout(uint64_t magic)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		if (layouts[i].magic == magic)
			return &layouts[i];
	}
	return NULL;
}

static uint64_t word_offset(const struct reader *r, size_t i)
{
	/* The record's header is 8 bytes. */
	return r->info->offset + 8 + INFO_PRIV + 8 * i;
}

/* Version 0 has no count, and some vendors' kernels wrote more words than perf's: the next magic ends a
 * block. */
static void skip_vendor_words(struct reader *r, const struct block *block)
{
	size_t from = r->at;

	while (r->at < r->words && !find_layout(word(r, r->at)))
		r->at++;
	if (r->at != from && cs_etm_tally_next(&r->vendor_words))
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": CPU %" PRIu64
			     " has %zu words more than perf writes: skipped",
			     word_offset(r, from), block->cpu, r->at - from);
}

/* The block at r->at; false where there is none, or none that could be read. */
static bool next_block(struct reader *r, struct block *ret)
{
	bool counted = r->etm->version > 0;
	const struct layout *layout = find_layout(word(r, r->at));
	size_t head = counted ? 3 : 2;

	if (r->words - r->at < head || (!layout && !counted))
		return false;
	*ret = (struct block){ .magic = word(r, r->at), .cpu = word(r, r->at + 1), .at = r->at };
	ret->count = counted ? word(r, r->at + 2) : layout->v0_count;
	ret->params = r->at + head;
	ret->params_here = r->words - ret->params;
	if (ret->count < ret->params_here)
		ret->params_here = (size_t)ret->count;
	r->at = ret->params + ret->params_here;
	return true;
}

static void take_params(const struct reader *r, const struct layout *layout, const struct block *block,
			struct cs_etm_cpu *cpu)
{
	for (size_t i = 0; i < layout->count && i < block->params_here; i++) {
		uint64_t value = word(r, block->params + i);

		if (layout->params[i] == TS_SOURCE_PARAM)
			cpu->ts_source = value <= 3 ? (int)value : -1;
		else
			sl_config_set(&cpu->config, layout->params[i], (uint32_t)value);
	}
}

static bool is_arm32(const struct perf_file *file)
{
	const char *arch = perf_file_arch(file);

	return arch && strncmp(arch, "arm", 3) == 0 && strncmp(arch, "arm64", 5) != 0;
}

/* ETMIDR[11:8] is the major version of the architecture minus 1: 2 is ETMv3, 3 is the Program Flow Trace of
 * PTM. */
static enum sl_protocol etm3_protocol(const struct sl_trace_config *config)
{
	return (config->regs[SL_REG_ETMIDR] >> 8 & 0xf) == 3 ? SL_PROTOCOL_PTM : SL_PROTOCOL_ETMV3;
}

/* TRCDEVARCH tells; the magic does not, as simpleperf writes ETE's wherever the kernel exports that register.
 */
static enum sl_protocol etm4_protocol(const struct sl_trace_config *config, bool ete_magic)
{
	uint32_t devarch = config->regs[SL_REG_TRCDEVARCH];

	if ((devarch & 0xfff) != 0xa13)
		return ete_magic ? SL_PROTOCOL_ETE : SL_PROTOCOL_ETMV4;
	return (devarch >> 12 & 0xf) >= 5 ? SL_PROTOCOL_ETE : SL_PROTOCOL_ETMV4;
}

static void set_protocol(const struct reader *r, const struct layout *layout, struct sl_trace_config *config)
{
	uint32_t minor = config->regs[SL_REG_TRCIDR1] >> 4 & 0xf;

	config->profile = SL_PROFILE_A;
	if (layout == &layouts[0]) {
		config->protocol = etm3_protocol(config);
		config->arch = SL_ARCH_V7;
		return;
	}
	config->protocol = etm4_protocol(config, layout == &layouts[2]);
	/* AArch64 from v8.3 on is a superset of what came before, so it is safe wherever 64-bit code runs. */
	if (config->protocol == SL_PROTOCOL_ETE || minor >= 4 || !is_arm32(r->file))
		config->arch = SL_ARCH_AA64;
	else
		config->arch = SL_ARCH_V8;
}

/* Registers that perf's own readers lose, and some writers: without them PTM and ETMv3 decode to something
 * else. */
static void note_missing(struct reader *r, const struct block *block, const struct cs_etm_cpu *cpu)
{
	const struct sl_trace_config *config = &cpu->config;
	bool no_idr = !config->regs[SL_REG_ETMIDR];
	bool no_ccer = !sl_config_has(config, SL_REG_ETMCCER) ||
		       (config->protocol == SL_PROTOCOL_PTM && !config->regs[SL_REG_ETMCCER]);

	if ((!no_idr && !no_ccer) || !cs_etm_tally_next(&r->missing))
		return;
	sl_notes_add(
		r->notes, "AUXTRACE_INFO at offset 0x%" PRIx64 ": CPU %u has no value of %s%s",
		word_offset(r, block->at), cpu->cpu,
		no_idr && no_ccer ? "ETMCCER and ETMIDR"
		: no_idr	  ? "ETMIDR"
				  : "ETMCCER",
		no_idr ? ": ETMv3 and PTM cannot be told apart, ETMv3 is assumed; record with a newer perf"
		       : ": its trace may decode wrongly; record with a newer perf");
}

static bool usable_block(struct reader *r, const struct layout *layout, const struct block *block)
{
	if (layout && block->cpu <= INT32_MAX && block->params_here)
		return true;
	if (!cs_etm_tally_next(&r->bad_blocks))
		return false;
	if (!layout)
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": CPU %" PRIu64
			     " has a trace unit of unknown kind 0x%" PRIx64 ": its trace is not decoded",
			     word_offset(r, block->at), block->cpu, block->magic);
	else
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": a block of CPU %" PRIu64
			     " with %zu registers makes no sense: left out",
			     word_offset(r, block->at), block->cpu, block->params_here);
	return false;
}

static int add_block(struct reader *r, const struct block *block)
{
	const struct layout *layout = find_layout(block->magic);
	struct cs_etm_cpu cpu = { .cpu = (uint32_t)block->cpu };

	if (block->count > block->params_here)
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": CPU %" PRIu64 " should have %" PRIu64
			     " registers, and the record ends after %zu",
			     word_offset(r, block->at), block->cpu, block->count, block->params_here);
	if (!usable_block(r, layout, block))
		return SL_OK;
	take_params(r, layout, block, &cpu);
	set_protocol(r, layout, &cpu.config);
	if (layout == &layouts[0])
		note_missing(r, block, &cpu);
	cpu.trace_id = sl_config_trace_id(&cpu.config);
	return SL_ARRAY_PUSH(&r->etm->cpus, &r->etm->cpu_count, &r->etm->cpu_cap, cpu);
}

static int by_cpu(const void *left, const void *right)
{
	const struct cs_etm_cpu *a = left, *b = right;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* Sorted, and each once. */
static void sort_cpus(struct reader *r)
{
	struct cs_etm *etm = r->etm;
	size_t kept = 0;

	if (!etm->cpu_count)
		return;
	qsort(etm->cpus, etm->cpu_count, sizeof(*etm->cpus), by_cpu);
	for (size_t i = 1; i < etm->cpu_count; i++) {
		if (etm->cpus[i].cpu != etm->cpus[kept].cpu)
			etm->cpus[++kept] = etm->cpus[i];
		else if (cs_etm_tally_next(&r->bad_blocks))
			sl_notes_add(r->notes,
				     "AUXTRACE_INFO at offset 0x%" PRIx64
				     ": CPU %u is there twice: one is left out",
				     r->info->offset, etm->cpus[i].cpu);
	}
	etm->cpu_count = kept + 1;
}

static void note_end(struct reader *r, uint64_t blocks)
{
	if (blocks < r->announced)
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": %" PRIu64
			     " CPUs are announced and %" PRIu64
			     " can be read: trace of the others is not decoded",
			     r->info->offset, r->announced, blocks);
	else if (r->at < r->words)
		sl_notes_add(r->notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": %zu words follow its last CPU: skipped",
			     r->info->offset, r->words - r->at);
	cs_etm_tally_end(&r->vendor_words, "CPUs with unknown words in AUXTRACE_INFO", r->notes);
	cs_etm_tally_end(&r->bad_blocks, "CPUs of AUXTRACE_INFO are left out", r->notes);
	cs_etm_tally_end(&r->missing, "CPUs lack ETMCCER or ETMIDR", r->notes);
}

int cs_etm_read_metadata(const struct perf_file *file, const struct perf_record *info, struct sl_notes *notes,
			 struct cs_etm *etm)
{
	struct reader r = { .file = file, .info = info, .notes = notes, .etm = etm, .at = HEADER_WORDS };
	uint64_t version, blocks = 0;
	struct block block;
	int result = SL_OK;

	r.words = info->body_len < INFO_PRIV ? 0 : (info->body_len - INFO_PRIV) / 8;
	version = word(&r, 0);
	r.announced = word(&r, 1) & UINT32_MAX;
	etm->version = version > UINT32_MAX ? UINT32_MAX : (uint32_t)version;
	etm->pmu_type = (uint32_t)(word(&r, 1) >> 32);
	etm->snapshot_mode = word(&r, 2) != 0;
	if (version > VERSION_KNOWN)
		sl_notes_add(notes,
			     "AUXTRACE_INFO at offset 0x%" PRIx64 ": version %" PRIu64
			     " is newer than this reader (%d): read as that",
			     info->offset, version, VERSION_KNOWN);
	if (r.words < HEADER_WORDS)
		r.at = r.words;
	while (result == SL_OK && blocks < r.announced && r.at < r.words && next_block(&r, &block)) {
		result = add_block(&r, &block);
		if (etm->version == 0)
			skip_vendor_words(&r, &block);
		blocks++;
	}
	sort_cpus(&r);
	note_end(&r, blocks);
	return result;
}
