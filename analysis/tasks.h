/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TASKS_H
#define TASKS_H
/* Whose each stack is: tasks by number, as the trace or the capture tells them. Inside of analysis/ only. */
#include "sl_calls.h"

#define NO_TASK UINT64_MAX /* nobody told whose the stack is */

/* What tasks_see has to see: bits 1 << enum sl_call_kind. */
enum { TASKS_NEED = 1u << SL_CALL_ENTER | 1u << SL_CALL_CONTEXT };

struct tasks {
	uint64_t *items; /* by stack: id + 1; 0: not seen yet */
	size_t len, cap;
};

/* Learns of a call that is told. SL_OK or SL_ERR_NOMEM. */
int tasks_see(struct tasks *tasks, const struct sl_call *call);
/* Thread or process id, or context id, of the task of a stack that was seen; NO_TASK. */
static inline uint64_t tasks_of(const struct tasks *tasks, uint32_t stack)
{
	return stack < tasks->len && tasks->items[stack] ? tasks->items[stack] - 1 : NO_TASK;
}
/* The task that a context names; NO_TASK. */
uint64_t task_of_context(const struct sl_context *context, const struct sl_lane *lane);
/* What the capture (may be NULL) calls it; NULL where it has no name, and of NO_TASK. */
const char *task_name_of(const struct sl_capture *capture, uint64_t task);
void tasks_release(struct tasks *tasks);
#endif
