/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANE_TASK_H
#define LANE_TASK_H
/*
 * Which task a lane runs: what the trace's contexts name, else what the capture tells. Inside of analysis/ only.
 *
 * A task is named by context id and VMID. Where the kernel runs at EL2 (VHE), VMID packets hold its context id
 * (TRCCONFIGR.VMIDOPT, IHI 0064H 4.1). A VMID alone is that of a virtual machine, with as many tasks at once as it has CPUs. Id 0 is
 * nobody, or the idle task that each CPU has. Intel PT's context id is the page of CR3, an address space: all threads of a process have it,
 * and so what the capture tells goes before. A kernel with page table isolation has two of them for one, whose pages differ in the lowest bit.
 */
#include "sl_config.h"
#include "sl_elem.h"

struct task {
	struct sl_context context;  /* that runs; with the task that the capture tells, where the trace tells none */
	bool told;		    /* by the capture */
	uint32_t told_id;
	uint64_t key;		    /* of the context */
	bool one;		    /* the key names one task on all CPUs */
	bool named;		    /* a key did so, now or before */
	bool vmid_names;	    /* VMID packets hold the kernel's context id */
	bool spaces;		    /* context ids name address spaces; VMIDs, what is loaded for a guest */
	bool paired;		    /* ... of which a program's and its kernel's are neighbours */
};
/* config NULL: VMIDs are those of virtual machines. */
void task_init(struct task *task, const struct sl_trace_config *config);
/* Goes over such an element, if it is one that tells a context or a task: whether it is. */
bool task_elem(struct task *task, const struct sl_elem *elem);
/* Whether the element goes from an address space to its neighbour, where nobody knows yet that they are one task's. */
bool task_goes_to_neighbour(const struct task *task, const struct sl_elem *elem);
/* From now on they are. */
void task_pair(struct task *task);
#endif
