/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "a64_insn.h"
#include "gen_fixture.h"
#include "insn.h"

#define NOP	       A64_NOP
#define B_NE(from, to) a64_b_ne(from, to)
#define SVC	       A64_SVC_0
#define RET	       A64_RET_X30
#define MSR_CONTEXTIDR UINT32_C(0xd518d020) /* msr contextidr_el1, x0 */
#define HVC	       UINT32_C(0xd4000002)
enum { SYSTEM = GEN_LOG_IS_SYSTEM, VECTOR = 0x80400, IRQ_VECTOR = 0x80480, EL1_IRQ = 0x80280 };
#define SVC_SYNDROME UINT32_C(0x56000000)
#define DATA_ABORT   UINT32_C(0x92000047)
#define FETCH_ABORT  UINT32_C(0x82000007)

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

/* A system whose CPU 0 runs at EL0. */
static void begin_system(void)
{
	begin_log(GEN_LOG_A64, SYSTEM | GEN_LOG_HAS_REGISTERS, 1);
	add_value(GEN_LOG_REGISTER, GEN_LOG_PSTATE, 0);
	say(GEN_LOG_LINE_START);
}

void test_gen_flow_a64__merges_what_falls_through(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "44", NOP, NOP);
	RUN(0x1008, "4", NOP);
	RUN(0x100c, "44", NOP, a64_b(0x1010, 0x1000));
	RUN(0x1000, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1014 5 a64 taken to 1000 a64\n"
		      "5 cpu0 end\n"); /* of the last block nobody knows that it ended */
}

void test_gen_flow_a64__branches(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", B_NE(0x1000, 0x1010));
	RUN(0x1004, "4", B_NE(0x1004, 0x1010));
	RUN(0x1010, "4", a64_bl(0x1010, 0x2000));
	RUN(0x2000, "4", a64_blr(1));
	RUN(0x3000, "4", RET);
	RUN(0x2004, "4", a64_br(16));
	RUN(0x4000, "4", A64_ISB);
	RUN(0x4004, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 not-taken conditional\n"
		      "1 cpu0 run 1004-1008 1 a64 taken conditional to 1010 a64\n"
		      "2 cpu0 run 1010-1014 1 a64 call to 2000 a64\n"
		      "3 cpu0 run 2000-2004 1 a64 indirect-call to 3000 a64\n"
		      "4 cpu0 run 3000-3004 1 a64 return to 2004 a64\n"
		      "5 cpu0 run 2004-2008 1 a64 indirect to 4000 a64\n"
		      "6 cpu0 run 4000-4004 1 a64 barrier\n"
		      "7 cpu0 end\n");
}

/* The kernel of a program is a gap; it may return elsewhere, as for a signal. */
void test_gen_flow_a64__calls_of_a_program(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "44", NOP, SVC);
	RUN(0x5000, "44", NOP, SVC);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1008 2 a64 none\n"
		      "2 cpu0 exception call back to 1008 vector 0\n"
		      "2 cpu0 gap\n"
		      "2 cpu0 run 5000-5008 2 a64 none\n"
		      "4 cpu0 exception call back to 5008 vector 0\n"
		      "4 cpu0 gap\n"
		      "4 cpu0 end\n");
}

void test_gen_flow_a64__fault_of_a_program(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "444", NOP, NOP, NOP);
	partial(2);
	RUN(0x5000, "4", RET);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 none\n"
		      "1 cpu0 exception data-fault back to 1004 vector 0\n"
		      "1 cpu0 gap\n"
		      "1 cpu0 end\n");
}

void test_gen_flow_a64__system_call_and_return(void **state)
{
	begin_system();
	RUN(0x1000, "44", NOP, SVC);
	RUN(VECTOR, "44", NOP, A64_ERET);
	RUN(0x1008, "44", NOP, NOP);
	say_exception("SVC", 0, 1, SVC_SYNDROME, 0x1008, VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL0 PC 0x1008\n");
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1008 2 a64 none\n"
		      "2 cpu0 exception call back to 1008 vector 80400\n"
		      "2 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "2 cpu0 run 80400-80408 2 a64 eret to 1008 a64\n"
		      "4 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "4 cpu0 run 1008-100c 1 a64 none\n"
		      "5 cpu0 end\n");
}

/* The instruction that faults is not executed, in the middle of a block or at its end. */
void test_gen_flow_a64__data_faults(void **state)
{
	begin_system();
	RUN(0x1000, "444", NOP, NOP, NOP);
	partial(2);
	RUN(VECTOR, "4", A64_ERET);
	RUN(0x1004, "4", NOP);
	add_word(2);
	say_exception("Data Abort", 0, 1, DATA_ABORT, 0x1004, VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL0 PC 0x1004\n");
	say_exception("Data Abort", 0, 1, DATA_ABORT, 0x1004, VECTOR);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 none\n"
		      "1 cpu0 exception data-fault back to 1004 vector 80400\n"
		      "1 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "1 cpu0 run 80400-80404 1 a64 eret to 1004 a64\n"
		      "2 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "2 cpu0 exception data-fault back to 1004 vector 80400\n"
		      "2 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "2 cpu0 end\n");
}

/* By its return address: the fetch behind an instruction, or at a branch's target. */
void test_gen_flow_a64__fetch_faults(void **state)
{
	begin_system();
	RUN(0x1ff8, "44", NOP, NOP);
	RUN(VECTOR, "4", A64_ERET);
	RUN(0x2000, "4", a64_br(1));
	add_word(2);
	say_exception("Prefetch Abort", 0, 1, FETCH_ABORT, 0x2000, VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL0 PC 0x2000\n");
	say_exception("Prefetch Abort", 0, 1, FETCH_ABORT, 0x6000, VECTOR);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1ff8-2000 2 a64 none\n"
		      "2 cpu0 exception inst-fault back to 2000 vector 80400\n"
		      "2 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "2 cpu0 run 80400-80404 1 a64 eret to 2000 a64\n"
		      "3 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "3 cpu0 run 2000-2004 1 a64 indirect to 6000 a64\n"
		      "4 cpu0 exception inst-fault back to 6000 vector 80400\n"
		      "4 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "4 cpu0 end\n");
}

/* Behind a branch, its target is where the interrupt returns to: also where it branches to itself. */
void test_gen_flow_a64__interrupts(void **state)
{
	begin_system();
	RUN(0x1000, "4", B_NE(0x1000, 0x1010));
	RUN(IRQ_VECTOR, "4", A64_ERET);
	RUN(0x1010, "4", a64_b(0x1010, 0x1010));
	add_word(2);
	add_word(3);
	RUN(EL1_IRQ, "4", NOP);
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1010, IRQ_VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL0 PC 0x1010\n");
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1010, IRQ_VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL1 PC 0x1010\n");
	say_exception("IRQ", 1, 1, SVC_SYNDROME, 0x1010, EL1_IRQ);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 taken conditional to 1010 a64\n"
		      "1 cpu0 exception irq back to 1010 vector 80480\n"
		      "1 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "1 cpu0 run 80480-80484 1 a64 eret to 1010 a64\n"
		      "2 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "2 cpu0 run 1010-1014 1 a64 taken to 1010 a64\n"
		      "3 cpu0 exception irq back to 1010 vector 80480\n"
		      "3 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "3 cpu0 run 80480-80484 1 a64 eret to 1010 a64\n"
		      "4 cpu0 run 1010-1014 1 a64 taken to 1010 a64\n"
		      "5 cpu0 exception irq back to 1010 vector 80280\n"
		      "5 cpu0 end\n");
}

/* An interrupt that waits while the kernel returns: nothing runs between. */
void test_gen_flow_a64__interrupt_behind_a_return(void **state)
{
	begin_system();
	RUN(0x1000, "4", SVC);
	RUN(VECTOR, "4", A64_ERET);
	RUN(IRQ_VECTOR, "4", NOP);
	say_exception("SVC", 0, 1, SVC_SYNDROME, 0x1004, VECTOR);
	say("Exception return from AArch64 EL1 to AArch64 EL0 PC 0x1004\n");
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1004, IRQ_VECTOR);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 none\n"
		      "1 cpu0 exception call back to 1004 vector 80400\n"
		      "1 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "1 cpu0 run 80400-80404 1 a64 eret to 1004 a64\n"
		      "2 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "2 cpu0 exception irq back to 1004 vector 80480\n"
		      "2 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "2 cpu0 end\n");
}

/* A device access ends the block; QEMU does it anew, out of sight or in the next block. */
void test_gen_flow_a64__device_accesses(void **state)
{
	begin_system();
	RUN(0x1000, "444", NOP, NOP, NOP);
	partial(2);
	RUN(0x1008, "4", NOP);
	RUN(0x100c, "444", NOP, A64_ISB, NOP);
	partial(2);
	RUN(0x1010, "4", A64_ISB);
	RUN(0x1014, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1014 5 a64 barrier\n"
		      "5 cpu0 end\n");
}

void test_gen_flow_a64__instruction_begun_anew(void **state)
{
	begin_system();
	RUN(0x1000, "444", NOP, NOP, A64_ISB);
	partial(2);
	RUN(0x1004, "44", NOP, A64_ISB);
	RUN(0x100c, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-100c 3 a64 barrier\n"
		      "3 cpu0 end\n");
	assert_int_equal(g.stats.again, 1);
	assert_int_equal(g.stats.partial, 1);
}

/* Firmware is QEMU itself. */
void test_gen_flow_a64__firmware_call(void **state)
{
	begin_system();
	RUN(0x1000, "4", HVC);
	RUN(0x1004, "4", RET);
	say("Taking exception 11 [Hypervisor Call] on CPU 0\n...from EL1 to EL2\n...handled as PSCI call\n");
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 none\n"
		      "1 cpu0 exception call back to 1004 vector 0\n"
		      "1 cpu0 gap\n"
		      "1 cpu0 end\n");
}

/* It counts from the ISB on, and the task's name with it. */
void test_gen_flow_a64__context_switch(void **state)
{
	begin_system();
	RUN(0x1000, "4", MSR_CONTEXTIDR);
	add_value(GEN_LOG_REGISTER, GEN_LOG_CONTEXTIDR, 42);
	RUN(0x1004, "4", A64_ISB);
	RUN(0x1008, "44", NOP, a64_b(0x100c, 0x2000));
	add_value(GEN_LOG_MARK, GEN_MARK_TASK, UINT64_C(41) << 32 | 42);
	add_value(GEN_LOG_MARK, GEN_MARK_NAME, 0x6d616e /* "nam" */);
	RUN(0x2000, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1008 2 a64 barrier\n"
		      "2 cpu0 context el0 id 42 pid 0 tid 42\n"
		      "2 cpu0 run 1008-1010 2 a64 taken to 2000 a64\n"
		      "2 cpu0 mark 14 290000002a\n"
		      "2 cpu0 mark 15 6d616e\n"
		      "4 cpu0 context el0 id 42 pid 41 tid 42 nam\n"
		      "4 cpu0 end\n");
}

/* The guest's counter tells what was slept over. */
void test_gen_flow_a64__idle_time(void **state)
{
	begin_system();
	RUN(0x1000, "4", a64_b(0x1000, 0x1000));
	add_value(GEN_LOG_REGISTER, GEN_LOG_CNTVCT, 100);
	add_word(1);
	add_value(GEN_LOG_REGISTER, GEN_LOG_CNTVCT, 110);
	add_word(1);
	add_word(1);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 taken to 1000 a64\n"
		      "160 cpu0 run 1000-1004 1 a64 taken to 1000 a64 slept 159\n"
		      "161 cpu0 run 1000-1004 1 a64 taken to 1000 a64\n"
		      "162 cpu0 end\n");
}

void test_gen_flow_a64__code_that_changes(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "44", NOP, a64_b(0x1004, 0x1000));
	RUN(0x1000, "44", A64_ISB, a64_b(0x1004, 0x1000));
	add_word(1); /* the first one again: two programs that share addresses look like this */
	RUN(0x1000, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1008 2 a64 taken to 1000 a64\n"
		      "2 cpu0 patch 1000 2\n"
		      "2 cpu0 run 1000-1008 2 a64 taken to 1000 a64\n"
		      "4 cpu0 patch 1000 2\n"
		      "4 cpu0 run 1000-1008 2 a64 taken to 1000 a64\n"
		      "6 cpu0 end\n");
}

/* Each CPU has a run that is open while the other one's are told; time does not run back. */
void test_gen_flow_a64__two_cpus(void **state)
{
	begin_log(GEN_LOG_A64, SYSTEM, 2);
	say(GEN_LOG_LINE_START);
	RUN(0x1000, "44", NOP, NOP);
	add_tag(GEN_LOG_CPU, 1);
	RUN(0x2000, "4", a64_b(0x2000, 0x2000));
	add_word(2);
	add_tag(GEN_LOG_CPU, 0);
	RUN(0x1008, "4", RET);
	RUN(0x3000, "4", NOP);
	expect_events("0 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "0 cpu1 context el1 id 0 pid 0 tid 0\n"
		      "0 cpu1 run 2000-2004 1 a64 taken to 2000 a64\n"
		      "1 cpu0 run 1000-100c 3 a64 return to 3000 a64\n"
		      "4 cpu0 end\n"
		      "4 cpu1 end\n");
}

void test_gen_flow_a64__windows(void **state)
{
	begin_log(GEN_LOG_A64, GEN_LOG_HAS_WINDOWS, 1);
	RUN(0x1000, "44", NOP, NOP);
	add_tag(GEN_LOG_STOP, 0);
	add_tag(GEN_LOG_START, 0);
	add_tag(GEN_LOG_CPU, 0);
	RUN(0x9000, "4", RET);
	RUN(0x1000, "4", NOP);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 none\n"
		      "1 cpu0 gap\n"
		      "1 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "1 cpu0 run 9000-9004 1 a64 return to 1000 a64\n"
		      "2 cpu0 end\n");
}

static void expect_contradiction(const char *what)
{
	assert_int_equal(tell_flow(), SL_ERR_FORMAT);
	assert_int_equal(g.stats.inconsistencies, 1);
	assert_non_null(strstr(g.diag.text, what));
	assert_non_null(strstr(g.events, "gap\n"));
	done();
}

void test_gen_flow_a64__contradictions(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", NOP);
	RUN(0x2000, "4", NOP);
	expect_contradiction("a jump without a branch at 0x1000, then 0x2000");
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", B_NE(0x1000, 0x1010));
	RUN(0x1008, "4", NOP);
	expect_contradiction("a jump without a branch");
}

void test_gen_flow_a64__allowed_contradiction(void **state)
{
	begin_log(GEN_LOG_A64, 0, 1);
	RUN(0x1000, "4", NOP);
	RUN(0x2000, "4", NOP);
	g.options.allowed_inconsistencies = 1;
	assert_int_equal(tell_flow(), SL_OK);
	done();
}

void test_gen_flow_a64__exception_from_elsewhere(void **state)
{
	begin_system();
	RUN(0x1000, "4", NOP);
	RUN(VECTOR, "4", NOP);
	say_exception("Data Abort", 0, 1, DATA_ABORT, 0x7000, VECTOR);
	assert_int_equal(tell_flow(), SL_ERR_FORMAT);
	assert_non_null(strstr(g.diag.text, "an exception from elsewhere at 0x7000"));
	done();
}

void test_gen_flow_a64__exception_types(void **state)
{
	static const struct {
		uint64_t vector;
		uint32_t class;
		enum gen_exception_type type;
	} rows[] = {
		{ 0x400, 0x15, GEN_CALL_EXCEPTION },
		{ 0x400, 0x24, GEN_DATA_FAULT },
		{ 0x200, 0x25, GEN_DATA_FAULT },
		{ 0x400, 0x20, GEN_INST_FAULT },
		{ 0x400, 0x3c, GEN_DEBUG_EXCEPTION },
		{ 0x400, 0x32, GEN_DEBUG_EXCEPTION },
		{ 0x400, 0x00, GEN_UNDEFINED },
		{ 0x400, 0x26, GEN_ALIGNMENT },
		{ 0x400, 0x07, GEN_TRAP },
		{ 0x480, 0x15, GEN_IRQ },
		{ 0x300, 0, GEN_FIQ },
		{ 0x380, 0, GEN_SYSTEM_ERROR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gen_int_event event = { .to = rows[i].vector, .syndrome = rows[i].class << 26 };

		assert_int_equal(gen_a64_exception(&event), rows[i].type);
	}
}

void test_gen_flow_a64__exceptions_that_no_block_shows(void **state)
{
	begin_system();
	RUN(0x1000, "4", A64_ISB);
	RUN(0x1004, "4", NOP);
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1008, IRQ_VECTOR);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1004 1 a64 barrier\n"
		      "1 cpu0 end\n"); /* its handler comes behind the window */
	begin_system();
	RUN(0x1000, "4", A64_ISB);
	RUN(0x1004, "4", NOP);
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1008, IRQ_VECTOR);
	say_exception("IRQ", 0, 1, SVC_SYNDROME, 0x1008, IRQ_VECTOR);
	assert_int_equal(tell_flow(), SL_ERR_FORMAT);
	assert_int_equal(g.stats.unused, 2);
	done();
}
