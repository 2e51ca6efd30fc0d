/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SYNC_INTERVAL = 15 };

/* Bits of attr.config (etm-perf.h); timestamp is a field of bits 7:4 since Linux 7.0, which sets bit 28 no more. */
enum config_bit {
	BROADCAST = 1 << 8,
	CYCACC = 1 << 12,
	CONTEXTID1 = 1 << 14,
	CONTEXTID2 = 1 << 15,
	TIMESTAMP = 1 << 28,
	RETSTACK = 1 << 29,
};

static const struct perf_attr *find_attr(const struct perf_capture *perf)
{
	const struct perf_attr *attrs;
	size_t count = perf_file_attrs(perf->file, &attrs);

	for (size_t i = 0; i < count; i++) {
		if (attrs[i].type == perf->etm.pmu_type)
			return &attrs[i];
	}
	return NULL;
}

/* attr.config of intel_pt is IA32_RTIT_CTL. */
enum rtit_bit { PT_PT = 1 << 0, PT_CYC = 1 << 1, PT_PWR = 1 << 4, PT_MTC = 1 << 9, PT_TSC = 1 << 10, PT_NORETCOMP = 1 << 11,
		PT_PTW = 1 << 12, PT_BRANCH = 1 << 13 };

static void read_intel_pt(const struct perf_attr *attr, struct perf_event *ret)
{
	ret->intel_pt = true;
	ret->cycacc = attr->config & PT_CYC;
	ret->timestamp = attr->config & PT_TSC;
	ret->retstack = !(attr->config & PT_NORETCOMP);
	ret->user = !(attr->flags & PERF_ATTR_EXCLUDE_USER);
	ret->kernel = !(attr->flags & PERF_ATTR_EXCLUDE_KERNEL);
}

struct perf_event perf_event_of(const struct perf_capture *perf)
{
	const struct perf_attr *attr = find_attr(perf);
	struct perf_event event = { .attr = attr, .intel_pt = perf->etm.intel_pt };

	if (!attr)
		return event;
	if (perf->etm.intel_pt) {
		read_intel_pt(attr, &event);
		return event;
	}
	event.preset = attr->config & 0xf;
	event.interval = attr->config >> 4 & 0xf;
	event.broadcast = attr->config & BROADCAST;
	event.cycacc = attr->config & CYCACC;
	event.contextid1 = attr->config & CONTEXTID1;
	event.contextid2 = attr->config & CONTEXTID2;
	event.timestamp = attr->config & TIMESTAMP || event.interval;
	event.retstack = attr->config & RETSTACK;
	event.cycles_from = attr->config3 & 0xfff;
	event.sink = (uint32_t)attr->config2;
	event.configuration = (uint32_t)(attr->config2 >> 32);
	event.user = !(attr->flags & PERF_ATTR_EXCLUDE_USER);
	event.kernel = !(attr->flags & PERF_ATTR_EXCLUDE_KERNEL);
	return event;
}

struct list {
	char *text;
	size_t len, cap;
	const char *separator;
};

static void append(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct list *list, const char *format, ...)
{
	va_list args;
	int n;

	if (list->len + 2 >= list->cap)
		return;
	if (list->len)
		list->len += (size_t)snprintf(list->text + list->len, list->cap - list->len, "%s", list->separator);
	if (list->len >= list->cap)
		return;
	va_start(args, format);
	n = vsnprintf(list->text + list->len, list->cap - list->len, format, args);
	va_end(args);
	list->len += n > 0 ? (size_t)n : 0;
}

static void spell_intel_pt(const struct perf_event *event, char *ret, size_t cap)
{
	static const struct { uint64_t bit; const char *name; } bits[] = {
		{ PT_PT, "pt" }, { PT_TSC, "tsc" }, { PT_MTC, "mtc" }, { PT_CYC, "cyc" }, { PT_PWR, "pwr_evt" },
		{ PT_PTW, "ptw" }, { PT_NORETCOMP, "noretcomp" }, { PT_BRANCH, "branch" },
	};
	uint64_t config = event->attr->config;
	char options[160] = "";
	struct list list = { options, 0, sizeof(options), "," };

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		if (config & bits[i].bit)
			append(&list, "%s", bits[i].name);
	}
	if (config & PT_MTC)
		append(&list, "mtc_period=%u", (unsigned)(config >> 14 & 15));
	if (config >> 19 & 15)
		append(&list, "cyc_thresh=%u", (unsigned)(config >> 19 & 15));
	append(&list, "psb_period=%u", (unsigned)(config >> 24 & 15));
	snprintf(ret, cap, "intel_pt/%s/%s", options, !event->kernel ? "u" : !event->user ? "k" : "");
}

void perf_event_spell(const struct perf_event *event, char *ret, size_t cap)
{
	char options[160] = "";
	struct list list = { options, 0, sizeof(options), "," };

	if (event->intel_pt) {
		spell_intel_pt(event, ret, cap);
		return;
	}
	if (event->preset)
		append(&list, "preset=%u", event->preset);
	if (event->broadcast)
		append(&list, "branch_broadcast");
	if (event->cycacc)
		append(&list, "cycacc");
	if (event->cycles_from)
		append(&list, "cc_threshold=%u", event->cycles_from);
	if (event->contextid1)
		append(&list, "contextid1");
	if (event->contextid2)
		append(&list, "contextid2");
	if (event->interval)
		append(&list, "timestamp=%u", event->interval);
	else if (event->timestamp)
		append(&list, "timestamp");
	if (event->retstack)
		append(&list, "retstack");
	snprintf(ret, cap, "cs_etm/%s/%s", options, !event->kernel ? "u" : !event->user ? "k" : "");
}

static void explain_times(const struct perf_event *event, struct list *list)
{
	if (event->interval == SYNC_INTERVAL)
		append(list, "timestamps at sync points only");
	else if (event->interval)
		append(list, "timestamps every %u ticks of the unit's counter", 1u << (event->interval - 1));
	else if (event->timestamp)
		append(list, "timestamps");
	if (event->cycacc && event->cycles_from)
		append(list, "cycle counts from %u on", event->cycles_from);
	else if (event->cycacc)
		append(list, "cycle counts");
}

void perf_event_explain(const struct perf_event *event, char *ret, size_t cap)
{
	struct list list = { ret, 0, cap, ", " };
	uint64_t flags = event->attr ? event->attr->flags : 0;

	ret[0] = '\0';
	append(&list, "%s", !event->kernel ? "user only" : !event->user ? "kernel only" : "user and kernel");
	if (flags & PERF_ATTR_INHERIT)
		append(&list, "child tasks too");
	if (flags & PERF_ATTR_ENABLE_ON_EXEC)
		append(&list, "from exec on");
	explain_times(event, &list);
	if (event->contextid1)
		append(&list, "thread ids as context ids");
	if (event->contextid2)
		append(&list, "thread ids as VMIDs (kernel at EL2)");
	if (event->broadcast)
		append(&list, "all branch targets");
	if (event->retstack)
		append(&list, "return stack");
	if (event->preset)
		append(&list, "preset %u of the configuration", event->preset);
}

static enum perf_clock clock_of(int ts_source)
{
	static const enum perf_clock clocks[] = { PERF_CLOCK_UNTOLD, PERF_CLOCK_VIRTUAL, PERF_CLOCK_GUEST, PERF_CLOCK_PHYSICAL };

	return ts_source < 0 || ts_source > 3 ? PERF_CLOCK_UNTOLD : clocks[ts_source];
}

enum perf_clock perf_clock_of(const struct cs_etm *etm)
{
	enum perf_clock clock = etm->intel_pt ? PERF_CLOCK_TSC : etm->cpu_count ? clock_of(etm->cpus[0].ts_source) : PERF_CLOCK_UNTOLD;

	for (size_t i = 1; i < etm->cpu_count && !etm->intel_pt; i++) {
		if (clock_of(etm->cpus[i].ts_source) != clock)
			return PERF_CLOCK_MIXED;
	}
	return clock;
}

const char *perf_clock_name(enum perf_clock clock)
{
	switch (clock) {
	case PERF_CLOCK_VIRTUAL:
		return "the virtual counter";
	case PERF_CLOCK_TSC:
		return "the TSC";
	case PERF_CLOCK_GUEST:
		return "the guest's physical counter";
	case PERF_CLOCK_PHYSICAL:
		return "the physical counter";
	case PERF_CLOCK_MIXED:
		return "several counters, not the same on all CPUs";
	default:
		return "a counter that the metadata does not name";
	}
}
