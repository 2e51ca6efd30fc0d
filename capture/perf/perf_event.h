/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H
/*
 * What the event of the trace asks for: options of cs_etm in perf_event_attr (Documentation/trace/coresight/
 * coresight-perf.rst of Linux, and its format directory in sysfs). Inside of capture/perf/ only.
 */
#include "perf_capture.h"

struct perf_event {
	const struct perf_attr *attr; /* NULL: the recording tells none, and all else is zero */
	unsigned preset;	      /* of the event's configuration; 0: none */
	unsigned interval;	      /* timestamp=N of Linux 7.0: 1 to 14 every 2^(N-1) cycles of the counter, 15 at syncs only */
	bool broadcast, cycacc, contextid1, contextid2, timestamp, retstack;
	unsigned cycles_from;	      /* cc_threshold; 0: the driver's */
	uint32_t sink, configuration; /* ids, as the kernel hashes their names; 0: none asked for */
	bool user, kernel;
	bool intel_pt;		      /* options of intel_pt; of those above, cycacc, timestamp (TSC) and retstack are told too */
};
/* The first event of the trace's PMU. */
struct perf_event perf_event_of(const struct perf_capture *perf);
/* As perf takes it: "cs_etm/contextid1,timestamp/". */
void perf_event_spell(const struct perf_event *event, char *ret, size_t cap);
/* What its options mean, for people. */
void perf_event_explain(const struct perf_event *event, char *ret, size_t cap);

/* What the trace's timestamps count, after TS_SOURCE of the CPUs' metadata. */
enum perf_clock {
	PERF_CLOCK_UNTOLD,   /* the metadata has no such word, or says that it is not known */
	PERF_CLOCK_VIRTUAL,  /* the counter of the kernel's clock */
	PERF_CLOCK_TSC,	     /* the same, of x86 */
	PERF_CLOCK_GUEST,    /* the guest's physical counter */
	PERF_CLOCK_PHYSICAL, /* the physical counter: what an offset of the virtual one is, nothing tells */
	PERF_CLOCK_MIXED,
};
enum perf_clock perf_clock_of(const struct cs_etm *etm);
/* Whether TIME_CONV converts it. */
static inline bool perf_clock_is_kernels(enum perf_clock clock)
{
	return clock == PERF_CLOCK_VIRTUAL || clock == PERF_CLOCK_TSC;
}
const char *perf_clock_name(enum perf_clock clock);
#endif
