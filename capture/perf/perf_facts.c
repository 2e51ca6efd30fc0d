/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says of itself, for people. */
#include "cs_etm_rings.h"
#include "perf_event.h"
#include "sl_decoder.h"

#include "sl_array.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUE_CAP = 512, FEAT_META_INFO = 129, META_MAX = 256 };

struct facts {
	struct sl_capture *cap;
	const struct perf_capture *perf;
	int result;
};

static void add(struct facts *facts, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(struct facts *facts, const char *name, const char *format, ...)
{
	struct sl_capture *cap = facts->cap;
	char raw[VALUE_CAP], shown[VALUE_CAP];
	struct sl_fact fact = { .name = name };
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	fact.value = sl_capture_keep(cap, sl_printable(raw, shown, sizeof(shown)));
	if (!fact.value || SL_ARRAY_PUSH(&cap->facts, &cap->fact_len, &cap->fact_cap, fact) < 0)
		facts->result = SL_ERR_NOMEM;
}

static void add_text(struct facts *facts, const char *name, const char *text)
{
	if (text && *text)
		add(facts, name, "%s", text);
}

static void add_machine(struct facts *facts)
{
	const struct perf_file *file = facts->perf->file;

	add(facts, "written by", "%s%s", perf_file_is_simpleperf(file) ? "simpleperf" : "perf",
	    perf_file_is_pipe(file) ? ", as a pipe" : perf_file_dir(file) ? ", as a directory" : "");
	add_text(facts, "command line", perf_file_cmdline(file));
	add_text(facts, "host", perf_file_hostname(file));
	add_text(facts, "kernel", perf_file_release(file));
	add_text(facts, "architecture", perf_file_arch(file));
	add_text(facts, "CPU", perf_file_cpudesc(file));
}

/* The event of the trace: as perf takes it, and in words. */
static void add_event(struct facts *facts)
{
	struct perf_event event = perf_event_of(facts->perf);
	char text[VALUE_CAP];

	if (!event.attr)
		return;
	perf_event_spell(&event, text, sizeof(text));
	add(facts, "event", "%s (config 0x%" PRIx64 ")", text, event.attr->config);
	perf_event_explain(&event, text, sizeof(text));
	add_text(facts, "event options", text);
	if (event.attr->sample_period > 1)
		add(facts, "sample period", "%" PRIu64, event.attr->sample_period);
	if (event.configuration)
		add(facts, "configuration", "id 0x%" PRIx32 ", one of the kernel's (strobing, AutoFDO)", event.configuration);
	if (event.intel_pt)
		return;
	if (event.sink)
		add(facts, "sink", "id 0x%" PRIx32 ", asked for", event.sink);
	else
		add(facts, "sink", "the kernel's choice");
}

/* What its timestamps count, and whether they are times of perf's records too. */
static void add_clock(struct facts *facts)
{
	const struct cs_etm *etm = &facts->perf->etm;
	enum perf_clock clock = perf_clock_of(etm);
	const char *can = "no TIME_CONV record tells how to convert them to perf's clock";

	if (etm->time_conv.known && perf_clock_is_kernels(clock))
		can = "they can be converted to perf's clock";
	else if (etm->time_conv.known)
		can = "whether that is the counter of perf's clock is not told";
	if (etm->cpu_count)
		add(facts, "timestamps", "count %s; %s", perf_clock_name(clock), can);
	if (etm->time_conv.known)
		add(facts, "perf's clock", "ns = %" PRIu64 " + (ticks * %" PRIu64 " >> %" PRIu64 ")", etm->time_conv.zero,
		    etm->time_conv.mult, etm->time_conv.shift);
}

/* The CPU's model, and what of its trace unit libipt works around. */
static void add_intel_pt(struct facts *facts)
{
	const struct cs_etm *etm = &facts->perf->etm;
	const uint32_t *regs = etm->cpu_count ? etm->cpus[0].config.regs : NULL;
	char errata[VALUE_CAP];

	add_text(facts, "CPU id", perf_file_cpuid(facts->perf->file));
	add_text(facts, "address filters", etm->filters);
	if (!regs)
		return;
	if (regs[SL_REG_CPUID_15_EAX])
		add(facts, "crystal clock", "the TSC has %" PRIu32 "/%" PRIu32 " ticks in one of its: MTC packets tell times",
		    regs[SL_REG_CPUID_15_EBX], regs[SL_REG_CPUID_15_EAX]);
	if (regs[SL_REG_PLATFORM_INFO])
		add(facts, "nominal frequency", "%" PRIu32 " times the bus clock", regs[SL_REG_PLATFORM_INFO] >> 8);
	if (regs[SL_REG_CPUID_1_EAX])
		add(facts, "errata", "%s", sl_ipt_errata(regs[SL_REG_CPUID_1_EAX], errata, sizeof(errata)));
}

static uint64_t piece_bytes(const struct cs_etm *etm)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < etm->piece_count; i++)
		bytes += etm->pieces[i].len;
	return bytes;
}

static void add_trace(struct facts *facts)
{
	const struct cs_etm *etm = &facts->perf->etm;

	add(facts, "mode", "%s%s",
	    etm->buffer_count && etm->buffers[0].cpu < 0 ? "per thread: a buffer has one thread's trace, from whatever CPU it ran on" :
							   etm->intel_pt ? "per CPU: a buffer has one CPU's trace, of whatever thread" :
							   "per CPU: a buffer has what its sink took, of whatever thread",
	    etm->snapshot_mode ? "; snapshots of the latest trace" : "");
	if (etm->intel_pt)
		add_intel_pt(facts);
	else
		add(facts, "CPUs", "%zu described, metadata version %u", etm->cpu_count, etm->version);
	add(facts, "trace", "%" PRIu64 " bytes, pieces %zu", piece_bytes(etm), etm->piece_count);
	add(facts, "trace lost", "%" PRIu64 " bytes are not in the file; pieces truncated %zu, overwritten %zu, partial %zu, "
	    "collided %zu", etm->aux_bytes_lost, cs_etm_pieces_with(etm, AUX_TRUNCATED),
	    cs_etm_pieces_with(etm, AUX_OVERWRITE), cs_etm_pieces_with(etm, AUX_PARTIAL),
	    cs_etm_pieces_with(etm, AUX_COLLISION));
	if (facts->perf->processes.lost_records)
		add(facts, "records lost", "%" PRIu64 ": processes and maps may be missing",
		    facts->perf->processes.lost_records);
	add_clock(facts);
	add(facts, "processes", "%zu, threads %zu", facts->perf->processes.len, facts->perf->processes.thread_len);
}

/* Keys of simpleperf's META_INFO that tell something to a person, and how they are shown. */
static const struct { const char *key, *name; } meta_names[] = {
	{ "simpleperf_version", "simpleperf" },
	{ "timestamp", "recorded at" },
	{ "android_version", "Android" },
	{ "android_sdk_version", "Android SDK" },
	{ "android_build_type", "build type" },
	{ "android_build_fingerprint", "build" },
	{ "product_props", "product" },
	{ "app_package_name", "app" },
	{ "app_type", "app type" },
	{ "clockid", "clock of records" },
	{ "kernel_symbols_available", "kernel symbols" },
};

static void add_meta(struct facts *facts, const char *key, const char *value)
{
	uint64_t seconds;

	for (size_t i = 0; i < sizeof(meta_names) / sizeof(*meta_names); i++) {
		char text[64];
		time_t time;
		struct tm tm;

		if (strcmp(meta_names[i].key, key) != 0)
			continue;
		if (strcmp(key, "timestamp") == 0 && sl_parse_u64(value, &seconds) == SL_OK && seconds < UINT32_MAX) {
			time = (time_t)seconds;
			if (gmtime_r(&time, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
				value = text;
		}
		add_text(facts, meta_names[i].name, value);
		return;
	}
}

/* META_INFO: pairs of a key and a value, each terminated. */
static void add_meta_info(struct facts *facts)
{
	struct sl_bytes info = perf_file_feature(facts->perf->file, FEAT_META_INFO);
	const char *text = (const char *)info.data;
	size_t at = 0;

	for (unsigned pairs = 0; at < info.len && pairs < META_MAX; pairs++) {
		size_t value = at + strnlen(text + at, info.len - at) + 1;
		size_t next = value < info.len ? value + strnlen(text + value, info.len - value) + 1 : SIZE_MAX;

		if (next > info.len) /* the last one is cut */
			return;
		add_meta(facts, text + at, text + value);
		at = next;
	}
}

int perf_facts_add(struct sl_capture *cap)
{
	struct facts facts = { .cap = cap, .perf = cap->perf, .result = SL_OK };

	add_machine(&facts);
	add_meta_info(&facts);
	add_event(&facts);
	add_trace(&facts);
	return facts.result;
}
