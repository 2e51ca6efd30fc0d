/* SPDX-License-Identifier: Apache-2.0 */
/* What names a task, and what exceptions are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lane_task.h"
#include "levels.h"

static struct sl_elem context(uint32_t id, uint32_t vmid, uint8_t flags)
{
	return (struct sl_elem){ .kind = SL_ELEM_CONTEXT, .context = { .context_id = id, .vmid = vmid, .flags = flags } };
}

static struct sl_elem told(uint32_t id, bool known)
{
	return (struct sl_elem){ .kind = SL_ELEM_TASK, .count = id, .value = known };
}

static void go(struct task *task, struct sl_elem elem)
{
	assert_true(task_elem(task, &elem));
}

void test_lane_task__context_id_and_vmid_name_it(void **state)
{
	struct task task;
	uint64_t key;

	(void)state;
	task_init(&task, NULL);
	assert_false(task.one);
	go(&task, context(5, 0, SL_CTX_ID));
	assert_true(task.one);
	key = task.key;
	go(&task, context(5, 1, SL_CTX_ID | SL_CTX_VMID));
	assert_int_not_equal(task.key, key);
	go(&task, context(5, 0, SL_CTX_ID | SL_CTX_EL)); /* the level is no part of it */
	assert_int_equal(task.key, key);
	assert_false(task_elem(&task, &(struct sl_elem){ .kind = SL_ELEM_TIME }));
}

void test_lane_task__nobody_is_one_on_each_lane(void **state)
{
	struct task task;

	(void)state;
	task_init(&task, NULL);
	go(&task, context(0, 0, SL_CTX_ID));
	assert_false(task.one);
	go(&task, context(0, 3, SL_CTX_VMID)); /* a virtual machine's: as many at once as it has CPUs */
	assert_false(task.one);
}

void test_lane_task__remembers_whether_one_was_named(void **state)
{
	struct task task;

	(void)state;
	task_init(&task, NULL);
	go(&task, context(0, 3, SL_CTX_ID | SL_CTX_VMID));
	assert_false(task.named);
	go(&task, told(9, true));
	assert_true(task.named);
	go(&task, context(0, 0, SL_CTX_ID));
	assert_true(task.named);
}

void test_lane_task__vmid_of_a_kernel_at_el2(void **state)
{
	const struct sl_trace_config vhe = { .protocol = SL_PROTOCOL_ETMV4, .regs = { [SL_REG_TRCCONFIGR] = 1 << 7 | 1 << 15 } };
	struct task task;

	(void)state;
	task_init(&task, &vhe);
	go(&task, context(0, 0x1234, SL_CTX_ID | SL_CTX_VMID));
	assert_true(task.one);
	go(&task, context(0, 0, SL_CTX_ID | SL_CTX_VMID));
	assert_false(task.one);
}

void test_lane_task__the_captures_word_holds_where_the_trace_has_none(void **state)
{
	struct task task;
	uint64_t key;

	(void)state;
	task_init(&task, NULL);
	go(&task, told(77, true));
	assert_true(task.one);
	key = task.key;
	go(&task, context(0, 0, SL_CTX_EL));
	assert_int_equal(task.key, key);
	go(&task, context(78, 0, SL_CTX_ID));
	assert_int_not_equal(task.key, key);
	go(&task, told(0, false));
	assert_false(task.one);
}

/* Threads share their address space, so that no CR3 is one task. */
void test_lane_task__the_captures_word_goes_before_cr3(void **state)
{
	const struct sl_trace_config pt = { .protocol = SL_PROTOCOL_IPT };
	struct task task;
	uint64_t key;

	(void)state;
	task_init(&task, &pt);
	go(&task, context(0x1000, 0, SL_CTX_ID));
	assert_false(task.one);
	assert_false(task.named);
	go(&task, told(77, true));
	assert_true(task.one);
	assert_int_equal(task.context.context_id, 77);
	key = task.key;
	go(&task, context(0x2000, 5, SL_CTX_ID | SL_CTX_VMID));
	assert_int_equal(task.key, key);
}

void test_lane_task__neighbours_are_one_once_that_is_known(void **state)
{
	const struct sl_trace_config pt = { .protocol = SL_PROTOCOL_IPT };
	const struct sl_elem kernel = context(0x1000, 0, SL_CTX_ID), other = context(0x1003, 0, SL_CTX_ID);
	struct task task;
	uint64_t key;

	(void)state;
	task_init(&task, NULL);
	go(&task, context(0x1001, 0, SL_CTX_ID));
	assert_false(task_goes_to_neighbour(&task, &kernel));
	task_init(&task, &pt);
	assert_false(task_goes_to_neighbour(&task, &kernel));
	go(&task, context(0x1001, 0, SL_CTX_ID));
	assert_true(task_goes_to_neighbour(&task, &kernel));
	assert_false(task_goes_to_neighbour(&task, &other));
	task_pair(&task);
	key = task.key;
	go(&task, kernel);
	assert_int_equal(task.key, key);
	assert_false(task_goes_to_neighbour(&task, &other));
	go(&task, other);
	assert_int_not_equal(task.key, key);
}

void test_lane_task__exceptions_of_each_protocol(void **state)
{
	static const struct {
		enum sl_protocol protocol;
		enum sl_core_profile profile;
		uint32_t number;
		enum sl_level level;
	} rows[] = {
		{ SL_PROTOCOL_ETMV4, SL_PROFILE_A, 0, SL_LEVEL_RESET }, { SL_PROTOCOL_ETMV4, SL_PROFILE_A, 2, SL_LEVEL_SYSCALL },
		{ SL_PROTOCOL_ETE, SL_PROFILE_A, 14, SL_LEVEL_IRQ }, { SL_PROTOCOL_ETE, SL_PROFILE_A, 15, SL_LEVEL_FIQ },
		{ SL_PROTOCOL_ETMV4, SL_PROFILE_A, 12, SL_LEVEL_FAULT }, { SL_PROTOCOL_ETMV4, SL_PROFILE_A, 99, SL_LEVEL_OTHER },
		{ SL_PROTOCOL_ETMV4, SL_PROFILE_M, 11, SL_LEVEL_SYSCALL }, { SL_PROTOCOL_ETMV4, SL_PROFILE_M, 14, SL_LEVEL_IRQ },
		{ SL_PROTOCOL_ETMV4, SL_PROFILE_M, 3, SL_LEVEL_FAULT }, { SL_PROTOCOL_ETMV4, SL_PROFILE_M, 24, SL_LEVEL_DEBUG },
		{ SL_PROTOCOL_ETMV4, SL_PROFILE_M, 0x208, SL_LEVEL_IRQ }, { SL_PROTOCOL_ETMV4, SL_PROFILE_M, 0x100, SL_LEVEL_OTHER },
		{ SL_PROTOCOL_PTM, SL_PROFILE_A, 10, SL_LEVEL_SYSCALL }, { SL_PROTOCOL_PTM, SL_PROFILE_A, 14, SL_LEVEL_IRQ },
		{ SL_PROTOCOL_ETMV3, SL_PROFILE_R, 9, SL_LEVEL_FAULT }, { SL_PROTOCOL_ETMV3, SL_PROFILE_A, 4, SL_LEVEL_SERROR },
		{ SL_PROTOCOL_ETMV3, SL_PROFILE_M, 8, SL_LEVEL_IRQ }, { SL_PROTOCOL_ETMV3, SL_PROFILE_M, 9, SL_LEVEL_FAULT },
		{ SL_PROTOCOL_ETMV3, SL_PROFILE_M, 17, SL_LEVEL_RESET }, { SL_PROTOCOL_ETMV3, SL_PROFILE_M, 24, SL_LEVEL_IRQ },
		{ SL_PROTOCOL_IPT, SL_PROFILE_A, 14, SL_LEVEL_FAULT }, { SL_PROTOCOL_IPT, SL_PROFILE_A, 3, SL_LEVEL_DEBUG },
		{ SL_PROTOCOL_IPT, SL_PROFILE_A, 2, SL_LEVEL_IRQ }, { SL_PROTOCOL_IPT, SL_PROFILE_A, 18, SL_LEVEL_SERROR },
		{ SL_PROTOCOL_IPT, SL_PROFILE_A, 0x80, SL_LEVEL_SYSCALL }, { SL_PROTOCOL_IPT, SL_PROFILE_A, SL_X86_VMCALL, SL_LEVEL_SYSCALL },
		{ SL_PROTOCOL_IPT, SL_PROFILE_A, SL_X86_UNKNOWN, SL_LEVEL_OTHER }, { SL_PROTOCOL_IPT, SL_PROFILE_A, SL_X86_INTERRUPT, SL_LEVEL_IRQ },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sl_trace_config config = { .protocol = rows[i].protocol, .profile = rows[i].profile };

		assert_int_equal(level_of(&config, rows[i].number), rows[i].level);
	}
	assert_int_equal(level_of(NULL, 14), SL_LEVEL_IRQ);
}
