/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording lacks, and the options by which the next one has it. Each is grounded in what the file says. */
#include "cs_etm_rings.h"
#include "perf_event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sl_array.h"

enum { WISH_CAP = 512 };
enum { IDR0_RETSTACK = 1 << 9, IDR0_TRCCCI = 1 << 7 };

struct wishes {
	struct sl_capture *cap;
	const struct perf_capture *perf;
	struct perf_event event;
	bool simpleperf;
	int result;
};

static void wish(struct wishes *w, enum sl_wish_when when, const char *topic, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void wish(struct wishes *w, enum sl_wish_when when, const char *topic, const char *format, ...)
{
	struct sl_capture *cap = w->cap;
	struct sl_wish item = { .when = when, .topic = topic };
	char text[WISH_CAP];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	item.text = sl_capture_keep(cap, text);
	if (!item.text || SL_ARRAY_PUSH(&cap->wishes, &cap->wish_len, &cap->wish_cap, item) < 0)
		w->result = SL_ERR_NOMEM;
}

static uint64_t largest_truncated(const struct cs_etm *etm)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < etm->piece_count; i++) {
		if (etm->pieces[i].flags & AUX_TRUNCATED && etm->pieces[i].len > largest)
			largest = etm->pieces[i].len;
	}
	return largest;
}

/* A power of two KiB or MiB, as perf's -m takes it. */
static void spell_size(uint64_t bytes, char *ret, size_t cap)
{
	uint64_t kib = 4;

	while (kib < bytes / 1024 && kib < 1u << 20)
		kib *= 2;
	if (kib >= 1024)
		snprintf(ret, cap, "%" PRIu64 "M", kib / 1024);
	else
		snprintf(ret, cap, "%" PRIu64 "K", kib);
}

/* A full piece is about what the buffer holds: nothing else in the file tells its size. */
static void wish_larger_buffer(struct wishes *w)
{
	const struct cs_etm *etm = &w->perf->etm;
	size_t with_gaps = cs_etm_pieces_with(etm, AUX_PARTIAL | AUX_COLLISION);
	uint64_t full = largest_truncated(etm);
	char size[24];

	spell_size(full * 4, size, sizeof(size));
	if (full)
		wish(w, SL_WISH_ALWAYS, "larger trace buffers",
		     "trace is missing behind %zu pieces, as the buffer was full; the largest of them has %" PRIu64 " bytes: record with "
		     "four times that, %s%s",
		     cs_etm_pieces_with(etm, AUX_TRUNCATED), full, w->simpleperf ? "--aux-buffer-size " : "-m ,", size);
	if (etm->aux_bytes_lost)
		wish(w, SL_WISH_ALWAYS, "less trace",
		     "%" PRIu64 " bytes were traced and are not in the file: %s", etm->aux_bytes_lost,
		     w->simpleperf ? "record with a larger --user-buffer-size, or trace less (--addr-filter)" :
				     "record with larger buffers (-m ,SIZE), at a higher priority (--realtime), or trace less (user space only, "
				     "--filter)");
	if (with_gaps)
		wish(w, SL_WISH_ALWAYS, "larger trace buffers",
		     "%zu pieces have gaps or lost trace while the buffer was switched: %s makes that rarer",
		     with_gaps, w->simpleperf ? "a larger --aux-buffer-size" : "a larger buffer (-m ,SIZE)");
}

static bool any_cpu_has(const struct cs_etm *etm, uint32_t idr0_bit)
{
	for (size_t i = 0; i < etm->cpu_count; i++) {
		const struct sl_trace_config *config = &etm->cpus[i].config;

		if (config->protocol != SL_PROTOCOL_ETMV4 && config->protocol != SL_PROTOCOL_ETE)
			continue;
		if (config->regs[SL_REG_TRCIDR0] & idr0_bit)
			return true;
	}
	return false;
}

/* Where bytes are lost, fewer of them help: a return that is predicted needs no address. */
static void wish_return_stack(struct wishes *w)
{
	const struct cs_etm *etm = &w->perf->etm;

	if (w->event.attr && !w->event.retstack && !w->simpleperf && !etm->intel_pt && (etm->aux_bytes_lost || largest_truncated(etm)) &&
	    any_cpu_has(etm, IDR0_RETSTACK))
		wish(w, SL_WISH_ALWAYS, "return stack",
		     "trace was lost, and returns are traced with their addresses: cs_etm/retstack/ makes the trace smaller");
}

static void wish_records(struct wishes *w)
{
	if (w->perf->processes.lost_records)
		wish(w, SL_WISH_ALWAYS, "larger record buffers",
		     "%" PRIu64 " records were lost, among them maps of programs maybe: record with larger buffers, %s",
		     w->perf->processes.lost_records, w->simpleperf ? "--user-buffer-size SIZE" : "-m SIZE");
}

static void wish_times(struct wishes *w)
{
	const struct cs_etm *etm = &w->perf->etm;
	enum perf_clock clock = perf_clock_of(etm);

	if (w->event.timestamp)
		wish(w, SL_WISH_NO_TIME, "timestamps",
		     "timestamps were asked for and none came: the SoC's timestamp generator was off, or the trace is too short for one");
	else
		wish(w, SL_WISH_NO_TIME, "timestamps",
		     "the trace has no timestamps, so CPUs and threads cannot be put in order: record with %s",
		     w->simpleperf ? "--record-timestamp" : etm->intel_pt ? "intel_pt/tsc,mtc/" : "cs_etm/timestamp/");
	if (!perf_clock_is_kernels(clock))
		wish(w, SL_WISH_TIME, "clock",
		     "timestamps count %s: they order the trace, and cannot be put beside the times of perf's own records "
		     "(perf 6.3 or newer on Armv8.4 or newer tells the counter)",
		     perf_clock_name(clock));
	else if (!etm->time_conv.known)
		wish(w, SL_WISH_TIME, "clock",
		     "no TIME_CONV record converts timestamps to the times of perf's own records: record with a newer kernel and perf");
	if ((etm->intel_pt || any_cpu_has(etm, IDR0_TRCCCI)) && !w->event.cycacc)
		wish(w, SL_WISH_NO_CYCLES, "cycle counts",
		     "the trace has no cycle counts, so times between timestamps are not known: record with %s",
		     w->simpleperf ? "--record-cycles" : etm->intel_pt ? "intel_pt/cyc/" : "cs_etm/cycacc/");
}

/* Where several processes share a buffer, only a context id tells which of them runs. */
static void wish_tasks(struct wishes *w)
{
	const struct sl_capture *cap = w->cap;
	size_t unknown = perf_unknown_pieces(cap);

	for (size_t i = 0; i < cap->stream_len; i++) {
		if (cap->streams[i].config.task_from != SL_TASK_UNKNOWN ||
		    (w->perf->etm.intel_pt && perf_switches_known(&w->perf->switches, cap->streams[i].cpu)))
			return;
	}
	if (w->perf->several && unknown && w->perf->etm.intel_pt) {
		wish(w, SL_WISH_ALWAYS, "task switches",
		     "several processes ran, and no record tells which when: record with --switch-events, or with --per-thread");
		return;
	}
	if (w->perf->several && unknown)
		wish(w, SL_WISH_ALWAYS, "context ids",
		     "several processes ran, and %zu pieces do not tell whose they are: record with cs_etm/contextid/ on a kernel with "
		     "CONFIG_PID_IN_CONTEXTIDR, or with --per-thread",
		     unknown);
}

static bool has_kcore(const struct perf_file *file)
{
	const char *dir = perf_file_dir(file);
	char path[4096];

	return dir && snprintf(path, sizeof(path), "%s/kcore_dir/kcore", dir) < (int)sizeof(path) && access(path, F_OK) == 0;
}

static bool has_build_ids(const struct perf_capture *perf)
{
	const struct perf_build_id *ids;
	size_t maps = 0;

	if (perf_file_build_ids(perf->file, &ids))
		return true;
	for (size_t i = 0; i < perf->processes.len; i++) {
		const struct perf_process *process = &perf->processes.items[i];

		for (size_t m = 0; m < process->map_count; m++) {
			if (process->maps[m].build_id_len)
				return true;
			maps += process->maps[m].executable && !process->maps[m].kernel;
		}
	}
	return !maps;
}

static void wish_images(struct wishes *w)
{
	if (!has_kcore(w->perf->file))
		wish(w, SL_WISH_NO_KERNEL, "kernel code",
		     "the kernel was traced, and its code as it ran is not here: %s",
		     w->simpleperf ? "give its vmlinux with --image, and its modules with --symfs" :
				     "record with perf record --kcore (vmlinux on disk is not what ran: alternatives, static keys, ftrace)");
	if (!has_build_ids(w->perf))
		wish(w, SL_WISH_ALWAYS, "build ids",
		     "no map has a build id, so another build of a file cannot be told from the one that ran: %s",
		     w->simpleperf ? "keep the very files" : "record with --buildid-mmap");
}

int perf_wishes_add(struct sl_capture *cap)
{
	struct wishes w = { .cap = cap, .perf = cap->perf, .event = perf_event_of(cap->perf),
			    .simpleperf = perf_file_is_simpleperf(cap->perf->file), .result = SL_OK };

	wish_larger_buffer(&w);
	wish_return_stack(&w);
	wish_records(&w);
	wish_times(&w);
	wish_tasks(&w);
	wish_images(&w);
	return w.result;
}
