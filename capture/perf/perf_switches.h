/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_SWITCHES_H
#define PERF_SWITCHES_H
/* Which task ran on which CPU when, after SWITCH and SWITCH_CPU_WIDE records. Inside of capture/ only. */
#include "perf_file.h"
#include "sl_image.h"

/* Tasks are thread ids; PERF_NO_TASK where no record tells. */
#define PERF_NO_TASK UINT32_MAX
struct perf_switches {
	struct perf_switch {
		uint32_t cpu;
		uint32_t before, task; /* that ran until then, and from then on until the next switch */
		bool lost;	       /* no switch: records were lost since the one before */
		uint64_t time;
		size_t order;
	} *items; /* by CPU, then time */
	size_t len, cap;
};

/* SL_OK or SL_ERR_NOMEM; release it in both cases. */
int perf_switches_read(const struct perf_file *file, struct perf_switches *ret);
void perf_switches_release(struct perf_switches *switches);
/* As sl_capture_has_switches(). */
bool perf_switches_known(const struct perf_switches *switches, int32_t cpu);
/* As sl_capture_task_within(). */
bool perf_switches_within(const struct perf_switches *switches, int32_t cpu, struct sl_window window, uint32_t *ret_task);
#endif
