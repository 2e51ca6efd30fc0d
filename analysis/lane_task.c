/* SPDX-License-Identifier: Apache-2.0 */
#include "lane_task.h"

void task_init(struct task *task, const struct sl_trace_config *config)
{
	enum { VMID_AND_VMIDOPT = 1 << 7 | 1 << 15 };

	*task = (struct task){ 0 };
	if (config && (config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE))
		task->vmid_names = (config->regs[SL_REG_TRCCONFIGR] & VMID_AND_VMIDOPT) == VMID_AND_VMIDOPT;
	task->spaces = config && config->protocol == SL_PROTOCOL_IPT;
}

/* The exception level is no part of it: one task's system call is on its own stack. */
static void name(struct task *task)
{
	const struct sl_context *context = &task->context;
	uint64_t id = context->flags & SL_CTX_ID ? context->context_id : 0;
	uint64_t vmid = context->flags & SL_CTX_VMID && !task->spaces ? context->vmid : 0;

	task->key = id << 32 | vmid;
	task->one = (id && (!task->spaces || task->told)) || (task->vmid_names && vmid);
	task->named |= task->one;
}

/* Where the trace itself tells no task, the capture's word holds. */
static void take_context(struct task *task, struct sl_context context)
{
	bool named = context.flags & (SL_CTX_ID | SL_CTX_VMID) && !task->spaces;

	if (!named && task->told) {
		context.context_id = task->told_id;
		context.flags |= SL_CTX_ID;
	} else if (task->paired) {
		context.context_id &= ~UINT32_C(1);
	}
	task->context = context;
	name(task);
}

bool task_goes_to_neighbour(const struct task *task, const struct sl_elem *elem)
{
	return task->spaces && !task->paired && !task->told && elem->kind == SL_ELEM_CONTEXT &&
	       task->context.flags & elem->context.flags & SL_CTX_ID && (task->context.context_id ^ elem->context.context_id) == 1;
}

void task_pair(struct task *task)
{
	task->paired = true;
	take_context(task, task->context);
}

bool task_elem(struct task *task, const struct sl_elem *elem)
{
	struct sl_context context = task->context;

	if (elem->kind == SL_ELEM_CONTEXT) {
		take_context(task, elem->context);
		return true;
	}
	if (elem->kind != SL_ELEM_TASK)
		return false;
	task->told = elem->value;
	task->told_id = elem->count;
	context.flags &= (uint8_t)~(SL_CTX_ID | SL_CTX_VMID);
	take_context(task, context);
	return true;
}
