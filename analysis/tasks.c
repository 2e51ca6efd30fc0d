/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

/* A kernel that runs at EL2 tells its tasks where others tell a virtual machine's number. */
uint64_t task_of_context(const struct sl_context *context, const struct sl_lane *lane)
{
	bool vmid = context->flags & SL_CTX_VMID, first = lane && lane->stream->config.task_from == SL_TASK_VMID;

	if (vmid && (first || !(context->flags & SL_CTX_ID)))
		return context->vmid;
	return context->flags & SL_CTX_ID ? context->context_id : NO_TASK;
}

const char *task_name_of(const struct sl_capture *capture, uint64_t task)
{
	return capture && task <= UINT32_MAX ? sl_capture_task_name(capture, (uint32_t)task) : NULL;
}

static int grow(struct tasks *tasks, size_t len)
{
	if (sl_array_reserve((void **)&tasks->items, &tasks->cap, sizeof(*tasks->items), len) < 0)
		return SL_ERR_NOMEM;
	memset(tasks->items + tasks->len, 0, (len - tasks->len) * sizeof(*tasks->items));
	tasks->len = len;
	return SL_OK;
}

int tasks_see(struct tasks *tasks, const struct sl_call *call)
{
	if (!(TASKS_NEED & 1u << call->kind))
		return SL_OK;
	if (call->stack >= tasks->len && grow(tasks, (size_t)call->stack + 1) < 0)
		return SL_ERR_NOMEM;
	tasks->items[call->stack] = task_of_context(call->context, call->lane) + 1;
	return SL_OK;
}

void tasks_release(struct tasks *tasks)
{
	free(tasks->items);
}
